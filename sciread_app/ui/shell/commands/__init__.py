"""Menu bar, command palette and undo."""
