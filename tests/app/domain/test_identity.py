"""The same paper, versions of one work, or neither: the rules of identity."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.identity import (
    Verdict,
    block_keys,
    fingerprint,
    from_record,
    judge,
    merge,
    record,
    text_hash,
    title_key,
)
from sciread_app.domain.paper import Author, Identifier, Paper
from tests.make import paper

LONG = "A measurement of the anomalous magnetic moment of the muon"


def verdict(a: Paper, b: Paper) -> Verdict:
    assert judge(a, b).verdict == judge(b, a).verdict
    return judge(a, b).verdict


@pytest.mark.parametrize("kind, value", [("pmid", "123"), ("arxiv", "2101.00027"), ("pmcid", "7")])
def test_one_name_is_one_paper_whatever_the_titles_say(kind, value):
    assert verdict(paper("Bees", **{kind: value}), paper("Wasps", **{kind: value})) == "same"


def test_one_doi_is_one_paper():
    a = paper("The bees of Belgium", doi="10.1000/BEES")
    b = paper("Bees of Belgium", doi="https://doi.org/10.1000/bees.")
    assert verdict(a, b) == "same"


def test_one_doi_with_quite_different_titles_waits_for_a_person():
    a = paper("The bees of Belgium", doi="10.1000/bees")
    b = paper("Superconductivity in nickelates", doi="10.1000/bees")
    assert verdict(a, b) == "maybe"


def test_one_doi_for_two_talks_of_a_meeting_waits_for_a_person():
    a = paper("Behaviour of speech in Wilson's disease", authors="Barbosa, E.", doi="10.1002/mds")
    b = paper("Epilepsy in Wilson's disease", authors="Prashanth, L.", doi="10.1002/mds")
    assert verdict(a, b) == "maybe"


def test_a_placeholder_doi_brings_nothing_together():
    a = paper("The bees of Belgium", doi="10.1145/nnnnnnn.nnnnnnn")
    b = paper("Superconductivity in nickelates", doi="10.1145/nnnnnnn.nnnnnnn")
    assert verdict(a, b) == "different"


def test_title_author_and_year_make_one_paper():
    a = paper(LONG, authors="Brown, Hugh N.; Bunce, G.", published="2001")
    b = paper(LONG.upper() + ".", authors="Bunce, Gerry; Other, A.", published="2002-02")
    assert verdict(a, b) == "same"


@pytest.mark.parametrize(
    "other",
    [
        paper(LONG, authors="Brown, Karl", published="2001"),  # another Brown
        paper(LONG, authors="Bunce, G.", published="2001"),
        paper(LONG, authors="Brown, H.", published="2004"),
        paper("Erratum: " + LONG, authors="Brown, H.", published="2001"),
        paper(LONG + ", part II", authors="Brown, H.", published="2001"),
        paper(LONG + " 2", authors="Brown, H.", published="2001"),
        paper("Reply to " + LONG, authors="Brown, H.", published="2001"),
    ],
)
def test_what_differs_in_author_year_or_part_is_another_paper(other):
    assert verdict(paper(LONG, authors="Brown, Hugh", published="2001"), other) == "different"


def test_two_dois_are_two_papers():
    a = paper(LONG, authors="Brown, H.", doi="10.1000/a")
    b = paper(LONG, authors="Brown, H.", doi="10.1000/b")
    assert verdict(a, b) == "different"


def test_a_title_typed_with_a_slip_is_the_same_title():
    a = paper(LONG, authors="Brown, H.", published="2001")
    b = paper(LONG.replace("moment", "momemt"), authors="Brown, H.", published="2001")
    assert verdict(a, b) == "same"


def test_a_common_title_is_not_enough():
    a = paper("Editorial", authors="Brown, H.; Clark, J.", published="2001")
    b = paper("Editorial", authors="Brown, H.", published="2002")
    assert verdict(a, b) == "maybe"


def test_a_preprint_and_its_article_are_versions_of_one_work():
    preprint = paper(LONG, authors="Brown, H.", arxiv="hep-ex/0102017", published="2001")
    article = paper(
        LONG, authors="Brown, H. N.", doi="10.1103/x", published="2001", kind="article-journal"
    )
    assert verdict(preprint, article) == "versions"


def test_the_doi_that_a_preprint_names_is_its_article():
    preprint = paper(LONG, arxiv="hep-ex/0102017", doi="10.1103/x", source="arxiv")
    article = paper("Quite another title", doi="10.1103/x", kind="article-journal")
    assert verdict(preprint, article) == "versions"


def test_two_preprints_that_name_one_doi_wait_for_a_person():
    a, b = paper(LONG, arxiv="2101.00027", doi="10.1/x"), paper(LONG, arxiv="2101.00028")
    assert verdict(a, b) == "different"
    assert (
        verdict(
            paper(LONG, arxiv="2101.00027", doi="10.1103/x"),
            paper(LONG, arxiv="2101.00028", doi="10.1103/x"),
        )
        == "maybe"
    )


def test_merging_fills_what_was_empty_and_loses_nothing():
    kept = paper("Bees", venue="Nature", doi="10.1000/a", extra={"volume": "3"}, published="2001")
    new = paper(
        "The Bees",
        venue="Science",
        abstract="On bees.",
        pmid="7",
        extra={"volume": "4", "pages": "1-2"},
        published="2001-05",
    )
    merged = merge(kept, new)
    assert (merged.title, merged.venue, merged.abstract) == ("Bees", "Nature", "On bees.")
    assert merged.extra == {"volume": "3", "pages": "1-2"}
    assert merged.identifiers == (Identifier("doi", "10.1000/a"), Identifier("pmid", "7"))
    assert merged.published == "2001-05"


def test_a_newer_state_of_one_record_overrides_but_not_what_was_edited():
    kept = paper("Draft", abstract="Mine.", source="arxiv", source_id="1", extra={"version": "1"})
    new = paper("Final", abstract="Theirs.", source="arxiv", source_id="1", extra={"version": "2"})
    merged = merge(kept, new, edited=frozenset({"abstract"}))
    assert (merged.title, merged.abstract) == ("Final", "Mine.")
    assert merge(new, kept).title == "Final"


texts = st.text(max_size=60)


@given(texts, texts, st.lists(st.tuples(texts, texts).map(lambda n: Author(*n)), max_size=3))
def test_a_record_comes_back_as_it_was_written(title, abstract, authors):
    written = paper(title, abstract=abstract, authors=tuple(authors), keywords=("a", "b"))
    assert from_record(record(written)) == written
    assert 0 <= fingerprint(written) < 2**63 and 0 < text_hash(written) < 2**63


def test_libraries_of_today_know_their_records_tomorrow():
    written = Paper(
        title="Bees",
        abstract="On bees.",
        authors=(Author("Nguyễn", "A.", "van", "Jr."), Author("WHO", literal=True)),
        kind="book",
        published="2001-05",
        venue="Nature",
        identifiers=(Identifier("doi", "10.1000/a"),),
        fields=("bio", "eco"),
        keywords=("hive",),
        extra={"volume": "3", "pages": "1-2"},
        files=("/a.pdf",),
        source="ris",
        source_id="k",
    )
    assert (fingerprint(written), text_hash(written)) == (261699967112770284, 1236637456302372482)


@given(texts)
def test_the_key_of_a_title_does_not_see_case_accents_or_signs(title):
    assert title_key(title.upper().lower()) == title_key(title.upper())
    assert title_key(f"«{title}!»") == title_key(title)
    assert block_keys(title) == block_keys(title)
