"""The commands: the flags of each, and what they are handed on to."""
