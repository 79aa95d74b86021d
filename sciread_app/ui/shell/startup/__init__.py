"""Start of the program: display, single instance, recovery."""
