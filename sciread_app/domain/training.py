"""Training data: papers of the library, of files, or of a corpus."""

from __future__ import annotations

import enum
from typing import NamedTuple


class TrainingDataKind(enum.Enum):
    library = "library"
    collection = "collection"
    files = "files"
    corpus = "corpus"


class TrainingData(NamedTuple):
    """A set of papers to train on. `name` is the collection's path, the folder of the files, or the
    id of the corpus; empty for the library. `full_text`: the text of their PDFs is used as well, or
    that in files."""

    kind: TrainingDataKind = TrainingDataKind.library
    name: str = ""
    full_text: bool = False


LIBRARY = TrainingData()
