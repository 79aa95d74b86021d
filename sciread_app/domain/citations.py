"""Citations between papers: replies of sources, stored links, and lists of linked papers."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sciread_app.domain.paper import Identifier, Paper, PaperId

# Identifier kinds by which citations are stored, the most informative first.
NAMES = ("doi", "arxiv", "pmid", "pmcid")

# New citations keep appearing: after so many seconds the source is queried again.
STALE = 90 * 86_400

Names = tuple[Identifier, ...]  # of one paper; never empty


class CitationResponse(NamedTuple):
    """The reply of a source about one paper."""

    identifier: Identifier
    known: bool = True
    cites: Sequence[Names] = ()
    cited_by: Sequence[Names] = ()
    nameless: int = 0  # citing or cited papers without any identifier in NAMES
    withheld: bool = False  # the publisher does not allow the source to share the references
    remark: str = ""  # what is missing, and why
    problem: str = ""  # why there is no response for this paper; the request may be repeated


class CitationEnd(NamedTuple):
    """The paper at the other end of a citation."""

    identifier: Identifier
    paper: PaperId | None  # None if not in the library


class Mention(NamedTuple):
    """The bibliographic data known of a paper that is not in the library."""

    name: Identifier
    title: str
    authors: str = ""  # as displayed: "A. Vaswani and 7 more"
    venue: str = ""
    year: str = ""


class MissingPaper(NamedTuple):
    """A paper that is not in the library, and how many papers of the library cite it."""

    name: Identifier
    citing: int
    mention: Mention | None = None  # None if its title is not known


class Counts(NamedTuple):
    references: int
    citations: int


class CitationDirection(enum.Enum):
    references = "references"  # papers cited by the paper
    citing = "citing"  # papers citing it


@dataclass(frozen=True, slots=True)
class LinkedPaper:
    """A paper linked to another. `paper` is None if it is not in the library; then `mention` holds
    its title, if known."""

    name: Identifier
    paper: Paper | None = None
    mention: Mention | None = None


@dataclass(frozen=True, slots=True)
class CitationList:
    """The linked papers in one direction, those of the library first.

    `fetched_at` is the time of the last request to a source, in seconds since 1970, None if never.
    `askable`: the paper has an identifier that a source knows.
    """

    nearby: tuple[LinkedPaper, ...]
    held: tuple[PaperId, ...]  # all those in the library
    total: int
    untitled: int  # how many of those shown are known by identifier only
    fetched_at: float | None
    askable: bool
