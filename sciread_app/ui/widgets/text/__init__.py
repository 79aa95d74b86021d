"""Labels and rich text."""
