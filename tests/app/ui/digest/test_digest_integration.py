"""Digests of a real library in the window: settings, preview, and what another process makes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sciread_app import workspace
from sciread_app.domain.digest import Frequency, Interval
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from sciread_app.ui.shell.gateway import WindowGateway, open_gateway
from sciread_app.ui.shell.main_window import MainWindow
from tests.support.models.fake_encoder import WordsEncoder
from tests.support.models.topics import BEES, STARS, about, fetch, like
from tests.support.shell import Shell

DAILY = Interval(Frequency.daily)


@pytest.fixture
def gateway(tmp_path, monkeypatch) -> Iterator[WindowGateway]:
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: WordsEncoder())
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    home = tmp_path / "home"
    home.mkdir()
    library = Library(home / "library.sqlite3")
    library.collections.add(library.put([about(BEES, n) for n in range(8)]).ids, "bees")
    library.put([about(STARS, n) for n in range(20)])
    fetch(library, [like(BEES, 3), like(BEES, 5), about(STARS, 100)])
    library.close()
    Shell(home).run("encode")
    gateway = open_gateway(home)
    yield gateway
    gateway.close()


def bees_of(gateway):
    return next(one for one in gateway.workspace.digests.topics() if one[0].name == "bees")


def test_preview_and_digest_of_the_command_line_are_shown(
    qtbot, jobs, appearance, tmp_path, gateway
):
    window = MainWindow(tmp_path / "home", jobs, appearance)
    qtbot.addWidget(window)
    window.show()
    window.open(gateway)
    qtbot.waitUntil(lambda: window.is_open)

    def settle() -> None:
        qtbot.waitUntil(lambda: not jobs.running())

    settle()
    gateway.workspace.digests.set_interval(bees_of(gateway)[0], DAILY)
    window.go_to("digest")
    settle()
    page = window.other_page("digest")
    page.preview()
    settle()
    assert page.note.isVisible() and page.view.digest.papers == 2
    Shell(tmp_path / "home").run("digest")
    page.refresh()
    settle()
    assert not page.note.isVisible() and page.view.digest.papers == 2
    assert page.view.digest.id == gateway.workspace.digests.latest()[0].id


def test_unfollowed_topic_leaves_digests_and_returns(gateway):
    topic, _ = bees_of(gateway)
    gateway.workspace.digests.set_interval(topic, DAILY)
    gateway.recommendations.leave_digests(topic)
    assert not gateway.workspace.digests.has_topics()
    gateway.recommendations.return_to_digests(topic)
    assert bees_of(gateway)[1].interval == DAILY
    assert gateway.workspace.digests.preview(Task()).papers == 2
