"""What two models are compared by."""

from __future__ import annotations

from dataclasses import dataclass

from sciread_app.domain.paper import PaperId


@dataclass(frozen=True, slots=True)
class Question:
    """What two models were asked: a query of the search box, or what is like a paper."""

    query: str = ""
    paper: PaperId | None = None
