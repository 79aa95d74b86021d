"""What can be done with models, as actions of a menu."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr

if TYPE_CHECKING:
    from sciread_app.ui.main_window import MainWindow
    from sciread_app.ui.models.page import ModelsPage

HERE = tr("On the page of models")


class ModelsVerbs:
    """Models are added from everywhere; what is done to the chosen one, is done on their page."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        self._window = window
        self._menu = menu
        self._page: ModelsPage | None = None
        self._on_page: dict[str, QAction] = {}
        self._anywhere = [
            self._add(tr("Fetch a model from the &hub…"), "", lambda page: page.ask_hub()),
            self._add(tr("Add a model from a &folder…"), "", lambda page: page.add_folder()),
            self._add(tr("Add a model from a &zip file…"), "", lambda page: page.add_zip()),
            self._add(tr("Add the model of a &training…"), "", lambda page: page.add_run()),
        ]
        menu.addSeparator()
        for verb, text, keys, do in (
            ("activate", tr("&Let the model answer"), "Ctrl+Return", _activate),
            ("back", tr("Go &back to the model before"), "", _go_back),
            ("export", tr("&Export the model…"), "", _export),
            ("rename", tr("&Rename the model"), "F2", _rename),
            ("check", tr("Look at its files a&gain"), "", _check),
            ("remove", tr("Remo&ve the model"), "Del", _remove),
            ("restore", tr("&Put the model back"), "", _restore),
            ("delete", tr("&Delete the model for good…"), "", _delete),
        ):
            self._on_page[verb] = self._add(text, keys, do)
        for action in self._anywhere:
            action.setProperty("why_not", tr("Once the library is open"))
        self.show_place("")

    def library_opened(self) -> None:
        for action in self._anywhere:
            action.setEnabled(True)

    def live_on(self, page: ModelsPage) -> None:
        self._page = page
        page.addActions([action for action in self._on_page.values() if action.shortcut()])
        page.shown.connect(lambda: self.show_place("models"))

    def show_place(self, place: str) -> None:
        for verb, action in self._on_page.items():
            why = HERE if place != "models" or not self._page else self._page.why_not(verb)
            action.setProperty("why_not", why)
            action.setEnabled(not why)

    def _add(self, text: str, keys: str, do: Callable[[ModelsPage], object]) -> QAction:
        action = QAction(text, self._window)
        action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.setEnabled(False)
        action.triggered.connect(lambda: self._do(do))
        self._menu.addAction(action)
        return action

    def _do(self, do: Callable[[ModelsPage], object]) -> None:
        self._window.go_to("models")
        if self._page:
            do(self._page)


def _activate(page: ModelsPage) -> None:
    page.activate()


def _go_back(page: ModelsPage) -> None:
    page.go_back()


def _export(page: ModelsPage) -> None:
    page.export()


def _rename(page: ModelsPage) -> None:
    page.rename()


def _check(page: ModelsPage) -> None:
    page.check()


def _remove(page: ModelsPage) -> None:
    page.remove()


def _restore(page: ModelsPage) -> None:
    page.restore()


def _delete(page: ModelsPage) -> None:
    page.delete()
