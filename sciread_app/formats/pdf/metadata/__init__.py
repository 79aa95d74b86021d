"""Bibliographic metadata from the text and layout of a PDF."""
