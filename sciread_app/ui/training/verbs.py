"""What can be done with trainings, as actions of a menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr

if TYPE_CHECKING:
    from sciread_app.ui.main_window import MainWindow
    from sciread_app.ui.training.page import TrainingPage

HERE = tr("On the page of trainings")
NOT_NOW = tr("Not to the training that is shown")


class TrainingVerbs:
    """One begins from everywhere; what is done to a training is done where it is shown."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        self._window = window
        self._menu = menu
        self._page: TrainingPage | None = None
        self._on_page: dict[str, QAction] = {}
        self._anywhere = [
            self._add(tr("&New training…"), lambda page: page.begin()),
            self._add(tr("Open a training from a &folder…"), lambda page: page.open_folder()),
            self._add(tr("Open a training from a &zip file…"), lambda page: page.open_zip()),
        ]
        menu.addSeparator()
        for verb, text in (
            ("stop", tr("&Stop the training")),
            ("go_on", tr("&Go on with the training")),
            ("activate", tr("&Let its model answer")),
            ("add_model", tr("&Add its model to my models")),
            ("measure", tr("&Measure its model")),
            ("compare", tr("&Compare its model side by side")),
            ("log", tr("Show its lo&g")),
            ("folder", tr("&Open its folder")),
            ("remove", tr("&Remove the training…")),
        ):
            self._on_page[verb] = self._add(text, partial(_do, verb))
        for action in self._anywhere:
            action.setProperty("why_not", tr("Once the library is open"))
        self.show_place("")

    def library_opened(self) -> None:
        for action in self._anywhere:
            action.setEnabled(True)

    def live_on(self, page: TrainingPage) -> None:
        self._page = page
        page.shown.connect(lambda: self.show_place("training"))

    def show_place(self, place: str) -> None:
        for verb, action in self._on_page.items():
            why = HERE if place != "training" or not self._page else ""
            if not why and self._page and not self._page.can(verb):
                why = NOT_NOW
            action.setProperty("why_not", why)
            action.setEnabled(not why)

    def _add(self, text: str, do: Callable[[TrainingPage], object]) -> QAction:
        action = QAction(text, self._window)
        action.setEnabled(False)
        action.triggered.connect(lambda: self._go(do))
        self._menu.addAction(action)
        return action

    def _go(self, do: Callable[[TrainingPage], object]) -> None:
        self._window.go_to("training")
        if self._page:
            do(self._page)


def _do(verb: str, page: TrainingPage) -> None:
    page.do(verb)
