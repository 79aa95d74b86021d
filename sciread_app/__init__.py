"""SciRead: find scientific papers by meaning."""

__version__ = "0.1.0"
