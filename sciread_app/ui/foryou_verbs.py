"""What can be done on the page of recommendations, as the menus offer it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr

if TYPE_CHECKING:
    from sciread_app.ui.foryou_page import ForYouPage
    from sciread_app.ui.main_window import MainWindow


class Verb(NamedTuple):
    text: str
    do: Callable[[ForYouPage], object]


VERBS = (
    Verb(tr("&More like this"), lambda page: page.keep()),
    Verb(tr("&Not for me"), lambda page: page.wave_away()),
    Verb(tr("&Take back"), lambda page: page.take_back()),
    Verb(tr("Read &later"), lambda page: page.read_later()),
    Verb(tr("&Seen until here"), lambda page: page.mark_seen()),
    Verb(tr("&Refine what comes"), lambda page: page.head.refine()),
)


class ForYouVerbs:
    """A menu whose verbs can be done while the page is looked at."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        self._actions = [self._add(window, menu, verb) for verb in VERBS]

    def show_place(self, place: str) -> None:
        for action in self._actions:
            action.setEnabled(place == "foryou")

    def _add(self, window: MainWindow, menu: QMenu, verb: Verb) -> QAction:
        action = QAction(verb.text, window)
        action.setEnabled(False)
        action.setProperty("why_not", tr("On the page For you"))
        action.triggered.connect(lambda: verb.do(_page(window)))
        menu.addAction(action)
        return action


def _page(window: MainWindow) -> ForYouPage:
    from sciread_app.ui.foryou_page import ForYouPage  # built only when somebody goes there

    page = window.other_page("foryou")
    assert isinstance(page, ForYouPage)
    return page
