"""What models learn from: papers, and examples made of them."""
