"""Plain values that pages display, independent of the library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from sciread_app.domain.fetch import BOOLEAN, QueryField
from sciread_app.domain.metadata.paper_updates import UpdateKind
from sciread_app.domain.paper import Paper, PaperFile, PaperId, Skipped
from sciread_app.domain.search_hit import SearchHit

if TYPE_CHECKING:
    from sciread_app.services.ingest.importer import ImportReport
    from sciread_app.services.ingest.lookup.citation_fetcher import CitationFetchReport


class Moved(NamedTuple):
    """The rank change of a paper against another list: positive if it ranks higher here; None if
    the other list does not contain it."""

    places: int | None


@dataclass(frozen=True)
class ResultList:
    """A list of papers, best first, with the evidence for each.

    `total` is the number of all matches, of which `ids` may contain only the best. `weaker` are the
    nearest papers that do not match. `words` are highlighted in all their forms. `moves` are the
    rank changes, if two lists are compared. `remarks` are shown instead of the evidence.
    """

    ids: Sequence[int]
    total: int
    evidence: Mapping[int, SearchHit] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    note: str = ""
    weaker: Sequence[int] = ()
    moves: Mapping[int, Moved] = field(default_factory=dict)
    remarks: Mapping[int, str] = field(default_factory=dict)

    def with_weaker(self) -> ResultList:
        """A copy with the weaker papers appended to the others."""
        return replace(self, ids=[*self.ids, *self.weaker], weaker=())


EMPTY_RESULTS = ResultList((), 0)


@dataclass(frozen=True, slots=True)
class Card:
    """A paper and the status shown on its card."""

    paper: Paper
    read: bool = False
    tags: tuple[str, ...] = ()
    rating: int = 0  # stars, 1 to 5; 0: none
    retracted: str = ""  # "Retracted", "Withdrawn", or empty
    tag_colours: Mapping[str, str] = field(default_factory=dict)
    versions: int = 1  # of its work that are in the library
    citations: int = 0  # known ones


@dataclass(frozen=True, slots=True)
class PaperNote:
    """A note in Markdown. `changed` is in seconds since 1970."""

    id: int
    text: str
    changed: float = 0.0


class LookedUpText(NamedTuple):
    """A field that still has the value of a look-up, with the names of field and service."""

    field: str  # a key of FIELD_TITLES in domain.metadata.changes
    title: str
    source: str
    day: str


@dataclass(frozen=True)
class Details:
    """The contents of the details panel. `sentence` is the part of the abstract to emphasise.

    `whole` is False if only the data of a card are known. `drafts` are unsaved texts by the number
    of the note; `noticed` is the day on which an import reported that the paper was retracted or
    withdrawn.
    """

    card: Card
    collections: tuple[str, ...] = ()
    notes: tuple[PaperNote, ...] = ()
    drafts: Mapping[int, str] = field(default_factory=dict)
    files: tuple[PaperFile, ...] = ()
    added: str = ""
    noticed: str = ""
    trashed: bool = False
    whole: bool = False
    words: tuple[str, ...] = ()
    sentence: str = ""
    versions: tuple[tuple[PaperId, str], ...] = ()
    looked_up: tuple[LookedUpText, ...] = ()

    @property
    def paper(self) -> Paper:
        return self.card.paper


@dataclass(frozen=True, slots=True)
class SimilarPaper:
    """A paper similar to another, with the words that both share and the percentile."""

    paper: Paper
    words: tuple[str, ...] = ()
    percentile: float | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """The existing tags and collections."""

    tags: Sequence[str] = ()
    collections: Sequence[str] = ()


@dataclass(frozen=True)
class ImportSummary:
    """The outcome of an import: read = added + merged + failed.

    `remarks` are about records that were imported incompletely, `others` about files that were not
    read; `papers` are those added, if known. `folder` is that which was imported, if it is not
    watched; `files` is the number of files read, if known.
    """

    read: int
    added: int
    merged: int
    failures: Sequence[Skipped]
    remarks: Sequence[Skipped] = ()
    seconds: float = 0.0
    stopped: bool = False
    others: Sequence[Skipped] = ()
    papers: Sequence[PaperId] = ()
    folder: Path | None = None
    files: int = 0

    @classmethod
    def of(cls, report: ImportReport) -> ImportSummary:
        return cls(
            report.read,
            report.added,
            report.merged,
            report.skips,
            report.remarks,
            report.seconds,
            report.stopped,
            report.unread,
            report.new,
            files=report.files,
        )

    @property
    def failed(self) -> int:
        return len(self.failures)

    @property
    def listed(self) -> list[Skipped]:
        """All entries of the report."""
        return [*self.failures, *self.remarks, *self.others]


@dataclass(frozen=True)
class Status:
    """The numbers in the status bar. Without `by_meaning` the number of vectors is unknown."""

    papers: int
    without_vector: int = 0
    by_meaning: bool = False


@dataclass(frozen=True)
class SourceForm:
    """The query form of a source."""

    key: str
    title: str
    help: str
    fields: tuple[QueryField, ...] = ()
    operators: tuple[str, ...] = BOOLEAN


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a paper of the library."""

    paper: PaperId
    title: str
    what: UpdateKind
    detail: str = ""


@dataclass(frozen=True)
class FetchResults:
    """The results of one run of a fetch. `remark`: why there are none, if known."""

    title: str
    summary: ImportSummary
    added: Sequence[PaperId] = ()
    changes: Sequence[Change] = ()
    remark: str = ""


@dataclass(frozen=True)
class CitationReport:
    """The results of fetching citations in sentences, with failures and remarks by paper."""

    lines: Sequence[str]
    failures: Sequence[Skipped] = ()
    remarks: Sequence[Skipped] = ()

    @classmethod
    def of(cls, fetched: CitationFetchReport, lines: Sequence[str] = ()) -> CitationReport:
        """The failures and remarks of a fetch, with these lines."""
        return cls(lines, fetched.failed, [_remark(text) for text in fetched.remarks])

    @property
    def summary(self) -> ImportSummary:
        """The failures and remarks as a report."""
        return ImportSummary(len(self.failures), 0, 0, self.failures, self.remarks)


def _remark(text: str) -> Skipped:
    """A remark on one paper, whose identifier precedes the colon (doi:10.1/x), or on several."""
    paper, colon, why = text.partition(": ")
    return Skipped("", paper, why) if colon and " " not in paper else Skipped("", "", text)


class PaletteTarget(NamedTuple):
    """A named part of the library; `query` finds its papers."""

    kind: Literal["Collection", "Tag", "Saved search"]
    name: str
    query: str
