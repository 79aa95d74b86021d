"""Texts to vectors in torch: layers, packing without padding, pooling."""
