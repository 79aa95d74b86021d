"""The page Discover: recommendations for followed topics."""
