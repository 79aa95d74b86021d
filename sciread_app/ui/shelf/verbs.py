"""What can be done to the chosen papers and to the shelf, as the menus offer it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from sciread_app.language import tr, trn

if TYPE_CHECKING:
    from sciread_app.ui.shelf.shelving import Shelving


class Verb(NamedTuple):
    """`keys` of the chosen papers hold in the list alone, where no text is typed."""

    name: str
    text: str
    keys: str
    do: Callable[[Shelving], object]


def _rate(stars: int) -> Verb:
    text = trn("{n} star", "{n} stars", stars) if stars else tr("No stars")
    return Verb(f"rate {stars}", text, str(stars), lambda shelving: shelving.rate(stars))


PAPERS = (
    Verb("tag", tr("&Tag…"), "T", lambda shelving: shelving.choose_tag()),
    Verb(
        "collect", tr("Put into a &collection…"), "C", lambda shelving: shelving.choose_collection()
    ),
    Verb(
        "uncollect", tr("Take o&ut of this collection"), "", lambda shelving: shelving.uncollect()
    ),
    Verb("read", tr("Mar&k as read or unread"), "R", lambda shelving: shelving.toggle_read()),
    Verb("edit", tr("&Edit…"), "E", lambda shelving: shelving.edit()),
    Verb("export", tr("E&xport…"), "", lambda shelving: shelving.export()),
    Verb("trash", tr("&Move to the trash"), "Del", lambda shelving: shelving.trash()),
    Verb("untrash", tr("&Bring back from the trash"), "", lambda shelving: shelving.untrash()),
    Verb("delete", tr("&Delete for good…"), "", lambda shelving: shelving.delete_for_good()),
    Verb("all", tr("Choose &all"), "Ctrl+A", lambda shelving: shelving.choose_all()),
)
STARS = tuple(map(_rate, (5, 4, 3, 2, 1, 0)))
SHELF = (
    Verb("collection", tr("&New collection…"), "Ctrl+Shift+N", lambda shelving: shelving.add()),
    Verb("empty", tr("Empty the tras&h…"), "", lambda shelving: shelving.empty_trash()),
)
VIEW = (
    Verb("sidebar", tr("Side&bar"), "Ctrl+B", lambda shelving: shelving.toggle_sidebar()),
    Verb(
        "into", tr("&Into the sidebar"), "Ctrl+Shift+B", lambda shelving: shelving.go_to_sidebar()
    ),
)
BACK = (
    Verb("undo", tr("&Undo"), "Ctrl+Z", lambda shelving: shelving.work.undo()),
    Verb("redo", tr("Re&do"), "Ctrl+Shift+Z", lambda shelving: shelving.work.redo()),
)
