"""Look-ups at online services: metadata, missing papers, citations and PDFs."""
