"""Editing the library: organising, duplicates, attachments, annotations."""
