"""Beside the pages: outline and thumbnails; details and highlights."""
