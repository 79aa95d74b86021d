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
from sciread_app.storage.papers import manual_edits
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


names = st.text("ab", max_size=2)


def several(entries):
    return st.lists(entries, max_size=2, unique=True).map(tuple)


records = st.builds(
    Paper,
    title=names,
    abstract=names,
    authors=several(st.builds(Author, names)),
    kind=st.sampled_from(["article", "book"]),
    published=st.sampled_from(["", "2017", "2017-06", "2017-06-12"]),
    venue=names,
    identifiers=several(st.builds(Identifier, st.sampled_from(["doi", "pmid"]), names)),
    fields=several(names),
    keywords=several(names),
    extra=st.dictionaries(st.sampled_from(["volume", "pages"]), names),
    source=st.sampled_from(["arxiv", "bibtex"]),
    source_id=st.just("1"),
)


@given(records, records, st.frozensets(st.sampled_from(manual_edits.FIELDS)))
def test_merge_with_any_record_leaves_edited_fields_unchanged(kept, new, edited):
    merged = merge(kept, new, edited=edited)
    assert all(getattr(merged, name) == getattr(kept, name) for name in edited)


def test_merge_adds_citation_keys_and_notices_to_edited_fields():
    kept = paper(extra={"volume": "3"}, citekey="lee10")
    new = paper(extra={"volume": "4", "retraction_in": "7"}, citekey="lee", doi="10.1000/a")
    merged = merge(kept, new, edited=frozenset({"identifiers", "extra"}))
    assert merged.extra == {"volume": "3", "retraction_in": "7"}
    assert [value for _, value in merged.identifiers] == ["lee10", "lee"]


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
