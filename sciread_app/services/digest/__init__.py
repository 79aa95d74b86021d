"""Digests of new papers: contents, formats, and the timer of the system that makes them."""
