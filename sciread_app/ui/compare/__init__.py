"""Two models asked the same, side by side, and a vote on which is better."""
