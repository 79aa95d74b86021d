"""Teaching models, as the window shows it."""
