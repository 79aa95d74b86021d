"""Training data: papers, and the examples made from them."""
