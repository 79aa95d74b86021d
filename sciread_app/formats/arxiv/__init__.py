"""arXiv's formats: Atom, OAI-PMH and the metadata snapshot."""
