"""The view of learning curves: one chart per method, remarks on differing losses."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QLabel

from sciread_app.errors import Cancelled
from sciread_app.ui.evaluation.page import LEARNING
from sciread_app.ui.style.theme import DARK, LIGHT, ThemeChoice
from tests.support.ui.fakes.evaluation import training


@pytest.fixture
def view(show):
    return show(LEARNING)


def texts(view):
    return [label.text() for label in view.findChildren(QLabel) if not label.isHidden()]


def test_each_method_has_its_own_chart(view):
    assert [chart.accessibleName() for chart in view.charts] == [
        "Loss of MIReAD", "Loss of SPECTER",
    ]  # fmt: skip
    spoken = [line.name for line in view.charts[1].lines if line.is_read_out]
    assert spoken == ["first", "first, validation"]


def test_scores_before_and_after_training_are_listed(view):
    heading = "first, before and after training:\n"
    scores = "•  Citations: MAP 70.00 → 80.00 (validation split, n = 50)"
    assert any(heading + scores in text for text in texts(view))


def test_unticked_training_is_not_drawn(view, settled):
    view.list.item(1).setCheckState(Qt.CheckState.Unchecked)
    settled()
    assert [chart.accessibleName() for chart in view.charts] == ["Loss of SPECTER"]
    view.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    settled()
    assert view.empty.isVisible() and view.empty.title.text().startswith("Select a training run")


def test_ticks_are_kept_on_refresh(view, settled):
    view.list.item(1).setCheckState(Qt.CheckState.Unchecked)
    settled()
    view.ask()
    settled()
    assert [one.name for one in view.shown] == ["first"]


def test_losses_with_different_settings_get_a_remark(qtbot, view, dashboard, settled):
    dashboard.trainings = [
        training("first", settings={"margin": 1.0, "epochs": 1.0}),
        training("second", settings={"margin": 0.5, "epochs": 2.0}),
    ]
    view.ask()
    settled()
    view.list.item(1).setCheckState(Qt.CheckState.Checked)
    settled()
    (chart,) = view.charts
    assert {line.number for line in chart.lines} == {0, 1}
    qtbot.waitUntil(lambda: any("differ in Margin" in text for text in texts(view)))


def test_view_without_trainings_leads_to_the_training_page(qtbot, view, dashboard, settled):
    dashboard.trainings = []
    view.ask()
    settled()
    assert view.empty.title.text() == "No training runs yet"
    (button,) = view.empty.buttons()
    with qtbot.waitSignal(view.page_requested) as wanted:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert wanted.args == ["training"]


def test_theme_change_ignores_removed_charts(view, settled, appearance, qtbot):
    view.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    settled()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    for choice, theme in ((ThemeChoice.dark, DARK), (ThemeChoice.light, LIGHT)):
        appearance.choose(choice)
        qtbot.waitUntil(lambda theme=theme: appearance.theme is theme)
    assert len(view.charts) == 1


def test_late_curves_do_not_replace_the_message(view, dashboard, settled, hold):
    release = hold(dashboard, "progress_of")
    view.list.item(1).setCheckState(Qt.CheckState.Unchecked)
    view.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    release.set()
    settled()
    assert view.empty.isVisible() and view.charts == []


@pytest.mark.parametrize("step", ["trainings", "curves"])
def test_canceled_loading_can_be_retried(view, dashboard, qtbot, settled, monkeypatch, step):
    def load_in_vain(*arguments):
        raise Cancelled()

    with monkeypatch.context() as patch:
        if step == "trainings":
            patch.setattr(dashboard.runs, "all", load_in_vain)
        else:
            patch.setattr(dashboard, "progress_of", load_in_vain)
        view.ask()
        settled()
    (retry,) = view.empty.buttons()
    qtbot.mouseClick(retry, Qt.MouseButton.LeftButton)
    settled()
    assert not view.empty.isVisible() and len(view.charts) == 2
