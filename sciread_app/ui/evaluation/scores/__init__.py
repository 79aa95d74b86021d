"""The table of scores."""
