"""The page New papers of Discover: recommendations for followed topics."""
