"""Bylines of papers whose source named only the first authors."""

from __future__ import annotations

import pytest

from sciread_app.domain.text.bylines import byline
from sciread_app.formats import markdown
from sciread_app.services.digest.formats import facts
from sciread_app.ui.formatting import authors
from tests.support.generate.papers import paper

BYLINES = {
    "window": authors,
    "command line": lambda paper: byline(paper, 4),
    "digest": facts,
    "Markdown": lambda paper: markdown.notes_of(paper, ["A note"], []),
}


@pytest.mark.parametrize("name", BYLINES)
@pytest.mark.parametrize("truncated", [True, False])
def test_byline_says_that_authors_are_omitted(name, truncated):
    extra = {"and-others": "true"} if truncated else {}
    shown = BYLINES[name](paper(authors="Lee; Ng", extra=extra))
    assert "Lee, Ng" in shown
    assert ("et al." in shown) == truncated


@pytest.mark.parametrize("name", BYLINES)
def test_byline_without_authors_names_no_others(name):
    shown = BYLINES[name](paper(extra={"and-others": "true"}))
    assert "et al." not in shown and "others" not in shown
