"""The words that two papers share, as a reason for their likeness."""

from __future__ import annotations

from sciread_app.services.search.shared_terms import shared_words
from tests.support.make import paper


def test_words_that_say_nothing_are_no_reason(library):
    first, second, *_ = library.put(
        [
            paper("Bees went home", abstract="Though we propose that they let honey flow."),
            paper("Honey", abstract="Though somebody went, let us propose a study."),
            paper("Stars"),
        ]
    ).ids
    assert shared_words(library, first, [second])[second] == ("honey",)
