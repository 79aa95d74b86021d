"""The view of all scores: comparable rows, filters, the panel of one number."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QScrollArea

from sciread_app.services.evaluation.leaderboard import ScoreRow
from sciread_app.ui.evaluation.evaluate_dialog import EvaluateDialog
from sciread_app.ui.evaluation.metric_table import TableHeading
from sciread_app.ui.evaluation.scores.bar_chart import bars_of
from sciread_app.ui.evaluation.scores.score_table import FIRST, METRIC, has_strip, span
from sciread_app.ui.evaluation.view_models import EvaluationResults
from sciread_app.ui.style.theme import ThemeChoice, scaled
from tests.support.generate.report import report, result
from tests.support.ui.fakes.evaluation import START, TRAINED, WORDS, board, measured
from trainer.contract.report import Score

DISPLAY, ACCESSIBLE = Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole


@pytest.fixture
def refresh(page, settled):
    def go():
        page.refresh()
        settled()

    return go


def texts(table, role=DISPLAY):
    model = table.model()
    return [
        [model.index(row, column).data(role) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_score_table_has_a_row_per_metric_and_a_column_per_model(page):
    table = page.scores.table
    header = [
        table.model().headerData(column, Qt.Orientation.Horizontal)
        for column in range(FIRST, table.model().columnCount())
    ]
    assert header == ["SPECTER on 900 papers", "Starter", "TF-IDF"]
    assert texts(table) == [
        ["Citations", None, None, None, None],
        ["MAP ↑", "100", "80.00", "70.00", "60.00"],
        ["nDCG ↑", "100", "80.00", "70.00", "60.00"],
        ["Fields", None, None, None, None],
        ["Macro F1 ↑", "100", "40.00", "35.00", "30.00"],
        ["Accuracy ↑", "100", "40.00", "35.00", "30.00"],
    ]


def test_metric_names_are_not_cut_in_a_small_window(page, qtbot):
    table = page.scores.table
    page.window().resize(800, 500)
    longest = max(table.fontMetrics().horizontalAdvance(line[METRIC]) for line in texts(table))
    qtbot.waitUntil(lambda: table.width() < 500 and table.columnWidth(METRIC) > longest)


def test_accessible_text_of_a_score_has_its_interval_and_rank(page):
    spoken = texts(page.scores.table, ACCESSIBLE)[1]
    assert spoken == [
        "Citations, MAP",
        "100 items",
        "SPECTER on 900 papers: 80.00, 77.00–83.00, highest in the row",
        "Starter: 70.00, 67.00–73.00",
        "TF-IDF: 60.00, 57.00–63.00",
    ]


def test_tooltips_explain_metrics_and_scores(page):
    tips = texts(page.scores.table, Qt.ItemDataRole.ToolTipRole)[1]
    assert "Mean average precision" in tips[0] and "Higher is better · 0 to 100" in tips[0]
    assert tips[2] == "SPECTER on 900 papers: 80.00, 77.00–83.00, highest in the row"


def test_scale_of_a_single_model_is_0_to_100(page, dashboard, refresh):
    cosine = Score("mean_cosine", 0.3, 90, 0.2, 0.4)
    alone = measured(START, 0.7, result("health", evaluation="health", scores=(cosine,)))
    dashboard.found = EvaluationResults([board(alone)])
    refresh()
    rows = [line for line in page.scores.table.model().rows if isinstance(line, ScoreRow)]
    assert span(rows[0]) == (0.0, 1.0) and has_strip(rows[0])
    assert not has_strip(rows[-1])  # a mean cosine has no known bounds


def test_down_key_goes_through_metrics_and_skips_headings(page, qtbot):
    table, panel = page.scores.table, page.scores.panel
    assert panel.title.text() == "Citations" and panel.below.text().startswith("MAP")
    for wanted in ("nDCG", "Macro F1"):
        qtbot.keyClick(table, Qt.Key.Key_Down)
        assert panel.below.text().startswith(wanted)
    assert panel.title.text() == "Fields"


def test_panel_describes_the_selected_score(page):
    panel = page.scores.panel
    facts = panel.facts.text()
    assert "n = 100 items" in facts
    assert "the library of today, test split, SHA-256 5f5f5f5f, seed 1" in facts
    assert "SciDocs" in panel.read.text() and "“Significance”" in panel.read.text()
    assert "SPECTER on 900 papers: 80.00 77.00–83.00" in panel.bars.accessibleDescription()


def test_legend_explains_only_the_visible_signs(page, dashboard, refresh):
    legend = page.scores.legend
    assert "◇ published score" in legend.text()
    asked = result("ours", title="Topics", evaluation="probe", scores=(Score("macro_f1", 0.8, 90),))
    dashboard.found = EvaluationResults([board(report(asked, subject=WORDS))])
    refresh()
    assert "Bold" in legend.text() and "◇" not in legend.text()


def test_panel_scrolls_within_its_frame(page, qtbot):
    panel = page.scores.panel
    page.window().resize(900, 420)
    bar = panel.findChild(QScrollArea).verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    top = panel.grab().toImage().copy(20, 0, 40, 1)
    bar.setValue(bar.maximum())
    assert panel.grab().toImage().copy(20, 0, 40, 1) == top


def test_published_score_is_a_bar_with_its_differences(page, dashboard, refresh):
    cited = result("cite", title="Citations", scores=(Score("map", 0.8, 900),))
    dashboard.found = EvaluationResults([board(report(cited, subject=TRAINED, suite="scidocs"))])
    refresh()
    bars = page.scores.panel.bars.bars
    ours, paper = bars[0], bars[1]
    assert ours.number is not None and paper.number is None
    assert "Table 1" in paper.name and paper.value == pytest.approx(0.884)
    assert "†" in paper.aside and "different model weights" in paper.tip
    assert "88.40, different" in page.scores.panel.bars.accessibleDescription()
    assert "◇ SPECTER (Cohan et al. 2020), Table 1" in page.scores.panel.read.text()


def test_incomparable_scores_are_separate_rows_with_the_reason(page, dashboard, refresh):
    other = measured(START, 0.9, sha256="00" * 32)
    dashboard.found = EvaluationResults(
        [board(measured(TRAINED, 0.8), measured(WORDS, 0.6), other)]
    )
    refresh()
    lines = page.scores.table.model().rows
    why = [line.text for line in lines if isinstance(line, TableHeading) and line.quiet]
    assert len(why) == 2 and why[0].startswith(
        "Not comparable with the rows above: the data differ"
    )
    apart = [line for line in lines if isinstance(line, ScoreRow) and line.apart]
    assert all(len(row.cells) == 1 for row in apart)


def test_scores_are_filtered_by_suite_data_and_model(page, dashboard, refresh):
    scidocs = replace(measured(START, 0.5), suite="scidocs")
    mine, theirs = dashboard.found.boards[0], board(scidocs, key="scidocs-theirs")
    dashboard.found = EvaluationResults(
        [mine, theirs], {"local-mine": "mine", "scidocs-theirs": "theirs"}
    )
    refresh()
    view = page.scores

    def heads():
        return [line.text for line in view.table.model().rows if isinstance(line, TableHeading)]

    assert heads() == [
        *("Your own corpus · mine", "Citations", "Fields"),
        *("SciDocs · theirs", "Citations", "Fields"),
    ]
    view.suites.setCurrentText("SciDocs")
    view.suites.activated.emit(view.suites.currentIndex())
    assert heads() == ["Citations", "Fields"] and view.columns == [
        next(model for model, name in page.results.names.items() if name == "Starter")
    ]
    view.suites.setCurrentIndex(0)
    view.boards.setCurrentText("mine")
    view.boards.activated.emit(view.boards.currentIndex())
    assert len(view.columns) == 3
    action = next(a for a in view.models.menu().actions() if a.text() == "TF-IDF")
    action.setChecked(False)
    assert len(view.columns) == 2 and view.table.model().columnCount() == FIRST + 2
    assert "TF-IDF" not in view.panel.bars.accessibleDescription()
    for action in view.models.menu().actions():
        action.setChecked(False)
    assert not any(part.isVisible() for part in (*view.panel.texts(), view.panel.bars))
    action.setChecked(True)
    assert view.table.current is None or view.panel.title.isVisible()


def test_best_score_is_that_of_the_visible_models(page):
    view = page.scores
    action = next(a for a in view.models.menu().actions() if a.text() == "SPECTER on 900 papers")
    action.setChecked(False)
    assert texts(view.table, ACCESSIBLE)[1][2] == "Starter: 70.00, 67.00–73.00, highest in the row"


def test_filters_keep_the_colors_of_models(page, dashboard):
    found = dashboard.found
    models = list(found.names)
    some = found.only("", "", without=models[:1])
    assert list(some.names) == models[1:]
    assert [some.numbers[model] for model in models] == [found.numbers[model] for model in models]


def test_empty_scores_view_offers_to_evaluate(page, dashboard, refresh, qtbot, settled):
    dashboard.found = EvaluationResults()
    refresh()
    empty = page.scores.empty
    assert empty.isVisible() and empty.title.text() == "No evaluations yet"
    (button,) = empty.buttons()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settled()
    assert page.findChild(EvaluateDialog).isVisible()


def test_unreadable_report_is_named(page, dashboard, refresh):
    problem = "x/report.json is damaged. Evaluate again."
    dashboard.found = EvaluationResults([board(measured(START, 0.5), problems=[problem])])
    refresh()
    assert page.scores.problems.isVisible() and page.scores.problems.text() == problem


def test_score_table_is_painted_in_both_themes(page, appearance, qtbot):
    def lightness() -> int:
        return page.scores.table.viewport().grab().toImage().pixelColor(5, 5).lightness()

    assert lightness() > 200
    appearance.choose(ThemeChoice.dark)
    qtbot.waitUntil(lambda: lightness() < 200)
    appearance.choose(ThemeChoice.light)
    qtbot.waitUntil(lambda: lightness() > 200)


def test_long_numbers_are_not_cut(page, dashboard, refresh):
    size = Score("parameters", 1_234_567_890_123.0, 1)
    speed = result("speed", title="Speed and size", evaluation="speed", scores=(size,))
    dashboard.found = EvaluationResults([board(report(speed, subject=TRAINED))])
    refresh()
    table = page.scores.table
    letters = QFontMetrics(scaled(table.font(), 1.0, QFont.Weight.DemiBold))
    assert table.columnWidth(FIRST) > letters.horizontalAdvance("1,234,567,890,123")


@pytest.mark.parametrize(("n", "is_shown"), [(10, False), (100, True)])
def test_bars_show_a_score_only_if_enough_papers_were_scored(n, is_shown):
    few = result("few", title="Few", scores=(Score("map", 0.75, n, 0.5, 1.0),))
    found = EvaluationResults([board(measured(TRAINED, 0.8, few), measured(START, 0.7, few))])
    row = next(row for row in found.rows if row.result.task == "few")
    for bar in bars_of(row, found, list(found.names)):
        assert (bar.shown == "75.00", bar.low is not None) == (is_shown, is_shown)
