"""Export to files, citations and the clipboard."""
