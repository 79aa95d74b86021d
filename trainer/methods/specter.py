"""SPECTER: papers that cite each other lie close (Cohan et al., 2020).

Its settings and their defaults are in `trainer/contract/catalog.py`, as those of all methods.
"""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from trainer.data.examples import Batch
from trainer.data.tokens import Vocabulary
from trainer.methods.anchor import anchored, with_anchor
from trainer.methods.base import Loss, Setup, TrainingStage
from trainer.methods.losses import all_triplets, triplet_margin
from trainer.methods.triplet_plan import batch_negatives, plan_of, triples
from trainer.methods.wise_ft import WeightInterpolation
from trainer.model.pooling import ScalarMix


class Specter:
    """Triplet margin loss over a paper, a cited and an uncited one."""

    def __init__(self, setup: Setup) -> None:
        settings = setup.settings
        self.margin, self.distance = settings["margin"], settings["distance"]
        self.anchor = settings["anchor"]
        self.cites = setup.corpus.cites
        self.reading = setup.reading()
        texts = setup.texts(self.reading)
        examples, self.records = triples(setup, texts)
        backbone, pooling = setup.backbone(), settings["pooling"]
        mix = None
        if pooling == "scalar_mix":
            mix = ScalarMix(backbone.layers, begin_words(self.reading.tokenizer))
        # The pooler is trained, but its input, the last [CLS], is the vector (their README).
        vector = "cls" if pooling == "pooler" else pooling
        share = settings["start_share"]
        self.encoder = WeightInterpolation(backbone, vector, setup.backbone, share, scalar_mix=mix)
        trained = setup.pooled(backbone, pooling) if pooling == "pooler" else self.encoder
        model = nn.Sequential(trained, nn.Dropout(settings["embedding_dropout"]))
        self.stages = (
            TrainingStage(
                "triples",
                *with_anchor(setup, texts, pooling, *examples),
                model,
                self.loss,
                plan_of(settings),
            ),
        )

    def loss(self, outputs: Tensor, batch: Batch) -> Loss:
        query, positive, negative = outputs.float()[batch.places].unbind(1)
        if self.stages[0].plan.together:
            others, allowed = batch_negatives(outputs.float(), batch, self.cites)
            lost = all_triplets(query, positive, others, allowed, self.margin, self.distance)
        else:
            lost = triplet_margin(query, positive, negative, self.margin, self.distance)
        return anchored(Loss(lost.sum(), len(lost)), outputs, batch, self.anchor)


def begin_words(tokenizer: Path) -> Tensor:
    """Return which word pieces begin a word, bool [vocabulary]: the words of AllenNLP."""
    pieces = Tokenizer.from_file(str(tokenizer / "tokenizer.json")).get_vocab()
    words = Vocabulary.of(tokenizer)
    inside = [number for piece, number in pieces.items() if piece.startswith("##")]
    special = [number for number in (words.cls, words.sep, words.pad, words.mask) if number >= 0]
    found = torch.ones(words.size, dtype=torch.bool)
    found[[*inside, *special]] = False
    return found
