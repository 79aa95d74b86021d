"""Revisions of the library format."""

from __future__ import annotations

# The newest revision, and what PRAGMA user_version says of a library that stands at it.
HEAD = 10
# "SciR": tells a library of ours from any other SQLite file.
APPLICATION_ID = 0x53636952
