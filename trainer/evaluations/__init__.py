"""How models are measured: one file a protocol of the papers."""
