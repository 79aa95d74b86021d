"""The pages of an open document."""
