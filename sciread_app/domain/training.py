"""Training data: papers of the library, of files, or of a corpus."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class TrainingDataKind(enum.Enum):
    library = "library"
    collection = "collection"
    files = "files"
    corpus = "corpus"


class TrainingData(NamedTuple):
    """A set of papers to train on. `name` is the collection's path, the folder of the files, or the
    id of the corpus; empty for the library."""

    kind: TrainingDataKind = TrainingDataKind.library
    name: str = ""


LIBRARY = TrainingData()


@dataclass(frozen=True, kw_only=True)
class CorpusCounts:
    """Statistics of the library's papers that matter for training.

    `citations` are between two of them, `citing` counts those that cite such a paper; `about`: both
    are estimated from a sample. `venues` counts papers with an abstract: journal, year (0:
    unknown), whether they are known from PubMed alone, how many. `fields` counts papers by their
    first field.
    """

    papers: int = 0
    abstracts: int = 0
    citations: int = 0
    citing: int = 0
    about: bool = False
    venues: Sequence[tuple[str, int, bool, int]] = ()
    fields: Mapping[str, int] = field(default_factory=dict)
