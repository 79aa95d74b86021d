"""Frames over the pages: the bar at selected text and the editor at a highlight."""
