"""Library: several tasks in one training, from whatever a library has.

Each batch has pairs of one task (trainer.data.library_tasks), which are told apart from the other
texts of the batch and from hard negatives. An anchor keeps the similarities of the base model.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor
from torch.nn import functional as F

from trainer.contract.errors import TrainerError
from trainer.data.cached import cached_numbers, key_of
from trainer.data.corpus.citation_graph import are_cited
from trainer.data.corpus.columns import Csr
from trainer.data.corpus.corpus import Corpus, Split
from trainer.data.examples import Batch, PaperExamples, name_texts
from trainer.data.hard_negatives import FORMAT, choose_negatives, citation_matrix, mine
from trainer.data.library_tasks import SHARES, library_pairs, task_examples, with_negatives
from trainer.data.tokens import TextPart, Texts
from trainer.methods.anchor import anchored, masked_contrast
from trainer.methods.base import Loss, OptimizationPlan, Setup, TrainingStage
from trainer.methods.base_vectors import base_vectors
from trainer.methods.search_scores import SearchScores
from trainer.methods.wise_ft import WeightInterpolation
from trainer.model.packed import to_device

# Parts that stand for typed queries.
_QUERIES = (TextPart.title, TextPart.sentence, TextPart.question, TextPart.passage_question)
# Equal similarities, computed differently, differ by less than this.
_ROUNDING = 1e-5


class LibraryMethod:
    """In-batch contrast of the pairs of all tasks, with hard negatives and an anchor."""

    def __init__(self, setup: Setup) -> None:
        settings, corpus = setup.settings, setup.corpus
        self.reading = setup.reading()
        texts = setup.texts(self.reading, _QUERIES)
        shares = {name: settings[setting] for name, setting in SHARES.items()}
        if not any(shares.values()):
            raise TrainerError("The shares of all tasks are 0.", "Set one of them above 0.")
        count = settings["examples"]
        sets = library_pairs(corpus, texts, Split.train, count, setup.seed)
        train = task_examples(texts, sets, shares, count, setup.seed)
        if not len(train):
            raise TrainerError(
                f"The corpus {corpus.folder} has no papers with a title and an abstract.",
                "Add papers with abstracts.",
            )
        if settings["hard_negatives"]:
            train = _with_hard_negatives(setup, texts, train)
        guide = base_vectors(setup, texts, settings["pooling"], train.names)
        held_out = library_pairs(corpus, texts, Split.validation, settings["scored"], setup.seed)
        validation = task_examples(texts, held_out, shares, settings["scored"], setup.seed)
        seen = base_vectors(setup, texts, settings["pooling"], validation.names)
        self.records: dict[str, Any] = {
            "tasks": {
                name: {**pairs.records, "examples": int(np.count_nonzero(train.sources == place))}
                for place, (name, pairs) in enumerate(
                    (name, pairs) for name, pairs in sets.items() if shares[name] > 0
                )
            },
        }
        self.encoder = WeightInterpolation(
            setup.backbone(), settings["pooling"], setup.backbone, settings["start_share"]
        )
        scores = SearchScores(corpus, settings["scored"], setup.seed)
        loss = TaskContrast(corpus, settings["temperature"], settings["anchor"])
        plan = OptimizationPlan.of(settings, together=settings["batch_size"])
        self.stages = (
            TrainingStage(
                "tasks",
                replace(train, guide=guide),
                replace(validation, guide=seen),
                self.encoder,
                loss,
                plan,
                scores if scores.scored else None,
                scores.scored,
            ),
        )


class TaskContrast:
    """The loss: InfoNCE over the step, without negatives that may be related, and the anchor.

    A paper is no negative of a pair if it cites or is cited by the pair's first paper. For pairs by
    journal or category, papers of the same one and hard negatives are left out as well; for all
    other pairs, texts that the base model finds more similar to the first than the second is
    (GISTEmbed; Solatorio, 2024).
    """

    def __init__(self, corpus: Corpus, temperature: float, anchor: float) -> None:
        self._temperature, self._anchor = temperature, anchor
        self._cites, self._cited_by = corpus.cites, _reversed(corpus.cites)
        self._categories, self._venues = corpus.primary, corpus.venues
        self._kinds = len(corpus.field_names)

    def __call__(self, outputs: Tensor, batch: Batch) -> Loss:
        vectors = F.normalize(outputs.float(), dim=-1)
        own = vectors[batch.places]
        others, positions, papers = (
            batch.gather(some) for some in (own[:, 1:], batch.positions, batch.papers)
        )
        order = positions.argsort()
        targets = torch.searchsorted(positions[order], batch.positions)
        # All positives first, then all hard negatives.
        rivals = papers[order, 1:].T.flatten().numpy()
        there = to_device(order, own.device)
        candidates = others[there].transpose(0, 1).flatten(0, 1)
        allowed = to_device(torch.from_numpy(self._unrelated(batch, rivals)), own.device)
        if batch.guide is not None:
            guide = to_device(batch.guide, own.device)[batch.places]
            theirs = batch.gather(guide[:, 1:])[there].transpose(0, 1).flatten(0, 1)
            near = (guide[:, 0] * guide[:, 1]).sum(1, keepdim=True)
            by_label = to_device(batch.labels >= 0, own.device)
            allowed &= (guide[:, 0] @ theirs.T <= near + _ROUNDING) | by_label[:, None]
        lost = masked_contrast(
            own[:, 0], candidates, to_device(targets, own.device), allowed, self._temperature
        )
        # Every rank takes part in the backward pass of the gather, also one without examples.
        loss = Loss(lost.sum() + 0 * others.sum(), len(lost))
        return anchored(loss, vectors, batch, self._anchor)

    def _unrelated(self, batch: Batch, rivals: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which papers are not known to be related to each example, [examples, rivals]."""
        first, second, labels = (
            batch.papers[:, 0].numpy(),
            batch.papers[:, 1].numpy(),
            batch.labels.numpy()[:, None],
        )
        asked = np.where(first < 0, second, first)
        related = are_cited(self._cites, asked, rivals) | are_cited(self._cited_by, asked, rivals)
        related |= rivals == second[:, None]
        categories, venues = self._categories[rivals], self._venues[rivals]
        same = np.where(labels < self._kinds, categories == labels, venues == labels - self._kinds)
        # The hard negatives come after the positives of the step.
        hard = np.arange(len(rivals)) >= len(rivals) // (batch.papers.shape[1] - 1)
        unrelated: NDArray[np.bool_] = ~(related | ((labels >= 0) & (same | hard)))
        return unrelated


