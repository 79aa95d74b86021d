"""Messages stored in English are translated with their values."""

from __future__ import annotations

import gettext

import pytest

from sciread_app import language
from sciread_app.domain.matching import duplicate_reasons
from sciread_app.domain.matching.record_linkage import judge
from sciread_app.domain.stored_messages import translate_stored
from sciread_app.formats.pdf import problems
from sciread_app.formats.pdf.extraction import extract
from sciread_app.storage.papers.versions import USER_DECISION
from tests.support.generate.papers import paper


class _Marks(gettext.NullTranslations):
    def gettext(self, message: str) -> str:
        return f"«{message}»"


@pytest.fixture
def foreign(monkeypatch):
    monkeypatch.setattr(language, "_translations", _Marks())


ARXIV = {"arxiv": "2101.00001", "source": "arxiv"}
BEES, WASPS = "The bees of Belgium, one by one", "Superconductivity in nickelates at home"
STAY_TWO = [
    (paper(BEES, doi="10.1000/x", **ARXIV), paper(BEES, doi="10.1000/x", kind="article-journal")),
    (paper(BEES, doi="10.1000/x", pmid="1"), paper(BEES, doi="10.1000/x", pmid="2")),
    (paper(BEES, doi="10.1000/x"), paper(WASPS, doi="10.1000/x")),
    (paper(BEES, pmid="1", extra={"update_of": "2"}), paper(BEES, pmid="2")),
    (paper(BEES), paper(BEES)),
    (
        paper(BEES, pmid="1", extra={"pages": "1-5"}),
        paper(WASPS, pmid="1", extra={"pages": "30-35"}),
    ),
    (
        paper(BEES, authors="Curie, M.", published="2001"),
        paper(BEES, authors="Curie, M.", published="2002"),
    ),
    (
        paper(BEES, authors="Curie, M.", published="2001"),
        paper(BEES.replace("Belgium", "Bulgaria"), authors="Curie, M.", published="2001"),
    ),
    (
        paper(BEES, authors="Curie, M.", venue="Bees"),
        paper(BEES, authors="Other, A.", venue="Bees"),
    ),
    (
        paper(BEES, authors="Curie, M.", venue="Bees", extra={"pages": "1"}),
        paper(WASPS, authors="Curie, M.", venue="Bees", extra={"pages": "1"}),
    ),
    (
        paper(BEES, authors="Curie, M.", published="2001"),
        paper(BEES, authors="Curie, M.", published="2001"),
    ),
    (paper(BEES, pmid="1"), paper(BEES, pmid="1")),
    (paper(BEES, doi="10.1000/x"), paper(BEES, doi="10.1000/x")),
    (
        paper(BEES, authors="Curie, M.", **ARXIV),
        paper(BEES, authors="Curie, M.", kind="article-journal"),
    ),
    (
        paper(BEES, authors="Curie, M.", kind="book"),
        paper(BEES, authors="Curie, M.", kind="chapter"),
    ),
    (
        paper("Editorial", authors="Curie, M.", published="2001"),
        paper("Editorial", authors="Curie, M.; Joliot, F.", published="2002"),
    ),
]


def test_stored_match_reasons_are_translated(foreign):
    kept = {judge(a, b).reason for a, b in STAY_TWO} | {USER_DECISION}
    assert len(kept) > 14
    for reason in kept:
        assert duplicate_reasons.translated(reason).startswith("«"), reason


def test_stored_pdf_problems_are_translated(foreign, tmp_path):
    for data in (b"", b"no PDF", b"%PDF-1.7 cut off"):
        problem = extract(tmp_path / "a.pdf", data).problem
        assert problem and problems.translated(problem) == f"«{problem}»"
    unread = problems.UNREAD.format(pages=12, unread=3)
    assert problems.translated(unread) == "«3 of 12 pages could not be read.»"


def test_document_types_in_match_reasons_are_named():
    kept = "same title and author, but paper-conference and article-journal"
    result = duplicate_reasons.translated(kept)
    assert result == "same title and author, but conference paper and journal article"


@pytest.mark.parametrize(
    ("kept", "shown"),
    [
        (
            "title and author are similar, but arXiv ids, years differ",
            "title and author are similar, but arXiv ids and years differ",
        ),
        ("both have pmid 123", "both have PMID 123"),
        ("both have DOI 10.1000/x", "both have DOI 10.1000/x"),
    ],
)
def test_match_reasons_show_names_of_fields_and_identifiers(kept, shown):
    assert duplicate_reasons.translated(kept) == shown


@pytest.mark.parametrize("sayings", [duplicate_reasons.TEMPLATES, problems.TEMPLATES])
def test_stored_english_is_unchanged_without_translation(sayings):
    for english in sayings:
        assert translate_stored(english, sayings) == english
    assert translate_stored("Something else.", sayings) == "Something else."
