"""The main window and everything around its pages."""
