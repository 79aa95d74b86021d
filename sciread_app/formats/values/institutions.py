"""Universities and types of theses and institutions of reports, as CSL and RIS have them."""

from __future__ import annotations

from collections.abc import Mapping

from sciread_app.domain.paper import Paper

# The BibTeX field for the issuer of this item type.
_FIELD = {"thesis": "school", "report": "institution"}
_FIELDS = ("school", "institution", "publisher")

# Types of theses that BibTeX expresses by the entry type.
_THESES = {"phdthesis": "PhD thesis", "mastersthesis": "Master's thesis"}


def as_publisher(kind: str, extra: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The publisher of a paper in the sense of CSL and RIS.

    Also returns the fields of `extra` that `from_publisher` could not restore from it, which must
    be written under their own names as well.
    """
    usual = _FIELD.get(kind)
    if usual is None:
        return extra.get("publisher", ""), {}
    given = {name: extra[name] for name in (usual, *_FIELDS) if extra.get(name)}
    publisher = next(iter(given.values()), "")
    return publisher, {} if list(given) == [usual] else given


def from_publisher(kind: str, publisher: str, extra: Mapping[str, str]) -> dict[str, str]:
    """The field that a publisher belongs in; none if a field of `extra` already repeats it."""
    if kind in _FIELD and publisher in (extra.get(name) for name in _FIELDS):
        return {}
    return {_FIELD.get(kind, "publisher"): publisher} if publisher else {}


def is_institution(kind: str, name: str) -> bool:
    """Whether a field of this name is written as the publisher of a paper of this kind."""
    return name == "publisher" or (kind in _FIELD and name in _FIELDS)


def thesis_type(paper: Paper) -> str:
    """The type of thesis given by a BibTeX entry type; empty for all other papers."""
    if paper.kind != "thesis" or paper.extra.get("type"):
        return ""
    # The reader drops the usual entry type of a thesis.
    usual = "phdthesis" if paper.source == "bibtex" else ""
    return _THESES.get(paper.extra.get("entrytype", usual), "")
