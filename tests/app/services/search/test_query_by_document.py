"""Queries by entries and files that are not added to the library."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.query.parser import parse
from sciread_app.errors import BadQuery
from sciread_app.services.search.query_by_document import QueryByDocument, plain
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.generate.pdf import At, body, make_pdf

ENTRY = """@article{a, title = {Bees: a "story" -- in short}, abstract = {They OR we fly.},
 doi = {10.1000/bees}}"""


@pytest.fixture
def queries(library) -> QueryByDocument:
    return QueryByDocument(library)


def test_entry_becomes_query_words_and_is_not_added(library, queries):
    likeness = queries.of_text(ENTRY, Task())
    assert likeness.title.startswith("Bees")
    query = parse(likeness.text)
    assert query.conditions == ()
    assert {"bees", "story", "fly"} <= {term.text for term in query.terms}
    assert library.count() == 0


def test_entry_already_in_library_becomes_that_paper(library, queries):
    (bees,) = library.put([paper("Bees", doi="10.1000/BEES")]).ids
    likeness = queries.of_text(ENTRY, Task())
    assert (likeness.known, likeness.text) == ((bees,), "")


def test_ris_entry_is_read(queries):
    assert queries.of_text("TY  - JOUR\nTI  - On Wasps\nER  - \n", Task()).title == "On Wasps"


def test_files_of_different_formats_form_one_query(queries, tmp_path):
    (tmp_path / "a.bib").write_text(ENTRY)
    (tmp_path / "b.pdf").write_bytes(make_pdf([At("On the Flight of Bumblebees", 20), *body()]))
    likeness = queries.of_files([tmp_path / "a.bib", tmp_path / "b.pdf"], Task())
    assert likeness.title.endswith("and 1 more")
    assert "Bumblebees" in likeness.text and "story" in likeness.text


def test_file_without_paper_raises_bad_query(queries, tmp_path):
    (tmp_path / "a.txt").write_text("Nothing here.")
    with pytest.raises(BadQuery, match=r"a\.txt"):
        queries.of_files([tmp_path / "a.txt"], Task())
    with pytest.raises(BadQuery, match="no readable entry"):
        queries.of_text("@article{", Task())


@given(st.text())
def test_plain_text_never_becomes_a_filter(text):
    try:
        query = parse(f"is:unread {plain(text)}")
    except BadQuery:
        return  # punctuation only
    assert [condition.field for condition in query.conditions] == ["is"] or query.identifier
