"""What can be done to the chosen papers and to the shelf, as the menus offer it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from sciread_app.language import tr, trn

if TYPE_CHECKING:
    from sciread_app.ui.library.controller import LibraryController


class LibraryAction(NamedTuple):
    """`keys` of the chosen papers hold in the list alone, where no text is typed."""

    name: str
    text: str
    keys: str
    do: Callable[[LibraryController], object]


def _rate(stars: int) -> LibraryAction:
    text = trn("{n} star", "{n} stars", stars) if stars else tr("No stars")
    return LibraryAction(f"rate {stars}", text, str(stars), lambda shelving: shelving.rate(stars))


PAPERS = (
    LibraryAction("tag", tr("&Tag…"), "T", lambda shelving: shelving.choose_tag()),
    LibraryAction(
        "collect", tr("Put into a &collection…"), "C", lambda shelving: shelving.choose_collection()
    ),
    LibraryAction(
        "uncollect", tr("Take o&ut of this collection"), "", lambda shelving: shelving.uncollect()
    ),
    LibraryAction(
        "read", tr("Mar&k as read or unread"), "R", lambda shelving: shelving.toggle_read()
    ),
    LibraryAction("edit", tr("&Edit…"), "E", lambda shelving: shelving.edit()),
    LibraryAction("export", tr("E&xport…"), "", lambda shelving: shelving.export()),
    LibraryAction("trash", tr("&Move to the trash"), "Del", lambda shelving: shelving.trash()),
    LibraryAction(
        "untrash", tr("&Bring back from the trash"), "", lambda shelving: shelving.untrash()
    ),
    LibraryAction(
        "delete", tr("&Delete for good…"), "", lambda shelving: shelving.delete_permanently()
    ),
    LibraryAction("all", tr("Choose &all"), "Ctrl+A", lambda shelving: shelving.choose_all()),
)
STARS = tuple(map(_rate, (5, 4, 3, 2, 1, 0)))
SHELF = (
    LibraryAction(
        "collection", tr("&New collection…"), "Ctrl+Shift+N", lambda shelving: shelving.add()
    ),
    LibraryAction("empty", tr("Empty the tras&h…"), "", lambda shelving: shelving.empty_trash()),
)
VIEW = (
    LibraryAction("sidebar", tr("Side&bar"), "Ctrl+B", lambda shelving: shelving.toggle_sidebar()),
    LibraryAction(
        "into", tr("&Into the sidebar"), "Ctrl+Shift+B", lambda shelving: shelving.go_to_sidebar()
    ),
)
BACK = (
    LibraryAction("undo", tr("&Undo"), "Ctrl+Z", lambda shelving: shelving.work.undo()),
    LibraryAction("redo", tr("Re&do"), "Ctrl+Shift+Z", lambda shelving: shelving.work.redo()),
)
