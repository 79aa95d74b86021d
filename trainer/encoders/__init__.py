"""Sources of vectors for evaluation: models, vector files and baselines."""
