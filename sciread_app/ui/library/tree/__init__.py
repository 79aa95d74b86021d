"""The tree of collections, tags and saved searches."""
