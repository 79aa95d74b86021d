"""Triplets of SPECTER and Multi2SPE: a query, a cited paper, and one or many uncited ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from trainer.contract.errors import TrainerError
from trainer.data.corpus.citation_graph import are_cited
from trainer.data.corpus.columns import Csr
from trainer.data.corpus.corpus import Split
from trainer.data.examples import Batch, PaperExamples
from trainer.data.tokens import TextPart, Texts
from trainer.data.triplets import Draws, given_triples, triple_examples
from trainer.methods.base import OptimizationPlan, Setup
from trainer.model.packed import to_device


def triples(
    setup: Setup, texts: Texts
) -> tuple[tuple[PaperExamples, PaperExamples], Mapping[str, Any]]:
    """Return training and validation triplets, with their numbers and why some papers give none."""
    if setup.settings["triples"] == "given":
        return _given(setup, texts)
    draws = draws_of(setup.settings)
    train, given = triple_examples(setup.corpus, texts, Split.train, setup.seed, draws)
    validation, held_out = triple_examples(setup.corpus, texts, Split.validation, setup.seed, draws)
    if not len(train):
        why = given["papers without triplets, by reason"]
        reasons = ", ".join(f"each of {n:,} papers {reason}" for reason, n in why.items() if n)
        raise TrainerError(
            f"The corpus {setup.corpus.folder} yields no triplets: {reasons}.",
            "Add citations between its papers, or more of the cited papers.",
        )
    return (train, validation), {"train": given, "validation": held_out}


def _given(
    setup: Setup, texts: Texts
) -> tuple[tuple[PaperExamples, PaperExamples], Mapping[str, Any]]:
    parts = (TextPart.both, TextPart.both, TextPart.both)
    found = {split: given_triples(setup.corpus, split) for split in (Split.train, Split.validation)}
    train, validation = (PaperExamples.of(texts, rows, parts) for rows, _ in found.values())
    if not len(train):
        raise TrainerError(
            f"The corpus {setup.corpus.folder} contains no triplets.",
            "Prepare the corpus with a table with the columns query_id, positive_id and "
            "negative_id, or set triples=drawn.",
        )
    return (train, validation), {split.name: records for split, (_, records) in found.items()}


def draws_of(settings: Mapping[str, Any]) -> Draws:
    """Return the sampling parameters of the settings."""
    two_hop = settings["queries"] == "two_hop"
    return Draws(settings["samples_per_query"], settings["hard_share"], two_hop=two_hop)


def plan_of(settings: Mapping[str, Any]) -> OptimizationPlan:
    """Return the plan; a whole step is computed together if its papers are each other's
    negatives."""
    plan = OptimizationPlan.of(settings)
    if settings["negatives"] == "batch":
        return replace(plan, together=plan.batch_size)
    if settings["anchor"]:
        raise TrainerError(
            "anchor compares the texts of a whole step, which negatives=drawn does not compute "
            "together.",
            "Set negatives=batch or anchor=0.",
        )
    return plan


def batch_negatives(outputs: Tensor, batch: Batch, cites: Csr) -> tuple[Tensor, Tensor]:
    """Return all papers drawn as negatives in the step, over all ranks, [c, ...]; and which of them
    are negatives of each query, [examples, c]: those that it is not known to cite.

    The positives of other queries are not used: highly cited papers are often positives, and as
    negatives of other queries they would be pushed away from everything.
    """
    found = batch.gather(outputs[batch.places[:, 2]])
    papers = batch.gather(batch.papers[:, 2]).numpy()
    queries = batch.papers[:, 0].numpy()
    known = are_cited(cites, queries, papers) if len(queries) else np.empty((0, len(papers)), bool)
    return found, to_device(torch.from_numpy(~known), outputs.device)
