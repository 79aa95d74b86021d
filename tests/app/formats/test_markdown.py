"""Highlights and notes as Markdown."""

from __future__ import annotations

from sciread_app.domain.annotations.annotations import Box, Colour, Highlight
from sciread_app.domain.paper import PaperId
from sciread_app.formats.markdown import notes_of
from tests.support.generate.papers import paper


def mark(text: str, page: int = 0, note: str = "", colour: Colour = Colour.yellow) -> Highlight:
    return Highlight(PaperId(1), "ab", "/p.pdf", page, (Box(1, 2, 3, 4),), text, colour, note)


def test_notes_precede_highlights_in_page_order():
    bees = paper(
        "On *bees*", authors="Curie, Marie", venue="Annalen", published="1915-02", doi="10.1000/a"
    )
    text = notes_of(bees, ["Read **again**."], [mark("later", 4), mark("first", 1, "Why?")])
    assert text == (
        "# On \\*bees\\*\n\n"
        "Marie Curie. *Annalen*. 1915. <https://doi.org/10.1000/a>.\n\n"
        "## Notes\n\nRead **again**.\n\n"
        "## Highlights\n\n"
        "> first\n>\n> Page 2, yellow\n\nWhy?\n\n"
        "> later\n>\n> Page 5, yellow\n"
    )


def test_formulas_in_title_become_unicode():
    text = notes_of(paper("On $x^2$"), ["Let $y^2$ be."], [])
    assert text.startswith("# On x²\n") and "$y^2$" in text


def test_paper_without_notes_or_highlights_gives_no_text():
    assert notes_of(paper("Bees"), [" "], []) == ""


def test_text_of_highlights_is_escaped():
    text = notes_of(paper("Bees"), [], [mark("# a\n\n<b>b</b> [c](d) | `e`")])
    assert "> \\# a \\<b\\>b\\</b\\> \\[c\\](d) \\| \\`e\\`" in text


def test_area_has_its_page_and_note():
    text = notes_of(paper("Bees"), [], [mark("", 4, "The curve")])
    assert "> Page 5, yellow, area\n\nThe curve\n" in text
