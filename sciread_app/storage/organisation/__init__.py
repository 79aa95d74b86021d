"""Organization of papers: collections, tags, notes, annotations, saved searches."""
