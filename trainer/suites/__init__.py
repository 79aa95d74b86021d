"""Suites: named lists of tasks, read from folders."""
