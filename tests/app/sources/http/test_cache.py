"""The cache forgets after a day, and stays within its bounds."""

from __future__ import annotations

import os
import time

import pytest

from sciread_app.sources.http.cache import DAY, DayCache


def test_what_is_put_is_got(tmp_path):
    cache = DayCache(tmp_path / "deep")
    assert cache.get("a") is None
    cache.put("a", b"1")
    cache.put("a", b"2")
    assert cache.get("a") == DayCache(tmp_path / "deep").get("a") == b"2"
    assert cache.get("b") is None


@pytest.mark.parametrize(("age", "known"), [(DAY - 60, True), (DAY + 60, False), (-60, False)])
def test_only_what_is_of_this_day_is_known(tmp_path, age, known):
    cache = DayCache(tmp_path)
    cache.put("a", b"1")
    aged(tmp_path, age)
    assert (cache.get("a") is not None) is known


def test_what_is_too_old_is_dropped(tmp_path):
    DayCache(tmp_path).put("a", b"1")
    (tmp_path / "left.behind").write_bytes(b"half of it")
    aged(tmp_path, DAY + 60)
    DayCache(tmp_path).put("b", b"2")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"2"]


def test_the_oldest_make_room(tmp_path):
    cache = DayCache(tmp_path, most=1000)
    for number in range(30):
        cache.put(str(number), bytes(90))
        aged(tmp_path, 60 * (30 - number), newest=True)
        assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 1000
    assert cache.get("29") is not None and cache.get("0") is None


def test_a_folder_that_cannot_be_written_only_costs_time(tmp_path):
    (tmp_path / "file").write_text("")
    cache = DayCache(tmp_path / "file")
    cache.put("a", b"1")
    assert cache.get("a") is None


def aged(folder, seconds, newest=False):
    """Let all files, or the newest alone, be this old."""
    then = time.time() - seconds
    paths = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in paths[-1:] if newest else paths:
        os.utime(path, (then, then))
