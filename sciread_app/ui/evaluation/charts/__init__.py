"""Charts of evaluation results."""
