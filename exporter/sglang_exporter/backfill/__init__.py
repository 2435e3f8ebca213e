"""The history of a run as if it had been scraped: its files read by their own times, as OpenMetrics."""
