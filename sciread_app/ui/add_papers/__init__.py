"""Adding papers: fetches, files, imports."""
