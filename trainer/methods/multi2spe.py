"""Multi2SPE: several [CLS] per text, each for a different aspect of it (Seoh et al., 2023)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

from trainer.contract.errors import TrainerError
from trainer.data.examples import Batch
from trainer.data.tokens import Vocabulary
from trainer.methods.anchor import anchored, with_anchor
from trainer.methods.base import Loss, Setup, TrainingStage
from trainer.methods.losses import FacetContrast
from trainer.methods.triplet_plan import batch_negatives, plan_of, triples
from trainer.methods.wise_ft import WeightInterpolation
from trainer.model.pooling import FacetPooling, MeanFacets
from trainer.model.text_model import Backbone

COMMON = ("this", "and", "the", ",", "of")


class Multi2Spe:
    """SPECTER's triplets, compared by the sum of all [CLS] and by the best pair."""

    def __init__(self, setup: Setup) -> None:
        settings = setup.settings
        self.contrast = FacetContrast(
            settings["lambda"],
            settings["mix"],
            settings["similarity"],
            settings["temperature"],
            of_sum=settings["mean_facet"],
        )
        self.cites, self.anchor = setup.corpus.cites, settings["anchor"]
        with_mean = settings["mean_facet"]
        if with_mean and settings["tanh"]:
            raise TrainerError(
                "With tanh, the mean would not be that of the base model.",
                "Set tanh=false or mean_facet=false.",
            )
        self.reading = setup.reading(1 if with_mean else settings["cls_tokens"])
        examples, self.records = triples(setup, setup.texts(self.reading))
        # The base model does not know the further [CLS]. Small ones have mean pooling.
        plain = setup.texts(replace(self.reading, cls_tokens=1))
        backbone = start(setup)
        self.encoder = WeightInterpolation(
            backbone,
            "mean_and_cls" if with_mean else "multi_cls",
            partial(start, setup),
            settings["start_share"],
            facets_of(settings, backbone),
        )
        self.stages = (
            TrainingStage(
                "triples",
                *with_anchor(setup, plain, "mean", *examples),
                self.encoder,
                self.loss,
                plan_of(settings),
            ),
        )

    def loss(self, outputs: Tensor, batch: Batch) -> Loss:
        """Return the loss of a batch. `outputs`: the [CLS] vectors of its texts, [texts, CLS,
        dim]."""
        # Dot products reach thousands, where bfloat16 is too coarse.
        vectors = outputs.float()
        query, positive, negative = vectors[batch.places].unbind(1)
        if self.stages[0].plan.together:
            lost = self.contrast.of_many(
                query, positive, *batch_negatives(vectors, batch, self.cites)
            )
        else:
            lost = self.contrast.of_two(query, positive, negative)
        return anchored(Loss(lost.sum(), len(lost)), vectors.sum(1), batch, self.anchor)


def facets_of(settings: Mapping[str, Any], backbone: Backbone) -> FacetPooling | MeanFacets:
    """Return the initial facets."""
    count, init = settings["cls_tokens"], settings["facet_init"]
    if settings["mean_facet"]:
        return MeanFacets(backbone.hidden, count)
    init = "identity_effective" if init == "words" else init
    return FacetPooling(backbone.hidden, backbone.layers, count, init, settings["tanh"])


def start(setup: Setup) -> Backbone:
    """Return the initial backbone, including the further [CLS]."""
    backbone, settings = setup.backbone(), setup.settings
    if settings["facet_init"] == "words" and not settings["mean_facet"]:
        start_as_words(backbone, setup.base, settings["cls_tokens"])
    return backbone


@torch.no_grad()
def start_as_words(backbone: Backbone, tokenizer: Path, count: int) -> None:
    """Initialise the tokens of the further [CLS] as common words, in turn.

    These tokens are untrained, and the backbone's states of them carry little of the text. For a
    common word, a model with mean pooling has a state close to the mean. If none of the words is in
    the vocabulary they start as copies of the first [CLS].
    """
    words, pieces = Vocabulary.of(tokenizer), Tokenizer.from_file(str(tokenizer / "tokenizer.json"))
    known = [number for number in map(pieces.token_to_id, COMMON) if number is not None]
    starts = islice(cycle(known or [words.cls]), count - 1)
    backbone.words[list(words.unused[: count - 1])] = backbone.words[list(starts)].clone()
