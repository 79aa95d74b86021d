"""Theme, colours, fonts and icons."""
