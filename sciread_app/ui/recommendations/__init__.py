"""Recommendations for followed topics."""
