"""Metadata of papers: fields, identifiers, look-ups, and how metadata changes."""
