"""The view of one task: classes, pairs and places as two models see them."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QToolTip

from sciread_app.errors import Cancelled
from sciread_app.services.evaluation.per_class_metrics import per_class
from sciread_app.ui.evaluation.evaluate_dialog import EvaluateDialog
from sciread_app.ui.evaluation.page import CLASSES
from sciread_app.ui.evaluation.task.scatter import turned
from sciread_app.ui.evaluation.task.view import FOUND_A, FOUND_B, LABEL, N
from sciread_app.ui.evaluation.view_models import EvaluationResults
from tests.support.generate.report import pictures_of
from tests.support.ui.fakes.evaluation import START, TRAINED, board, measured
from trainer.contract.errors import TrainerError
from trainer.contract.plots import ScatterPlot

ACCESSIBLE = Qt.ItemDataRole.AccessibleTextRole


@pytest.fixture
def view(show):
    return show(CLASSES)


def choose_task(view, title):
    view.tasks.setCurrentText(title)
    view.tasks.activated.emit(view.tasks.currentIndex())


def test_only_tasks_with_pictures_are_offered(view):
    assert [view.tasks.itemText(n) for n in range(view.tasks.count())] == ["Citations", "Fields"]


def test_class_table_has_the_recall_of_both_models_with_intervals(view):
    choose_task(view, "Fields")
    model = view.classes.model()
    found = pictures_of(1, 0.5)["mag"]["confusion"], pictures_of(1, 0.8)["mag"]["confusion"]
    first = [per_class(side)[0] for side in found]
    assert model.index(0, LABEL).data() == first[0].label
    assert model.index(0, N).data() == f"{first[0].n:,}"
    for column, side in ((FOUND_A, first[0]), (FOUND_B, first[1])):
        assert model.index(0, column).data() == f"{100 * side.recall:.1f}%"
        low, high = 100 * side.low, 100 * side.high
        assert model.index(0, column).data(ACCESSIBLE).endswith(f"{low:.0f} to {high:.0f}%")


def test_class_names_are_not_cut_in_a_small_window(view, qtbot):
    choose_task(view, "Fields")
    view.window().resize(800, 500)
    table = view.classes
    longest = max(table.fontMetrics().horizontalAdvance(line.label) for line in table.model().rows)
    qtbot.waitUntil(lambda: table.columnWidth(LABEL) > longest)


def test_selected_class_is_highlighted_in_both_confusion_matrices(view):
    choose_task(view, "Fields")
    view.classes.selectRow(2)
    label = view.classes.model().rows[2].label
    assert [heat.row for heat in view.heats] == [
        heat._confusion.labels.index(label) for heat in view.heats
    ]


def test_matrix_of_another_task_has_no_highlighted_row(view):
    choose_task(view, "Fields")
    heat = view.heats[0]
    view.classes.selectRow(2)
    heat.show_confusion(pictures_of(2, 0.5)["mag"]["confusion"], 0)
    assert heat.row is None


def test_arrow_keys_move_and_describe_the_confusion_cell(view, qtbot):
    choose_task(view, "Fields")
    heat = view.heats[0]
    assert "predicted as" in heat.accessibleDescription()
    qtbot.keyClick(heat, Qt.Key.Key_Down)
    qtbot.keyClick(heat, Qt.Key.Key_Right)
    labels, counts = heat._confusion.labels, heat._confusion.counts
    assert heat.cell == (1, 1)
    assert heat.accessibleDescription().startswith(
        f"{labels[1]}: {counts[1][1]} of {sum(counts[1])} correct"
    )
    for _ in range(20):
        qtbot.keyClick(heat, Qt.Key.Key_Right)
    assert heat.cell == (1, len(labels) - 1)


def test_pair_curves_of_both_models_share_their_scales(view):
    choose_task(view, "Citations")
    names = [line.name for line in view.roc.lines if not line.aside]
    assert names == ["Starter", "SPECTER on 900 papers"]
    assert len(view.precision.lines) == 4  # a curve and a guessing line of each
    first, second = view.spreads
    assert (first._x.low, first._x.high) == (second._x.low, second._x.high)
    assert [line.name for line in first.lines] == ["not cited", "cited"]


def test_models_measured_on_different_data_have_no_common_tasks(view, dashboard, page, settled):
    dashboard.found = EvaluationResults(
        [board(measured(START, 0.5, sha256="00" * 32), measured(TRAINED, 0.5))]
    )
    page.refresh()
    settled()
    assert view.tasks.count() == 0
    assert view.empty.title.text() == "No charts for these models"


def test_empty_task_view_offers_to_evaluate(view, dashboard, page, settled, qtbot):
    dashboard.found = EvaluationResults()
    page.refresh()
    settled()
    assert view.empty.title.text() == "No evaluations yet" and view.tasks.count() == 0
    (button,) = view.empty.buttons()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settled()
    assert page.findChild(EvaluateDialog).isVisible()


def test_damaged_pictures_are_reported(view, dashboard, page, settled, monkeypatch):
    def fail(kept):
        raise TrainerError("pictures.json is damaged.", "Evaluate again.")

    monkeypatch.setattr(dashboard, "pictures", fail)
    view.pair.swap.click()
    settled()
    assert view.empty.title.text() == "pictures.json is damaged."


def test_turned_aligns_places_with_those_of_the_other_model():
    chance = np.random.default_rng(1).normal(size=(30, 2))
    labels = [n % 3 for n in range(30)]
    like = ScatterPlot(
        "", "PCA", chance[:, 0].tolist(), chance[:, 1].tolist(), labels, ["a", "b", "c"]
    )
    mirrored = chance @ np.array([[0.0, 1.0], [1.0, 0.0]])
    other = ScatterPlot(
        "", "PCA", *(mirrored[:, n].tolist() for n in (0, 1)), labels, ["a", "b", "c"]
    )
    back = turned(other, like)
    assert np.allclose(np.array([back.x, back.y]).T, chance - chance.mean(axis=0))
    of_others = ScatterPlot("", "PCA", like.x, like.y, labels[::-1], ["a", "b", "c"])
    assert turned(of_others, like) is of_others


def test_tooltip_on_the_last_edges_is_that_of_the_last_cell(view, monkeypatch):
    choose_task(view, "Fields")
    heat, shown = view.heats[0], []
    grid, _ = heat._grid()
    monkeypatch.setattr(QToolTip, "showText", lambda at, text, widget: shown.append(text))
    for at in (grid.bottomRight(), grid.bottomRight() - QPointF(1, 1)):
        move = QMouseEvent(
            QEvent.Type.MouseMove, at, heat.mapToGlobal(at), Qt.MouseButton.NoButton,
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        heat.mouseMoveEvent(move)
    assert len(shown) == 2 and shown[0] == shown[1]


def test_late_charts_do_not_replace_the_message(qtbot, view, dashboard, page, settled, hold):
    release = hold(dashboard, "pictures")
    view.pair.swap.click()
    dashboard.found = EvaluationResults(
        [board(measured(START, 0.5), key="local-a"), board(measured(TRAINED, 0.5), key="local-b")]
    )
    page.refresh()
    qtbot.waitUntil(view.empty.isVisible)
    release.set()
    settled()
    assert view.empty.isVisible()


def test_canceled_loading_of_charts_can_be_retried(view, dashboard, qtbot, settled, monkeypatch):
    def load_in_vain(kept):
        raise Cancelled()

    with monkeypatch.context() as patch:
        patch.setattr(dashboard, "pictures", load_in_vain)
        view.ask()
        settled()
    (retry,) = view.empty.buttons()
    qtbot.mouseClick(retry, Qt.MouseButton.LeftButton)
    settled()
    assert not view.empty.isVisible()
