"""Queries are rewritten when a tag or a collection gets another name."""

from __future__ import annotations

import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.rewrite import with_collection_moved, with_tag_renamed
from sciread_app.errors import BadQuery


@pytest.mark.parametrize(
    ("query", "renamed"),
    [
        ("tag:old bees", 'tag:"to read" bees'),
        ('-tag:"OLD" tag:old OR tag:other', '-tag:"to read" tag:"to read" OR tag:other'),
        ("(tag:old) year:2015..", '(tag:"to read") year:2015..'),
        ("tag:“old” tag:older", 'tag:"to read" tag:older'),
        ("old bees", "old bees"),
        ("cat:old", "cat:old"),
        ("tags:old -label:OLD", 'tag:"to read" -tag:"to read"'),
        ('tag: old label: "old" Tag: old', 'tag:"to read" tag:"to read" Tag: old'),
        ('"a tag:old b" title:"tag:old"', '"a tag:old b" title:"tag:old"'),
        ("x-tag:old author: tag:old", "x-tag:old author: tag:old"),
        ('bees tag:"old', 'bees tag:"to read"'),
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
        ("collection:thesis Folder:thesis/a", 'in:"my work/thesis" in:"my work/thesis/a"'),
        ("in: thesis", "in: thesis"),
    ],
)
def test_moved_collection_is_renamed_in_query_with_subcollections(query, moved):
    assert with_collection_moved(query, "thesis", "my work/thesis") == moved


PIECES = (
    *("tag:", "tags:", "label: ", "Tag:", "title:", "author: ", "year:", "=", "old", "OLD", "bees"),
    *('"old"', "“OLD”", '"tag:old bees"', '""', "(", ")", " -", "*", " ", " ", " OR ", " NOT "),
)


@settings(max_examples=500)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_renamed_query_differs_only_in_the_tag(query):
    try:
        before = parse(query)
    except BadQuery:
        assume(False)
    after = parse(with_tag_renamed(query, "old", "wasps"))
    renamed = [
        one._replace(value=re.sub("(?im)^old$", "wasps", one.value)) if one.field == "tag" else one
        for one in before.conditions
    ]
    assert after.conditions == tuple(dict.fromkeys(renamed))
    assert (after.terms, after.meaning) == (before.terms, before.meaning)