def _with_hard_negatives(setup: Setup, texts: Texts, examples: PaperExamples) -> PaperExamples:
    """Return the examples with a hard negative each; those by journal or category repeat their
    second paper, because papers that look alike are often of one journal or field."""
    assert examples.labels is not None
    corpus, unlabelled = setup.corpus, examples.labels < 0
    papers = _papers(examples)[unlabelled]
    if not len(papers):
        return examples
    rows = corpus.rows(Split.train)
    pool = np.union1d(rows[corpus.abstracts.lengths[rows] > 0], papers)
    names = name_texts(pool, TextPart.both)
    vectors = base_vectors(setup, texts, setup.settings["pooling"], names)
    anchors, places = np.unique(papers, return_inverse=True)

    def mined() -> NDArray[np.int32]:
        setup.note(f"Finding hard negatives for {len(anchors):,} of {len(pool):,} papers")
        return mine(
            texts.cache,
            # The citations of papers that are held out are not known to a training.
            citation_matrix(corpus.cites, rows),
            pool,
            lambda some: vectors(names[some]),
            anchors,
            device=setup.device,
            dense=setup.device.type == "cuda",
            at=lambda done: setup.note(f"Hard negatives: {done:,} of {len(anchors):,} papers"),
        )

    # By the key of the vectors, which are those of the pool, and depend on the corpus.
    key = key_of(FORMAT, vectors.key, anchors.astype(np.int64).tobytes())
    found = cached_numbers(corpus.folder / "negatives" / key, "candidates.int32", mined)
    candidates = found.reshape(len(anchors), -1)
    negatives = examples.rows[:, 1].copy()
    negatives[unlabelled] = choose_negatives(candidates, places, pool, setup.seed)
    return with_negatives(examples, negatives)


def _papers(examples: PaperExamples) -> NDArray[np.int64]:
    """Return the paper of each example's first text; of a question, that of its answer."""
    papers = examples.texts.papers(examples.rows, examples.parts)
    found: NDArray[np.int64] = np.where(papers[:, 0] < 0, papers[:, 1], papers[:, 0])
    return found


def _reversed(cites: Csr) -> Csr:
    """Return the lists of the papers that cite each paper."""
    turned = csr_array(citation_matrix(cites).T)
    return Csr(turned.indptr.astype(np.int64), turned.indices)
