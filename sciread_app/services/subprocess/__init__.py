"""Work in separate processes."""
