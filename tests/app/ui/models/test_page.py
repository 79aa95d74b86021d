"""The models page: the list, the card of a model, additions, activation, removal."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QPushButton

from sciread_app.errors import LibraryError
from sciread_app.services.models.gallery import GALLERY
from sciread_app.services.models.installer import DownloadRequest
from sciread_app.services.models.model_card import CardScore
from sciread_app.services.models.registry import ModelState
from sciread_app.ui.evaluation.evaluate_dialog import EvaluateDialog
from sciread_app.ui.evaluation.view_models import EvaluationResults
from sciread_app.ui.models.card_score_table import (
    BEFORE,
    CHANGE,
    NOW,
    TOO_FEW,
    WHAT,
    CardScoreTable,
)
from sciread_app.ui.models.hub_dialog import HubDialog
from sciread_app.ui.models.view_models import gallery_row
from sciread_app.ui.style.theme import scaled
from tests.support.ui.controls import menu_action, open_row_menu, page_actions, right_click_row
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.fakes.models import BROKEN, SCORES, THEIRS
from trainer.contract.errors import PackageRefused

Key = Qt.Key


@pytest.fixture
def gateway() -> FakeGateway:
    gateway = FakeGateway(1_200)
    gateway.models.install(THEIRS, BROKEN)
    return gateway


@pytest.fixture
def window(qtbot, show_window, gateway, jobs):
    window = show_window(gateway)
    window.activateWindow()
    window.go_to("models")
    qtbot.waitUntil(lambda: not jobs.running())
    return window


@pytest.fixture
def page(window):
    return window.other_page("models")


@pytest.fixture
def choose(qtbot, page, jobs):
    def choose(key):
        page.load(key)
        qtbot.waitUntil(lambda: page.list.current == key and not jobs.running())
        return page.card

    return choose


def click(qtbot, button):
    assert button.isVisible() and button.isEnabled()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def marks(page):
    return {row.key: row.mark for row in page.list.rows}


def buttons(card):
    return [button.text() for button in card.buttons if button.isVisible()]


def test_models_are_listed_with_their_state_and_problem(page):
    assert marks(page) == {"starter": "In use", "theirs": "", "broken": "Damaged"}
    assert page.list.rows[2].below == "The file model.safetensors is damaged."
    assert page.count.text() == "3 models · 182 MB"
    assert page.list.current == "starter" and not page._alone.isVisible()
    assert "All 1,200 papers are indexed" in page.card.ready.text()


def test_sections_of_a_card_stay_together_in_a_high_window(qtbot, window, choose):
    card = choose("theirs")

    def distance():
        table = card.scores
        return table.mapTo(card, QPoint()).y() - card.tiles.mapTo(card, QPoint()).y()

    window.resize(1200, 700)
    before = distance()
    window.resize(1200, 1600)
    qtbot.waitUntil(lambda: card.height() > 1200)
    assert distance() == before


def test_card_describes_a_model_and_its_scores(choose):
    card = choose("theirs")
    assert card.title.text() == "Theirs"
    assert "SPECTER" in card.made.text() and "900 papers" in card.made.text()
    assert "1,200 papers" in card.ready.text() and "about 3 s" in card.ready.text()
    facts = dict(card.facts.rows)
    assert (facts["Recipe"], facts["Changed settings"]) == ("specter-small", "Margin: 2.0")
    assert (facts["Date"], facts["Model fingerprint"]) == ("November 22, 2026", "t")
    assert "Mean of all tokens" in facts["Pooling"]
    table = card.scores
    rows = [
        [table.item(row, column).text() for column in (WHAT, BEFORE, NOW, CHANGE)]
        for row in range(table.rowCount())
        if table.item(row, NOW)
    ]
    assert rows == [
        ["MAP · Ranking of candidates", "70.00", "81.20", "+11.20 better"],
        ["macro F1 · Topics", "", "55.00", ""],
    ]
    assert table.item(2, 0).text() == "Benchmark: ours"
    card._card.button.click()
    assert "It is good." in card.text.toPlainText()


LOWER = CardScore(
    "", "Model diagnostics", "mean cosine", "0.450", None, "0.200", None, "+0.250", False,
    50, "test", higher_is_better=False, quality=False,
)  # fmt: skip
LOST = CardScore(
    "", "Topics", "macro F1", "50.00", 0.5, "60.00", 0.6, "−10.00", False, 50, "test"
)  # fmt: skip


def test_worse_model_is_marked_and_not_recommended(choose, gateway, monkeypatch):
    about = gateway.models.about
    monkeypatch.setattr(
        gateway.models, "about", lambda name: replace(about(name), scores=(*SCORES, LOWER, LOST))
    )
    card = choose("theirs")
    result = card.result.text()  # diagnostics are no measure of quality
    assert "Better" in result and "1 of 2" in result and "worse on 1" in result
    assert card.activate.isVisible() and card.activate.objectName() != "primary"
    rows = [row for row in range(card.scores.rowCount()) if card.scores.item(row, CHANGE)]
    change = {card.scores.item(row, WHAT).text(): card.scores.item(row, CHANGE) for row in rows}
    (lower,) = (item for what, item in change.items() if "lower is better" in what)
    assert "+0.250" in lower.text() and "worse" in lower.text()
    gained = change["MAP · Ranking of candidates"]
    assert gained.foreground().color() != lower.foreground().color()


def test_better_model_is_recommended(choose):
    card = choose("theirs")
    assert "Better" in card.result.text() and "1 of 1" in card.result.text()
    assert card.activate.objectName() == "primary"
    # The result comes first.
    assert card.result.y() < card.activate.mapTo(card.result.parentWidget(), QPoint()).y()


def test_details_with_too_few_papers_show_no_numbers(choose, gateway, monkeypatch):
    few = replace(SCORES[0], n=10, better=None, too_few=True)
    about = gateway.models.about
    monkeypatch.setattr(gateway.models, "about", lambda name: replace(about(name), scores=(few,)))
    card = choose("theirs")
    assert "Too few papers" in card.result.text()
    assert card.activate.objectName() != "primary"
    texts = [card.scores.item(1, column).text() for column in (BEFORE, NOW, CHANGE)]
    assert texts == ["", TOO_FEW, ""]


@pytest.mark.parametrize("family", ["", "monospace"])
def test_long_numbers_are_not_cut(qtbot, appearance, family):
    table = CardScoreTable(appearance)
    if family:
        table.setFont(QFont(family, table.font().pointSize()))
    qtbot.addWidget(table)
    table.resize(900, 200)
    numbers = ["81.20", "22,713,728", "1,234,567.8/s"]
    table.show_scores([CardScore("", "Speed and size", name, name) for name in numbers])
    table.show()
    background = table.palette().base().color()
    letters = QFontMetrics(scaled(table.font(), 1.0, QFont.Weight.DemiBold))
    for row, number in enumerate(numbers, start=1):
        cell = table.visualRect(table.model().index(row, NOW))
        assert cell.width() >= letters.horizontalAdvance(number)
        picture = table.viewport().grab(cell.adjusted(1, 3, -1, -3)).toImage()
        inked = [x for x in range(picture.width())
                 if any(picture.pixelColor(x, y) != background
                        for y in range(picture.height()))]  # fmt: skip
        wide = (inked[-1] - inked[0] + 1) / picture.devicePixelRatio()
        assert wide >= letters.tightBoundingRect(number).width() - 2


def test_markup_in_a_model_title_is_shown_as_plain_text(choose, gateway):
    markup = '<img src="file:///etc/passwd"><b>x</b>'
    gateway.models.install(replace(THEIRS, title=markup, base=markup, licence=markup))
    card = choose("theirs")
    assert card.title.text() == markup
    assert card.title.textFormat() is Qt.TextFormat.PlainText
    labels = [label for label in card.findChildren(type(card.title)) if markup in label.text()]
    assert labels and all(one.textFormat() is Qt.TextFormat.PlainText for one in labels)


def test_page_with_only_the_starter_offers_more_models(qtbot, show_window, jobs):
    window = show_window(FakeGateway(3))
    window.go_to("models")
    qtbot.waitUntil(lambda: not jobs.running())
    page = window.other_page("models")
    assert page._alone.isVisible() and page.count.text() == "1 model · 91.0 MB"
    assert buttons(page.card) == []
    hub, train = page._alone.findChildren(QPushButton)
    click(qtbot, hub)
    page.findChild(HubDialog).reject()
    click(qtbot, train)
    assert window.shows("training")


def test_model_is_activated_after_encoding_with_a_pause(qtbot, choose, page, gateway):
    card = choose("theirs")
    gateway.activation.go_on.clear()
    click(qtbot, card.activate)
    qtbot.waitUntil(lambda: marks(page)["theirs"] in ("Indexing", "0%"))
    qtbot.waitUntil(lambda: card.bar.isVisible() and "0 of 300" in card.far.text())
    assert buttons(card) == ["Export…", "Rename", "Move to Trash"] and not card.remove.isEnabled()
    assert "Starter stays in use" in card.ready.text()
    click(qtbot, card.pause)
    gateway.activation.go_on.set()
    qtbot.waitUntil(lambda: card.far.text().startswith("Paused") and card.pause.text() == "Resume")
    click(qtbot, card.pause)
    qtbot.waitUntil(lambda: marks(page)["theirs"] == "In use")
    qtbot.waitUntil(lambda: "In use for search" in card.ready.text())
    assert buttons(card) == ["Export…", "Rename", "Move to Trash"] and not card.bar.isVisible()


def test_focus_goes_from_activation_to_its_pause(qtbot, choose, page, gateway, jobs):
    card = choose("theirs")
    card.activate.setFocus()
    qtbot.keyClick(card.activate, Key.Key_Space)
    qtbot.waitUntil(card.pause.hasFocus)


def test_cancelled_activation_keeps_the_old_model(qtbot, choose, page, gateway, jobs):
    card = choose("theirs")
    gateway.activation.go_on.clear()
    click(qtbot, card.activate)
    qtbot.waitUntil(lambda: card.cancel.isVisible() and "of 300" in card.far.text())
    click(qtbot, card.cancel)
    assert card.far.text() == "Stopping…" and not card.cancel.isEnabled()
    qtbot.waitUntil(lambda: marks(page)["theirs"] == "" and not jobs.running())
    qtbot.waitUntil(lambda: "Use for search" in buttons(card))
    assert gateway.activation.active == "starter"


def test_earlier_model_is_activated_from_the_menu(qtbot, choose, window, gateway, jobs):
    gateway.models.install(replace(THEIRS, state=ModelState.earlier))
    gateway.activation.ready.add("theirs")
    card = choose("theirs")
    assert buttons(card)[0] == "Switch back" and "Ready to use" in card.ready.text()
    window.actions_by_name["models/back"].trigger()
    qtbot.waitUntil(lambda: gateway.activation.active == "theirs" and not jobs.running())


def test_added_model_is_selected(qtbot, page, window, gateway, jobs, tmp_path):
    gateway.models.go_on.clear()
    page.downloads.add(tmp_path / "bees.zip")
    [entry] = page.downloads.entries
    assert entry.title.text() == "Adding bees.zip" and window.navigation_bar.button("lab").busy
    gateway.models.go_on.set()
    qtbot.waitUntil(lambda: page.list.current == "bees" and not jobs.running())
    assert page.downloads.entries == [] and not window.navigation_bar.button("lab").busy
    assert page.card.title.text() == "bees" and gateway.models.calls == [tmp_path / "bees.zip"]


def test_failed_addition_is_shown_on_the_page_and_can_be_retried(
    qtbot, page, window, gateway, jobs, tmp_path
):
    gateway.models.fault = PackageRefused("evil.zip contains a link: 'x'", "Copy the file.")
    page.downloads.add(tmp_path / "evil.zip")
    [entry] = page.downloads.entries
    qtbot.waitUntil(lambda: entry.problem is not None)
    assert entry.reason.text() == "evil.zip contains a link: 'x'"
    assert entry.hint.text() == "Copy the file."
    assert not window.messages.isVisible() and set(marks(page)) == {"starter", "theirs", "broken"}
    click(qtbot, entry.again)
    qtbot.waitUntil(lambda: "evil" in marks(page) and not jobs.running())
    gateway.models.fault = PackageRefused("Again.", "")
    page.downloads.add(tmp_path / "other.zip")
    [entry] = page.downloads.entries
    qtbot.waitUntil(lambda: entry.problem is not None)
    click(qtbot, entry.close_it)
    assert page.downloads.entries == [] and not page.downloads.isVisible()


def test_failed_addition_is_shown_as_a_banner_on_other_pages(
    qtbot, page, window, gateway, tmp_path
):
    gateway.models.fault = PackageRefused("evil.zip contains a link.", "")
    gateway.models.go_on.clear()
    page.downloads.add(tmp_path / "evil.zip")
    window.go_to("search")
    gateway.models.go_on.set()
    qtbot.waitUntil(lambda: window.messages.message.text() == "evil.zip contains a link.")


def test_addition_can_be_cancelled(qtbot, page, window, gateway, jobs, tmp_path):
    gateway.models.go_on.clear()
    page.downloads.add(tmp_path / "bees.zip")
    click(qtbot, page.downloads.entries[0].cancel)
    qtbot.waitUntil(lambda: page.downloads.entries == [] and not jobs.running())
    assert "bees" not in marks(page) and not window.messages.isVisible()


def test_hub_model_is_downloaded_and_retried_with_other_options(qtbot, page, gateway, jobs):
    page.ask_hub()
    dialog = page.findChild(HubDialog)
    assert not dialog.add.isEnabled()
    dialog.known.setCurrentIndex(dialog.known.model().index(2, 0))
    assert dialog.name.text() == "malteos/scincl"
    gateway.models.fault = PackageRefused("Nothing says how.", "Say it: --pooling.")
    gateway.models.go_on.clear()
    click(qtbot, dialog.add)
    [entry] = page.downloads.entries
    qtbot.waitUntil(lambda: entry.far.text() == "43% · 190 of 440 MB")
    gateway.models.go_on.set()
    qtbot.waitUntil(lambda: entry.problem is not None)
    click(qtbot, entry.again)
    again = next(one for one in page.findChildren(HubDialog) if one is not dialog)
    assert again.name.text() == "malteos/scincl" and again.pooling.isVisible()
    again.pooling.setCurrentText("[CLS] token")
    again.revision.setText("v2")
    click(qtbot, again.add)
    qtbot.waitUntil(lambda: page.list.current == "malteos--scincl" and not jobs.running())
    assert gateway.models.calls == [
        DownloadRequest("malteos/scincl"),
        DownloadRequest("malteos/scincl", "v2", "cls"),
    ]


def test_gallery_estimates_speed_from_the_starter(gateway):
    slow, fast = (
        next(one for one in GALLERY if one.name == name)
        for name in ("BAAI/bge-base-en-v1.5", "BAAI/bge-small-en-v1.5")
    )
    starter = replace(gateway.models.all()[0], name="starter", speed=80.0)
    assert 9 < slow.speed([starter]) < 11 and 35 < fast.speed([starter]) < 45
    assert slow.speed([replace(starter, speed=None)]) is None
    text = gallery_row(slow, [starter])
    assert "MIT" in text and "438" in text and "10.0" in text


def test_gallery_scores_have_a_source_and_a_date():
    assert any(one.scores for one in GALLERY)
    for one in GALLERY:
        assert bool(one.scores) == bool(one.source) == bool(one.checked)
        assert not one.checked or date.fromisoformat(one.checked)


def test_model_is_renamed_in_place(qtbot, choose, page, gateway, jobs):
    card = choose("theirs")
    page.list.setFocus()
    qtbot.keyClick(page.list, Key.Key_F2)
    assert card.line.isVisible() and card.line.hasFocus() and not card.title.isVisible()
    qtbot.keyClicks(card.line, "Of bees")
    qtbot.keyClick(card.line, Key.Key_Return)
    qtbot.waitUntil(lambda: card.title.text() == "Of bees" and not jobs.running())
    click(qtbot, card.rename)
    qtbot.keyClicks(card.line, "Wasps")
    qtbot.keyClick(card.line, Key.Key_Escape)
    assert card.title.isVisible() and gateway.models.installed["theirs"].title == "Of bees"


def test_right_click_on_a_model_shows_its_actions(qtbot, choose, page, gateway, jobs):
    choose("starter")
    for _ in range(2):
        menu = open_row_menu(qtbot, page.list, "theirs")
        assert page.list.current == "theirs"
        assert [one.text() for one in menu.actions()] == buttons(page.card)
        menu.close()
        qtbot.waitUntil(lambda: not page.list.findChildren(QMenu))
    remove = open_row_menu(qtbot, page.list, "theirs").actions()[-1]
    remove.trigger()
    qtbot.waitUntil(lambda: "theirs@1" in marks(page) and not jobs.running())


def test_menu_of_a_model_that_cannot_be_loaded_is_not_shown_later(
    qtbot, choose, page, window, gateway, jobs, monkeypatch
):
    choose("starter")
    about = gateway.models.about

    def fail(name):
        raise LibraryError("The model cannot be read.")

    monkeypatch.setattr(gateway.models, "about", fail)
    right_click_row(page.list, "theirs")
    qtbot.waitUntil(lambda: not jobs.running())
    assert window.messages.message.text() == "The model cannot be read."
    monkeypatch.setattr(gateway.models, "about", about)
    page.load()
    qtbot.waitUntil(lambda: page.card.title.text() == "Theirs" and not jobs.running())
    assert not page.list.findChildren(QMenu)


def test_removed_model_is_restored_from_banner_and_trash(
    qtbot, choose, page, window, gateway, jobs
):
    choose("theirs")
    page.list.setFocus()
    qtbot.keyClick(page.list, Key.Key_Delete)
    qtbot.waitUntil(lambda: "Theirs" in window.messages.message.text())
    qtbot.waitUntil(lambda: "theirs@1" in marks(page) and not jobs.running())
    [back] = [b for b in window.messages.findChildren(QPushButton) if b.text() == "Restore"]
    click(qtbot, back)
    qtbot.waitUntil(lambda: page.list.current == "theirs" and not jobs.running())
    page.remove()
    qtbot.waitUntil(lambda: "theirs@1" in marks(page) and not jobs.running())
    card = choose("theirs@1")
    assert buttons(card) == ["Restore", "Delete permanently…"] and "deletes" in card.made.text()
    click(qtbot, card.restore)
    qtbot.waitUntil(lambda: page.list.current == "theirs" and not jobs.running())


def test_permanent_deletion_asks_for_confirmation(qtbot, choose, page, gateway, jobs):
    choose("theirs")
    page.remove()
    qtbot.waitUntil(lambda: "theirs@1" in marks(page) and not jobs.running())
    card = choose("theirs@1")
    for answer, left in (("Cancel", True), ("Delete permanently", False)):
        click(qtbot, card.delete)
        box = page.findChildren(QMessageBox)[-1]
        [button] = [button for button in box.buttons() if button.text() == answer]
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: not jobs.running())
        assert ("theirs@1" in gateway.models.trash) is left


def test_problem_of_a_model_is_shown_in_full_in_the_list(page):
    view, rows = page.list, list(page.list.rows)
    long = "The file model.safetensors of the model “A title that goes on and on” is damaged."
    heights, pictures = [], []
    for below in ("Damaged.", long, long[:-9] + "missing."):
        view.show_rows([*rows[:2], rows[2]._replace(below=below)])
        cell = view.visualRect(view.model().index(2, 0))
        heights.append(cell.height())
        pictures.append(view.viewport().grab(cell).toImage())
    assert heights[0] < heights[1] <= heights[2]
    assert pictures[1] != pictures[2]  # the last word is visible


def test_damaged_model_is_explained_and_can_be_checked_again(qtbot, choose, page, jobs):
    card = choose("broken")
    assert card.trouble.text() == "The file model.safetensors is damaged."
    assert card.remedy.text() == "Copy the model again."
    assert buttons(card) == ["Verify files", "Move to Trash"]
    assert (
        not card.tiles.isVisible()
        and page.unavailable_reason("activate") == "This model is damaged"
    )
    click(qtbot, card.check)
    qtbot.waitUntil(lambda: not card.trouble.isVisible() and not jobs.running())


def test_unchecked_model_is_checked_on_load(qtbot, page, gateway, jobs):
    gateway.models.install(replace(THEIRS, checked=False))
    page.load()
    qtbot.waitUntil(lambda: gateway.models.installed["theirs"].checked and not jobs.running())


def test_disabled_actions_have_a_reason(choose, window, page):
    actions = page_actions(window, "models")
    choose("starter")
    assert "starter model" in actions["remove"].property("unavailable_reason")
    assert actions["activate"].property("unavailable_reason") == "This model is in use"
    assert actions["back"].property("unavailable_reason") == "No previous model"
    choose("theirs")
    enabled = [name for name, action in actions.items() if action.isEnabled()]
    assert enabled == ["activate", "measure", "export", "rename", "check", "remove"]
    window.go_to("search")
    assert not any(action.isEnabled() for action in actions.values())
    assert actions["rename"].property("unavailable_reason") == "Available on the Models page"


def test_unmeasured_model_offers_an_evaluation(qtbot, choose, window, page, gateway, jobs):
    gateway.dashboard.found = EvaluationResults()
    assert not choose("theirs").measure.isVisible()
    click(qtbot, choose("starter").measure)
    dashboard = window.other_page("dashboard")
    qtbot.waitUntil(lambda: bool(dashboard.findChildren(EvaluateDialog)) and not jobs.running())
    assert window.shows("dashboard")
    (dialog,) = dashboard.findChildren(EvaluateDialog)
    dialog.reject()


def test_measured_model_is_shown_on_the_dashboard(qtbot, choose, window, gateway, jobs):
    gateway.models.install(replace(THEIRS, space="bbbb"))
    choose("theirs")
    window.actions_by_name["models/measure"].trigger()
    dashboard = window.other_page("dashboard")
    qtbot.waitUntil(lambda: dashboard.scores.table.isVisible() and not jobs.running())
    assert not dashboard.findChildren(EvaluateDialog)


def test_model_is_added_from_the_menu_of_another_page(
    qtbot, window, page, gateway, monkeypatch, jobs
):
    window.go_to("search")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("/home/ada/wasps.zip", ""))
    menu_action(window, "Add a model from a zip file…").trigger()
    qtbot.waitUntil(lambda: page.list.current == "wasps" and not jobs.running())
    assert window.shows("models")


def test_model_is_exported_to_the_chosen_file(qtbot, choose, page, gateway, monkeypatch, jobs):
    choose("theirs")
    offered = []

    def where(parent, title, usual, kinds):
        offered.append(usual)
        return "/tmp/x.zip", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", where)
    page.export()
    qtbot.waitUntil(lambda: gateway.models.calls == [("theirs", Path("/tmp/x.zip"))])
    assert [Path(name).name for name in offered] == ["theirs.zip"]


def test_focused_widget_is_scrolled_into_view(qtbot, window, choose):
    card = choose("theirs")
    window.resize(800, 500)
    last = card._card.button
    qtbot.waitUntil(lambda: card._scroll.verticalScrollBar().maximum() > 0)
    assert last.visibleRegion().boundingRect() != last.rect()
    last.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(lambda: last.visibleRegion().boundingRect() == last.rect())
