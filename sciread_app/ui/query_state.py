"""The search request (scope, filters, text, examples) and the view built from its results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from sciread_app.domain.paper import PaperId
from sciread_app.domain.query.ast import TRASH
from sciread_app.domain.query.builder import fragment, joined, likes
from sciread_app.domain.query.parser import PASTED_WORDS, Query, parse
from sciread_app.errors import BadQuery
from sciread_app.ui.view_models import EMPTY_RESULTS, ResultList


class QueryChip(NamedTuple):
    """A clause of the query language and its label on the page."""

    fragment: str
    label: str


class SearchFilter(NamedTuple):
    """A filter: values of one field of the query language, any of which matches. A range of years
    is one value."""

    field: str
    values: tuple[str, ...]

    @property
    def fragment(self) -> str:
        if self.field == "year":
            return f"year:{self.values[0]}"
        return fragment(self.field, self.values)


@dataclass(frozen=True)
class SearchRequest:
    """Everything that determines the list, each part visible and removable on the page: the scope
    chosen in the sidebar, the filters, the text, and the example papers."""

    scope: tuple[QueryChip, ...] = ()
    filters: tuple[SearchFilter, ...] = ()
    typed: str = ""
    like: tuple[PaperId, ...] = ()
    unlike: tuple[PaperId, ...] = ()

    @cached_property
    def query(self) -> str:
        """The whole request in the query language."""
        chosen = [one.fragment for one in self.filters]
        # After a long text, nothing is parsed as a condition any more.
        scope = sorted((chip.fragment for chip in self.scope), key=_is_long)
        return joined([likes(self.like, self.unlike), *chosen, *scope], self.typed)

    @cached_property
    def parsed(self) -> Query:
        """The parsed `query`. Raises BadQuery."""
        return parse(self.query)

    @property
    def ranked(self) -> bool:
        """Whether the results are ranked by relevance; True if the query cannot be parsed."""
        try:
            return self.parsed.is_ranked
        except BadQuery:
            return True

    def without(self, field: str) -> SearchRequest:
        """The request without the filter of this field."""
        return replace(self, filters=tuple(one for one in self.filters if one.field != field))

    @property
    def of_trash(self) -> bool:
        return any(chip.fragment == f"in:{TRASH}" for chip in self.scope)


def _is_long(fragment: str) -> bool:
    return len(fragment.split()) >= PASTED_WORDS // 2


@dataclass(frozen=True)
class ResultView:
    """A view of the page. With a `title` it is a list of papers from another page, of the `given`
    ones those that are still in the library; an `invalid` one has no results, since the query after
    `request` cannot be run."""

    listing: ResultList = EMPTY_RESULTS
    request: SearchRequest = SearchRequest()
    title: str = ""
    given: tuple[PaperId, ...] = ()
    invalid: bool = False

    @property
    def query(self) -> str:
        return self.request.query

    @property
    def scope(self) -> tuple[QueryChip, ...]:
        return self.request.scope

    @property
    def of_trash(self) -> bool:
        return self.request.of_trash and not self.title

    @property
    def what(self) -> tuple[SearchRequest, str]:
        """The request and the title, which identify the list whatever its results."""
        return self.request, self.title
