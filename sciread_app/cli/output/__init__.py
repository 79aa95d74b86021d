"""Output of the command line: tables for people, values for JSON."""
