"""The page of what was measured of which model."""
