"""The details of one paper, beside the list or as a page."""
