"""RIS files."""
