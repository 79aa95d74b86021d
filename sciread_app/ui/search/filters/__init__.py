"""The filters of a search."""
