"""Deterministic samples of a corpus for evaluation, which depend on the corpus alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.data.corpus.corpus import Corpus, Split
from trainer.data.rng import random_permutation, random_sample

Rows = NDArray[np.int64]


class PaperSample:
    """Reproducible samples of a corpus; samples under different names are independent."""

    def __init__(self, corpus: Corpus, look: int = 0) -> None:
        """`look` limits the test papers; negatives are then drawn from these alone. 0: no limit."""
        self.corpus, self._look = corpus, look

    @cached_property
    def test(self) -> Rows:
        rows = self.corpus.rows(Split.test)
        return np.sort(self.mixed(rows, "papers")[: self._look]) if self._look else rows

    @cached_property
    def citing(self) -> Rows:
        """Test papers with comparable citations in random order, those with an abstract first."""
        rows = self.test[self.corpus.cites.counts[self.test] > 0]
        rows = np.array([row for row in rows if len(self.cited_alike(row))], np.int64)
        rows = self.mixed(rows, "citing")
        return rows[np.argsort(self._bare[rows], kind="stable")]

    def at_most(self, usual: int, share: int) -> int:
        """The usual limit, or one in `share` of the test papers if their number is limited."""
        return min(usual, self._look // share or usual)

    def mixed(self, rows: Iterable[int], *name: str | int) -> Rows:
        some = np.asarray(rows, np.int64)
        mixed: Rows = some[random_permutation(len(some), "local", *name)]
        return mixed

    def cited_alike(self, row: int) -> Rows:
        """Cited papers that have an abstract exactly if the citing paper has one."""
        cited = self.corpus.cites[row]
        alike: Rows = cited[self._bare[cited] == self._bare[row]]
        return alike

    def others(self, name: str, row: int, near: Collection[int], count: int) -> list[int]:
        """Draw negatives: papers not in `near`, with an abstract exactly if `row` has one."""
        known = {row, *map(int, near)}
        among = self.test if self._look else np.arange(self.corpus.papers)
        among = among[self._bare[among] == self._bare[row]]
        drawn = among[random_sample(count + len(known), len(among), "local", name, "others", row)]
        mixed = self.mixed(drawn, name, "order", row).tolist()
        return [at for at in mixed if at not in known][:count]

    def biggest(
        self, codes: NDArray[np.integer[Any]], groups: int, *, at_least: int, each: int, what: str
    ) -> dict[int, int]:
        """Test papers of the largest groups with their group, at most `each` per group.

        `codes` holds the group of each paper of the corpus, or -1. Raises TrainerError if fewer
        than two groups have `at_least` test papers.
        """
        tested = codes[self.test]
        sizes = Counter(tested[tested >= 0].tolist())
        kept = {code for code, n in sizes.most_common(groups) if n >= at_least}
        if len(kept) < 2:
            raise TrainerError(
                f"Fewer than two {what} have {at_least} test papers or more.",
                "A larger corpus, or one that knows them, can tell.",
            )
        taken: Counter[int] = Counter()
        found = {}
        for row in self.mixed(self.test, what).tolist():
            code = int(codes[row])
            if code in kept and taken[code] < each:
                taken[code] += 1
                found[row] = code
        return found

    def usual_labels(self, count: int) -> set[int]:
        """The most frequent labels, without those on more than half of the labelled papers."""
        half = np.count_nonzero(self.corpus.labels.counts) / 2
        sizes = Counter(self.corpus.labels.indices.tolist())
        return set([code for code, n in sizes.most_common() if n <= half][:count])

    def labelled(self, rows: Rows, most: int, usual: Collection[int]) -> dict[int, int]:
        """Papers with exactly one of the usual labels, and that label."""
        found: dict[int, int] = {}
        for row in self.mixed(rows, "labels").tolist():
            own = [code for code in self.corpus.labels[row].tolist() if code in usual]
            if len(own) == 1 and len(found) < most:
                found[row] = own[0]
        return found

    @cached_property
    def _bare(self) -> NDArray[np.bool_]:
        """Whether each paper of the corpus lacks an abstract.

        The vector of a title alone may be several times as long as one of title and abstract, and
        in another region: mixed candidate lists would measure that difference.
        """
        found: NDArray[np.bool_] = self.corpus.abstracts.lengths == 0
        return found
