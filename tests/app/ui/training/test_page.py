"""The training page: the form, its checks, and the view of a training."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QLabel,
    QMenu,
    QMessageBox,
    QPushButton,
    QWidget,
)

from sciread_app.domain.paper import LibraryChanges
from sciread_app.domain.training import LIBRARY, TrainingData, TrainingDataKind
from sciread_app.errors import SourceError
from sciread_app.services.training.runs import RunStatus
from sciread_app.services.training.training_service import CheckLine, Remedy
from sciread_app.ui.evaluation.evaluate_dialog import EvaluateDialog
from sciread_app.ui.evaluation.view_models import EvaluationResults
from sciread_app.ui.jobs.runner import JobQueue, TaskState
from sciread_app.ui.setting_labels import choice_label, setting_help, setting_label
from sciread_app.ui.shell.status_bar import StatusBar
from sciread_app.ui.training import completion_notifier, page
from sciread_app.ui.training.form import controller
from sciread_app.ui.training.form.form import TrainingForm
from sciread_app.ui.training.page import TrainingPage
from sciread_app.ui.training.text import STATUS_LABELS, stats_tiles
from sciread_app.ui.widgets.focus import takes_focus
from tests.support.ui.controls import (
    is_reached,
    menu_action,
    name_of,
    open_row_menu,
    page_actions,
    right_click_row,
    walk,
)
from tests.support.ui.fakes.gateway import FakeGateway
from tests.support.ui.fakes.training import (
    ENOUGH,
    HELD,
    LACKS,
    SCORE,
    STEPS,
    TITLE,
    training,
)
from trainer.contract.catalog import METHODS, recipe_of
from trainer.contract.corpus_stats import Level


@pytest.fixture
def gateway() -> FakeGateway:
    return FakeGateway(30)


@pytest.fixture
def service(gateway):
    return gateway.training


@pytest.fixture
def show(qtbot, service, jobs, context):
    """Return a function that shows the page alone and waits for its jobs."""

    def show():
        shown = TrainingPage(service, context)
        qtbot.addWidget(shown)
        shown.resize(1100, 700)
        shown.show()
        shown.refresh()
        qtbot.waitUntil(lambda: not jobs.running())
        return shown

    return show


@pytest.fixture
def write(qtbot, show, jobs):
    """Return a function that shows the page with the form of a new training, checked."""

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


# The form.


def test_page_without_trainings_offers_the_form(qtbot, show, jobs):
    shown = show()
    assert shown.nothing.isVisible() and not shown.form.isVisible()
    click(qtbot, shown.nothing.buttons()[0])
    settle(qtbot, jobs, shown)
    assert shown.writes and shown.form.isVisible() and not shown.list.isVisible()
    click(qtbot, shown.form.close_it)
    assert shown.nothing.isVisible()


def test_form_is_built_on_its_first_use(write, show):
    assert not show().findChildren(TrainingForm)
    assert write().findChild(TrainingForm).isVisible()


@pytest.mark.parametrize("spec", METHODS, ids=lambda spec: spec.key)
def test_form_offers_recipes_and_settings_of_each_method(qtbot, write, jobs, spec):
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
        assert any(setting_help(setting.name) in label.text() for label in row.findChildren(QLabel))
    assert form.plan().changes == {}


def test_fields_form_a_column_and_fit_a_narrow_form(qtbot, write):
    form = write().form
    assert form.area.widget().minimumSizeHint().width() <= 500
    rows = [row for row in form.settings.rows.values() if row.isVisible()]
    fields = [*(row.field for row in rows), form.seed, form.method.recipe]
    assert len(fields) > 3 and len({left(field, form) for field in fields}) == 1
    tokens = form.settings.rows["max_tokens"]
    assert "tokens" in [label.text() for label in tokens.findChildren(QLabel)]


def left(widget, form):
    return widget.mapTo(form, QPoint()).x()


def test_plan_contains_only_changed_settings(qtbot, write, jobs):
    shown = write()
    rows = shown.form.settings.rows
    rows["epochs"].field.setText("3.0")  # the value of the recipe
    rows["learning_rate"].field.setText("1e-5, 2e-5")
    rows["negatives"].field.setCurrentText("One per triplet")
    rows["base"].field.setCurrentText("ours")
    assert shown.form.plan().changes == {
        "base": "ours", "learning_rate": (1e-5, 2e-5), "negatives": "drawn",
    }  # fmt: skip
    back = rows["learning_rate"].back
    assert back.text() == "Reset to 5e-5" and not rows["epochs"].back.isVisible()
    click(qtbot, back)
    assert set(shown.form.plan().changes) == {"base", "negatives"}
    assert [rows["base"].field.itemText(n) for n in range(2)] == ["starter", "ours"]


def test_changed_settings_are_kept_per_method(qtbot, write):
    form = write().form
    form.settings.rows["epochs"].field.setText("9")
    click(qtbot, form.method.cards["miread"])
    assert form.plan().changes == {}
    click(qtbot, form.method.cards["specter"])
    assert form.plan().changes == {"epochs": 9.0}


def test_invalid_setting_is_explained_and_prevents_the_start(qtbot, write, jobs):
    shown = write()
    row = shown.form.settings.rows["batch_size"]
    row.field.setText("many")
    settle(qtbot, jobs, shown)
    assert "at least 1" in row.wrong.text()
    assert shown.form.plan() is None and not shown.form.start.isEnabled()
    row.field.setText("8")
    settle(qtbot, jobs, shown)
    assert not row.wrong.isVisible() and shown.form.start.isEnabled()


def test_recipe_with_several_values_is_shown_unchanged(qtbot, write):
    form = write().form
    click(qtbot, form.method.cards["physbert"])
    form.method.recipe.setCurrentText("physbert-subdomain")
    form.method.recipe.activated.emit(0)
    assert form.settings.rows["learning_rate"].text == "0.0001, 0.0002"
    assert form.plan().changes == {}


def test_training_data_is_chosen_in_the_form(qtbot, write, jobs, monkeypatch, service):
    shown = write()
    data = shown.form.data
    assert shown.form.plan().data == LIBRARY
    numbers = [label.text() for label in data.tiles.findChildren(QLabel)]
    assert numbers[:6] == ["9,000", "Papers", "8,000", "With abstract", "about 70,000",
                           "Citations between them"]  # fmt: skip
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
    assert service.plans[-1].data == TrainingData(
        TrainingDataKind.files, str(Path("/papers/empty"))
    )
    assert lines(shown) == [] and "nothing to learn from" in label_texts(shown.form.check)
    assert not data.tiles.isVisible() and not shown.form.start.isEnabled()


def test_full_text_of_pdfs_is_used_if_selected(qtbot, write, jobs, service):
    shown = write()
    data = shown.form.data
    click(qtbot, data.full_text)
    settle(qtbot, jobs, shown)
    assert service.plans[-1].data == TrainingData(full_text=True)
    _, collection, files, corpus = data.kind.tab_stops()
    click(qtbot, collection)
    assert data.data == TrainingData(TrainingDataKind.collection, "thesis", full_text=True)
    for kind in (files, corpus):
        click(qtbot, kind)
        assert not data.full_text.isVisible()
    assert data.data == TrainingData(TrainingDataKind.corpus, "library-1")
    data.choose(TrainingData(TrainingDataKind.collection, "thesis"))
    assert not data.full_text.isChecked() and data.full_text.isVisible()


def label_texts(widget) -> str:
    return " ".join(label.text() for label in widget.findChildren(QLabel))


def test_stored_corpus_is_removed_after_confirmation(qtbot, write, jobs, service):
    shown = write()
    click(qtbot, shown.form.data.kind.tab_stops()[3])
    click(qtbot, shown.form.data.remove)
    (box,) = shown.findChildren(QMessageBox)
    assert box.isModal() and box.defaultButton().text() == "Cancel"
    assert "remove corpus library-1" not in service.calls
    click(qtbot, next(button for button in box.buttons() if button.text() == "Delete"))
    settle(qtbot, jobs, shown)
    assert "remove corpus library-1" in service.calls
    assert shown.form.data.data is None and not shown.form.data.remove.isEnabled()


def test_method_cards_show_whether_they_can_be_trained(write):
    cards = write().form.method.cards
    assert {key: card.verdict.text() for key, card in cards.items()} == {
        "specter": "Ready to train", "multi2spe": "Ready to train", "miread": "Ready to train",
        "physbert": "Few categories", "library": "Ready to train",
    }  # fmt: skip


# Remedies.


def test_missing_citations_are_fetched_from_the_form(qtbot, write, jobs, service, context):
    service.lines = (LACKS,)
    shown = write()
    assert not shown.form.start.isEnabled()
    (button,) = shown.form.check.buttons
    assert button.text() == "Fetch citations for 12 papers"
    with qtbot.waitSignal(context.events.library_changed):
        click(qtbot, button)
    settle(qtbot, jobs, shown)
    assert "cite 2" in service.calls and lines(shown) == [ENOUGH.text]
    assert shown.form.note.text() == "Fetched 40 references and 30 citations."
    assert shown.form.start.isEnabled()


def test_suggested_settings_are_applied(qtbot, write, jobs, service):
    settings = {"epochs": 1.0, "batch_size": 8}
    service.lines = (
        CheckLine(Level.missing, "Too few.", Remedy.settings, "Set", settings=settings),
    )
    shown = write()
    click(qtbot, shown.form.check.buttons[0])
    settle(qtbot, jobs, shown)
    assert shown.form.plan().changes == settings == service.plans[-1].changes


def test_missing_papers_lead_to_the_intake_page(qtbot, write, jobs, service, context):
    service.lines = (CheckLine(Level.few, "Few.", Remedy.papers, "Fetch papers"),)
    shown = write()
    click(qtbot, shown.form.check.buttons[0])
    assert context.navigate.calls[-1] == ("go_to", "intake")


def test_missing_base_model_is_fetched_from_the_form(qtbot, write, jobs, service):
    service.lines = (
        CheckLine(Level.missing, "Not here.", Remedy.model, "Download base model", model="a/b"),
    )
    shown = write()
    click(qtbot, shown.form.check.buttons[0])
    settle(qtbot, jobs, shown)
    assert "fetch a/b" in service.calls and lines(shown) == [ENOUGH.text]


def test_settings_to_change_have_their_names_on_the_button(qtbot, write, jobs, service):
    settings = {"min_papers": 50}
    service.lines = (
        CheckLine(Level.few, "Few.", Remedy.settings, "Set min_papers = 50", settings=settings),
    )
    shown = write()
    assert shown.form.check.buttons[0].text() == "Set Min papers per group = 50"


# Starting.


def test_usual_name_of_the_model_is_shown_where_none_is_typed(write):
    form = write().form
    assert form.name.placeholderText() == TITLE and form.plan().name == ""


def test_started_training_is_shown(qtbot, write, jobs, service, context):
    shown = write()
    shown.form.name.setText("Of my thesis")
    click(qtbot, shown.form.data.kind.tab_stops()[1])
    settle(qtbot, jobs, shown)
    click(qtbot, shown.form.start)
    qtbot.waitUntil(lambda: shown.view.details is not None)
    assert ("show_busy", "training", True) in context.navigate.calls
    assert "start specter-small on thesis" in service.calls
    assert shown.view.title.text() == "Of my thesis" and not shown.writes
    assert shown.view.pill.text() == "Starting" and shown.list.current == "Of my thesis"
    assert shown.window().focusWidget() is shown.list


def test_estimate_is_shown_until_the_plan_changes(qtbot, write, jobs, service):
    shown = write()
    qtbot.waitUntil(lambda: "330 steps" in shown.form.note.text())
    text = shown.form.note.text()
    assert "11 min" in text and "CPU" in text and "2.1 GB" in text
    epochs = shown.form.settings.rows["epochs"].field
    before = epochs.text()
    epochs.setText("9")
    settle(qtbot, jobs, shown)
    assert "330" not in shown.form.note.text()  # the plan has changed
    qtbot.waitUntil(lambda: shown.form.note.text() == text)
    estimates = [one for one in service.calls if one.startswith("estimate")]
    epochs.setText(before)
    settle(qtbot, jobs, shown)
    assert shown.form.note.text() == text  # known from before
    assert [one for one in service.calls if one.startswith("estimate")] == estimates


def test_estimate_gives_way_to_the_start_of_a_training(qtbot, write, jobs, service):
    service.go_on_working.clear()
    shown = write()
    qtbot.waitUntil(lambda: "estimate specter-small" in service.calls)
    assert shown.form.start.isEnabled()
    click(qtbot, shown.form.start)
    qtbot.waitUntil(lambda: "halfway" in shown.form.note.text())
    assert [job.title for job in jobs.running()] != []
    service.go_on_working.set()
    qtbot.waitUntil(lambda: not shown.writes)


def test_failed_estimate_is_explained_and_prevents_nothing(qtbot, write, service):
    service.trouble = SourceError("The disk is full.", "Make room.")
    shown = write()
    qtbot.waitUntil(lambda: "disk is full" in shown.form.note.text())
    assert shown.form.start.isEnabled()


def test_start_shows_progress_and_can_be_stopped(qtbot, write, jobs, service):
    service.go_on_working.clear()
    shown = write()
    click(qtbot, shown.form.start)
    qtbot.waitUntil(lambda: "halfway" in shown.form.note.text())
    assert shown.form.bar.value() == 250 and not shown.form.start.isEnabled()
    click(qtbot, shown.form.stop)
    qtbot.waitUntil(lambda: shown.form.note.text() == "Stopped.")
    assert shown.form.start.isEnabled() and not shown.form.bar.isVisible()
    assert shown.writes


def test_failed_start_is_explained_in_the_form(qtbot, write, jobs, service, context):
    service.trouble = SourceError("The disk is full.", "Make room.")
    shown = write()
    click(qtbot, shown.form.start)
    qtbot.waitUntil(lambda: "disk" in shown.form.note.text())
    assert shown.form.note.text() == "The disk is full. Make room."
    assert shown.writes and shown.form.start.isEnabled()
    assert context.messages.calls == []  # the form shows it already


def test_job_is_written_to_the_chosen_file(qtbot, write, jobs, service, monkeypatch):
    asked = []

    def where(usual, parent):
        asked.append(usual)
        return Path("/media/stick/mine.zip")

    monkeypatch.setattr(controller, "ask_where_to", where)
    shown = write()
    shown.form.name.setText("mine")
    click(qtbot, shown.form.job)
    qtbot.waitUntil(lambda: "Exported the training job" in shown.form.note.text())
    assert asked == ["mine.zip"] and "job mine.zip" in service.calls


# Existing trainings.


def test_trainings_are_listed_with_their_status(show, service):
    service.have(*(training(one.value, one) for one in RunStatus))
    shown = show()
    rows = {row.key: row for row in shown.list.rows}
    assert {key: row.mark for key, row in rows.items()} == {
        one.value: STATUS_LABELS[one] for one in RunStatus
    }
    assert rows["running"].below == "SPECTER · 3 min 20 s left"
    assert rows["running"].share == 120 / STEPS and rows["finished"].share is None
    assert shown.count.text() == "7 training runs"


def test_running_training_is_updated_until_it_finishes(qtbot, show, jobs, service):
    service.have(training("mine"))
    shown = show()
    view = shown.view
    assert view.far.text() == "Step 120 of 330 · 3 min 20 s left" and view._going.isVisible()
    assert view.bar.value() == 363
    assert len(view.curves.loss.lines) == 3 and view.curves.pace.lines
    assert "0.0500" in label_texts(view.tiles) and "4e-5" in label_texts(view.tiles)
    assert "CPU" in label_texts(view.tiles)
    assert ("Base model", "Starter model") in view.facts.rows
    service.have(training("mine", step=200))
    qtbot.waitUntil(lambda: "Step 200" in view.far.text())
    service.have(training("mine", RunStatus.finished))
    qtbot.waitUntil(lambda: view.pill.text() == "Finished")
    assert not view._going.isVisible()
    qtbot.waitUntil(lambda: not jobs.running())
    shown._tick()
    assert not jobs.running()  # a finished training is not polled


def test_selected_training_is_shown_while_another_runs(qtbot, show, jobs, service):
    service.have(training("mine"), training("other", RunStatus.stopped))
    shown = show()
    shown.load("other")
    shown._tick()
    qtbot.waitUntil(lambda: shown.view.title.text() == "other")


def test_training_is_stopped_and_resumed(qtbot, show, jobs, service):
    service.have(training("mine"))
    shown = show()
    click(qtbot, shown.view.buttons["stop"])
    qtbot.waitUntil(lambda: shown.view.pill.text() == "Stopped")
    assert shown.view.buttons["stop"].isHidden()
    click(qtbot, shown.view.buttons["resume"])
    qtbot.waitUntil(lambda: shown.view.pill.text() == "Running")


def test_right_click_selects_a_training_and_shows_its_actions(qtbot, show, jobs, service):
    service.have(training("mine"), training("other", RunStatus.stopped))
    shown = show()
    for _ in range(2):
        menu = open_row_menu(qtbot, shown.list, "mine")
        assert [one.text() for one in menu.actions()] == ["Stop", "Log", "Open folder"]
        menu.close()
        qtbot.waitUntil(lambda: not shown.list.findChildren(QMenu))
    menu = open_row_menu(qtbot, shown.list, "other")
    assert shown.list.current == "other"
    next(one for one in menu.actions() if one.text() == "Resume").trigger()
    menu.close()
    qtbot.waitUntil(lambda: service.known["other"].status is RunStatus.running)


def test_click_on_a_training_leaves_the_form(qtbot, show, jobs, service):
    service.have(training("mine", RunStatus.stopped))
    shown = show()
    shown.begin()
    settle(qtbot, jobs, shown)
    assert not shown.new_button.isEnabled()  # it is what the form is for
    viewport, row = shown.list.viewport(), shown.list.model().index(0, 0)
    place = shown.list.visualRect(row).center()
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    assert not shown.writes and shown.view.isVisible() and shown.new_button.isEnabled()


def test_form_opened_from_the_menu_stays_while_the_runs_are_loaded(
    qtbot, show_window, gateway, jobs, service
):
    service.have(training("mine", RunStatus.stopped))
    window = show_window(gateway)
    menu_action(window, "New training run…").trigger()  # the page was not visited before
    shown = window.other_page("training")
    settle(qtbot, jobs, shown)
    assert shown.list.rows and shown.writes and shown.form.isVisible()
    shown.form.close_it.click()
    qtbot.waitUntil(lambda: shown.view.title.text() == "mine")


def test_training_started_elsewhere_leaves_the_form_open(qtbot, write, jobs, service):
    shown = write()
    service.have(training("other"))
    jobs.follow("Training other", stop=lambda: None, retry=lambda: None)
    qtbot.waitUntil(lambda: [row.key for row in shown.list.rows] == ["other"])
    assert shown.writes and shown.form.isVisible()


def test_menu_of_a_run_that_cannot_be_loaded_is_not_shown_later(
    qtbot, show, jobs, service, context, monkeypatch
):
    service.have(training("mine", RunStatus.stopped))
    shown = show()
    look = service.look

    def fail(*_):
        raise SourceError("The run cannot be read.")

    monkeypatch.setattr(service, "look", fail)
    shown.view.clear()
    right_click_row(shown.list, "mine")
    shown.load()
    qtbot.waitUntil(lambda: bool(context.messages.calls) and not jobs.running())
    monkeypatch.setattr(service, "look", look)
    shown.load()
    qtbot.waitUntil(lambda: shown.view.title.text() == "mine" and not jobs.running())
    assert not shown.list.findChildren(QMenu)


def test_training_started_elsewhere_is_listed(qtbot, show, jobs, service):
    service.have(training("mine", RunStatus.finished))
    shown = show()
    service.have(training("mine", RunStatus.finished), training("other"))
    jobs.follow("Training other", stop=lambda: None, retry=lambda: None)
    qtbot.waitUntil(lambda: {row.key for row in shown.list.rows} == {"mine", "other"})


def test_failed_training_shows_problem_and_hint(show, service):
    service.have(training("mine", RunStatus.failed, problem="The disk is full.", hint="Make room."))
    view = show().view
    assert (view.problem.text(), view.hint.text()) == ("The disk is full.", "Make room.")
    assert view.problem.isVisible() and not view.buttons["resume"].isHidden()


def top(widget):
    return widget.mapTo(widget.window(), QPoint(0, 0)).y()


def test_trained_model_is_added_and_activated(qtbot, show, jobs, service, context):
    service.have(training("mine", RunStatus.finished))
    shown = show()
    assert shown.view.scores.item(1, 2).text() == "90.00"
    # The result is above the curves.
    qtbot.waitUntil(lambda: 0 < top(shown.view.scores) < top(shown.view.curves))
    click(qtbot, shown.view.buttons["add_model"])
    qtbot.waitUntil(lambda: shown.view.buttons["add_model"].isHidden())
    assert "add mine" in service.calls
    click(qtbot, shown.view.buttons["activate"])
    qtbot.waitUntil(lambda: ("activate", "made", "mine") in context.activation.calls)
    qtbot.waitUntil(lambda: not jobs.running())


def test_worse_model_is_marked_and_not_recommended(show, service):
    lost = replace(SCORE, value="70.00", change="−10.00", better=False)
    named = [replace(one, task=str(number)) for number, one in enumerate((lost, lost, SCORE))]
    service.scores = [*named, replace(named[0], metric="nDCG")]
    service.have(training("mine", RunStatus.finished))
    view = show().view
    result = view.result.text()
    assert "worse on 2" in result and "the model in use" in result and "1 of 3" in result
    assert view.result.isVisible()
    assert view.buttons["activate"].objectName() != "primary"


def test_better_model_is_recommended(show, service):
    service.have(training("mine", RunStatus.finished))
    view = show().view
    assert "Better than the model in use" in view.result.text() and "1 of 1" in view.result.text()
    assert view.buttons["activate"].objectName() == "primary"


def test_model_not_compared_with_the_one_in_use_is_not_recommended(show, service):
    service.base_in_use = False
    service.have(training("mine", RunStatus.finished))
    view = show().view
    assert "Better than its base model" in view.result.text()
    assert view.buttons["activate"].objectName() != "primary"


@pytest.mark.parametrize("spec", METHODS, ids=lambda spec: spec.key)
def test_each_setting_and_each_choice_is_described(spec):
    for setting in spec.settings:
        help = setting_help(setting.name)
        assert help.endswith(".") and "_" not in help
        labels = {choice_label(setting.name, choice) for choice in setting.choices}
        assert len(labels) == len(setting.choices) and labels.isdisjoint(setting.choices)


def test_settings_and_corpora_have_readable_labels(write, show, service):
    for row in write().form.settings.rows.values():
        assert "_" not in row.field.accessibleName()
    labels = {setting_label(setting.name) for method in METHODS for setting in method.settings}
    keys = {setting.name for method in METHODS for setting in method.settings}
    assert len(labels) == len(keys) and not any("_" in label for label in labels)
    service.have(training("mine"))
    assert ("Papers", "Library, November 30, 2026") in show().view.facts.rows


@pytest.mark.parametrize(
    "status", [RunStatus.running, RunStatus.finished, RunStatus.stopped, RunStatus.failed]
)
def test_status_has_the_same_colour_in_view_and_list(show, service, status, qtbot, jobs):
    service.have(training("mine", status))
    shown = show()
    pill = shown.view.pill.grab().toImage()
    ground = pill.pixelColor(4, pill.height() // 2)
    row = shown.list.viewport().grab().toImage()
    right = range(row.width() * 2 // 3, row.width())
    assert any(row.pixelColor(x, y) == ground for x in right for y in range(24))
    settle(qtbot, jobs, shown)


@pytest.fixture
def trained(qtbot, show_window, gateway, jobs, service):
    """Show the window at a training whose model is installed."""
    service.have(training("done", RunStatus.finished, space="bbbb"))
    service.models["done"] = "specter-ours"
    window = show_window(gateway)
    window.go_to("training")
    qtbot.waitUntil(lambda: enabled_actions(window)["measure"] and not jobs.running())
    return window


def test_measure_and_compare_are_enabled_after_adding_the_model(qtbot, show, jobs, service):
    service.have(training("done", RunStatus.finished))
    shown = show()
    assert shown.unavailable_reason("measure") and shown.unavailable_reason("compare")
    click(qtbot, shown.view.buttons["add_model"])
    qtbot.waitUntil(
        lambda: not shown.unavailable_reason("measure") and not shown.unavailable_reason("compare")
    )
    qtbot.waitUntil(lambda: not jobs.running())


def test_measured_model_is_shown_on_the_dashboard(qtbot, trained, jobs):
    click(qtbot, trained.other_page("training").view.buttons["measure"])
    dashboard = trained.other_page("dashboard")
    qtbot.waitUntil(lambda: dashboard.scores.table.isVisible() and not jobs.running())
    assert not dashboard.findChildren(EvaluateDialog)


def test_unmeasured_model_opens_the_evaluate_dialog(qtbot, trained, jobs, gateway):
    gateway.dashboard.found = EvaluationResults()
    trained.actions_by_name["training/measure"].trigger()
    dashboard = trained.other_page("dashboard")
    qtbot.waitUntil(lambda: bool(dashboard.findChildren(EvaluateDialog)) and not jobs.running())
    (dialog,) = dashboard.findChildren(EvaluateDialog)
    assert set(dialog.selected) == {"specter-1", "starter", "tf-idf"}
    dialog.reject()


@pytest.mark.parametrize("open_before", [False, True])
def test_compare_opens_the_panel_with_the_active_model(qtbot, trained, jobs, open_before):
    panel = trained.other_page("compare").panel
    if open_before:
        trained.go_to("compare")
        qtbot.waitUntil(lambda: all(panel.chooser.selected) and not jobs.running())
    trained.go_to("training")
    qtbot.waitUntil(lambda: enabled_actions(trained)["compare"] and not jobs.running())
    trained.actions_by_name["training/compare"].trigger()
    qtbot.waitUntil(lambda: panel.chooser.selected == ("starter", "specter-ours"))
    qtbot.waitUntil(lambda: not jobs.running())
    assert trained.shows("compare") and panel.is_open


def test_removal_of_a_training_asks_for_confirmation(qtbot, show, jobs, service):
    service.have(training("mine", RunStatus.stopped))
    shown = show()
    for text, kept in (("Cancel", True), ("Delete", False)):
        click(qtbot, shown.view.buttons["remove"])
        (box,) = shown.findChildren(QMessageBox)
        next(b for b in box.buttons() if b.text().replace("&", "") == text).click()
        qtbot.waitUntil(lambda: not jobs.running() and not shown.findChildren(QMessageBox))
        assert ("mine" in service.known) is kept
    assert shown.nothing.isVisible()


def test_log_of_a_training_is_shown(qtbot, show, service):
    service.have(training("mine"))
    shown = show()
    click(qtbot, shown.view.buttons["log"])
    qtbot.waitUntil(lambda: bool(shown.findChildren(QDialog)))
    (dialog,) = shown.findChildren(QDialog)
    assert dialog.text.toPlainText() == "log of mine"
    dialog.findChild(QPushButton).click()


def test_run_of_another_folder_is_opened_once(qtbot, show, jobs, service, context, monkeypatch):
    monkeypatch.setattr(page, "ask_for_folder", lambda _: Path("/media/stick/theirs"))
    shown = show()
    click(qtbot, shown.nothing.buttons()[1])
    qtbot.waitUntil(lambda: shown.list.current == "theirs" and not jobs.running())
    assert "open theirs" in service.calls and shown.view.title.text() == "theirs"
    shown.open_folder()
    told = ("show_message", "theirs is already in the list")
    qtbot.waitUntil(lambda: told in context.toast.calls)


def test_markup_in_a_run_is_shown_as_plain_text(show, service):
    markup = "<b>x</b><img src='file:///etc/passwd'>"
    service.have(
        replace(training("mine", RunStatus.failed), problem=markup, hint=markup, base=markup)
    )
    for label in show().view.findChildren(QLabel):
        assert markup not in label.text() or label.textFormat() is Qt.TextFormat.PlainText


# The window.


def enabled_actions(window):
    actions = page_actions(window, "training")
    return {name: action.isEnabled() for name, action in actions.items()}


def test_menu_actions_are_enabled_as_on_the_page(qtbot, show_window, gateway, jobs, service):
    service.have(training("mine"), training("done", RunStatus.finished))
    window = show_window(gateway)
    window.go_to("training")
    qtbot.waitUntil(lambda: not jobs.running())
    shown = window.other_page("training")
    assert enabled_actions(window) == {
        "stop": True, "resume": False, "activate": False, "add_model": False, "measure": False,
        "compare": False, "log": True, "folder": True, "remove": False,
    }  # fmt: skip
    window.actions_by_name["training/stop"].trigger()
    qtbot.waitUntil(lambda: enabled_actions(window)["resume"])
    menu_action(window, "New training run…").trigger()
    qtbot.waitUntil(lambda: shown.writes)
    assert not any(enabled_actions(window).values())
    window.go_to("search")
    assert window.actions_by_name["training/log"].property("unavailable_reason") == (
        "Available on the Training page"
    )
    settle(qtbot, jobs, shown)


def is_listed(window):
    """Whether the job list shows a run with its progress."""
    works = window.work_log.works
    return bool(works) and works[-1].job.progress.done == 120


def test_running_training_is_listed_and_stopped_in_the_job_panel(
    qtbot, show_window, gateway, service, jobs, monkeypatch
):
    monkeypatch.setattr(completion_notifier, "GOING_MS", 50)
    service.have(training("mine"))
    window = show_window(gateway)
    qtbot.waitUntil(lambda: is_listed(window))
    work = window.work_log.works[-1]
    assert "mine" in work.title and (work.state, work.job.progress.total) == (
        TaskState.running,
        STEPS,
    )
    foot = window.findChild(StatusBar)
    qtbot.waitUntil(lambda: "mine" in foot.what.text())
    assert "120 of 330" in foot.how_far.text() and not foot.pause.isVisible()
    assert "3 min 20 s left" in foot.how_far.text()  # as on the page
    service.have(training("mine", step=200))
    qtbot.waitUntil(lambda: work.job.progress.done == 200)
    service.have(training("mine", step=STEPS))
    qtbot.waitUntil(lambda: work.job.progress.note == "Evaluating the model")
    assert work.job.progress.total == 0  # nobody knows how long it takes
    service.have(training("mine", RunStatus.stopping, step=210))
    qtbot.waitUntil(lambda: work.job.progress.note == "Stopping")
    assert work.job.progress.total == 0  # no time left, which the remaining steps would give
    window.job_panel.toggle()
    row = window.job_panel.row(work)
    qtbot.waitUntil(row.cancel.isVisible)
    assert not row.pause.isVisible()
    assert row.cancel.text() == "Stop" and "You can resume later" in row.cancel.toolTip()
    click(qtbot, row.cancel)
    qtbot.waitUntil(lambda: work.state is TaskState.stopped)
    assert service.known["mine"].status is RunStatus.stopped
    assert row.again.text() == "Resume" and "checkpoint was saved" in row.status.text()
    click(qtbot, row.link)
    assert window.shows("training")
    qtbot.waitUntil(lambda: window.other_page("training").list.current == "mine")
    click(qtbot, row.again)
    qtbot.waitUntil(lambda: service.known["mine"].status is RunStatus.running)
    qtbot.waitUntil(lambda: window.work_log.works[-1].state is TaskState.running)


def test_failed_training_is_explained_in_the_job_panel(
    qtbot, show_window, gateway, service, jobs, monkeypatch
):
    monkeypatch.setattr(completion_notifier, "GOING_MS", 50)
    service.have(training("mine"))
    window = show_window(gateway)
    qtbot.waitUntil(lambda: is_listed(window))
    work = window.work_log.works[-1]
    service.have(training("mine", RunStatus.failed, problem="The disk is full.", hint="Make room."))
    qtbot.waitUntil(lambda: work.state is TaskState.failed)
    assert "The disk is full." in work.status_text()
    assert not window.findChild(StatusBar).what.isVisible()


def test_interrupted_training_is_listed_as_failed_and_can_be_resumed(
    qtbot, show_window, gateway, service, jobs, monkeypatch
):
    monkeypatch.setattr(completion_notifier, "GOING_MS", 50)
    service.have(training("mine"))
    window = show_window(gateway)
    qtbot.waitUntil(lambda: is_listed(window))
    work = window.work_log.works[-1]
    service.have(training("mine", RunStatus.interrupted))
    qtbot.waitUntil(lambda: work.state is TaskState.failed)
    window.job_panel.toggle()
    assert window.job_panel.row(work).again.text() == "Resume"


def test_trainable_method_is_preselected_until_the_user_chooses(write, monkeypatch, qtbot):
    no_citations = replace(HELD, citations=0, citing=0)
    part = write().form.method
    part.show_stats(no_citations)
    spec, _ = recipe_of(part.name)
    assert spec.key not in ("specter", "multi2spe")
    assert part.cards[spec.key].isChecked()
    click(qtbot, part.cards["specter"])
    part.show_stats(no_citations)
    assert part.cards["specter"].isChecked()


def test_held_tiles_show_zero_citations_without_about():
    tiles = stats_tiles(replace(HELD, citations=0), True)
    assert ("0", "Citations between them") in tiles
    assert ("about 70,000", "Citations between them") in stats_tiles(HELD, True)


def test_form_names_the_job_it_waits_for(qtbot, write, jobs, service):
    shown = write()
    go_on = threading.Event()
    jobs.run("Encoding papers", lambda task: go_on.wait(60), queue=JobQueue.long)
    qtbot.waitUntil(lambda: jobs.running(JobQueue.long)[0].has_started)
    service.go_on_working.clear()
    click(qtbot, shown.form.start)
    assert "Encoding papers" in shown.form.note.text() and shown.form.bar.maximum() > 0
    go_on.set()
    qtbot.waitUntil(lambda: "Encoding papers" not in shown.form.note.text())
    assert shown.form.bar.isVisible()
    service.go_on_working.set()
    qtbot.waitUntil(lambda: not jobs.running())


def test_other_pages_show_running_and_finished_trainings(
    qtbot, show_window, gateway, service, jobs, monkeypatch
):
    monkeypatch.setattr(completion_notifier, "GOING_MS", 50)
    service.have(training("mine"))
    window = show_window(gateway)
    button = window.navigation_bar.button("lab")
    qtbot.waitUntil(lambda: button.busy)
    service.have(training("mine", RunStatus.finished))
    qtbot.waitUntil(lambda: window.messages.message.text() == "Training run mine finished.")
    assert not button.busy
    next(
        b for b in window.messages.findChildren(QPushButton) if b.text() == "Show training run"
    ).click()
    qtbot.waitUntil(lambda: window.shows("training") and not jobs.running())
    assert window.other_page("training").list.current == "mine"


def test_training_that_ended_while_closed_is_reported_at_start(
    qtbot, show_window, gateway, service, jobs
):
    service.have(training("mine"), training("other"))
    first = show_window(gateway)
    qtbot.waitUntil(lambda: first.navigation_bar.button("lab").busy)
    first.close()
    service.have(training("mine", RunStatus.failed, problem="The disk is full."))
    second = show_window(gateway)
    qtbot.waitUntil(lambda: second.messages.isVisible())
    assert second.messages.message.text() == "Training run mine failed."
    assert second.messages.hint.text() == "The disk is full."
    assert second.navigation_bar.button("lab").busy  # the other training runs


def test_library_change_repeats_the_check(qtbot, write, jobs, service):
    shown = write()
    asked = len(service.plans)
    shown.library_changed(LibraryChanges(papers=True))
    qtbot.waitUntil(lambda: len(service.plans) > asked)
    settle(qtbot, jobs, shown)


@pytest.mark.parametrize("state", ["form", "running", "finished"])
def test_training_page_is_reached_by_tab_and_named(
    qtbot, show_window, gateway, jobs, service, state
):
    service.lines = (LACKS,)
    if state != "form":
        service.have(training("mine", RunStatus[state]))
    window = show_window(gateway)
    window.activateWindow()
    window.go_to("training")
    shown = window.other_page("training")
    if state == "form":
        shown.begin()
        settle(qtbot, jobs, shown)
        shown.form.settings.folded.button.click()
        shown.form.settings.rows["epochs"].field.setText("9")
        settle(qtbot, jobs, shown)  # a check rebuilds its buttons
    qtbot.waitUntil(lambda: not jobs.running())
    seen = walk(qtbot, window)
    wanted = [w for w in shown.findChildren(QWidget) if takes_focus(w)]
    unreached = [w for w in wanted if not is_reached(w, seen)]
    assert not unreached, [(w, name_of(w)) for w in unreached]
    assert not [w for w in seen if not name_of(w).strip()]
    if state == "form":
        names = [name_of(w) for w in seen]
        order = ["Name of the training run", "Fetch citations for 12 papers", "Base model",
                 "Epochs", "Dropout", "Seed"]  # fmt: skip
        assert sorted(order, key=names.index) == order
