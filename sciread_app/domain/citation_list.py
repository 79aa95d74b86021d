"""Papers linked to another by citations: its references and the papers citing it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from sciread_app.domain.citations import Mention
from sciread_app.domain.paper import Identifier, Paper, PaperId


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

    `asked` is the time of the last request to a source, in seconds since 1970, None if never.
    `askable`: the paper has an identifier that a source knows.
    """

    nearby: tuple[LinkedPaper, ...]
    held: tuple[PaperId, ...]  # all those in the library
    total: int
    untitled: int  # how many of those shown are known by identifier only
    asked: float | None
    askable: bool
