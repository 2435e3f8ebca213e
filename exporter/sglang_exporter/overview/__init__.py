"""The page at `/`: what `/metrics` says, for people."""
