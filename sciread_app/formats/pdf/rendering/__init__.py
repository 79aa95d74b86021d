"""Pages of a PDF as images and text, rendered in a separate process."""
