"""The interface between trainer and app: package, frame and method formats. Imports no torch."""
