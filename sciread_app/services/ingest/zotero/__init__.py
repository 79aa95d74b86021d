"""Import from a Zotero data folder."""
