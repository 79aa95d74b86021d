"""How people organise papers: collections, tags, notes, annotations, saved searches."""
