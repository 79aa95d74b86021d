"""Plain values that pages display, independent of the library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from sciread_app.domain.fetch import QueryField
from sciread_app.domain.paper import Paper, PaperFile, PaperId, Skipped
from sciread_app.domain.paper_updates import UpdateKind


class Moved(NamedTuple):
    """Where a paper stands, compared with another list: so many places further up, or down where
    less than 0; None where the other has it not."""

    places: int | None


@dataclass(frozen=True, slots=True)
class MatchReasons:
    """Why a paper stands in a list. A rank counts from 1; None where that leg did not find it.

    `percentile`: how many of 100 random pairs of this library's papers are less alike; None where
    that says nothing. `in_title`: all words of the query stand in the title, in order. `weak`: it
    is no answer, only one of the nearest papers. `moved`: where two lists are compared.
    """

    text_rank: int | None = None
    meaning_rank: int | None = None
    similarity: float | None = None
    percentile: float | None = None
    moved: Moved | None = None
    why: str = ""  # said in place of the above
    all_words: bool = False
    in_title: bool = False
    weak: bool = False


@dataclass(frozen=True)
class ResultList:
    """A list of papers, best first, with what is known about why each is there.

    `total` counts all that would fit, where `ids` holds but the best. `weaker` are the nearest
    papers besides those, which do not fit. `words` are to be marked wherever they stand, in all
    their forms.
    """

    ids: Sequence[int]
    total: int
    evidence: Mapping[int, MatchReasons] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    note: str = ""
    weaker: Sequence[int] = ()

    def with_weaker(self) -> ResultList:
        """The same, with the weaker ones behind the others."""
        return replace(self, ids=[*self.ids, *self.weaker], weaker=())


EMPTY_RESULTS = ResultList((), 0)


@dataclass(frozen=True)
class DocumentQuery:
    """What files or a pasted entry are about: papers of the library, and a text. `title` is that
    of the first."""

    title: str
    known: tuple[PaperId, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A paper and the marks that its card carries."""

    paper: Paper
    read: bool = False
    tags: tuple[str, ...] = ()
    rating: int = 0  # stars, 1 to 5; 0: none
    retracted: str = ""  # "Retracted", "Withdrawn", or nothing
    tag_colours: Mapping[str, str] = field(default_factory=dict)
    versions: int = 1  # of its work that are in the library


@dataclass(frozen=True, slots=True)
class PaperNote:
    """In Markdown. `changed` is in seconds since 1970."""

    id: int
    text: str
    changed: float = 0.0


@dataclass(frozen=True)
class Details:
    """All that the details panel says of one paper. `sentence` is a part of the abstract.

    `whole` is False where no more is known than what a card says. `drafts` are what was typed and
    not saved, by the number of the note; `noticed` is the day on which an import brought the news
    that the paper was retracted or withdrawn.
    """

    paper: Paper
    read: bool = False
    rating: int = 0
    tags: tuple[str, ...] = ()
    tag_colours: Mapping[str, str] = field(default_factory=dict)
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


@dataclass(frozen=True, slots=True)
class SimilarPaper:
    """A paper that is like another, and the words and the closeness that say why."""

    paper: Paper
    words: tuple[str, ...] = ()
    percentile: float | None = None


@dataclass(frozen=True, slots=True)
class Names:
    """What there is to choose from when a paper is tagged or collected."""

    tags: Sequence[str] = ()
    collections: Sequence[str] = ()


@dataclass(frozen=True)
class ImportSummary:
    """What became of every record of an import: read = added + merged + failed.

    `remarks` are about records that were taken in, but not as whole as one would wish, `others`
    about files that were not tried.
    """

    read: int
    added: int
    merged: int
    failures: Sequence[Skipped]
    remarks: Sequence[Skipped] = ()
    seconds: float = 0.0
    stopped: bool = False
    others: Sequence[Skipped] = ()

    @property
    def failed(self) -> int:
        return len(self.failures)

    @property
    def listed(self) -> list[Skipped]:
        """All that there is something to say about."""
        return [*self.failures, *self.remarks, *self.others]


@dataclass(frozen=True)
class Status:
    """The line at the foot of the window. Without `by_meaning` nothing is known of vectors."""

    papers: int
    without_vector: int = 0
    by_meaning: bool = False


@dataclass(frozen=True)
class SourceForm:
    """What a source offers to whoever writes a query for it."""

    key: str
    title: str
    help: str
    fields: tuple[QueryField, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """What has become of a paper that was in the library."""

    paper: PaperId
    title: str
    what: UpdateKind
    detail: str = ""


@dataclass(frozen=True)
class FetchResults:
    """What one run of a fetch has brought. `remark`: why there was nothing, if that is known."""

    title: str
    ledger: ImportSummary
    added: Sequence[PaperId] = ()
    changes: Sequence[Change] = ()
    remark: str = ""


@dataclass(frozen=True, slots=True)
class PastImport:
    """A line in the history of imports from files. `finished` is None for one that was cut off."""

    id: int
    what: str
    started: float
    finished: float | None
    read: int
    added: int
    merged: int
    failed: int


@dataclass(frozen=True)
class CitationReport:
    """What was heard of citations, in sentences, and of which papers there is more to say."""

    lines: Sequence[str]
    failures: Sequence[Skipped] = ()
    remarks: Sequence[Skipped] = ()


class PaletteTarget(NamedTuple):
    """A part of the library with a name; `query` asks for its papers."""

    kind: Literal["Collection", "Tag", "Saved search"]
    name: str
    query: str
