"""What has become of a paper since it was read last."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from sciread_app.domain.paper import Paper, PaperId
from sciread_app.language import tr


class What(StrEnum):
    added = "added"
    version = "new version"
    published = "now published"
    corrected = "corrected"
    withdrawn = "withdrawn"
    retracted = "retracted"


class News(NamedTuple):
    paper: PaperId
    what: What
    detail: str = ""  # "v3", "in Nature"


def retracted(paper: Paper) -> bool:
    """Whether PubMed says so: by a type of publication, or by a notice that it links to."""
    types = paper.extra.get("publication_types", "")
    return "Retracted Publication" in types or "retraction_in" in paper.extra


def taken_back(paper: Paper) -> str:
    """The mark of a paper that its journal or its authors no longer stand by; empty: they do."""
    if retracted(paper):
        return tr("Retracted")
    return tr("Withdrawn") if paper.extra.get("withdrawn") else ""


def news(before: Paper, after: Paper) -> Iterator[tuple[What, str]]:
    """What `after`, a newer state of a paper, says that `before` did not."""
    if version(after) > version(before) > 0:
        yield What.version, f"v{version(after)}"
    if _is_published(after) and not _is_published(before):
        yield What.published, published_where(after)
    if "erratum_in" in after.extra and "erratum_in" not in before.extra:
        yield What.corrected, f"PubMed {after.extra['erratum_in']}"
    if "withdrawn" in after.extra and "withdrawn" not in before.extra:
        yield What.withdrawn, after.extra["withdrawn"]
    if retracted(after) and not retracted(before):
        notice = after.extra.get("retraction_in", "")
        yield What.retracted, f"PubMed {notice}" if notice else ""


def version(paper: Paper) -> int:
    """The number that its source gives to this state of the paper; 0 where there is none."""
    number = paper.extra.get("version", "0")
    return int(number) if number.isdecimal() else 0


def published_where(paper: Paper) -> str:
    place = paper.extra.get("journal_ref") or paper.venue
    doi = paper.identifier("doi")
    return ", ".join(filter(None, (f"in {place}" if place else "", f"doi {doi}" if doi else "")))


def _is_published(paper: Paper) -> bool:
    """Whether a preprint names the place where it has come out."""
    return bool(paper.venue or paper.identifier("doi"))
