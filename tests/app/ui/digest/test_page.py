"""The digest page: digests by date, preview, and placeholders."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QDialog

from sciread_app.domain.digest import Frequency, Interval
from sciread_app.domain.paper import LibraryChanges
from sciread_app.errors import LibraryError
from sciread_app.ui.digest.notifier import DigestNotifier
from sciread_app.ui.digest.page import DigestPage
from sciread_app.ui.digest.settings_dialog import DigestSettingsDialog
from tests.support.ui.controls import menu_action
from tests.support.ui.fakes.digest import FakeDigests, digest_of
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.fakes.recommendations import SWARMS


@pytest.fixture
def services():
    return FakeDigests(digest_of(1, "The first"), digest_of(2, "The second", "The <b>third"))


@pytest.fixture
def show(qtbot, jobs, context, services):
    """Return a function that shows the page and waits for its jobs."""

    def show():
        page = DigestPage(services, context)
        page.resize(900, 600)
        qtbot.addWidget(page)
        page.show()
        page.refresh()
        qtbot.waitUntil(lambda: not jobs.running())
        return page

    return show


def settle(qtbot, jobs):
    qtbot.waitUntil(lambda: not jobs.running())


def text_of(page):
    page.view.finish()
    return "\n".join(text.toPlainText() for text in page.view.texts)


def links_of(page):
    page.view.finish()
    return [url for text in page.view.texts for url in text.links()]


def test_latest_digest_is_shown_with_reasons_and_links(show):
    page = show()
    assert page.choice.count() == 2
    for part in ("bees", "The second", "The <b>third", "A hive", "They fly."):
        assert part in text_of(page)
    assert "The first" not in text_of(page)
    assert [url.toString() for url in links_of(page)][:2] == [
        "paper:1",
        "https://doi.org/10.1000/1",
    ]


def test_earlier_digest_is_chosen_by_date(show, qtbot, jobs):
    page = show()
    page.choice.setCurrentIndex(1)
    page.choice.activated.emit(1)
    settle(qtbot, jobs)
    assert "The first" in text_of(page)
    page.library_changed(LibraryChanges(papers=True))
    settle(qtbot, jobs)
    assert "The first" in text_of(page)  # until there is a newer one


def test_newer_digest_replaces_the_one_shown(show, qtbot, jobs, services):
    page = show()
    services.made.append(digest_of(3, "The latest"))
    page.library_changed(LibraryChanges(papers=True))
    settle(qtbot, jobs)
    assert "The latest" in text_of(page)


def test_paper_opens_in_the_library(show, context):
    page = show()
    (first, *_) = links_of(page)
    page.view.texts[0].anchorClicked.emit(first)
    assert context.navigate.calls[-1][:2] == ("open_paper", 1)


def test_preview_shows_the_next_digest_and_says_so(show, qtbot, jobs):
    page = show()
    page.preview_button.click()
    settle(qtbot, jobs)
    assert "The dance of bees" in text_of(page) and page.note.isVisible()
    page.refresh()
    settle(qtbot, jobs)
    assert "The second" in text_of(page) and not page.note.isVisible()


def test_digest_is_made_and_shown(show, qtbot, jobs, services, context):
    changes = []
    context.events.papers_added.connect(changes.append)
    page = show()
    page.make_button.click()
    settle(qtbot, jobs)
    assert "The dance of bees" in text_of(page) and changes
    page.make_button.click()
    settle(qtbot, jobs)
    assert services.calls == ["make", "make"] and context.toast.calls


def test_problem_of_a_fetch_is_shown(show, qtbot, jobs, services, context):
    services.problems = ["arXiv is down."]
    page = show()
    page.make_button.click()
    settle(qtbot, jobs)
    assert context.messages.calls[0][0] == "show_warning"
    assert "arXiv is down." in context.messages.calls[0][2]


def test_page_without_topics_leads_to_the_settings(show, services):
    services.made, services.intervals = [], {}
    page = show()
    assert page.empty.isVisible() and not page.make_button.isEnabled()
    page.take_focus()
    assert page.focusWidget() is page.empty.buttons()[0]
    page.empty.buttons()[0].click()
    assert page.findChild(QDialog).isVisible()


def test_page_with_topics_offers_a_first_digest(show, qtbot, jobs, services):
    services.made = []
    page = show()
    page.empty.buttons()[0].click()
    settle(qtbot, jobs)
    assert services.calls == ["preview"] and "The dance of bees" in text_of(page)


def test_long_digest_is_shown_in_full_with_one_heading(show, services):
    titles = [f"Paper {n}" for n in range(11)]
    services.made = [digest_of(1, *titles)]
    page = show()
    lines = text_of(page).splitlines()
    assert [line for line in lines if line in titles] == titles
    assert lines.count("bees") == 1 and len(page.view.texts) > 1


def test_preview_requested_before_the_page_was_visited_is_shown(show_window, qtbot, jobs, services):
    gateway = FakeGateway(3)
    gateway.digests = services
    window = show_window(gateway)
    menu_action(window, "Preview digest").trigger()
    settle(qtbot, jobs)
    page = window.other_page("digest")
    assert "The dance of bees" in text_of(page) and page.note.isVisible()


@pytest.mark.parametrize("made", [True, False])
def test_preview_stays_when_the_library_changes(show, qtbot, jobs, services, made):
    services.made = services.made if made else []
    page = show()
    page.preview()
    settle(qtbot, jobs)
    page.library_changed(LibraryChanges(papers=True))
    settle(qtbot, jobs)
    assert "The dance of bees" in text_of(page) and page.note.isVisible()


def test_failed_preview_is_reported_and_the_selected_digest_is_shown(
    show, qtbot, jobs, services, context, monkeypatch
):
    def fail(task):
        raise LibraryError("The library is locked.")

    page = show()
    page.preview()
    settle(qtbot, jobs)
    monkeypatch.setattr(services, "preview", fail)
    page.preview()
    settle(qtbot, jobs)
    assert context.messages.calls[-1][1].message == "The library is locked."
    assert "The second" in text_of(page) and not page.note.isVisible()


def test_digest_made_on_the_page_is_not_reported_again(show, qtbot, jobs, services, context):
    page = show()
    page.make_button.click()
    settle(qtbot, jobs)
    notifier = DigestNotifier(context, services, page)
    notifier.look()
    settle(qtbot, jobs)
    assert not [call for call in context.messages.calls if call[0] == "show_notice"]


def test_interval_saved_after_the_settings_were_closed_can_be_undone(
    show, qtbot, jobs, services, context, hold
):
    go_on = hold(services, "set_interval")
    page = show()
    page.change_settings()
    settle(qtbot, jobs)
    dialog = page.findChild(DigestSettingsDialog)
    box = dialog.boxes[SWARMS.key]
    box.choose(Interval(Frequency.daily))
    box.activated.emit(box.currentIndex())
    dialog.accept()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not page.findChildren(DigestSettingsDialog)
    with qtbot.waitSignal(context.events.edited):
        go_on.set()
    settle(qtbot, jobs)
