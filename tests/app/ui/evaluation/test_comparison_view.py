"""Is B better than A? The page answers in a sentence, and shows what it rests on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from sciread_app.errors import TrainerFailed
from sciread_app.ui.evaluation.comparison_table import BETTER, CHANCE, GAP, METRIC
from sciread_app.ui.evaluation.page import COMPARE
from sciread_app.ui.evaluation.scores.table_headings import TableHeading
from sciread_app.ui.evaluation.view_models import EvaluationResults
from sciread_app.ui.style.data_colours import hue
from tests.support.ui.fake_evaluation import START, TRAINED, WORDS, board, compared, measured


@pytest.fixture
def view(show):
    return show(COMPARE)


def cells(view, line):
    model = view.table.model()
    return {column: model.index(line, column).data() for column in (METRIC, GAP, CHANCE, BETTER)}


def test_it_says_which_is_better_and_what_speaks_for_it(view):
    assert view.sentence.text().startswith("SPECTER on 900 papers is better than Starter")
    assert "gains most in Citations" in view.support.text()
    assert "the library of today" in view.data.text()
    assert "Not compared, since the data differ: Speed and size." in view.notes.text()
    assert "Holm" in view.notes.text()


def test_each_difference_stands_with_its_interval_and_whether_it_may_be_chance(view):
    assert cells(view, 1) == {
        METRIC: "MAP ↑", GAP: "+6.00   +4.00 to +8.00", CHANCE: "0.001", BETTER: "B",
    }  # fmt: skip
    assert cells(view, 2)[BETTER] == "chance?"


def test_what_does_not_count_stands_below_under_a_heading(view, dashboard, page, settled):
    dashboard.answer = dashboard.answer | {
        "compared": [*dashboard.answer["compared"], compared("health", "mean_cosine", 0.1)]
    }
    view.pair.swap.click()
    settled()
    heads = [line.text for line in view.table.rows.lines if isinstance(line, TableHeading)]
    assert heads[-2:] == ["How vectors lie: shown, but no part of the verdict", "health"]


def test_the_other_way_round_the_other_one_is_asked_about(view, dashboard, settled):
    assert dashboard.asked[-1] == ("compare", "starter", "specter-1")
    view.pair.swap.click()
    settled()
    assert dashboard.asked[-1] == ("compare", "specter-1", "starter")
    assert view.sentence.text().startswith("Starter is better than SPECTER on 900 papers")


def test_who_was_chosen_stays_so_when_more_is_measured(view, dashboard, page, settled):
    view.pair.choose(*[model for model, name in page.found.names.items() if name != "Starter"])
    settled()
    chosen = view.pair.chosen
    dashboard.found = EvaluationResults(
        [board(*(measured(of, 0.5) for of in (START, TRAINED, WORDS)))]
    )
    page.refresh()
    settled()
    assert view.pair.chosen == chosen


def test_two_that_were_not_measured_on_the_same_are_not_compared(view, dashboard, page, settled):
    dashboard.found = EvaluationResults(
        [board(measured(START, 0.5), key="local-a"), board(measured(TRAINED, 0.5), key="local-b")]
    )
    dashboard.asked.clear()
    page.refresh()
    settled()
    assert view.empty.title.text() == "These two were not measured on the same data"
    assert dashboard.asked == []


def test_of_one_model_there_is_nothing_to_compare(view, dashboard, page, settled):
    dashboard.found = EvaluationResults([board(measured(START, 0.5))])
    page.refresh()
    settled()
    assert view.empty.isVisible() and not view.pair.isEnabled()
    assert view.empty.title.text() == "There are no two models to compare"
    assert [button.text() for button in view.empty.buttons()] == ["Measure models…"]


def test_why_the_trainer_cannot_compare_is_told(view, dashboard, page, settled, monkeypatch):
    def fail(first, second, task):
        raise TrainerFailed("Nothing of these reports can be compared.", "Evaluate both.")

    monkeypatch.setattr(dashboard, "compare", fail)
    view.pair.swap.click()
    settled()
    assert view.empty.title.text() == "Nothing of these reports can be compared."
    assert view.empty.text.text() == "Evaluate both."


def test_the_trained_one_is_held_against_what_it_was_made_from():
    made, other = replace(TRAINED, base="starter"), replace(TRAINED, id="other", space="cccc")
    found = EvaluationResults(
        [board(measured(other, 0.9), measured(made, 0.8), measured(START, 0.7))]
    )
    first, second = found.usual_pair
    assert (first.split("\n")[0], second.split("\n")[0]) == ("starter", "specter-1")


def test_a_difference_is_painted_on_its_side_of_nothing(view, appearance):
    table = view.table
    table.selectRow(4)
    box = table.visualRect(table.model().index(1, GAP))
    picture = table.viewport().grab(box).toImage()
    wanted = hue(view.pair.second.currentIndex() * 0 + view._found.numbers[view.pair.chosen[1]],
                 appearance.theme)  # fmt: skip
    places = [
        x
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y) == wanted
    ]
    assert places and min(places) > picture.width() / 2
    assert table.model().index(1, METRIC).flags() & Qt.ItemFlag.ItemIsSelectable
