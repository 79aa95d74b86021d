"""Rules for splitting papers into training, validation and test."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trainer.contract.corpus_stats import DEFAULT_SPLIT
from trainer.contract.errors import TrainerError
from trainer.contract.files import UNREADABLE, numbered_lines
from trainer.data.corpus.columns import TextColumn
from trainer.data.corpus.corpus import SHARES, Split, split_of
from trainer.data.corpus.records import clean_id
from trainer.data.inputs.source import Source, unreadable_reason

_ALL = "100/0/0"
_NAMED = "named"


@dataclass(frozen=True)
class SplitRule:
    """Assignment of papers to parts.

    `shares`, in the order of Split, are applied to a hash of the papers' ids. `named` lists the ids
    of papers that form a part by themselves; other papers with a hash in that part are for
    training.
    """

    shares: tuple[float, float, float] = SHARES
    named: Mapping[Split, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, shares: str = DEFAULT_SPLIT, validation: Path | None = None, test: Path | None = None
    ) -> SplitRule:
        """Parse a rule, "85/5/10" or "all"; `validation` and `test` are files of ids, one per line.
        Raises TrainerError."""
        files = {Split.validation: validation, Split.test: test}
        named = {part: frozenset(_ids(path)) for part, path in files.items() if path}
        if twice := frozenset.intersection(*named.values()) if len(named) > 1 else frozenset():
            raise TrainerError(
                f"{min(twice)} and {len(twice) - 1:,} more IDs are listed for both validation "
                "and test."
                if len(twice) > 1
                else f"{min(twice)} is listed for both validation and test.",
                "List each paper in one of the two files.",
            )
        return cls(_shares(shares), named)

    @property
    def described(self) -> str:
        """Return a short description, such as "85/5/10", or "100/0/0, test named 1a2b3c4d"."""
        parts = ["/".join(f"{100 * share:g}" for share in self.shares)]
        for part, ids in sorted(self.named.items()):
            listed = "\n".join(sorted(ids)).encode("utf-8", "replace")
            parts.append(f"{part.name} {_NAMED} {hashlib.sha256(listed).hexdigest()[:8]}")
        return ", ".join(parts)

    def parts(self, ids: TextColumn) -> NDArray[np.uint8]:
        """Return the part of each paper, uint8 [papers]. Raises TrainerError if all papers named
        for a part are missing."""
        found = np.fromiter((split_of(name, self.shares) for name in ids), np.uint8, len(ids))
        for part in self.named:
            found[found == part] = Split.train
        for part, names in self.named.items():
            rows = [row for row, name in enumerate(ids) if name in names]
            if not rows:
                raise TrainerError(
                    f"The corpus contains none of the {len(names):,} papers listed for "
                    f"{part.name}.",
                    "Use the IDs of the corpus, such as arxiv:2101.00027 or doi:10.1000/182.",
                )
            found[rows] = part
        return found

    def unknown(self, ids: TextColumn) -> Iterator[tuple[Split, str]]:
        """Iterate over the named papers that are missing."""
        if self.named:
            known = set(ids)
            for part, names in self.named.items():
                yield from ((part, name) for name in sorted(names - known))


def may_have_learned(learned: str, tested: str) -> bool:
    """Whether a model of a corpus split by the one rule, as described by `SplitRule.described`, may
    have been trained on test papers of another corpus, split by the other rule."""
    if _NAMED in learned or _NAMED in tested:
        return True
    try:
        ours, theirs = (_shares(rule)[:2] for rule in (learned, tested))
    except TrainerError:
        return True
    return sum(theirs) < sum(ours) - 1e-9


def _shares(said: str) -> tuple[float, float, float]:
    parts = (_ALL if said == "all" else said).split("/")
    try:
        percents = [float(part) for part in parts]
    except ValueError:
        percents = []
    right = len(percents) == 3 and all(0 <= share <= 100 for share in percents)
    if not right or not math.isclose(sum(percents), 100) or not percents[0]:
        raise TrainerError(
            f"{said!r} is not a valid split.",
            "Specify the percentages for training, validation and test, such as "
            f"{DEFAULT_SPLIT} or 95/5/0, or 'all'.",
        )
    train, validation, test = percents
    return train / 100, validation / 100, test / 100


def _ids(path: Path) -> Iterator[str]:
    try:
        with Source(path).open() as stream:
            found = {
                clean_id(line.decode("utf-8", "replace").removeprefix("\ufeff"))
                for _, line in numbered_lines(stream)
            }
    except UNREADABLE as error:
        raise TrainerError(
            f"{path}: {unreadable_reason(error)}", "Specify a file of IDs."
        ) from error
    if not found - {""}:
        raise TrainerError(f"{path} contains no IDs.", "The file must contain one ID per line.")
    yield from found - {""}
