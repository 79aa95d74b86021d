"""The corpus: a frozen folder of papers to train on, memory-mapped column by column.

corpus.json describes the inputs and lists the columns' files with their hashes. A file's extension
is the type of its numbers: years.int16 has one per paper, titles.utf8.uint8 is all titles
concatenated, titles.starts.int64 the offset of each; cites.int32 and cites.starts.int64 are lists
of rows. tokens/ is a cache of word pieces, problems.jsonl a log of unreadable entries.
"""

from __future__ import annotations

import bisect
import enum
import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.contract.corpus_stats import DEFAULT_SPLIT, CorpusStats, VenueYear
from trainer.contract.errors import TrainerError
from trainer.contract.files import sha256_of
from trainer.data.corpus.columns import Csr, TextColumn, numbers
from trainer.data.corpus.records import one_line

FORMAT = 1
DESCRIPTION = "corpus.json"
_TEXTS = (
    "ids",
    "titles",
    "abstracts",
    "questions",
    "venue_names",
    "field_names",
    "label_names",
)
_LISTS = ("fields", "labels", "cites", "second_hand")
_NUMBERS = ("years.int16", "venues.int32", "split.uint8", "question_papers.int32")
COLUMNS = frozenset(
    (
        *(f"{name}.{end}" for name in _TEXTS for end in ("starts.int64", "utf8.uint8")),
        *(f"{name}.{end}" for name in _LISTS for end in ("starts.int64", "int32")),
        *_NUMBERS,
    )
)
# Only if an input gives triplets.
TRIPLES = "triples.int32"
# Only if an input gives full texts: all of these.
FULL_TEXT = frozenset(
    (
        *(
            f"{name}.{end}"
            for name in ("passages", "passage_questions")
            for end in ("starts.int64", "utf8.uint8")
        ),
        "passage_papers.int32",
        "question_passages.int32",
    )
)
_WITH_FULL_TEXT = COLUMNS | FULL_TEXT


class Split(enum.IntEnum):
    """The parts of a corpus: training, validation and test. A paper's part depends on its id alone,
    for every method alike, unless the corpus was made otherwise (trainer.data.corpus.split)."""

    train = 0
    validation = 1
    test = 2


# In the order of Split: DEFAULT_SPLIT.
SHARES = (0.85, 0.05, 0.10)


def split_of(paper_id: str, shares: tuple[float, float, float] = SHARES) -> Split:
    """Assign a part by a hash of the id, so that it does not depend on the other papers."""
    digest = hashlib.sha256(paper_id.encode("utf-8", "replace")).digest()
    place = int.from_bytes(digest[:8], "big") / 2**64
    if place < shares[0]:
        return Split.train
    # Without test papers, rounding errors must not leave any over.
    if place < shares[0] + shares[1] or not shares[2]:
        return Split.validation if shares[1] else Split.train
    return Split.test


