"""The words shared by two papers, shown as a reason for their similarity."""

from __future__ import annotations

from sciread_app.services.search.results import shared_words
from tests.support.make import paper


def test_shared_words_leave_out_general_words(library):
    first, second, *_ = library.put(
        [
            paper("Bees went home", abstract="Though we propose that they let honey flow."),
            paper("Honey", abstract="Though somebody went, let us propose a study."),
            paper("Stars"),
        ]
    ).ids
    assert shared_words(library, first, [second])[second] == ("honey",)
