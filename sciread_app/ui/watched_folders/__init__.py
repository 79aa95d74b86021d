"""Watched folders: scanning them in the background, and their settings."""
