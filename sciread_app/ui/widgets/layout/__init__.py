"""Containers that arrange other widgets."""
