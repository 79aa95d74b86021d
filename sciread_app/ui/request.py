"""What a list of papers answers to, and the list that came of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sciread_app.domain.conditions import TRASH
from sciread_app.domain.fragments import fragment, joined, likes
from sciread_app.domain.paper import PaperId
from sciread_app.domain.query import PASTED_WORDS, parse
from sciread_app.errors import BadQuery
from sciread_app.ui.papers import NOTHING
from sciread_app.ui.values import Listing


class Chip(NamedTuple):
    """A part of the query language that somebody chose, and what it is called on the page."""

    fragment: str
    label: str


class Filter(NamedTuple):
    """What was chosen by one filter: values of a field of the query language, any of which will
    do. A range of years is one value."""

    field: str
    values: tuple[str, ...]

    @property
    def fragment(self) -> str:
        if self.field == "year":
            return f"year:{self.values[0]}"
        return fragment(self.field, self.values)


@dataclass(frozen=True)
class Request:
    """All that stands on the page for a person to see and take away: what came from the sidebar,
    what was filtered, what was typed, and the examples that the list was steered by."""

    scope: tuple[Chip, ...] = ()
    filters: tuple[Filter, ...] = ()
    typed: str = ""
    like: tuple[PaperId, ...] = ()
    unlike: tuple[PaperId, ...] = ()

    @cached_property
    def query(self) -> str:
        """All of it in the query language."""
        return self.without("")

    def without(self, field: str) -> str:
        """The query as it would be without the filter of this field."""
        chosen = [one.fragment for one in self.filters if one.field != field]
        # Behind a long text nothing is a condition any more.
        scope = sorted((chip.fragment for chip in self.scope), key=_is_long)
        return joined([likes(self.like, self.unlike), *chosen, *scope], self.typed)

    @property
    def ranked(self) -> bool:
        """Whether there is something by which one paper is better than another."""
        try:
            query = parse(self.query)
        except BadQuery:
            return True
        return bool(query.terms or query.has_examples or query.identifier)

    @property
    def of_trash(self) -> bool:
        return any(chip.fragment == f"in:{TRASH}" for chip in self.scope)


def _is_long(fragment: str) -> bool:
    return len(fragment.split()) >= PASTED_WORDS // 2


@dataclass(frozen=True)
class View:
    """What the page shows. With a `crumb` these are papers that another page named."""

    listing: Listing = NOTHING
    request: Request = Request()
    crumb: str = ""

    @property
    def query(self) -> str:
        return self.request.query

    @property
    def scope(self) -> tuple[Chip, ...]:
        return self.request.scope

    @property
    def of_trash(self) -> bool:
        return self.request.of_trash and not self.crumb

    @property
    def what(self) -> tuple[Request, str]:
        """What was asked for, whatever came of it."""
        return self.request, self.crumb
