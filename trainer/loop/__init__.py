"""The one training loop: begin, steps, checkpoints, stops, an account of it all, finish."""
