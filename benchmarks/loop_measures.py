"""Held-out papers of the loop, a check that training did not use them, and search recall."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sciread_app.domain.metadata.identifiers import identifier
from sciread_app.domain.paper import PaperId
from sciread_app.storage.library import Library
from sciread_app.workspace import Workspace
from trainer.contract.run import RECORDS, Run
from trainer.data.corpus.corpus import Corpus, Split
from trainer.data.triplets import triples
from trainer.evaluations.metrics.significance import (
    Items,
    bootstrap_ci,
    paired_difference,
    weighted_mean,
)
from trainer.methods.triplet_plan import draws_of

NEAREST = 10


class HeldBack:
    """The test papers of a corpus that cite others of it, and what they cite.

    Which papers these are follows from a hash of their ids alone, as for every corpus and method:
    10 of 100 are to test, 5 to validate.
    """

    def __init__(self, corpus: Path) -> None:
        self.corpus = Corpus.open(corpus)
        rows = self.corpus.rows(Split.test)
        self._citing = rows[self.corpus.cites.counts[rows] > 0]

    @property
    def cited(self) -> Mapping[str, list[str]]:
        corpus = self.corpus
        return {
            corpus.id(row): [corpus.id(at) for at in corpus.cites[row].tolist()]
            for row in self._citing.tolist()
        }

    def counts(self) -> dict[str, int]:
        corpus = self.corpus
        return {
            "papers": corpus.papers,
            "abstracts": int(np.count_nonzero(corpus.abstracts.lengths)),
            "citations": len(corpus.cites.indices),
            "held-back papers": len(corpus.rows(Split.test)),
            "of which cite": len(self._citing),
            "held-back citations": int(corpus.cites.counts[self._citing].sum()),
        }

    def learned(self, run: Path) -> dict[str, int]:
        """The run's triplets, drawn once more, and how many of these touch what is held back, with
        a paper or with a citation. Raises ValueError if they are not as many as the run had."""
        corpus, recipe = self.corpus, Run(run).recipe
        rows = corpus.rows(Split.train)
        titled = rows[corpus.titles.lengths[rows] > 0]
        settings: Mapping[str, Any] = recipe.settings
        draws = draws_of(settings)
        found = triples(corpus.cites, titled, recipe.seed, draws, corpus.second_hand, titled).rows
        told = json.loads((run / RECORDS).read_text("utf-8"))["train"]["triplets"]
        if len(found) != told:
            raise ValueError(f"the run learned from {told:,} triplets, not {len(found):,}")
        test = corpus.rows(Split.test)
        held = {(row, at) for row in self._citing.tolist() for at in corpus.cites[row].tolist()}
        pairs = map(tuple, found[:, :2].tolist())
        return {
            "triplets": len(found),
            "with a held-back paper": int(np.isin(found, test).any(1).sum()),
            "with a held-back citation": sum(pair in held for pair in pairs),
        }


def nearest(workspace: Workspace, cited: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Of each held-back paper, how many of those that it cites search shows as most like it."""
    numbers = _numbers(
        workspace.library, {*cited, *(one for some in cited.values() for one in some)}
    )
    found: dict[str, list[int]] = {}
    with workspace.active_model.use() as now:
        for paper, others in cited.items():
            hits = now.search.similar([numbers[paper]], limit=NEAREST).hits
            shown = {hit.paper for hit in hits}
            found[paper] = [len(shown & {numbers[one] for one in others}), len(others)]
        return {"model": now.name, "found": found}


def shares(told: Mapping[str, Any]) -> Items:
    """Share of each paper's citations that search returns."""
    found = told["found"]
    return Items(list(found), np.array([hits / of for hits, of in found.values()]))


def comparison_lines(before: Mapping[str, Any], after: Mapping[str, Any] | None) -> list[str]:
    """Before and after, with intervals of 95 % and the paired difference."""
    lines = []
    for told in filter(None, (before, after)):
        items, counts = shares(told), np.array(list(told["found"].values()))
        low, high = bootstrap_ci(items, seed=1)
        lines.append(
            f"  {told['model']:32}{100 * weighted_mean(items):7.2f} %  ({_percent(low)} to "
            f"{_percent(high)});  {counts[:, 0].sum():,} of {counts[:, 1].sum():,} citations"
        )
    if after:
        gained = paired_difference(shares(before), shares(after), seed=1)
        lines.append(
            f"  {'after - before':32}{100 * gained.value:+7.2f}    ({_percent(gained.low)} to "
            f"{_percent(gained.high)});  p = {gained.p_value:.4f}, n = {gained.n:,} papers"
        )
    return lines


def _percent(number: float | None) -> str:
    return "–" if number is None else f"{100 * number:.2f}"


def _numbers(library: Library, names: set[str]) -> dict[str, PaperId]:
    found = {}
    for name in names:
        meant = identifier(*name.split(":", 1))
        assert meant
        (found[name],) = library.with_identifier(meant)
    return found
