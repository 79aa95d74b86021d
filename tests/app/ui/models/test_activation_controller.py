"""Activation of a model from the window, which stays usable meanwhile."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtWidgets import QPushButton

from sciread_app.ui.jobs.runner import JobQueue
from tests.support.ui.fakes import FakeGateway


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
    return window.banner.message.text() if window.banner.isVisible() else ""


def test_model_is_prepared_in_the_background_and_activated(qtbot, window, gateway, jobs):
    gateway.swaps.go_on.clear()
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: "Preparing Theirs" in window._foot.what.text())
    assert [work.title for work in window.work_log.going()] == ["Preparing Theirs"]
    assert gateway.swaps.answers == "starter"
    asked, encoded = len(gateway.asked), gateway.encoded

    gateway.swaps.go_on.set()
    qtbot.waitUntil(lambda: banner_text(window) == "Theirs answers now.")
    assert window.banner.hint.text() == "It has read 300 papers for that."
    qtbot.waitUntil(lambda: len(gateway.asked) > asked and gateway.encoded > encoded)
    qtbot.waitUntil(lambda: not jobs.running())
    assert (window.swapping.wanted, window.swapping.job) == (None, None)


def test_back_button_activates_the_previous_model_during_an_import(qtbot, window, gateway, jobs):
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: banner_text(window) == "Theirs answers now." and not jobs.running())
    busy = threading.Event()
    jobs.run("Importing", lambda task: busy.wait(60), queue=JobQueue.long)
    press(window, "Back to Starter")
    qtbot.waitUntil(lambda: banner_text(window) == "Starter answers now.")
    assert gateway.swaps.answers == "starter"
    busy.set()


def test_activation_is_paused_and_resumed(qtbot, window, gateway, jobs):
    gateway.swaps.go_on.clear()
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.swapping.job is not None and window.swapping.job.has_started)
    jobs.set_paused(window.swapping.job)
    gateway.swaps.go_on.set()
    qtbot.waitUntil(lambda: "Paused" in window._foot.how_far.text())
    assert gateway.swaps.answers == "starter"
    jobs.set_paused(window.swapping.job, False)
    qtbot.waitUntil(lambda: gateway.swaps.answers == "theirs")


def test_stopped_activation_is_dropped_and_can_be_retried(qtbot, window, gateway, jobs):
    gateway.swaps.go_on.clear()
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.swapping.job is not None and window.swapping.job.has_started)
    job = window.swapping.job
    window._foot.cancel.click()
    qtbot.waitUntil(lambda: banner_text(window) == "Stopped: Theirs does not answer.")
    assert set(gateway.swaps.given_up) == {"theirs"}
    assert (gateway.swaps.answers, gateway.swaps.wish) == ("starter", "")
    gateway.swaps.go_on.set()
    job.retry()
    qtbot.waitUntil(lambda: gateway.swaps.answers == "theirs")


def test_activation_stopped_before_closing_is_not_resumed(qtbot, window, gateway, jobs):
    gateway.swaps.go_on.clear()
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.swapping.job is not None and gateway.swaps.wish == "theirs")
    window._foot.cancel.click()
    assert jobs.shut_down()
    assert gateway.swaps.wish == ""


def test_queued_activation_can_be_stopped(qtbot, window, gateway, jobs):
    """The activation was requested in an earlier window, and this one imports papers first."""
    busy = threading.Event()
    jobs.run("Importing", lambda task: busy.wait(60), queue=JobQueue.long)
    gateway.swaps.wish = "theirs"
    window.swapping.start()
    qtbot.waitUntil(lambda: window.swapping.job is not None)
    assert not window.swapping.job.has_started
    window.swapping.cancel()
    busy.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert (gateway.swaps.wish, gateway.swaps.answers) == ("", "starter")


def test_activation_can_be_stopped_during_the_readiness_check(qtbot, window, gateway, jobs):
    gateway.swaps.look_on.clear()
    gateway.swaps.wish = "theirs"
    window.swapping.start()
    qtbot.waitUntil(lambda: window.swapping.wanted is not None)
    assert window.swapping.job is None
    window.swapping.cancel()
    gateway.swaps.look_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert (gateway.swaps.wish, gateway.swaps.answers) == ("", "starter")


def test_new_activation_replaces_the_running_one(qtbot, window, gateway, jobs):
    gateway.swaps.go_on.clear()
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.swapping.job is not None and window.swapping.job.has_started)
    window.swapping.activate("ours", "Ours")
    assert window.swapping.wanted.model == "ours"
    gateway.swaps.go_on.set()
    qtbot.waitUntil(lambda: banner_text(window) == "Ours answers now." and not jobs.running())
    assert gateway.swaps.answers == "ours" and "theirs" not in gateway.swaps.ready


def test_pending_activation_is_resumed_at_start(qtbot, show_window, gateway):
    gateway.swaps.wish = "theirs"
    window = show_window(gateway)
    qtbot.waitUntil(lambda: banner_text(window) == "Theirs answers now.")


def test_failed_activation_is_reported_once_and_dropped(qtbot, show_window, gateway):
    gateway.swaps.wish = "broken"
    window = show_window(gateway)
    qtbot.waitUntil(lambda: banner_text(window) == "The model broken is not whole.")
    qtbot.waitUntil(lambda: gateway.swaps.given_up == ["broken"])
    assert window.swapping.wanted is None
    assert gateway.swaps.answers == "starter"


def test_running_activation_stays_pending_after_closing(qtbot, window, gateway, jobs):
    gateway.swaps.go_on.clear()
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.swapping.job is not None and window.swapping.job.has_started)
    assert jobs.shut_down()
    assert (gateway.swaps.wish, gateway.swaps.given_up) == ("theirs", [])


def test_model_activated_by_another_program_is_adopted(qtbot, window, gateway):
    asked = len(gateway.asked)
    gateway.swaps.elsewhere = "theirs"
    qtbot.waitUntil(lambda: banner_text(window) == "Theirs answers now.")
    assert "another program" in window.banner.hint.text()
    qtbot.waitUntil(lambda: len(gateway.asked) > asked)


def test_failure_to_adopt_a_model_is_reported_once(qtbot, window, gateway, jobs):
    gateway.swaps.elsewhere = "broken"
    window.swapping._poll()
    qtbot.waitUntil(lambda: banner_text(window) == "The model broken is not whole.")
    window.banner.close_button.click()
    window.swapping._poll()
    qtbot.waitUntil(lambda: not jobs.running())
    assert banner_text(window) == ""
    gateway.swaps.elsewhere = "theirs"
    window.swapping._poll()
    qtbot.waitUntil(lambda: banner_text(window) == "Theirs answers now.")


def test_activation_updates_the_models_to_compare(qtbot, window, gateway, jobs):
    window.page.toggle_compare()
    chooser = window.page.compare.chooser
    qtbot.waitUntil(lambda: chooser.active() == "starter")
    gateway.others.read["theirs"] = 0
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: chooser.active() == "theirs")


def test_switch_request_of_the_comparison_activates_the_model(qtbot, window, gateway):
    window.page.compare.switch_requested.emit("theirs", "Theirs")
    qtbot.waitUntil(lambda: gateway.swaps.answers == "theirs")
