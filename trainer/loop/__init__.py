"""The training loop: setup, steps, checkpoints, stopping, event log and final package."""
