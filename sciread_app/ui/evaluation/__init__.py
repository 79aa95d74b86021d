"""The evaluation page: scores of models."""
