"""All scenes, in sets that share a library.

A page without scenes of its own is taken as it is first shown, empty and with the sample
library; other scenes are in the modules imported here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from sciread_app.ui.shell.main_window import MainWindow
from sciread_app.ui.shell.page_registry import PAGES
from tests.screenshots import (
    activation,
    add_papers_page,
    compare,
    duplicates_page,
    evaluation_page,
    library,
    map_page,
    models_page,
    paper,
    reader_page,
    recommendations_page,
    search_page,
    shell,
    training_page,
)
from tests.screenshots.add_papers_page import Sources
from tests.screenshots.scene import EVERYWHERE, Scene

EMPTY = "empty"  # the set with an empty library; all others have the sample library


def scene_sets(served: Sources) -> Mapping[str, Sequence[Scene]]:
    """Return the scenes by set. Each set has its own library, so that sets are independent."""
    known = {
        "search": search_page.SCENES,
        "titles": search_page.ODD_TITLES,
        "compare": compare.SCENES,
        "paper": paper.SCENES,
        "map": map_page.SCENES,
        "foryou": recommendations_page.SCENES,
        "reader": reader_page.SCENES,
        "duplicates": duplicates_page.SCENES,
        "intake": add_papers_page.scenes(served),
        "models": models_page.SCENES,
        "dashboard": evaluation_page.SCENES,
        "training": training_page.SCENES,
        "shelf": library.SCENES,
        "settings": shell.SETTINGS,
        "shell": shell.SCENES,
        "swap": activation.SCENES,
    }
    others = {place.key: (_go_to(place.key),) for place in PAGES if place.key not in known}
    nothing = [_go_to(place.key, "-empty") for place in PAGES]
    return {EMPTY: (*nothing, *shell.EMPTY), **known, **others}


def _go_to(place: str, name: str = "") -> Scene:
    return Scene(f"{place}{name}", partial(MainWindow.go_to, key=place), EVERYWHERE)
