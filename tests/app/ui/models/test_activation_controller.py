"""Activation of a model from the window, which stays usable meanwhile."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtWidgets import QPushButton

from sciread_app.ui.jobs.runner import JobQueue
from tests.support.ui.fakes.gateway import FakeGateway


@pytest.fixture
def gateway() -> FakeGateway:
    return FakeGateway(12)


@pytest.fixture
def window(show_window, gateway):
    return show_window(gateway)


def press(window, name):
    buttons = [b for b in window.findChildren(QPushButton) if b.text() == name and b.isVisible()]
    buttons[0].click()


def banner_text(window):
    return window.messages.message.text() if window.messages.isVisible() else ""


def test_model_is_prepared_in_the_background_and_activated(qtbot, window, gateway, jobs):
    gateway.activation.go_on.clear()
    window.activation.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: "Preparing Theirs" in window._status_bar.what.text())
    assert [work.title for work in window.work_log.going()] == ["Preparing Theirs"]
    assert gateway.activation.active == "starter"
    asked, encoded = len(gateway.calls), gateway.encoded

    gateway.activation.go_on.set()
    qtbot.waitUntil(lambda: banner_text(window) == "Now searching with Theirs.")
    assert window.messages.hint.text() == "300 papers were indexed."
    qtbot.waitUntil(lambda: len(gateway.calls) > asked and gateway.encoded > encoded)
    qtbot.waitUntil(lambda: not jobs.running())
    assert (window.activation.request, window.activation.job) == (None, None)


def test_back_button_activates_the_previous_model_during_an_import(qtbot, window, gateway, jobs):
    window.activation.activate("theirs", "Theirs")
    qtbot.waitUntil(
        lambda: banner_text(window) == "Now searching with Theirs." and not jobs.running()
    )
    busy = threading.Event()
    jobs.run("Importing", lambda task: busy.wait(60), queue=JobQueue.long)
    press(window, "Switch back to Starter")
    qtbot.waitUntil(lambda: banner_text(window) == "Now searching with Starter.")
    assert gateway.activation.active == "starter"
    busy.set()


def test_activation_is_paused_and_resumed(qtbot, window, gateway, jobs):
    gateway.activation.go_on.clear()
    window.activation.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.activation.job is not None and window.activation.job.has_started)
    jobs.set_paused(window.activation.job)
    gateway.activation.go_on.set()
    qtbot.waitUntil(lambda: "Paused" in window._status_bar.how_far.text())
    assert gateway.activation.active == "starter"
    jobs.set_paused(window.activation.job, False)
    qtbot.waitUntil(lambda: gateway.activation.active == "theirs")


def test_stopped_activation_is_dropped_and_can_be_retried(qtbot, window, gateway, jobs):
    gateway.activation.go_on.clear()
    window.activation.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.activation.job is not None and window.activation.job.has_started)
    job = window.activation.job
    window._status_bar.cancel.click()
    qtbot.waitUntil(lambda: banner_text(window) == "Canceled the switch to Theirs.")
    assert set(gateway.activation.given_up) == {"theirs"}
    assert (gateway.activation.active, gateway.activation.wish) == ("starter", "")
    gateway.activation.go_on.set()
    job.retry()
    qtbot.waitUntil(lambda: gateway.activation.active == "theirs")


def test_activation_stopped_before_closing_is_not_resumed(qtbot, window, gateway, jobs):
    gateway.activation.go_on.clear()
    window.activation.activate("theirs", "Theirs")
    qtbot.waitUntil(
        lambda: window.activation.job is not None and gateway.activation.wish == "theirs"
    )
    window._status_bar.cancel.click()
    assert jobs.shut_down()
    assert gateway.activation.wish == ""


def test_queued_activation_can_be_stopped(qtbot, window, gateway, jobs):
    """The activation was requested in an earlier window, and this one imports papers first."""
    busy = threading.Event()
    jobs.run("Importing", lambda task: busy.wait(60), queue=JobQueue.long)
    gateway.activation.wish = "theirs"
    window.activation.start()
    qtbot.waitUntil(lambda: window.activation.job is not None)
    assert not window.activation.job.has_started
    window.activation.cancel()
    busy.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert (gateway.activation.wish, gateway.activation.active) == ("", "starter")


def test_activation_can_be_stopped_during_the_readiness_check(qtbot, window, gateway, jobs):
    gateway.activation.look_on.clear()
    gateway.activation.wish = "theirs"
    window.activation.start()
    qtbot.waitUntil(lambda: window.activation.request is not None)
    assert window.activation.job is None
    window.activation.cancel()
    gateway.activation.look_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert (gateway.activation.wish, gateway.activation.active) == ("", "starter")


def test_new_activation_replaces_the_running_one(qtbot, window, gateway, jobs):
    gateway.activation.go_on.clear()
    window.activation.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.activation.job is not None and window.activation.job.has_started)
    window.activation.activate("ours", "Ours")
    assert window.activation.request.model == "ours"
    gateway.activation.go_on.set()
    qtbot.waitUntil(
        lambda: banner_text(window) == "Now searching with Ours." and not jobs.running()
    )
    assert gateway.activation.active == "ours" and "theirs" not in gateway.activation.ready


def test_pending_activation_is_resumed_at_start(qtbot, show_window, gateway):
    gateway.activation.wish = "theirs"
    window = show_window(gateway)
    qtbot.waitUntil(lambda: banner_text(window) == "Now searching with Theirs.")


def test_failed_activation_is_reported_once_and_dropped(qtbot, show_window, gateway):
    gateway.activation.wish = "broken"
    window = show_window(gateway)
    qtbot.waitUntil(lambda: banner_text(window) == "The model broken is not whole.")
    qtbot.waitUntil(lambda: gateway.activation.given_up == ["broken"])
    assert window.activation.request is None
    assert gateway.activation.active == "starter"


def test_running_activation_stays_pending_after_closing(qtbot, window, gateway, jobs):
    gateway.activation.go_on.clear()
    window.activation.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.activation.job is not None and window.activation.job.has_started)
    assert jobs.shut_down()
    assert (gateway.activation.wish, gateway.activation.given_up) == ("theirs", [])


def test_model_activated_by_another_program_is_adopted(qtbot, window, gateway):
    asked = len(gateway.calls)
    gateway.activation.elsewhere = "theirs"
    qtbot.waitUntil(lambda: banner_text(window) == "Now searching with Theirs.")
    assert "Another program" in window.messages.hint.text()
    qtbot.waitUntil(lambda: len(gateway.calls) > asked)


def test_failure_to_adopt_a_model_is_reported_once(qtbot, window, gateway, jobs):
    gateway.activation.elsewhere = "broken"
    window.activation._poll()
    qtbot.waitUntil(lambda: banner_text(window) == "The model broken is not whole.")
    window.messages.newest.close_button.click()
    window.activation._poll()
    qtbot.waitUntil(lambda: not jobs.running())
    assert banner_text(window) == ""
    gateway.activation.elsewhere = "theirs"
    window.activation._poll()
    qtbot.waitUntil(lambda: banner_text(window) == "Now searching with Theirs.")


def test_activation_updates_the_models_to_compare(qtbot, window, gateway, jobs):
    window.go_to("compare")
    chooser = window.other_page("compare").panel.chooser
    qtbot.waitUntil(lambda: chooser.active() == "starter")
    gateway.comparisons.read["theirs"] = 0
    window.activation.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: chooser.active() == "theirs")


def test_switch_request_of_the_comparison_activates_the_model(qtbot, window, gateway):
    window.other_page("compare").panel.sides[0].switch_requested.emit("theirs", "Theirs")
    qtbot.waitUntil(lambda: gateway.activation.active == "theirs")
