"""Lines of a server log to what the server said."""
