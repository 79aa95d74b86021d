"""How trainings have learned: each with its curve, together where losses are the same thing."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QLabel

from sciread_app.ui.evaluation.page import LEARNING
from sciread_app.ui.style.theme import DARK, LIGHT, ThemeChoice
from tests.support.ui.fake_evaluation import training


@pytest.fixture
def view(show):
    return show(LEARNING)


def texts(view):
    return [label.text() for label in view.findChildren(QLabel) if not label.isHidden()]


def test_each_method_has_a_chart_of_its_own(view):
    assert [chart.accessibleName() for chart in view.charts] == [
        "Loss of MIReAD", "Loss of SPECTER",
    ]  # fmt: skip
    spoken = [line.name for line in view.charts[1].lines if line.is_read_out]
    assert spoken == ["first", "first, validation"]


def test_what_the_model_gained_stands_below(view):
    assert any(
        "first, before and after:\n•  Citations: MAP 70.00 → 80.00 (validation part, n = 50)" in t
        for t in texts(view)
    )


def test_a_training_that_is_not_ticked_is_not_drawn(view, settled):
    view.list.item(1).setCheckState(Qt.CheckState.Unchecked)
    settled()
    assert [chart.accessibleName() for chart in view.charts] == ["Loss of SPECTER"]
    view.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    settled()
    assert view.empty.isVisible() and view.empty.title.text().startswith("Tick a training")


def test_what_is_ticked_stays_so_when_it_is_looked_at_again(view, settled):
    view.list.item(1).setCheckState(Qt.CheckState.Unchecked)
    settled()
    view.ask()
    settled()
    assert [one.name for one in view.shown] == ["first"]


def test_losses_that_are_not_quite_the_same_thing_are_called_so(qtbot, view, dashboard, settled):
    dashboard.runs = [
        training("first", settings={"margin": 1.0, "epochs": 1.0}),
        training("second", settings={"margin": 0.5, "epochs": 2.0}),
    ]
    view.ask()
    settled()
    view.list.item(1).setCheckState(Qt.CheckState.Checked)
    settled()
    (chart,) = view.charts
    assert {line.number for line in chart.lines} == {0, 1}
    said = "They differ in Margin: a lower loss need not be a better model."
    qtbot.waitUntil(lambda: said in texts(view))


def test_without_trainings_it_says_so(qtbot, view, dashboard, settled):
    dashboard.runs = []
    view.ask()
    settled()
    assert view.empty.title.text() == "Nothing has been trained yet"
    (button,) = view.empty.buttons()
    with qtbot.waitSignal(view.place_requested) as wanted:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert wanted.args == ["training"]


def test_charts_that_are_gone_do_not_hear_of_another_theme(view, settled, appearance, qtbot):
    view.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    settled()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    for choice, theme in ((ThemeChoice.dark, DARK), (ThemeChoice.light, LIGHT)):
        appearance.choose(choice)
        qtbot.waitUntil(lambda theme=theme: appearance.theme is theme)
    assert len(view.charts) == 1
