"""Collections and folders that are kept in step with files and other programs."""
