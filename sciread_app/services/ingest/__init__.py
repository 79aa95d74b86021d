"""Adding papers: files, sources, citations and Zotero."""
