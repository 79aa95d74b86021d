"""Multi2SPE: several [CLS] per text, each for a different aspect of it (Seoh et al., 2023)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from trainer.data.examples import Batch
from trainer.data.tokens import Vocabulary
from trainer.methods.anchor import anchored, with_anchor
from trainer.methods.base import Loss, Setup, TrainingStage
from trainer.methods.losses import FacetContrast
from trainer.methods.triplet_plan import batch_negatives, plan_of, triples
from trainer.methods.wise_ft import WeightInterpolation
from trainer.model.pooling import FacetPooling
from trainer.model.text_model import Backbone

COMMON = ("this", "and", "the", ",", "of")


class Multi2Spe:
    """SPECTER's triplets, compared by the sum of all [CLS] and by the best pair."""

    def __init__(self, setup: Setup) -> None:
        settings = setup.settings
        self.contrast = FacetContrast(
            settings["lambda"], settings["mix"], settings["similarity"], settings["temperature"]
        )
        self.cites, self.anchor = setup.corpus.cites, settings["anchor"]
        self.reading = setup.reading(settings["cls_tokens"])
        examples, self.records = triples(setup, setup.texts(self.reading))
        # The base model does not know the further [CLS]. Small ones have mean pooling.
        plain = setup.texts(replace(self.reading, cls_tokens=1))
        backbone, init = start(setup), settings["facet_init"]
        facets = FacetPooling(
            backbone.hidden,
            backbone.layers,
            settings["cls_tokens"],
            "identity_effective" if init == "words" else init,
            settings["tanh"],
        )
        share = settings["start_share"]
        self.encoder = WeightInterpolation(
            backbone, "multi_cls", partial(start, setup), share, facets
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


def start(setup: Setup) -> Backbone:
    """Return the initial backbone, including the further [CLS]."""
    backbone = setup.backbone()
    if setup.settings["facet_init"] == "words":
        start_as_words(backbone, setup.base, setup.settings["cls_tokens"])
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
