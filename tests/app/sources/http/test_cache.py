"""The cache forgets after a day and stays within its size limit."""

from __future__ import annotations

import os
import time

import pytest

from sciread_app.sources.http.cache import DAY, DayCache


def test_stored_value_is_returned(tmp_path):
    cache = DayCache(tmp_path / "deep")
    assert cache.get("a") is None
    cache.put("a", b"1")
    cache.put("a", b"2")
    assert cache.get("a") == DayCache(tmp_path / "deep").get("a") == b"2"
    assert cache.get("b") is None


@pytest.mark.parametrize(("age", "known"), [(DAY - 60, True), (DAY + 60, False), (-60, False)])
def test_only_values_of_one_day_are_returned(tmp_path, age, known):
    cache = DayCache(tmp_path)
    cache.put("a", b"1")
    set_age(tmp_path, age)
    assert (cache.get("a") is not None) is known


def test_old_files_are_deleted(tmp_path):
    DayCache(tmp_path).put("a", b"1")
    (tmp_path / "left.behind").write_bytes(b"half of it")
    set_age(tmp_path, DAY + 60)
    DayCache(tmp_path).put("b", b"2")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"2"]


def test_oldest_values_are_evicted_first(tmp_path):
    cache = DayCache(tmp_path, most=1000)
    for number in range(30):
        cache.put(str(number), bytes(90))
        set_age(tmp_path, 60 * (30 - number), newest=True)
        assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 1000
    assert cache.get("29") is not None and cache.get("0") is None


def test_unwritable_folder_disables_the_cache(tmp_path):
    (tmp_path / "file").write_text("")
    cache = DayCache(tmp_path / "file")
    cache.put("a", b"1")
    assert cache.get("a") is None


def set_age(folder, seconds, newest=False):
    """Set the age of all files, or of the newest only."""
    then = time.time() - seconds
    paths = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in paths[-1:] if newest else paths:
        os.utime(path, (then, then))
