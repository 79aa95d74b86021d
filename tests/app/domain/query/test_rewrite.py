"""Queries are rewritten when a tag or a collection gets another name."""

from __future__ import annotations

import pytest

from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.rewrite import with_collection_moved, with_tag_renamed


@pytest.mark.parametrize(
    ("query", "renamed"),
    [
        ("tag:old bees", 'tag:"to read" bees'),
        ('-tag:"OLD" tag:old OR tag:other', '-tag:"to read" tag:"to read" OR tag:other'),
        ("(tag:old) year:2015..", '(tag:"to read") year:2015..'),
        ("tag:“old” tag:older", 'tag:"to read" tag:older'),
        ("old bees", "old bees"),
        ("cat:old", "cat:old"),
    ],
)
def test_renamed_tag_is_renamed_in_query(query, renamed):
    assert with_tag_renamed(query, "old", "to read") == renamed
    parse(renamed)


@pytest.mark.parametrize(
    ("query", "moved"),
    [
        ("in:thesis", 'in:"my work/thesis"'),
        ('in:"thesis/chapter 2" x', 'in:"my work/thesis/chapter 2" x'),
        ("in:thesis2 -in:Thesis/", 'in:thesis2 -in:"my work/thesis"'),
        ("thesis within:thesis", "thesis within:thesis"),
    ],
)
def test_moved_collection_is_renamed_in_query_with_subcollections(query, moved):
    assert with_collection_moved(query, "thesis", "my work/thesis") == moved
