"""Annotations of files and the page text that they refer to."""
