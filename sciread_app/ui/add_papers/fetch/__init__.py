"""Fetches from online sources: queries, previews and results."""
