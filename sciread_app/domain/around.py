"""Papers beside another one: what it cites, and what cites it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from sciread_app.domain.citations import Mention
from sciread_app.domain.paper import Identifier, Paper, PaperId


class Side(enum.Enum):
    references = "references"  # what the paper cites
    citing = "citing"  # what cites it


@dataclass(frozen=True, slots=True)
class Nearby:
    """A paper beside another. `paper` is None where it is not in the library; then `mention` says
    what it is called, if that is known."""

    name: Identifier
    paper: Paper | None = None
    mention: Mention | None = None


@dataclass(frozen=True, slots=True)
class Ring:
    """The papers on one side, those of the library first. `asked`: when a source was asked last,
    in seconds since 1970; None: never. `askable`: it has a name that a source knows."""

    nearby: tuple[Nearby, ...]
    held: tuple[PaperId, ...]  # all that are in the library
    total: int
    untitled: int  # of those shown, how many are known by their name alone
    asked: float | None
    askable: bool
