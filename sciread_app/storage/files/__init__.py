"""The library file itself: opening, integrity, backup and salvage."""
