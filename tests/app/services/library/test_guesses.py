"""Acceptance of uncertain values of PDFs."""

from __future__ import annotations

import pytest

from sciread_app.domain.metadata.guesses import title_guess, year_guess
from sciread_app.services.library import editor
from sciread_app.services.library.editor import LibraryEditor
from tests.support.generate.papers import paper


@pytest.fixture
def ids(library):
    return library.put(
        [paper(f"scan{n}", published="", extra=_guess(n), authors="Lee, Ann") for n in range(5)]
        + [paper("Certain", published="1999")]
    ).ids


def _guess(number):
    return title_guess(f"Title {number}", f"scan{number}") | year_guess(f"{2000 + number}")


def test_guesses_of_many_papers_are_accepted_as_one_edit(library, ids, monkeypatch):
    monkeypatch.setattr(editor, "_AT_ONCE", 2)
    before = library.get(ids)
    assert LibraryEditor(library).accept_guesses(ids)
    after = library.get(ids)
    assert [one.title for one in after] == [*(f"Title {n}" for n in range(5)), "Certain"]
    assert [one.year for one in after] == [2000, 2001, 2002, 2003, 2004, 1999]
    assert library.manually_edited_fields(ids[0]) == {"title", "published"}
    assert LibraryEditor(library).accept_guesses(ids) is None
    LibraryEditor(library).undo()
    assert library.get(ids) == before


def test_guess_of_one_field_leaves_the_others(library, ids):
    LibraryEditor(library).accept_guesses(ids[:1], "published")
    [after] = library.get(ids[:1])
    assert (after.title, after.year) == ("scan0", 2000)
    LibraryEditor(library).accept_guesses(ids[:1])
    assert library.get(ids[:1])[0].title == "Title 0"
