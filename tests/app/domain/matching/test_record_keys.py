"""How records are known again, written down and joined."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.matching.record_keys import (
    block_keys,
    fingerprint,
    from_record,
    merge,
    record,
    text_hash,
    title_key,
)
from sciread_app.domain.paper import Author, Identifier, Paper
from tests.support.make import paper


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
