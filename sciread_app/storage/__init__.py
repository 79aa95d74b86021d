"""Where papers, their text and their vectors are kept."""
