"""Work in processes of its own."""
