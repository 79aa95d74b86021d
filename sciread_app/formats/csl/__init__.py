"""CSL-JSON and CSL styles."""
