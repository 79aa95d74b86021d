"""Layers for training on a CPU."""
