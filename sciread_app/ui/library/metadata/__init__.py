"""The look-up of metadata."""
