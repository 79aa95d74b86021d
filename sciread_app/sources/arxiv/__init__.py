"""arXiv's query API and OAI-PMH interface."""
