"""The shelf: what papers are put into, and what is done with those that were chosen."""
