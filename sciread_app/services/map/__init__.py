"""The map of papers: layout, clusters and labels."""
