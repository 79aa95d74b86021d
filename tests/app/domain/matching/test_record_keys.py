"""Keys, serialisation and merging of records."""

from __future__ import annotations

import pytest
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
from tests.support.generate.papers import paper


def test_merge_fills_empty_fields_and_loses_nothing():
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


def test_newer_record_overrides_all_but_edited_fields():
    kept = paper("Draft", abstract="Mine.", source="arxiv", source_id="1", extra={"version": "1"})
    new = paper("Final", abstract="Theirs.", source="arxiv", source_id="1", extra={"version": "2"})
    merged = merge(kept, new, edited=frozenset({"abstract"}))
    assert (merged.title, merged.abstract) == ("Final", "Mine.")
    assert merge(new, kept).title == "Final"


texts = st.text(max_size=60)


@given(texts, texts, st.lists(st.tuples(texts, texts).map(lambda n: Author(*n)), max_size=3))
def test_record_round_trip_is_lossless(title, abstract, authors):
    written = paper(title, abstract=abstract, authors=tuple(authors), keywords=("a", "b"))
    assert from_record(record(written)) == written
    assert 0 <= fingerprint(written) < 2**63 and 0 < text_hash(written) < 2**63


def test_record_format_and_hashes_are_stable():
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
def test_title_key_ignores_case_accents_and_punctuation(title):
    assert title_key(title.upper().lower()) == title_key(title.upper())
    assert title_key(f"«{title}!»") == title_key(title)
    assert block_keys(title) == block_keys(title)


@pytest.mark.parametrize("kept_has_authors", [True, False])
def test_merge_keeps_the_mark_of_truncation_with_its_author_list(kept_has_authors):
    short = paper(authors="Lee", extra={"and-others": "true"})
    kept = paper(authors="Lee; Ng" if kept_has_authors else "")
    merged = merge(kept, short)
    assert merged.has_more_authors == (not kept_has_authors)
