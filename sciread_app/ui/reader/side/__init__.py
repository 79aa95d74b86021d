"""The side panel: outline, thumbnails, highlights."""
