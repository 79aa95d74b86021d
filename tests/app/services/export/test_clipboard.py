"""Passages that are copied with a citation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sciread_app.services.export import clipboard
from sciread_app.services.export.citation_styles import CitationStyles
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.papers import paper


@pytest.fixture
def quote(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that quotes a paper of 1946 by Karl Frisch in a style."""
    library = Library(tmp_path / "library.sqlite3")
    library.put([paper("The Dances of Bees", authors="Frisch, Karl", published="1946")])
    styles = CitationStyles(tmp_path / "styles")
    yield lambda style, pages="5": clipboard.quote(
        library, 1, "the angle\nof the dance", pages, style, styles, Task()
    )
    library.close()


@pytest.mark.parametrize(
    ("style", "pages", "citation"),
    [
        ("apa", "5", "(Frisch, 1946, p. 5)"),
        ("apa", "5-6", "(Frisch, 1946, pp. 5–6)"),
        ("chicago", "5", "(Frisch 1946, 5)"),
    ],
)
def test_passage_is_quoted_with_the_pages_as_the_style_has_them(quote, style, pages, citation):
    assert quote(style, pages) == f"“the angle of the dance” {citation}"


@pytest.mark.parametrize(("preferred", "used"), [("ieee", "ieee"), ("gone", "apa"), ("", "apa")])
def test_bibliography_is_a_page_in_the_default_style(tmp_path, preferred, used):
    library = Library(tmp_path / "library.sqlite3")
    library.put([paper("Bees & Flowers", authors="Frisch, Karl", published="1946")])
    styles = CitationStyles(tmp_path / "styles")
    assert styles.default(preferred) == used
    page = clipboard.bibliography(library, [1], styles.default(preferred), styles, Task())
    library.close()
    assert "Frisch" in page and "Bees &amp; Flowers" in page and "1946" in page
    assert page.count("<p>") == 1 and ("[1]" in page) == (used == "ieee")


@pytest.mark.parametrize(
    ("style", "place"), [("ieee", "[1, p. 5]"), ("nature", "(p. 5)"), ("vancouver", "(p. 5)")]
)
def test_passage_in_a_numeric_style_is_followed_by_the_reference(quote, style, place):
    passage, _, reference = quote(style).partition("\n\n")
    assert passage == f"“the angle of the dance” {place}"
    assert "Frisch" in reference and "1946" in reference


def test_link_is_encoded():
    linked = paper("A", doi="10.1002/x<1661::AID>3.0.CO;2-2")
    assert clipboard.link(linked) == "https://doi.org/10.1002/x%3C1661::aid%3E3.0.co;2-2"
