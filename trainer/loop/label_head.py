"""The choice of a layer that emphasizes what tells labels apart (trainer.model.label_head)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.contract.run import Recipe
from trainer.data.corpus.corpus import Corpus
from trainer.data.rng import random_sample
from trainer.loop.protection import SCORED
from trainer.methods.base import Encode, LabelledPapers
from trainer.methods.search_scores import QUERIES, SearchScores
from trainer.model.label_head import Discriminants, LabelHead

# Strengths that are tried, ascending.
_STRENGTHS = (0.1, 0.2, 0.3, 0.5, 1.0)
# Papers that the layer is fitted to, at most: more change little and must be encoded.
_FITTED = 3_000
# Neighbors of a validation paper that should have its label.
_NEAREST = 10
LABELS = "labels"


class HeadChoice(NamedTuple):
    """The layer, None for none, its strength, and the scores without it and with it, if it was
    compared; from 0 to 1."""

    head: LabelHead | None
    strength: float
    without: dict[str, float]
    scores: dict[str, float]
    reason: str


def headed(encode: Encode, head: LabelHead | None) -> Encode:
    """Return what encodes as `encode` does, with the layer at the end."""

    def encoded(pairs: Sequence[tuple[str, str]], *, queries: bool = False) -> NDArray[np.float32]:
        found = encode(pairs, queries=queries)
        return head(found) if head else found

    return encoded


class _Remembered:
    """Encodes each text once."""

    def __init__(self, encode: Encode) -> None:
        self._encode = encode
        self._known: dict[tuple[tuple[str, str], bool], NDArray[np.float32]] = {}

    def __call__(
        self, pairs: Sequence[tuple[str, str]], *, queries: bool = False
    ) -> NDArray[np.float32]:
        new = [pair for pair in dict.fromkeys(pairs) if (pair, queries) not in self._known]
        if new:
            vectors = self._encode(new, queries=queries)
            self._known.update(
                {(pair, queries): row for pair, row in zip(new, vectors, strict=True)}
            )
        return np.stack([self._known[pair, queries] for pair in pairs])


def choose_head(
    recipe: Recipe, corpus: Corpus, labelled: tuple[LabelledPapers, LabelledPapers], encode: Encode
) -> HeadChoice:
    """Fit the layer to training papers, and choose its strength on validation papers.

    `labelled` are the training and the validation papers with labels, and `encode` is the finished
    model without the layer. The largest strength is chosen with which the neighbors of papers have
    their label more often, and no score of search, by typed queries or for cited papers, is lower
    than without the layer by more than the setting `label_head_loss`.
    """
    rows, labels = labelled[0]
    some = random_sample(_FITTED, len(rows), "label head", recipe.seed)
    rows, labels = rows[some], labels[some]
    scores = SearchScores(corpus, int(recipe.settings.get("scored", SCORED)), recipe.seed)
    if len(np.unique(labels)) < 2 or not len(labelled[1].rows):
        return HeadChoice(None, 0.0, {}, {}, "too few papers have a label")
    if QUERIES not in scores.scored:
        return HeadChoice(None, 0.0, {}, {}, "there are no validation papers to search for")
    encode = _Remembered(encode)
    vectors = encode(_texts(corpus, rows))
    found = Discriminants.of(vectors, labels)
    heads = {strength: LabelHead.of(found, strength) for strength in _STRENGTHS}

    def measured(head: LabelHead | None) -> dict[str, float]:
        encoded = headed(encode, head)
        near = _precision(corpus, encoded, (rows, labels), labelled[1], recipe.seed)
        return {**scores(encoded), LABELS: near}

    without, allowed = measured(None), float(recipe.settings["label_head_loss"]) / 100
    tried = {strength: measured(head) for strength, head in heads.items()}
    better = [strength for strength in _STRENGTHS if tried[strength][LABELS] > without[LABELS]]
    if not better:
        return HeadChoice(None, 0.0, without, tried[_STRENGTHS[0]], "it does not help labels")
    for strength in reversed(better):
        after = tried[strength]
        if all(after[name] >= without[name] - allowed for name in without if name != LABELS):
            return HeadChoice(heads[strength], strength, without, after, "")
    return HeadChoice(None, 0.0, without, tried[better[0]], "search would become worse")


def _precision(
    corpus: Corpus,
    encode: Encode,
    known: tuple[NDArray[np.int32], NDArray[np.int32]],
    asked: LabelledPapers,
    seed: int,
) -> float:
    """Return the mean share of the nearest known papers that have the label of the paper asked."""
    rows, labels = known
    some = random_sample(SCORED, len(asked.rows), "labels", seed)
    vectors = encode(_texts(corpus, rows))
    similar = encode(_texts(corpus, asked.rows[some])) @ vectors.T
    near = np.argsort(-similar, axis=1, kind="stable")[:, :_NEAREST]
    return float((labels[near] == asked.labels[some, None]).mean())


def _texts(corpus: Corpus, rows: NDArray[np.int32]) -> list[tuple[str, str]]:
    return [(corpus.title(row), corpus.abstract(row)) for row in rows.tolist()]
