"""Evaluation of models: runs, scores and comparisons."""
