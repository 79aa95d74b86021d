"""Collections, tags and saved searches, and edits of the selected papers."""
