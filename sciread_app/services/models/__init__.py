"""Installed models: registry, installation, activation and comparison."""
