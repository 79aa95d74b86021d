"""The view that compares two models: the verdict and the differences behind it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from sciread_app.errors import TrainerFailed
from sciread_app.ui.evaluation.comparison_view import BETTER, CHANCE, GAP, METRIC
from sciread_app.ui.evaluation.metric_table import TableHeading
from sciread_app.ui.evaluation.page import COMPARE
from sciread_app.ui.evaluation.view_models import EvaluationResults
from sciread_app.ui.models.card_score_table import TOO_FEW
from sciread_app.ui.style.data_colours import hue
from tests.support.ui.fakes.evaluation import START, TRAINED, WORDS, board, compared, measured


@pytest.fixture
def view(show):
    return show(COMPARE)


def cells(view, line):
    model = view.table.model()
    return {column: model.index(line, column).data() for column in (METRIC, GAP, CHANCE, BETTER)}


def test_verdict_names_the_better_model_and_the_evidence(view):
    assert view.sentence.text().startswith("SPECTER on 900 papers is better than Starter")
    assert "MAP 56.00 vs. 50.00" in view.support.text()
    assert "the library of today" in view.data.text()
    assert "Not compared because the data differ: Speed and size." in view.notes.text()
    assert "Holm" in view.notes.text()


def test_differences_have_intervals_and_significance(view):
    assert cells(view, 1) == {
        METRIC: "MAP ↑", GAP: "+6.00   +4.00 to +8.00", CHANCE: "0.001", BETTER: "B",
    }  # fmt: skip
    assert cells(view, 2)[BETTER] == "Not significant"


@pytest.mark.parametrize("recommended", [True, False])
def test_better_model_can_be_used_for_search(qtbot, view, dashboard, page, settled, recommended):
    dashboard.recommended = recommended
    page.refresh()
    settled()
    assert view.use.isVisible() and "SPECTER on 900 papers" in view.use.text()
    assert (view.use.objectName() == "primary") is recommended
    with qtbot.waitSignal(view.switch_requested) as asked:
        view.use.click()
    assert asked.args == ["specter-1", "SPECTER on 900 papers"]
    assert not view.use.isVisible()


def test_unclear_comparison_recommends_no_model(view, dashboard, page, settled):
    dashboard.answer = dashboard.answer | {
        "compared": [compared("cite", "map", 0.0, real=False, n=10)]
    }
    page.refresh()
    settled()
    assert not view.use.isVisible()
    model = view.table.model()
    row = [model.index(1, column).data() for column in range(model.columnCount())]
    assert [text for text in row if text] == ["MAP ↑", "10", TOO_FEW]


def test_differences_outside_the_verdict_have_their_own_heading(view, dashboard, page, settled):
    dashboard.answer = dashboard.answer | {
        "compared": [*dashboard.answer["compared"], compared("health", "mean_cosine", 0.1)]
    }
    view.pair.swap.click()
    settled()
    heads = [line.text for line in view.table.model().rows if isinstance(line, TableHeading)]
    assert heads[-2:] == ["Other properties of the models, not used for the conclusion", "health"]


def test_swap_button_reverses_the_comparison(view, dashboard, settled):
    assert dashboard.calls[-1] == ("compare", "starter", "specter-1")
    view.pair.swap.click()
    settled()
    assert dashboard.calls[-1] == ("compare", "specter-1", "starter")
    assert view.sentence.text().startswith("Starter is better than SPECTER on 900 papers")


def test_chosen_pair_is_kept_when_new_reports_arrive(view, dashboard, page, settled):
    view.pair.choose(*[model for model, name in page.results.names.items() if name != "Starter"])
    settled()
    chosen = view.pair.selected
    dashboard.found = EvaluationResults(
        [board(*(measured(of, 0.5) for of in (START, TRAINED, WORDS)))]
    )
    page.refresh()
    settled()
    assert view.pair.selected == chosen


def test_models_measured_on_different_data_are_not_compared(view, dashboard, page, settled):
    dashboard.found = EvaluationResults(
        [board(measured(START, 0.5), key="local-a"), board(measured(TRAINED, 0.5), key="local-b")]
    )
    dashboard.calls.clear()
    page.refresh()
    settled()
    assert "not evaluated on the same data" in view.empty.title.text()
    assert dashboard.calls == []


def test_single_model_has_nothing_to_compare(view, dashboard, page, settled):
    dashboard.found = EvaluationResults([board(measured(START, 0.5))])
    page.refresh()
    settled()
    assert view.empty.isVisible() and not view.pair.isEnabled()
    assert view.empty.title.text() == "No two models to compare"
    assert [button.text() for button in view.empty.buttons()] == ["Evaluate models…"]


def test_failed_comparison_shows_the_reason(view, dashboard, page, settled, monkeypatch):
    def fail(first, second, task):
        raise TrainerFailed("Nothing of these reports can be compared.", "Evaluate both.")

    monkeypatch.setattr(dashboard, "compare", fail)
    view.pair.swap.click()
    settled()
    assert view.empty.title.text() == "Nothing of these reports can be compared."
    assert view.empty.text.text() == "Evaluate both."


def test_usual_pair_is_a_trained_model_and_its_base():
    made, other = replace(TRAINED, base="starter"), replace(TRAINED, id="other", space="cccc")
    found = EvaluationResults(
        [board(measured(other, 0.9), measured(made, 0.8), measured(START, 0.7))]
    )
    first, second = found.usual_pair
    assert (first.split("\n")[0], second.split("\n")[0]) == ("starter", "specter-1")


def test_difference_bar_is_painted_on_the_side_of_the_better_model(view, appearance):
    table = view.table
    table.selectRow(4)
    box = table.visualRect(table.model().index(1, GAP))
    picture = table.viewport().grab(box).toImage()
    wanted = hue(view._found.numbers[view.pair.selected[1]], appearance.theme)
    places = [
        x
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y) == wanted
    ]
    assert places and min(places) > picture.width() / 2
    assert table.model().index(1, METRIC).flags() & Qt.ItemFlag.ItemIsSelectable


def test_late_verdict_does_not_replace_the_message(view, dashboard, settled, hold):
    release = hold(dashboard, "compare")
    first, _ = view.pair.selected
    view.pair.swap.click()
    view.pair.choose(first, first)
    release.set()
    settled()
    assert view.empty.isVisible()


def test_canceled_comparison_can_be_retried(qtbot, view, dashboard, jobs, settled, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(dashboard, "compare", lambda first, second, task: task.wait(60, ""))
        view.pair.swap.click()
        jobs.running()[-1].cancel()
        settled()
    (retry,) = view.empty.buttons()
    qtbot.mouseClick(retry, Qt.MouseButton.LeftButton)
    settled()
    assert view.sentence.isVisible()
