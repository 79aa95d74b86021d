"""The list of papers and its cards."""
