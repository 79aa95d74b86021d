"""What has to do with models, as the window shows it."""
