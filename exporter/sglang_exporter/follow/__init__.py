"""Bytes on disk to complete lines, each exactly once."""
