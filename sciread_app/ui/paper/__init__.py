"""All that is shown and done about one paper: the parts of the panel beside the list."""
