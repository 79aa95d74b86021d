"""Values for tests: pass only what the test is about."""

from __future__ import annotations

from typing import Any

from sciread_app.domain.metadata.identifiers import identifiers
from sciread_app.domain.paper import Author, Paper


def paper(title: str = "On Something", **values: Any) -> Paper:
    """A paper. `authors` may be "Curie, Marie; Joliot"; doi=, arxiv=, pmid=... are identifiers."""
    names = values.pop("authors", ())
    if isinstance(names, str):
        names = tuple(_author(name) for name in names.split(";") if name.strip())
    kinds = ("doi", "arxiv", "pmid", "pmcid", "isbn", "citekey")
    named = identifiers(*((kind, values.pop(kind)) for kind in kinds if kind in values))
    return Paper(
        title=title, authors=names, identifiers=(*values.pop("identifiers", ()), *named), **values
    )


def _author(name: str) -> Author:
    family, _, given = name.partition(",")
    return Author(family.strip(), given.strip())
