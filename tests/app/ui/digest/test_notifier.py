"""Digests that are due are made while the window is open, and new ones reported once."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QSystemTrayIcon, QWidget

from sciread_app.ui.digest.notifier import DigestNotifier
from tests.support.ui.fakes.digest import FakeDigests, digest_of


@pytest.fixture
def services():
    return FakeDigests()


@pytest.fixture
def look(qtbot, jobs, context, services):
    """Return a function that checks once, as a window does that was just opened."""
    window = QWidget()
    qtbot.addWidget(window)
    # Instead of the recorder, which returns None: the page is not shown.
    context.navigate.shows = lambda key: False

    def look(notifier=None):
        notifier = notifier or DigestNotifier(context, services, window)
        notifier.look()
        qtbot.waitUntil(lambda: not jobs.running())
        return notifier

    return look


def notices(context):
    return [call[1] for call in context.messages.calls if call[0] == "show_notice"]


@pytest.fixture
def shown_on_desktop(monkeypatch):
    """The messages of a system tray, which the offscreen platform does not have."""
    shown = []
    for name in ("isSystemTrayAvailable", "supportsMessages"):
        monkeypatch.setattr(QSystemTrayIcon, name, staticmethod(lambda: True))
    monkeypatch.setattr(QSystemTrayIcon, "showMessage", lambda tray, *args: shown.append(args[1]))
    return shown


def test_due_digest_is_made_and_reported(look, services, context, shown_on_desktop):
    services.due = True
    look()
    assert services.calls == ["make due"]
    (notice,) = notices(context)
    assert "1 paper" in notice and shown_on_desktop == [notice]
    _, _, _, (_, show) = context.messages.calls[-1]
    show()
    assert context.navigate.calls[-1] == ("go_to", "digest")


def test_digest_is_reported_once(look, services, context):
    services.made = [digest_of(1, "The first")]
    look()
    look()
    assert len(notices(context)) == 1


def test_digest_of_the_timer_is_reported_in_the_window_only(
    look, services, context, shown_on_desktop
):
    changes = []
    context.events.papers_added.connect(changes.append)
    services.made = [digest_of(1, "The first", "Another")]
    look()
    assert "2 papers" in notices(context)[0] and shown_on_desktop == [] and changes


def test_nothing_new_is_not_reported(look, services, context):
    services.due, services.new = True, []
    look()
    assert services.calls == ["make due"] and context.messages.calls == []


def test_failed_fetch_is_reported_and_not_repeated_at_once(look, services, context):
    services.due, services.new, services.problems = True, [], ["arXiv is down."]
    notifier = look()
    look(notifier)
    assert services.calls == ["make due"]
    assert [call[0] for call in context.messages.calls] == ["show_warning"]


def test_sample_library_makes_no_digests(qtbot, context, services, jobs):
    services.makes_digests = False
    window = QWidget()
    qtbot.addWidget(window)
    notifier = DigestNotifier(context, services, window)
    notifier.start()
    assert not jobs.running() and not notifier._often.isActive()
