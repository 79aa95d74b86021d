"""The PDF reader: files of papers as continuous pages, with highlights and notes."""
