"""The doctor removes what is left over, and nothing that is in use."""

from __future__ import annotations

import os
import time

from sciread_app.paths import Home
from sciread_app.services.maintenance.doctor import examine
from sciread_app.tasks import Task


def test_partial_files_are_removed_only_if_they_are_old(library, tmp_path):
    home = Home(tmp_path / "home")
    home.indexes.mkdir(parents=True)
    young, old = home.folder / "settings.toml.new", home.indexes / "vectors.new"
    for path in (young, old):
        path.write_bytes(b"half")
    yesterday = time.time() - 86_400
    os.utime(old, (yesterday, yesterday))
    (found,) = [one for one in examine(library, None, home, Task()) if one.about == "leftovers"]
    assert found.mended
    assert young.exists() and not old.exists()
