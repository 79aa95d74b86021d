"""Layers for training and inference on a CPU."""
