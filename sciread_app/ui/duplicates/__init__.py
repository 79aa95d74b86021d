"""The review of possible duplicates."""
