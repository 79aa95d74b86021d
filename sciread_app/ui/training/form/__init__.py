"""The form for a new training run."""
