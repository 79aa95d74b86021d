"""What is evaluated: models, files of vectors, baselines, and how their vectors are come by."""
