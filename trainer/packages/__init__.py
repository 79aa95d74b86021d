"""Model folders made: from a training, from the hub."""
