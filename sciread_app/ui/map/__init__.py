"""The page on which papers lie as points, those alike together."""
