"""Imports of files, identifiers and Zotero libraries, and their reports."""
