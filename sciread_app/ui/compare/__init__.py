"""Side-by-side comparison of the results of two models, with blind votes."""