class Corpus:
    """Papers by row, in the order of their ids. `Corpus.open` reads one.

    `years` int16 [papers]: 0 if unknown. `venues` int32 [papers]: index into `venue_names`, -1 if
    unknown. `fields` lists indices into `field_names` for each paper, its primary one first;
    `primary` int32 [papers] is that one, or -1. `labels` lists indices into `label_names` (MeSH
    terms, for example). `cites` lists the rows that a row cites, ascending, without itself, across
    the split too (trainer.data.corpus.citation_graph.within restricts it to a part). `second_hand`
    lists the citations of cited papers that the paper does not cite, for inputs that give them
    (SPECTER's counts); mostly empty. `questions` are texts that papers answer, `question_papers`
    int32 their rows. `triples` int32 [n, 3] are the rows of a query, a positive and a negative, if
    an input gives them; else empty. `passages` are pieces of full texts in the order of the papers,
    `passage_papers` int32 their rows, ascending; test papers have none. `passage_questions` are
    questions taken out of passages, and `question_passages` int32 the index of the passage of each,
    ascending. All four are empty if no input gives full texts. `split` uint8 [papers] holds values
    of Split, and `split_by` describes the rule. `counts` are the numbers read, kept and dropped.
    """

    def __init__(self, folder: Path, described: Mapping[str, Any]) -> None:
        self.folder = folder
        self.papers: int = described["papers"]
        self.sha256: str = described["sha256"]
        self.split_by: str = str(described.get("split_by", DEFAULT_SPLIT))
        self.counts: dict[str, Any] = described["counts"]
        self.excluded_venues: tuple[str, ...] = tuple(described["excluded_venues"])
        self._files: dict[str, dict[str, Any]] = described["files"]
        self.ids, self.titles, self.abstracts, self.questions, *names = (
            TextColumn(folder, name) for name in _TEXTS
        )
        self.venue_names, self.field_names, self.label_names = map(tuple, names)
        self.fields, self.labels, self.cites, self.second_hand = (
            Csr.open(folder, name) for name in _LISTS
        )
        self.years: NDArray[np.int16]
        self.venues: NDArray[np.int32]
        self.split: NDArray[np.uint8]
        self.question_papers: NDArray[np.int32]
        self.years, self.venues, self.split, self.question_papers = (
            numbers(folder / name) for name in _NUMBERS
        )
        given = numbers(folder / TRIPLES) if TRIPLES in self._files else np.empty(0, np.int32)
        self.triples: NDArray[np.int32] = given.reshape(-1, 3)
        self.passages = self.passage_questions = TextColumn.empty()
        self.passage_papers: NDArray[np.int32] = np.empty(0, np.int32)
        self.question_passages: NDArray[np.int32] = np.empty(0, np.int32)
        if self._files.keys() >= FULL_TEXT:
            self.passages = TextColumn(folder, "passages")
            self.passage_papers = numbers(folder / "passage_papers.int32")
            self.passage_questions = TextColumn(folder, "passage_questions")
            self.question_passages = numbers(folder / "question_passages.int32")
        self.primary = np.full(len(self.fields), -1, np.int32)
        some = self.fields.counts > 0
        self.primary[some] = self.fields.indices[self.fields.indptr[:-1][some]]

    @classmethod
    def open(cls, folder: Path, *, verify: bool = True) -> Corpus:
        """Read and check a corpus. Raises TrainerError.

        `verify` compares every file with its hash, about a second per gigabyte; sizes are always
        checked.
        """
        described = _described(folder)
        try:
            _check_sizes(folder, described["files"])
            if verify:
                _check_hashes(folder, described["files"])
            corpus = cls(folder, described)
            corpus._check_shape()
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise TrainerError(
                f"The files of the corpus {folder} are inconsistent.", _AGAIN
            ) from error
        return corpus

    def check(self) -> None:
        """Raise TrainerError if a file has vanished or changed its size since. Cheap enough for
        each step."""
        _check_sizes(self.folder, self._files)

    def _check_shape(self) -> None:
        """Raise ValueError if columns have a wrong number of rows."""
        of_papers = (self.ids, self.titles, self.abstracts, self.fields, self.labels, self.cites)
        for column in (*of_papers, self.second_hand, self.years, self.venues, self.split):
            _check(len(column) == self.papers)
        _check(len(self.questions) == len(self.question_papers))
        _check(len(self.passages) == len(self.passage_papers))
        _check(len(self.passage_questions) == len(self.question_passages))
        for texts in (self.ids, self.titles, self.abstracts, self.questions, self.passages,
                      self.passage_questions):  # fmt: skip
            _check(_fits(texts.starts, len(texts.utf8)))
        for lists, most in (
            (self.fields, len(self.field_names)),
            (self.labels, len(self.label_names)),
            (self.cites, self.papers),
            (self.second_hand, self.papers),
        ):
            _check(_fits(lists.indptr, len(lists.indices)) and _below(lists.indices, most))
        _check(_below(self.triples, self.papers))
        _check(_below(self.venues + 1, len(self.venue_names) + 1))
        _check(_below(self.question_papers, self.papers) and _below(self.split, len(Split)))
        for places, most in (
            (self.passage_papers, self.papers),
            (self.question_passages, len(self.passages)),
        ):
            _check(_below(places, most) and bool((places[1:] >= places[:-1]).all()))

    def id(self, row: int) -> str:
        return self.ids[row]

    def title(self, row: int) -> str:
        return self.titles[row]

    def abstract(self, row: int) -> str:
        return self.abstracts[row]

    def row(self, paper_id: str) -> int | None:
        """Return the row of the paper with this id, if there is one."""
        requested = paper_id.encode("utf-8", "replace")
        row = bisect.bisect_left(range(self.papers), requested, key=self.ids.bytes)
        return row if row < self.papers and self.ids.bytes(row) == requested else None

    def from_pubmed(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of these rows are papers of PubMed, recognized by their ids."""
        # Rows are in the order of their ids.
        first, last = (
            bisect.bisect_left(range(self.papers), end, key=self.ids.bytes)
            for end in (b"pmid:", b"pmid:\xff")
        )
        return (rows >= first) & (rows < last)

    def passages_of(
        self, rows: NDArray[np.integer[Any]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first passage of each of these papers, and the one after its last."""
        papers = self.passage_papers
        return np.searchsorted(papers, rows), np.searchsorted(papers, rows, side="right")

    def rows(self, split: Split) -> NDArray[np.int64]:
        """Return the rows of one part of the split, ascending."""
        return np.flatnonzero(self.split == split)


def count_training_data(corpus: Corpus) -> CorpusStats:
    """Return the counts over all parts of the split."""
    readable = corpus.abstracts.lengths > 0
    counts = corpus.cites.counts
    codes, papers = np.unique(corpus.primary[corpus.primary >= 0], return_counts=True)
    return CorpusStats(
        papers=corpus.papers,
        abstracts=int(np.count_nonzero(readable)),
        citations=int(counts.sum()),
        citing=int(np.count_nonzero(counts)),
        questions=len(corpus.questions),
        full_texts=len(np.unique(corpus.passage_papers)),
        passage_questions=len(corpus.passage_questions),
        venues=_venue_years(corpus, np.flatnonzero(readable & (corpus.venues >= 0))),
        fields={corpus.field_names[code]: int(n) for code, n in zip(codes, papers, strict=True)},
    )


def _venue_years(corpus: Corpus, rows: NDArray[np.int64]) -> list[VenueYear]:
    pubmed = corpus.from_pubmed(rows)
    keys = np.stack([corpus.venues[rows], corpus.years[rows], pubmed], axis=1)
    kinds, papers = np.unique(keys, axis=0, return_counts=True)
    return [
        VenueYear(corpus.venue_names[venue], int(year), bool(by_pubmed), int(count))
        for (venue, year, by_pubmed), count in zip(kinds.tolist(), papers, strict=True)
    ]


def _check(right: bool) -> None:
    if not right:
        raise ValueError


def _fits(starts: NDArray[np.int64], end: int) -> bool:
    return starts[0] == 0 and starts[-1] == end and bool((starts[1:] >= starts[:-1]).all())


def _below(values: NDArray[Any], end: int) -> bool:
    return not len(values) or (values.min() >= 0 and values.max() < end)


def _described(folder: Path) -> dict[str, Any]:
    path = folder / DESCRIPTION
    try:
        described = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TrainerError(
            f"{folder} is not a corpus: its {path.name} could not be read ({error.strerror}).",
            "Create a corpus with: sciread-trainer prepare FILES --output DIR",
        ) from error
    except (ValueError, RecursionError) as error:
        raise TrainerError(f"{path} is damaged: {error}.", _AGAIN) from error
    if not isinstance(described, dict) or described.get("format") != FORMAT:
        found = described.get("format") if isinstance(described, dict) else None
        raise TrainerError(
            f"The corpus {folder} has format {found!r}, not {FORMAT}.",
            "Update SciRead, or prepare the corpus again with this version.",
        )
    files = described.get("files")
    if not isinstance(files, dict) or files.keys() - {TRIPLES} not in (COLUMNS, _WITH_FULL_TEXT):
        raise TrainerError(f"{path} does not list all files of the corpus.", _AGAIN)
    return described


_AGAIN = "Copy the corpus again, or create it again with: sciread-trainer prepare"


def _check_sizes(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
    for name, file in files.items():
        try:
            size = (folder / name).stat().st_size
        except OSError as error:
            raise TrainerError(f"The corpus {folder} lacks the file {name}.", _AGAIN) from error
        if size != file["bytes"]:
            raise TrainerError(
                f"The file {name} of the corpus {folder} has {size:,} bytes instead of "
                f"{file['bytes']:,}.",
                _AGAIN,
            )


def _check_hashes(folder: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
    for name, file in files.items():
        if sha256_of(folder / name) != file["sha256"]:
            raise TrainerError(f"The file {name} of the corpus {folder} is damaged.", _AGAIN)


class MatchedVenues(NamedTuple):
    """Indices of the matching names; and the requested names without a match."""

    meant: NDArray[np.bool_]
    unknown: list[str]


def find_venues(requested: Collection[str], names: Sequence[str]) -> MatchedVenues:
    """Find the requested names among `names`, ignoring case and white space."""
    keys = [_plain(name) for name in names]
    known, asked = set(keys), {_plain(name) for name in requested}
    meant = np.fromiter((key in asked for key in keys), bool, len(keys))
    return MatchedVenues(meant, sorted(name for name in requested if _plain(name) not in known))


def _plain(name: str) -> str:
    return one_line(name).casefold()
