"""Metrics and their confidence intervals."""
