"""The search box, its completion and help, and the papers of a search by example."""
