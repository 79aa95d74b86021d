"""Revisions of the library format."""

from __future__ import annotations

# The newest revision, which PRAGMA user_version of a migrated library holds.
HEAD = 13
# "SciR", PRAGMA application_id: distinguishes a library from other SQLite files.
APPLICATION_ID = 0x53636952
