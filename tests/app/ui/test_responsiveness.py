"""The window stays responsive while thousands of papers are imported and the user works."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from sciread_app.settings import Settings, write_settings
from sciread_app.ui.application import SWITCH_INTERVAL
from sciread_app.ui.jobs.runner import JobRunner
from sciread_app.ui.shell.gateway import open_gateway
from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.style.theme import Appearance
from tests.support.models.tiny_model import tiny_package
from tests.support.ui.heartbeat import FairHeartbeat
from tests.support.ui.working_day import working_day

PAPERS = 5_000
BEATS = 3  # of the window's event loop between two steps of the user

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


def write_papers(path: Path) -> None:
    with path.open("w") as stream:
        for n in range(PAPERS):
            about = {
                "id": f"x:{n}",
                "title": f"On the flight of bee number {n}",
                "abstract": f"Bee {n} was seen to fly from flower {n * 7 % 100} to the hive. " * 8,
                "authors": f"A. Author{n % 500}, B. Writer",
                "year": 1950 + n % 70,
            }
            stream.write(json.dumps(about) + "\n")


@pytest.fixture
def short_switch_interval() -> Iterator[None]:
    """Set the thread switch interval of the program."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    yield
    sys.setswitchinterval(before)


def test_import_of_5000_papers_keeps_the_window_responsive(
    qtbot, qapp, short_switch_interval, tmp_path
):
    write_papers(tmp_path / "papers.jsonl")
    home = tmp_path / "home"
    (home / "models").mkdir(parents=True)
    tiny_package(home / "models" / "tiny")
    write_settings(home / "settings.toml", Settings(model="tiny"))
    jobs = JobRunner()
    window = MainWindow(home, jobs, Appearance(qapp))
    qtbot.addWidget(window)
    window.show()
    gateway = open_gateway(home)
    window.open(gateway)
    qtbot.waitUntil(lambda: window.is_open)
    qtbot.waitUntil(lambda: not jobs.running(), timeout=250_000)

    heart, done, failed = FairHeartbeat(), Counter[str](), []
    jobs.failed.connect(lambda job, problem: failed.append(problem))
    heart.start()
    window.importing.add([tmp_path / "papers.jsonl"])
    for what in working_day(window):
        done[what] += 1
        enough = heart.beats + BEATS
        qtbot.waitUntil(lambda enough=enough: heart.beats >= enough)
    qtbot.waitUntil(lambda: gateway.status().papers == PAPERS, timeout=500_000)
    qtbot.waitUntil(lambda: not jobs.running(), timeout=500_000)
    longest = heart.stop()

    print(f"longest gap {longest:.0f} ms in {heart.beats} beats")
    assert gateway.status().without_vector == 0
    assert len(done) > 20 and failed == []
    assert heart.beats > 100
    jobs.shut_down()
    gateway.close()
