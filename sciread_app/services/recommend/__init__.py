"""Recommendations: new papers for followed topics."""
