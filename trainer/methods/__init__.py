"""How models learn: one file a method."""
