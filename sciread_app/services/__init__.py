"""What the library is used for: plain blocking Python, without Qt and without threads."""
