"""Zotero's items, and its CSV and RDF files."""
