"""The menu entries of the comparison of two models."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from sciread_app.language import tr
from sciread_app.ui.actions import ActionRegistry
from sciread_app.ui.compare.trial import LEFT_KEY, NEITHER_KEY, RIGHT_KEY

if TYPE_CHECKING:
    from sciread_app.ui.compare.panel import ComparePanel

_NOT_COMPARING = tr("Available while you compare two models")
_NO_VOTE = tr("Available in a blind test while the results of the two models differ")


class CompareAction(NamedTuple):
    text: str
    keys: str
    do: Callable[[ComparePanel], object]
    can: Callable[[ComparePanel], bool]
    why_not: str


ACTIONS = (
    CompareAction(
        tr("&Blind test"), "Ctrl+Shift+H",
        lambda panel: panel.chooser.blind.toggle(),
        lambda panel: panel.is_open and panel.chooser.blind.isEnabled(), _NOT_COMPARING,
    ),
    CompareAction(
        tr("Vote for the &left results"), LEFT_KEY,
        lambda panel: panel.vote(0), lambda panel: panel.can_vote, _NO_VOTE,
    ),
    CompareAction(
        tr("Vote for the &right results"), RIGHT_KEY,
        lambda panel: panel.vote(1), lambda panel: panel.can_vote, _NO_VOTE,
    ),
    CompareAction(
        tr("Vote for &neither"), NEITHER_KEY,
        lambda panel: panel.vote(None), lambda panel: panel.can_vote, _NO_VOTE,
    ),
    CompareAction(
        tr("&Undo last vote"), "",
        lambda panel: panel.take_back(), lambda panel: panel.can_take_back,
        tr("Available while you compare two models with votes"),
    ),
)  # fmt: skip


class PageWithPanel(Protocol):
    @property
    def panel(self) -> ComparePanel: ...


class CompareActions:
    """Actions that are enabled while the Compare page is shown and its panel allows them."""

    def __init__(self, actions: ActionRegistry, menu: QMenu) -> None:
        self._registry = actions
        self._panel: ComparePanel | None = None
        self._actions = {spec: self._add(menu, spec) for spec in ACTIONS}

    def follow(self, page: PageWithPanel) -> None:
        """Let the panel decide from now on which actions are available."""
        self._panel = page.panel
        self._panel.changed.connect(self._look)
        self._look()

    def _look(self) -> None:
        for spec, action in self._actions.items():
            can = self._panel is not None and spec.can(self._panel)
            self._registry.set_why_not(action, "" if can else spec.why_not)

    def _add(self, menu: QMenu, spec: CompareAction) -> QAction:
        def do() -> None:
            if self._panel:
                spec.do(self._panel)

        return self._registry.add(
            menu, spec.text, do, spec.keys, pages=("compare",), unavailable_text=spec.why_not
        )
