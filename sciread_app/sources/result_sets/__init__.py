"""Whole result sets of services that answer with pages of JSON."""
