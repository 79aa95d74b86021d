"""The script of the whole loop on real papers: what it keeps, and what it says without them."""

from __future__ import annotations

import sys

import pytest

from benchmarks import loop
from benchmarks.loop import Stages


def test_stages_skip_finished_and_repeat_failed(tmp_path):
    calls = []

    def work():
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return {"papers": 3}

    with pytest.raises(KeyboardInterrupt):
        Stages(tmp_path).done("search before", work)
    first = Stages(tmp_path).done("search before", work)
    assert first["papers"] == 3 and Stages(tmp_path).done("search before", work) == first
    assert len(calls) == 2


def test_loop_without_real_papers_reports_it(tmp_path, monkeypatch):
    monkeypatch.setattr(loop, "CITATIONS", tmp_path / "none")
    monkeypatch.setattr(sys, "argv", ["loop", "--home", str(tmp_path / "home")])
    with pytest.raises(SystemExit, match="The real papers are not there"):
        loop.main()
    assert not (tmp_path / "home").exists()
