"""Evaluation protocols: one module for each protocol of the papers."""
