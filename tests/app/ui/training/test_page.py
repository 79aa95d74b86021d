"""The page of trainings: a new one is written, checked and begun; those there are, followed."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QLabel, QMessageBox, QPushButton, QWidget

from sciread_app.domain.paper import LibraryChanges
from sciread_app.domain.training import LIBRARY, TrainingData, TrainingDataKind
from sciread_app.errors import SourceError
from sciread_app.services.training.runs import RunStatus
from sciread_app.services.training.training_service import CheckLine, Remedy
from sciread_app.ui.evaluation.evaluate_dialog import EvaluateDialog
from sciread_app.ui.evaluation.view_models import EvaluationResults
from sciread_app.ui.jobs.runner import JobQueue
from sciread_app.ui.setting_labels import setting_label
from sciread_app.ui.shell.job_history import JobState
from sciread_app.ui.shell.status_bar import StatusBar
from sciread_app.ui.training import completion_notifier, page
from sciread_app.ui.training.form import controller
from sciread_app.ui.training.form.form import TrainingForm
from sciread_app.ui.training.page import TrainingPage
from sciread_app.ui.training.text import STANDINGS, held_tiles
from sciread_app.ui.widgets.focus import takes_focus
from tests.app.ui.test_keyboard import is_reached, name_of, walk
from tests.support.ui.fake_training import ENOUGH, HELD, LACKS, SCORE, STEPS, training
from tests.support.ui.fakes import FakeDesk
from trainer.contract.catalog import METHODS, recipe_of
from trainer.contract.corpus_stats import Level


@pytest.fixture
def desk() -> FakeDesk:
    return FakeDesk(30)


@pytest.fixture
def teacher(desk):
    return desk.training


@pytest.fixture
def show(qtbot, teacher, jobs, appearance):
    """The page by itself, once nothing more is going on there."""

    def show():
        shown = TrainingPage(teacher, jobs, appearance)
        qtbot.addWidget(shown)
        shown.resize(1100, 700)
        shown.show()
        shown.refresh()
        qtbot.waitUntil(lambda: not jobs.running())
        return shown

    return show


@pytest.fixture
def write(qtbot, show, jobs):
    """The form of a new training, checked."""

    def write():
        shown = show()
        shown.begin()
        settle(qtbot, jobs, shown)
        return shown

    return write


def settle(qtbot, jobs, shown):
    qtbot.waitUntil(lambda: not shown.planning._recheck.isActive() and not jobs.running())


def click(qtbot, button):
    assert button.isEnabled() and not button.isHidden(), button.text()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def lines(shown) -> list[str]:
    return [line.text for line in shown.form.check.lines]


# Writing one.


def test_who_has_trained_nothing_is_invited(qtbot, show, jobs):
    shown = show()
    assert shown.nothing.isVisible() and not shown.form.isVisible()
    click(qtbot, shown.nothing.buttons()[0])
    settle(qtbot, jobs, shown)
    assert shown.writes and shown.form.isVisible() and not shown.list.isVisible()
    click(qtbot, shown.form.close_it)
    assert shown.nothing.isVisible()


def test_the_form_is_built_when_somebody_writes(write, show):
    assert not show().findChildren(TrainingForm)
    assert write().findChild(TrainingForm).isVisible()


@pytest.mark.parametrize("spec", METHODS, ids=lambda spec: spec.key)
def test_the_form_offers_all_that_the_catalogue_knows(qtbot, write, jobs, spec):
    form = write().form
    click(qtbot, form.method.cards[spec.key])
    assert [form.method.recipe.itemText(n) for n in range(form.method.recipe.count())] == list(
        spec.recipes
    )
    assert form.method.name.endswith("-small")
    assert list(form.settings.rows) == [setting.name for setting in spec.settings]
    usual = spec.resolve(form.method.name)
    for setting in spec.settings:
        row = form.settings.rows[setting.name]
        assert row.value() == usual[setting.name] and not row.is_changed
        assert any(setting.help in label.text() for label in row.findChildren(QLabel))
    assert form.plan().changes == {}


def test_only_what_differs_from_the_recipe_is_changed_and_can_be_put_back(qtbot, write, jobs):
    shown = write()
    rows = shown.form.settings.rows
    rows["epochs"].field.setText("3.0")  # as it is
    rows["learning_rate"].field.setText("1e-5, 2e-5")
    rows["negatives"].field.setCurrentText("drawn")
    rows["base"].field.setCurrentText("ours")
    assert shown.form.plan().changes == {
        "base": "ours", "learning_rate": (1e-5, 2e-5), "negatives": "drawn",
    }  # fmt: skip
    back = rows["learning_rate"].back
    assert back.text() == "Back to 5e-5" and not rows["epochs"].back.isVisible()
    click(qtbot, back)
    assert set(shown.form.plan().changes) == {"base", "negatives"}
    assert [rows["base"].field.itemText(n) for n in range(2)] == ["starter", "ours"]


def test_what_was_changed_is_there_again_when_its_method_is(qtbot, write):
    form = write().form
    form.settings.rows["epochs"].field.setText("9")
    click(qtbot, form.method.cards["miread"])
    assert form.plan().changes == {}
    click(qtbot, form.method.cards["specter"])
    assert form.plan().changes == {"epochs": 9.0}


def test_a_value_that_cannot_be_is_said_and_nothing_begins(qtbot, write, jobs):
    shown = write()
    row = shown.form.settings.rows["batch_size"]
    row.field.setText("many")
    settle(qtbot, jobs, shown)
    assert row.wrong.text() == "It is a whole number of at least 1."
    assert shown.form.plan() is None and not shown.form.start.isEnabled()
    row.field.setText("8")
    settle(qtbot, jobs, shown)
    assert not row.wrong.isVisible() and shown.form.start.isEnabled()


def test_a_recipe_that_tries_several_says_so(qtbot, write):
    form = write().form
    click(qtbot, form.method.cards["physbert"])
    form.method.recipe.setCurrentText("physbert-subdomain")
    form.method.recipe.activated.emit(0)
    assert form.settings.rows["learning_rate"].text == "0.0001, 0.0002"
    assert form.plan().changes == {}


def test_what_is_learned_from_is_chosen(qtbot, write, jobs, monkeypatch, teacher):
    shown = write()
    data = shown.form.data
    assert shown.form.plan().data == LIBRARY
    numbers = [label.text() for label in data.tiles.findChildren(QLabel)]
    assert numbers[:6] == ["9,000", "Papers", "8,000", "With an abstract", "about 70,000",
                           "Citations among them"]  # fmt: skip
    _, collection, files, corpus = data.kind.tab_stops()
    click(qtbot, collection)
    assert data.data == TrainingData(TrainingDataKind.collection, "thesis")
    assert data.collection.currentText() == "thesis  (40 papers)"
    click(qtbot, corpus)
    assert data.data == TrainingData(TrainingDataKind.corpus, "library-1")
    click(qtbot, files)
    settle(qtbot, jobs, shown)
    assert data.data is None and not shown.form.start.isEnabled()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(Path("/papers/empty")))
    click(qtbot, data.browse)
    settle(qtbot, jobs, shown)
    assert teacher.plans[-1].data == TrainingData(
        TrainingDataKind.files, str(Path("/papers/empty"))
    )
    assert lines(shown) == [] and "nothing to learn from" in _said(shown.form.check)
    assert not data.tiles.isVisible() and not shown.form.start.isEnabled()


def _said(widget) -> str:
    return " ".join(label.text() for label in widget.findChildren(QLabel))


def test_papers_that_were_put_aside_can_be_removed(qtbot, write, jobs, teacher):
    shown = write()
    click(qtbot, shown.form.data.kind.tab_stops()[3])
    click(qtbot, shown.form.data.remove)
    (box,) = shown.findChildren(QMessageBox)
    assert box.isModal() and box.defaultButton().text() == "Cancel"
    assert "remove corpus library-1" not in teacher.asked
    click(qtbot, next(button for button in box.buttons() if button.text() == "Remove"))
    settle(qtbot, jobs, shown)
    assert "remove corpus library-1" in teacher.asked
    assert shown.form.data.data is None and not shown.form.data.remove.isEnabled()


def test_each_method_says_whether_it_could_be_trained(write):
    cards = write().form.method.cards
    assert {key: card.verdict.text() for key, card in cards.items()} == {
        "specter": "Can be trained", "multi2spe": "Can be trained", "miread": "Can be trained",
        "physbert": "Few categories",
    }  # fmt: skip


# What is missing.


def test_citations_that_are_missing_are_fetched_from_here(qtbot, write, jobs, teacher):
    teacher.lines = (LACKS,)
    shown = write()
    assert not shown.form.start.isEnabled()
    (button,) = shown.form.check.buttons
    assert button.text() == "Fetch citations for 12 papers"
    with qtbot.waitSignal(shown.loaded):
        click(qtbot, button)
    settle(qtbot, jobs, shown)
    assert "cite 2" in teacher.asked and lines(shown) == [ENOUGH.text]
    assert shown.form.said.text() == "40 references and 30 citations came."
    assert shown.form.start.isEnabled()


def test_settings_with_which_it_would_do_are_set(qtbot, write, jobs, teacher):
    settings = {"epochs": 1.0, "batch_size": 8}
    teacher.lines = (
        CheckLine(Level.missing, "Too few.", Remedy.settings, "Set", settings=settings),
    )
    shown = write()
    click(qtbot, shown.form.check.buttons[0])
    settle(qtbot, jobs, shown)
    assert shown.form.plan().changes == settings == teacher.plans[-1].changes


def test_papers_that_are_missing_are_fetched_where_papers_are(qtbot, write, jobs, teacher):
    teacher.lines = (CheckLine(Level.few, "Few.", Remedy.papers, "Fetch papers"),)
    shown = write()
    with qtbot.waitSignal(shown.place_requested) as wanted:
        click(qtbot, shown.form.check.buttons[0])
    assert wanted.args == ["intake"]


def test_a_model_to_start_from_is_fetched(qtbot, write, jobs, teacher):
    teacher.lines = (CheckLine(Level.missing, "Not here.", Remedy.model, "Fetch it", model="a/b"),)
    shown = write()
    click(qtbot, shown.form.check.buttons[0])
    settle(qtbot, jobs, shown)
    assert "fetch a/b" in teacher.asked and lines(shown) == [ENOUGH.text]


# Off it goes.


def test_a_training_is_begun_and_shown(qtbot, write, jobs, teacher):
    shown = write()
    shown.form.name.setText("Of my thesis")
    click(qtbot, shown.form.data.kind.tab_stops()[1])
    settle(qtbot, jobs, shown)
    with qtbot.waitSignal(shown.busy_changed) as busy:
        click(qtbot, shown.form.start)
    qtbot.waitUntil(lambda: shown.view.details is not None)
    assert busy.args == [True] and "start specter-small on thesis" in teacher.asked
    assert shown.view.title.text() == "Of my thesis" and not shown.writes
    assert shown.view.pill.text() == "Starting" and shown.list.current == "Of my thesis"


def test_how_long_it_takes_is_said_here(qtbot, write, jobs, teacher):
    shown = write()
    click(qtbot, shown.form.estimate)
    qtbot.waitUntil(lambda: "330 steps" in shown.form.said.text())
    assert shown.form.said.text() == "330 steps, about 11 min here (CPU), 2.1 GB of memory"
    shown.form.settings.rows["epochs"].field.setText("9")
    settle(qtbot, jobs, shown)
    assert shown.form.said.text() == ""  # it is another plan now


def test_what_takes_long_is_shown_and_can_be_stopped(qtbot, write, jobs, teacher):
    teacher.go_on_working.clear()
    shown = write()
    click(qtbot, shown.form.start)
    qtbot.waitUntil(lambda: "halfway" in shown.form.said.text())
    assert shown.form.bar.value() == 250 and not shown.form.start.isEnabled()
    click(qtbot, shown.form.stop)
    qtbot.waitUntil(lambda: shown.form.said.text() == "Stopped.")
    assert shown.form.start.isEnabled() and not shown.form.bar.isVisible()
    assert shown.writes


def test_why_it_could_not_begin_is_said_in_the_form(qtbot, write, jobs, teacher):
    teacher.trouble = SourceError("The disk is full.", "Make room.")
    shown, told = write(), []
    shown.problem.connect(told.append)
    click(qtbot, shown.form.start)
    qtbot.waitUntil(lambda: "disk" in shown.form.said.text())
    assert shown.form.said.text() == "The disk is full. Make room."
    assert shown.writes and shown.form.start.isEnabled()
    assert told == []  # it need not be said twice


def test_a_job_is_written_where_one_says(qtbot, write, jobs, teacher, monkeypatch):
    asked = []

    def where(usual, parent):
        asked.append(usual)
        return Path("/media/stick/mine.zip")

    monkeypatch.setattr(controller, "ask_where_to", where)
    shown = write()
    shown.form.name.setText("mine")
    click(qtbot, shown.form.job)
    qtbot.waitUntil(lambda: "The job is in" in shown.form.said.text())
    assert asked == ["mine.zip"] and "job mine.zip" in teacher.asked


# Those there are.


def test_trainings_are_listed_with_how_they_stand(show, teacher):
    teacher.have(*(training(one.value, one) for one in RunStatus))
    shown = show()
    rows = {row.key: row for row in shown.list.rows}
    assert {key: row.mark for key, row in rows.items()} == {
        one.value: STANDINGS[one] for one in RunStatus
    }
    assert rows["running"].below == "SPECTER · 3 min 20 s left"
    assert rows["running"].share == 120 / STEPS and rows["finished"].share is None
    assert shown.count.text() == "7 trainings"


def test_one_that_goes_on_is_followed(qtbot, show, jobs, teacher):
    teacher.have(training("mine"))
    shown = show()
    view = shown.view
    assert view.far.text() == "Step 120 of 330 · 3 min 20 s left" and view._going.isVisible()
    assert view.bar.value() == 363
    assert len(view.curves.loss.lines) == 3 and view.curves.pace.lines
    assert "0.0500" in _said(view.tiles) and "4e-5" in _said(view.tiles)
    assert "CPU" in _said(view.tiles)
    assert ("Starts from", "the model that came with SciRead") in view.facts.rows
    teacher.have(training("mine", step=200))
    qtbot.waitUntil(lambda: "Step 200" in view.far.text())
    teacher.have(training("mine", RunStatus.finished))
    qtbot.waitUntil(lambda: view.pill.text() == "Finished")
    assert not view._going.isVisible()
    qtbot.waitUntil(lambda: not jobs.running())
    shown._tick()
    assert not jobs.running()  # there is nothing more to see


def test_what_somebody_wants_to_see_is_shown_though_another_one_goes_on(qtbot, show, jobs, teacher):
    teacher.have(training("mine"), training("other", RunStatus.stopped))
    shown = show()
    shown.load("other")
    shown._tick()
    qtbot.waitUntil(lambda: shown.view.title.text() == "other")


def test_it_is_stopped_and_goes_on(qtbot, show, jobs, teacher):
    teacher.have(training("mine"))
    shown = show()
    click(qtbot, shown.view.buttons["stop"])
    qtbot.waitUntil(lambda: shown.view.pill.text() == "Stopped")
    assert shown.view.buttons["stop"].isHidden()
    click(qtbot, shown.view.buttons["go_on"])
    qtbot.waitUntil(lambda: shown.view.pill.text() == "Running")


def test_why_one_failed_is_said_with_what_to_do(show, teacher):
    teacher.have(training("mine", RunStatus.failed, problem="The disk is full.", hint="Make room."))
    view = show().view
    assert (view.problem.text(), view.hint.text()) == ("The disk is full.", "Make room.")
    assert view.problem.isVisible() and not view.buttons["go_on"].isHidden()


def top(widget):
    return widget.mapTo(widget.window(), QPoint(0, 0)).y()


def test_a_model_that_came_of_it_answers(qtbot, show, jobs, teacher, desk):
    teacher.have(training("mine", RunStatus.finished))
    shown = show()
    assert shown.view.scores.item(1, 2).text() == "90.00"
    # What has come of it is seen before how it went.
    qtbot.waitUntil(lambda: 0 < top(shown.view.scores) < top(shown.view.curves))
    click(qtbot, shown.view.buttons["add_model"])
    qtbot.waitUntil(lambda: shown.view.buttons["add_model"].isHidden())
    assert "add mine" in teacher.asked
    with qtbot.waitSignal(shown.activate_requested) as wanted:
        click(qtbot, shown.view.buttons["activate"])
    assert wanted.args == ["made", "mine"]
    qtbot.waitUntil(lambda: not jobs.running())


def test_a_model_that_became_worse_is_said_to_be_and_not_recommended(show, teacher):
    lost = replace(SCORE, value="70.00", change="−10.00", better=False)
    teacher.scores = [lost, replace(lost, metric="nDCG"), SCORE]
    teacher.have(training("mine", RunStatus.finished))
    view = show().view
    said = view.balance.text()
    assert "worse" in said and "the one you use" in said and "2 of 3" in said
    assert view.balance.isVisible()
    assert view.buttons["activate"].objectName() != "primary"


def test_a_model_is_compared_with_the_one_it_was_made_from(show, teacher):
    teacher.base_in_use = False
    teacher.have(training("mine", RunStatus.finished))
    view = show().view
    assert "better" in view.balance.text() and "you use" not in view.balance.text()
    assert view.buttons["activate"].objectName() == "primary"


def test_settings_have_labels_and_papers_a_title(write, show, teacher):
    for row in write().form.settings.rows.values():
        assert "_" not in row.field.accessibleName()
    labels = {setting_label(setting.name) for method in METHODS for setting in method.settings}
    keys = {setting.name for method in METHODS for setting in method.settings}
    assert len(labels) == len(keys) and not any("_" in label for label in labels)
    teacher.have(training("mine"))
    assert ("Papers", "Library, 2026-11-30") in show().view.facts.rows


@pytest.mark.parametrize(
    "standing", [RunStatus.running, RunStatus.finished, RunStatus.stopped, RunStatus.failed]
)
def test_how_it_stands_has_one_colour(show, teacher, standing, qtbot, jobs):
    teacher.have(training("mine", standing))
    shown = show()
    pill = shown.view.pill.grab().toImage()
    ground = pill.pixelColor(4, pill.height() // 2)
    row = shown.list.viewport().grab().toImage()
    right = range(row.width() * 2 // 3, row.width())
    assert any(row.pixelColor(x, y) == ground for x in right for y in range(24))
    settle(qtbot, jobs, shown)


@pytest.fixture
def trained(qtbot, show_window, desk, jobs, teacher):
    """The window, at a training whose model is among the models."""
    teacher.have(training("done", RunStatus.finished, space="bbbb"))
    teacher.models["done"] = "specter-ours"
    window = show_window(desk)
    window.go_to("training")
    qtbot.waitUntil(lambda: verbs(window)["measure"] and not jobs.running())
    return window


def test_the_way_on_is_offered_once_its_model_is_among_the_models(qtbot, show, jobs, teacher):
    teacher.have(training("done", RunStatus.finished))
    shown = show()
    assert shown.why_not("measure") and shown.why_not("compare")
    click(qtbot, shown.view.buttons["add_model"])
    qtbot.waitUntil(lambda: not shown.why_not("measure") and not shown.why_not("compare"))
    qtbot.waitUntil(lambda: not jobs.running())


def test_a_model_that_was_measured_is_seen_in_the_dashboard(qtbot, trained, jobs):
    click(qtbot, trained.other_page("training").view.buttons["measure"])
    dashboard = trained.other_page("dashboard")
    qtbot.waitUntil(lambda: dashboard.scores.table.isVisible() and not jobs.running())
    assert not dashboard.findChildren(EvaluateDialog)


def test_one_that_was_not_is_offered_to_be_measured(qtbot, trained, jobs, desk):
    desk.dashboard.found = EvaluationResults()
    trained.menus.training._on_page["measure"].trigger()
    dashboard = trained.other_page("dashboard")
    qtbot.waitUntil(lambda: bool(dashboard.findChildren(EvaluateDialog)) and not jobs.running())
    (dialog,) = dashboard.findChildren(EvaluateDialog)
    assert set(dialog.chosen) == {"specter-1", "starter", "tf-idf"}
    dialog.reject()


@pytest.mark.parametrize("open_before", [False, True])
def test_it_is_compared_with_what_answers_now(qtbot, trained, jobs, open_before):
    panel = trained.page.compare
    if open_before:
        trained.page.toggle_compare()
        qtbot.waitUntil(lambda: all(panel.chooser.pair()) and not jobs.running())
    trained.go_to("training")
    qtbot.waitUntil(lambda: verbs(trained)["compare"] and not jobs.running())
    trained.menus.training._on_page["compare"].trigger()
    qtbot.waitUntil(lambda: panel.chooser.pair() == ("starter", "specter-ours"))
    qtbot.waitUntil(lambda: not jobs.running())
    assert trained.shows("search") and panel.is_open


def test_one_is_removed_only_when_somebody_means_it(qtbot, show, jobs, teacher):
    teacher.have(training("mine", RunStatus.stopped))
    shown = show()
    for text, kept in (("Cancel", True), ("Remove", False)):
        click(qtbot, shown.view.buttons["remove"])
        (box,) = shown.findChildren(QMessageBox)
        next(b for b in box.buttons() if b.text().replace("&", "") == text).click()
        qtbot.waitUntil(lambda: not jobs.running() and not shown.findChildren(QMessageBox))
        assert ("mine" in teacher.known) is kept
    assert shown.nothing.isVisible()


def test_its_log_is_shown(qtbot, show, teacher):
    teacher.have(training("mine"))
    shown = show()
    click(qtbot, shown.view.buttons["log"])
    qtbot.waitUntil(lambda: bool(shown.findChildren(QDialog)))
    (dialog,) = shown.findChildren(QDialog)
    assert dialog.text.toPlainText() == "log of mine"
    dialog.findChild(QPushButton).click()


def test_one_from_elsewhere_is_opened_and_shown(qtbot, show, jobs, teacher, monkeypatch):
    monkeypatch.setattr(page, "ask_for_folder", lambda _: Path("/media/stick/theirs"))
    shown = show()
    click(qtbot, shown.nothing.buttons()[1])
    qtbot.waitUntil(lambda: shown.list.current == "theirs" and not jobs.running())
    assert "open theirs" in teacher.asked and shown.view.title.text() == "theirs"
    told = []
    shown.message.connect(told.append)
    shown.open_folder()
    qtbot.waitUntil(lambda: bool(told))
    assert told == ["theirs is here already"]


def test_markup_of_a_stranger_is_shown_as_it_is_written(show, teacher):
    evil = "<b>x</b><img src='file:///etc/passwd'>"
    teacher.have(replace(training("mine", RunStatus.failed), problem=evil, hint=evil, base=evil))
    for label in show().view.findChildren(QLabel):
        assert evil not in label.text() or label.textFormat() is Qt.TextFormat.PlainText


# From elsewhere in the window.


def verbs(window):
    menu = window.menus.training
    return {verb: action.isEnabled() for verb, action in menu._on_page.items()}


def test_verbs_of_the_menu_can_be_done_when_the_page_can_do_them(
    qtbot, show_window, desk, jobs, teacher
):
    teacher.have(training("mine"), training("done", RunStatus.finished))
    window = show_window(desk)
    window.go_to("training")
    qtbot.waitUntil(lambda: not jobs.running())
    shown = window.other_page("training")
    assert verbs(window) == {
        "stop": True, "go_on": False, "activate": False, "add_model": False, "measure": False,
        "compare": False, "log": True, "folder": True, "remove": False,
    }  # fmt: skip
    window.menus.training._on_page["stop"].trigger()
    qtbot.waitUntil(lambda: verbs(window)["go_on"])
    window.menus.training._anywhere[0].trigger()
    qtbot.waitUntil(lambda: shown.writes)
    assert not any(verbs(window).values())
    window.go_to("search")
    assert window.menus.why_not(window.menus.training._on_page["log"]) == (
        "On the page of trainings"
    )
    settle(qtbot, jobs, shown)


def test_one_that_goes_on_is_listed_with_the_work_and_can_be_stopped_there(
    qtbot, show_window, desk, teacher, jobs, monkeypatch
):
    monkeypatch.setattr(completion_notifier, "GOING_MS", 50)
    teacher.have(training("mine"))
    window = show_window(desk)
    qtbot.waitUntil(lambda: bool(window.work_log.works) and window.work_log.works[-1].done == 120)
    work = window.work_log.works[-1]
    assert "mine" in work.title and (work.state, work.total) == (JobState.running, STEPS)
    foot = window.findChild(StatusBar)
    qtbot.waitUntil(lambda: "mine" in foot.what.text())
    assert "120 of 330" in foot.how_far.text() and not foot.pause.isVisible()
    teacher.have(training("mine", step=200))
    qtbot.waitUntil(lambda: work.done == 200)
    window.work_drawer.toggle()
    row = window.work_drawer.centre.row(work)
    qtbot.waitUntil(row.cancel.isVisible)
    assert not row.pause.isVisible()
    assert row.cancel.text() == "Stop" and "can go on later" in row.cancel.toolTip()
    click(qtbot, row.cancel)
    qtbot.waitUntil(lambda: work.state is JobState.stopped)
    assert teacher.known["mine"].standing is RunStatus.stopped
    assert row.again.text() == "Go on"
    click(qtbot, row.again)
    qtbot.waitUntil(lambda: teacher.known["mine"].standing is RunStatus.running)
    qtbot.waitUntil(lambda: window.work_log.works[-1].state is JobState.running)


def test_one_that_failed_says_why_among_the_work(
    qtbot, show_window, desk, teacher, jobs, monkeypatch
):
    monkeypatch.setattr(completion_notifier, "GOING_MS", 50)
    teacher.have(training("mine"))
    window = show_window(desk)
    qtbot.waitUntil(lambda: bool(window.work_log.works) and window.work_log.works[-1].done == 120)
    work = window.work_log.works[-1]
    teacher.have(training("mine", RunStatus.failed, problem="The disk is full.", hint="Make room."))
    qtbot.waitUntil(lambda: work.state is JobState.failed)
    assert "The disk is full." in work.says()
    assert not window.findChild(StatusBar).what.isVisible()


def test_a_method_that_can_be_trained_is_chosen_until_a_person_chooses(write, monkeypatch, qtbot):
    no_citations = replace(HELD, citations=0, citing=0)
    part = write().form.method
    part.show_held(no_citations)
    spec, _ = recipe_of(part.name)
    assert spec.key not in ("specter", "multi2spe")
    assert part.cards[spec.key].isChecked()
    click(qtbot, part.cards["specter"])
    part.show_held(no_citations)
    assert part.cards["specter"].isChecked()


def test_no_citations_are_none_though_they_are_estimated():
    tiles = held_tiles(replace(HELD, citations=0), True)
    assert ("0", "Citations among them") in tiles
    assert ("about 70,000", "Citations among them") in held_tiles(HELD, True)


def test_what_the_form_waits_for_is_said(qtbot, write, jobs, teacher):
    shown = write()
    go_on = threading.Event()
    jobs.run("Encoding papers", lambda task: go_on.wait(60))
    qtbot.waitUntil(lambda: jobs.running(JobQueue.long)[0].has_started)
    teacher.go_on_working.clear()
    click(qtbot, shown.form.start)
    assert "Encoding papers" in shown.form.said.text() and shown.form.bar.maximum() > 0
    go_on.set()
    qtbot.waitUntil(lambda: "Encoding papers" not in shown.form.said.text())
    assert shown.form.bar.isVisible()
    teacher.go_on_working.set()
    qtbot.waitUntil(lambda: not jobs.running())


def test_who_is_elsewhere_sees_that_one_goes_on_and_is_told_when_it_ends(
    qtbot, show_window, desk, teacher, jobs, monkeypatch
):
    monkeypatch.setattr(completion_notifier, "GOING_MS", 50)
    teacher.have(training("mine"))
    window = show_window(desk)
    button = window.rail.button("training")
    qtbot.waitUntil(lambda: button.busy)
    teacher.have(training("mine", RunStatus.finished))
    qtbot.waitUntil(lambda: window.banner.message.text() == "mine is trained.")
    assert not button.busy
    next(b for b in window.banner.findChildren(QPushButton) if b.text() == "Look at it").click()
    qtbot.waitUntil(lambda: window.shows("training") and not jobs.running())
    assert window.other_page("training").list.current == "mine"


def test_what_ended_while_the_window_was_closed_is_told(qtbot, show_window, desk, teacher, jobs):
    teacher.have(training("mine"), training("other"))
    first = show_window(desk)
    qtbot.waitUntil(lambda: first.rail.button("training").busy)
    first.close()
    teacher.have(training("mine", RunStatus.failed, problem="The disk is full."))
    second = show_window(desk)
    qtbot.waitUntil(lambda: second.banner.isVisible())
    assert second.banner.message.text() == "The training mine has failed."
    assert second.banner.hint.text() == "The disk is full."
    assert second.rail.button("training").busy  # the other one goes on


def test_papers_that_came_are_counted_in_the_form(qtbot, write, jobs, teacher):
    shown = write()
    asked = len(teacher.plans)
    shown.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: len(teacher.plans) > asked)
    settle(qtbot, jobs, shown)


@pytest.mark.parametrize("state", ["form", "running", "finished"])
def test_all_of_it_is_reached_by_tab_and_has_a_name(qtbot, show_window, desk, jobs, teacher, state):
    teacher.lines = (LACKS,)
    if state != "form":
        teacher.have(training("mine", RunStatus[state]))
    window = show_window(desk)
    window.activateWindow()
    window.go_to("training")
    shown = window.other_page("training")
    if state == "form":
        shown.begin()
        settle(qtbot, jobs, shown)
        shown.form.settings.folded.button.click()
        shown.form.settings.rows["epochs"].field.setText("9")
        settle(qtbot, jobs, shown)  # a check puts up its buttons anew
    qtbot.waitUntil(lambda: not jobs.running())
    seen = walk(qtbot, window)
    wanted = [w for w in shown.findChildren(QWidget) if takes_focus(w)]
    unreached = [w for w in wanted if not is_reached(w, seen)]
    assert not unreached, [(w, name_of(w)) for w in unreached]
    assert not [w for w in seen if not name_of(w).strip()]
    if state == "form":
        names = [name_of(w) for w in seen]
        order = ["Name of the training", "Fetch citations for 12 papers", "Base model", "Epochs",
                 "Dropout", "Seed"]  # fmt: skip
        assert sorted(order, key=names.index) == order
