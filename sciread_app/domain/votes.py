"""Questions for comparing two models."""

from __future__ import annotations

from dataclasses import dataclass

from sciread_app.domain.paper import PaperId


@dataclass(frozen=True, slots=True)
class Question:
    """The input of a comparison of two models: a query, or a paper for which to find similar
    ones."""

    query: str = ""
    paper: PaperId | None = None
