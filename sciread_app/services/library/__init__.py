"""Editing the library: organizing, duplicates, attachments, annotations."""
