"""All that pictures are taken of. A page that is not named here is taken as one finds it, empty and
with the sample library; what else can be seen on it stands in a module of its own, named below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.page_registry import PAGES
from tests.screenshots import (
    compare,
    dashboard_page,
    duplicates_page,
    foryou_page,
    intake_page,
    map_page,
    models_page,
    paper,
    reader_page,
    search_page,
    shelf,
    shell,
    swap,
    training_page,
)
from tests.screenshots.intake_page import Sources
from tests.screenshots.scene import EVERYWHERE, Scene

EMPTY = "empty"  # the room whose library has nothing in it; all others have the sample


def rooms(served: Sources) -> Mapping[str, Sequence[Scene]]:
    """Each with a library of its own: what one does to it is not for the next to see."""
    known = {
        "search": search_page.SCENES,
        "titles": search_page.ODD_TITLES,
        "compare": compare.SCENES,
        "paper": paper.SCENES,
        "map": map_page.SCENES,
        "foryou": foryou_page.SCENES,
        "reader": reader_page.SCENES,
        "duplicates": duplicates_page.SCENES,
        "intake": intake_page.scenes(served),
        "models": models_page.SCENES,
        "dashboard": dashboard_page.SCENES,
        "training": training_page.SCENES,
        "shelf": shelf.SCENES,
        "settings": shell.SETTINGS,
        "shell": shell.SCENES,
        "swap": swap.SCENES,
    }
    others = {place.key: (_go_to(place.key),) for place in PAGES if place.key not in known}
    nothing = [_go_to(place.key, "-empty") for place in PAGES]
    return {EMPTY: (*nothing, *shell.EMPTY), **known, **others}


def _go_to(place: str, name: str = "") -> Scene:
    return Scene(f"{place}{name}", partial(MainWindow.go_to, place=place), EVERYWHERE)
