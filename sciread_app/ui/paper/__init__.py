"""The details of one paper, next to the list or as a page."""
