"""Digests of a real library in the window: settings, preview, and what another process makes."""

from __future__ import annotations

import pytest

from sciread_app.domain.digest import Frequency, Interval
from sciread_app.tasks import Task
from sciread_app.ui.shell.gateway import WindowGateway
from tests.support.shell import Shell

DAILY = Interval(Frequency.daily)


@pytest.fixture
def gateway(bees_gateway, tmp_path, monkeypatch) -> WindowGateway:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    bees_gateway.workspace.active_model.encode_missing(Task())
    return bees_gateway


def bees_of(gateway):
    return next(one for one in gateway.workspace.digests.topics() if one[0].name == "bees")


def test_preview_and_digest_of_the_command_line_are_shown(
    qtbot, jobs, show_window, tmp_path, gateway
):
    def settle() -> None:
        qtbot.waitUntil(lambda: not jobs.running())

    window = show_window(gateway)
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
