"""Theme, colors, fonts and icons."""
