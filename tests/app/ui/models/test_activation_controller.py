"""A model is activated from the window, which is used all the while."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtWidgets import QPushButton

from sciread_app.ui.jobs.runner import JobQueue
from tests.support.ui.fakes import FakeDesk


@pytest.fixture
def desk() -> FakeDesk:
    return FakeDesk(12)


@pytest.fixture
def window(show_window, desk):
    return show_window(desk)


def press(window, name):
    buttons = [b for b in window.findChildren(QPushButton) if b.text() == name and b.isVisible()]
    buttons[0].click()


def said(window):
    return window.banner.message.text() if window.banner.isVisible() else ""


def test_a_model_is_prepared_in_the_background_and_then_answers(qtbot, window, desk, jobs):
    desk.swaps.go_on.clear()
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: "Preparing Theirs" in window._foot.what.text())
    assert [work.title for work in window.work_log.going()] == ["Preparing Theirs"]
    assert desk.swaps.answers == "starter"
    asked, encoded = len(desk.asked), desk.encoded

    desk.swaps.go_on.set()
    qtbot.waitUntil(lambda: said(window) == "Theirs answers now.")
    assert window.banner.hint.text() == "It has read 300 papers for that."
    qtbot.waitUntil(lambda: len(desk.asked) > asked and desk.encoded > encoded)
    qtbot.waitUntil(lambda: not jobs.running())
    assert (window.swapping.wanted, window.swapping.job) == (None, None)


def test_one_can_go_back_at_once_even_while_papers_come_in(qtbot, window, desk, jobs):
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: said(window) == "Theirs answers now." and not jobs.running())
    busy = threading.Event()
    jobs.run("Importing", lambda task: busy.wait(60), queue=JobQueue.long)
    press(window, "Back to Starter")
    qtbot.waitUntil(lambda: said(window) == "Starter answers now.")
    assert desk.swaps.answers == "starter"
    busy.set()


def test_it_can_be_held_up_and_go_on(qtbot, window, desk, jobs):
    desk.swaps.go_on.clear()
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.swapping.job is not None and window.swapping.job.has_started)
    jobs.set_paused(window.swapping.job)
    desk.swaps.go_on.set()
    qtbot.waitUntil(lambda: "Paused" in window._foot.how_far.text())
    assert desk.swaps.answers == "starter"
    jobs.set_paused(window.swapping.job, False)
    qtbot.waitUntil(lambda: desk.swaps.answers == "theirs")


def test_stopped_it_is_given_up_and_can_be_started_again(qtbot, window, desk, jobs):
    desk.swaps.go_on.clear()
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.swapping.job is not None and window.swapping.job.has_started)
    job = window.swapping.job
    window._foot.cancel.click()
    qtbot.waitUntil(lambda: said(window) == "Stopped: Theirs does not answer.")
    assert set(desk.swaps.given_up) == {"theirs"}
    assert (desk.swaps.answers, desk.swaps.wish) == ("starter", "")
    desk.swaps.go_on.set()
    job.retry()
    qtbot.waitUntil(lambda: desk.swaps.answers == "theirs")


def test_what_was_stopped_does_not_go_on_with_the_next_window_even_if_this_one_closes_at_once(
    qtbot, window, desk, jobs
):
    desk.swaps.go_on.clear()
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.swapping.job is not None and desk.swaps.wish == "theirs")
    window._foot.cancel.click()
    assert jobs.shut_down()
    assert desk.swaps.wish == ""


def test_what_waits_for_its_turn_can_be_stopped_for_good(qtbot, window, desk, jobs):
    """It was begun in the window before, and this one reads papers first."""
    busy = threading.Event()
    jobs.run("Importing", lambda task: busy.wait(60), queue=JobQueue.long)
    desk.swaps.wish = "theirs"
    window.swapping.start()
    qtbot.waitUntil(lambda: window.swapping.job is not None)
    assert not window.swapping.job.has_started
    window.swapping.cancel()
    busy.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert (desk.swaps.wish, desk.swaps.answers) == ("", "starter")


def test_what_is_only_being_looked_at_can_be_stopped_for_good(qtbot, window, desk, jobs):
    desk.swaps.look_on.clear()
    desk.swaps.wish = "theirs"
    window.swapping.start()
    qtbot.waitUntil(lambda: window.swapping.wanted is not None)
    assert window.swapping.job is None
    window.swapping.cancel()
    desk.swaps.look_on.set()
    qtbot.waitUntil(lambda: not jobs.running())
    assert (desk.swaps.wish, desk.swaps.answers) == ("", "starter")


def test_a_new_wish_takes_the_place_of_the_one_before(qtbot, window, desk, jobs):
    desk.swaps.go_on.clear()
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.swapping.job is not None and window.swapping.job.has_started)
    window.swapping.activate("ours", "Ours")
    assert window.swapping.wanted.model == "ours"
    desk.swaps.go_on.set()
    qtbot.waitUntil(lambda: said(window) == "Ours answers now." and not jobs.running())
    assert desk.swaps.answers == "ours" and "theirs" not in desk.swaps.ready


def test_what_was_begun_before_is_gone_on_with(qtbot, show_window, desk):
    desk.swaps.wish = "theirs"
    window = show_window(desk)
    qtbot.waitUntil(lambda: said(window) == "Theirs answers now.")


def test_what_cannot_be_activated_is_told_once_and_not_wanted_any_more(qtbot, show_window, desk):
    desk.swaps.wish = "broken"
    window = show_window(desk)
    qtbot.waitUntil(lambda: said(window) == "The model broken is not whole.")
    qtbot.waitUntil(lambda: desk.swaps.given_up == ["broken"])
    assert window.swapping.wanted is None
    assert desk.swaps.answers == "starter"


def test_closing_the_window_keeps_the_wish(qtbot, window, desk, jobs):
    desk.swaps.go_on.clear()
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: window.swapping.job is not None and window.swapping.job.has_started)
    assert jobs.shut_down()
    assert (desk.swaps.wish, desk.swaps.given_up) == ("theirs", [])


def test_what_another_program_activates_answers_here_too(qtbot, window, desk):
    asked = len(desk.asked)
    desk.swaps.elsewhere = "theirs"
    qtbot.waitUntil(lambda: said(window) == "Theirs answers now.")
    assert window.banner.hint.text() == "It was activated by another program."
    qtbot.waitUntil(lambda: len(desk.asked) > asked)


def test_who_cannot_follow_says_so_once(qtbot, window, desk, jobs):
    desk.swaps.elsewhere = "broken"
    window.swapping._look()
    qtbot.waitUntil(lambda: said(window) == "The model broken is not whole.")
    window.banner.close_button.click()
    window.swapping._look()
    qtbot.waitUntil(lambda: not jobs.running())
    assert said(window) == ""
    desk.swaps.elsewhere = "theirs"
    window.swapping._look()
    qtbot.waitUntil(lambda: said(window) == "Theirs answers now.")


def test_models_to_compare_are_listed_anew(qtbot, window, desk, jobs):
    window.page.toggle_compare()
    chooser = window.page.compare.chooser
    qtbot.waitUntil(lambda: chooser.active() == "starter")
    desk.others.read["theirs"] = 0
    window.swapping.activate("theirs", "Theirs")
    qtbot.waitUntil(lambda: chooser.active() == "theirs")


def test_the_better_of_two_is_let_to_answer(qtbot, window, desk):
    window.page.compare.switch_requested.emit("theirs", "Theirs")
    qtbot.waitUntil(lambda: desk.swaps.answers == "theirs")
