"""What SciRead knows about papers, apart from where they are kept."""
