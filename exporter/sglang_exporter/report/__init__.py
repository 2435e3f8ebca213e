"""What an engineer works out by hand after a run: a log, and its outputs, as findings per run of the server."""
