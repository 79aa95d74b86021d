"""An article with citations as links into its bibliography, for tests."""

from __future__ import annotations

from collections.abc import Sequence

from tests.support.generate.book import Jump, make_book
from tests.support.generate.pdf import At, body

SIZE, LINE = 10, 12  # points of the text
LEFT, INDENT = 60, 14
TEXT_TOP, FIRST_ENTRY = 700, 660


def cited_article(
    citations: Sequence[tuple[str, int]],
    entries: Sequence[Sequence[str]],
    *,
    heading: str = "References",
    hanging: bool = True,
) -> bytes:
    """A page whose lines are the citations, and one with the bibliography.

    `citations`: the text of a link, and the number of its entry, from 0. `entries`: lines of each;
    all but the first are indented with `hanging`.
    """
    first, jumps = [], []
    tops, page, y = [], [At(heading, 14, LEFT, 700, bold=True)], FIRST_ENTRY
    for entry in entries:
        tops.append(y)
        for number, text in enumerate(entry):
            page.append(At(text, SIZE, LEFT + (INDENT if number and hanging else 0), y))
            y -= LINE
    for number, (text, entry) in enumerate(citations):
        bottom = TEXT_TOP - 2 * LINE * number
        first.append(At(text, SIZE, LEFT, bottom))
        # A letter of Helvetica is at most as wide as its size; links do not overlap.
        rect = (LEFT, bottom - 2, LEFT + SIZE * len(text), bottom + SIZE)
        # As hyperref: the target is a line above the base line of the entry.
        jumps.append(Jump(0, rect, 1, LEFT, tops[entry] + LINE))
    return make_book(pages=[[*first, *body(300)], page], jumps=jumps)
