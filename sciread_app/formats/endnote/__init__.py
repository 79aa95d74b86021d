"""EndNote's tagged format and its XML."""
