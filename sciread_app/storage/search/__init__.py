"""Vector files, vector indexes and facets."""
