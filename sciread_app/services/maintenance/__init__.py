"""Backups, relocation, diagnosis and salvage of libraries."""
