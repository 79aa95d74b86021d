"""Undo log, import log and fetches."""
