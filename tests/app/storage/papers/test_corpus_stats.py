"""Counts of training data in the papers of a library."""

from __future__ import annotations

import numpy as np
import pytest

from sciread_app.domain.paper import Identifier
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.attachments import Attachment
from sciread_app.storage.papers import corpus_stats
from tests.support.generate.papers import paper
from trainer.contract.corpus_stats import CorpusStats, VenueYear


@pytest.fixture
def filled_library(library: Library) -> Library:
    library.put([
        paper("A", abstract="On A.", venue="Nature", published="2020", fields=("cs.CL", "cs.AI"),
              doi="10.1000/a", arxiv="2101.00001"),
        paper("B", abstract="On B.", venue="Nature", published="2020", fields=("cs.AI",), pmid="2"),
        paper("C", venue="Nature", doi="10.1000/c", pmid="3"),
        paper("D", abstract="On D.", published="", fields=("cs.CL",), doi="10.1000/d"),
    ])  # fmt: skip
    a, also_a, b, c, stranger = (
        Identifier("doi", "10.1000/a"), Identifier("arxiv", "2101.00001"), Identifier("pmid", "2"),
        Identifier("doi", "10.1000/c"), Identifier("doi", "10.1000/x"),
    )  # fmt: skip
    pairs = [(a, b), (also_a, b), (a, c), (c, a), (a, a), (a, stranger), (stranger, a)]
    library.citations.put(pairs, "test")
    return library


def test_corpus_stats_count_all_training_data(filled_library: Library) -> None:
    assert filled_library.corpus_stats.of(filled_library.ids()) == (
        CorpusStats(
            papers=4,
            abstracts=3,
            citations=3,  # by any identifiers, and none of a missing paper
            citing=2,
            venues=[VenueYear("Nature", 2020, False, 1), VenueYear("Nature", 2020, True, 1)],
            fields={"cs.AI": 1, "cs.CL": 2},
        ),
        False,
    )


def test_corpus_stats_count_only_citations_between_the_papers(filled_library: Library) -> None:
    held, _ = filled_library.corpus_stats.of(np.array([1, 2]))
    assert (held.papers, held.abstracts, held.citations, held.citing) == (2, 2, 1, 1)
    assert filled_library.corpus_stats.of(np.array([], np.int64)) == (
        CorpusStats(venues=[]),
        False,
    )


def test_citations_of_very_many_papers_are_estimated(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [Identifier("arxiv", f"2101.{n:05}") for n in range(200)]
    library.put([paper(f"P{n}", arxiv=name.value) for n, name in enumerate(names)])
    library.citations.put([(n, names[0]) for n in names[1:]], "test")
    monkeypatch.setattr(corpus_stats, "_COUNTED", 50)
    held, estimated = library.corpus_stats.of(library.ids())
    assert estimated and 190 <= held.citations <= 200 and held.citing == held.citations


def test_papers_with_the_text_of_a_file_are_counted(filled_library: Library) -> None:
    one, two, three, _ = filled_library.ids().tolist()
    filled_library.attachments.put([
        (Attachment(one, "/a.pdf", "a", 9, 1.0, "", 3), "The text."),
        (Attachment(one, "/scan.pdf", "s", 9, 1.0, "A scan.", 3), ""),
        (Attachment(two, "/copy.pdf", "a", 9, 1.0, "", 3), "The text."),
        (Attachment(three, "/broken.PDF", "b", 9, 1.0, "Damaged.", 0), ""),
        (Attachment(three, "/notes.docx", "n", 9, 1.0, "", 0), ""),
    ])  # fmt: skip
    every = filled_library.ids()
    assert filled_library.corpus_stats.of(every)[0].full_texts == 2
    assert filled_library.corpus_stats.pdfs_without_text(every) == ["/broken.PDF"]
    assert filled_library.corpus_stats.pdfs_without_text(every[:2]) == []
