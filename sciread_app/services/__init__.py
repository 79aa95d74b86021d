"""The operations on a library: plain blocking Python, without Qt and without threads."""
