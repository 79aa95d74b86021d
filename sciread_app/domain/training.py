"""What a model can be taught with: papers of the library, or of elsewhere."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Kind(enum.Enum):
    library = "library"
    collection = "collection"
    files = "files"
    corpus = "corpus"


class Data(NamedTuple):
    """Papers to learn from. `name` says which: the collection's path, the folder of the files, or
    the corpus's id; of the library there is but one."""

    kind: Kind = Kind.library
    name: str = ""


LIBRARY = Data()


@dataclass(frozen=True, kw_only=True)
class Stock:
    """What papers of the library hold of what is learned from.

    `citations` are between two of them, `citing` those that cite such a one; `about` says that both
    are estimated from a part. `venues` counts papers with an abstract: journal, year (0: unknown),
    whether they are known from PubMed alone, how many. `fields` counts papers by their first field.
    """

    papers: int = 0
    abstracts: int = 0
    citations: int = 0
    citing: int = 0
    about: bool = False
    venues: Sequence[tuple[str, int, bool, int]] = ()
    fields: Mapping[str, int] = field(default_factory=dict)
