"""Dialogs, and where windows are placed."""
