"""Changes of a paper since it was last read: publication, new versions, retraction."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from sciread_app.domain.paper import Paper, PaperId
from sciread_app.language import tr

RETRACTED = "Retracted Publication"  # a publication type of PubMed


class UpdateKind(StrEnum):
    added = "added"
    version = "new version"
    published = "now published"
    corrected = "corrected"
    withdrawn = "withdrawn"
    retracted = "retracted"


class PaperUpdate(NamedTuple):
    paper: PaperId
    what: UpdateKind
    detail: str = ""  # "v3", "in Nature"


def retracted(paper: Paper) -> bool:
    """Whether its source marks it as retracted: by a publication type, or by a linked notice."""
    types = paper.extra.get("publication_types", "")
    return RETRACTED in types or "retraction_in" in paper.extra


def retraction_status(paper: Paper) -> str:
    """The mark of a paper retracted by its journal or withdrawn by its authors; empty if
    neither."""
    if retracted(paper):
        return tr("Retracted")
    return tr("Withdrawn") if paper.extra.get("withdrawn") else ""


def news(before: Paper, after: Paper) -> Iterator[tuple[UpdateKind, str]]:
    """The updates in `after`, a newer state of the paper `before`."""
    if version(after) > version(before) > 0:
        yield UpdateKind.version, f"v{version(after)}"
    if _is_published(after) and not _is_published(before):
        yield UpdateKind.published, published_where(after)
    if "erratum_in" in after.extra and "erratum_in" not in before.extra:
        yield UpdateKind.corrected, _notice(after.extra["erratum_in"])
    if "withdrawn" in after.extra and "withdrawn" not in before.extra:
        yield UpdateKind.withdrawn, after.extra["withdrawn"]
    if retracted(after) and not retracted(before):
        yield UpdateKind.retracted, _notice(after.extra.get("retraction_in", ""))


def version(paper: Paper) -> int:
    """The version number given by its source; 0 where there is none."""
    number = paper.extra.get("version", "0")
    return int(number) if number.isdecimal() and len(number) < 10 else 0


def published_where(paper: Paper) -> str:
    place = paper.extra.get("journal_ref") or paper.venue
    doi = paper.identifier("doi")
    return ", ".join(filter(None, (f"in {place}" if place else "", f"doi {doi}" if doi else "")))


def _notice(name: str) -> str:
    """A notice with the service that names it: by a DOI, or as PubMed does."""
    if name.startswith("10."):
        return f"doi {name}"
    return f"PubMed {name}" if name else ""


def _is_published(paper: Paper) -> bool:
    """Whether a preprint names the place where it was published."""
    return bool(paper.venue or paper.identifier("doi"))
