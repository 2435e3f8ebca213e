"""State to metric families."""
