"""The actions of the comparison of two models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sciread_app.language import tr
from sciread_app.ui.actions import Action, ActionTable, Section
from sciread_app.ui.compare.trial import LEFT_KEY, NEITHER_KEY, RIGHT_KEY

if TYPE_CHECKING:
    from sciread_app.ui.compare.panel import ComparePanel


class PageWithPanel(Protocol):
    @property
    def panel(self) -> ComparePanel: ...


NOT_COMPARING = tr("Available while you compare two models")
NO_VOTE = tr("Available in a blind test while the results of the two models differ")
NO_VOTES = tr("Available while you compare two models with votes")

ACTIONS: ActionTable[PageWithPanel] = ActionTable((
    Section("tools/compare", (
        Action(tr("&Blind test"), lambda page: page.panel.chooser.blind.toggle(), "Ctrl+Shift+H",
            name="blind"),
        Action(tr("Vote for the &left results"), lambda page: page.panel.vote(0), LEFT_KEY,
            name="left", unavailable_text=NO_VOTE),
        Action(tr("Vote for the &right results"), lambda page: page.panel.vote(1), RIGHT_KEY,
            name="right", unavailable_text=NO_VOTE),
        Action(tr("Vote for &neither"), lambda page: page.panel.vote(None), NEITHER_KEY,
            name="neither", unavailable_text=NO_VOTE),
        Action(tr("&Undo last vote"), lambda page: page.panel.take_back(), name="undo",
            unavailable_text=NO_VOTES),
    ), submenu=tr("&Compare models")),
), NOT_COMPARING)  # fmt: skip
