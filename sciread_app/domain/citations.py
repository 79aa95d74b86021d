"""Who cites whom: what a source answers, and what the library knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sciread_app.domain.paper import Identifier, PaperId

# The names that a citation is remembered by. Of several, the first says most.
NAMES = ("doi", "arxiv", "pmid", "pmcid")

# Papers are cited on and on: after so many seconds a source is asked for them again.
STALE = 90 * 86_400

Names = tuple[Identifier, ...]  # of one paper; never empty


class Answer(NamedTuple):
    """What a source says of one paper that it was asked about."""

    asked: Identifier
    known: bool = True
    cites: Sequence[Names] = ()
    cited_by: Sequence[Names] = ()
    nameless: int = 0  # papers that cite it, or that it cites, without any of NAMES
    withheld: bool = False  # the publisher does not let the source give out what the paper cites
    remark: str = ""  # what is missing and why
    problem: str = ""  # why there is no answer for this paper; it may be asked again


class Neighbour(NamedTuple):
    """A paper at the other end of a citation."""

    identifier: Identifier
    paper: PaperId | None  # None: it is not in the library


class Mention(NamedTuple):
    """What is known of a paper that is not in the library, but for its name."""

    name: Identifier
    title: str
    authors: str = ""  # as they are read: "A. Vaswani and 7 more"
    venue: str = ""
    year: str = ""


class Counts(NamedTuple):
    references: int
    citations: int
