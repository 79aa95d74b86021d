"""Models in torch: layers, packing without padding, pooling."""
