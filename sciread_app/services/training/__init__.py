"""Training runs of the trainer, started and followed by the app."""
