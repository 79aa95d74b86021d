"""Multi2SPE: several [CLS] a text, each free to see its own side of it (Seoh et al., 2023)."""

from __future__ import annotations

from functools import partial
from itertools import cycle, islice
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from trainer.data.batch import Batch
from trainer.data.tokens import Vocabulary
from trainer.methods.base import Loss, Setup, Stage
from trainer.methods.half_way import HalfWay
from trainer.methods.losses import FacetContrast
from trainer.methods.triplets import plan_of, rivals, triples
from trainer.model.text_model import Backbone, Facets

COMMON = ("this", "and", "the", ",", "of")


class Multi2Spe:
    """SPECTER's triples; which paper is cited is told from all [CLS] and from the best two."""

    def __init__(self, setup: Setup) -> None:
        settings = setup.settings
        self.contrast = FacetContrast(
            settings["lambda"], settings["mix"], settings["similarity"], settings["temperature"]
        )
        self.cites = setup.corpus.cites
        self.reading = setup.reading(settings["cls_tokens"])
        examples, self.records = triples(setup, setup.texts(self.reading))
        backbone, init = start(setup), settings["facet_init"]
        facets = Facets(
            backbone.hidden,
            backbone.layers,
            settings["cls_tokens"],
            "identity_effective" if init == "words" else init,
            settings["tanh"],
        )
        share = settings["start_share"]
        self.encoder = HalfWay(backbone, "multi_cls", partial(start, setup), share, facets)
        self.stages = (Stage("triples", *examples, self.encoder, self.loss, plan_of(settings)),)

    def loss(self, outputs: Tensor, batch: Batch) -> Loss:
        # Products of whole vectors reach thousands: bfloat16 would not tell them apart.
        vectors = outputs.float()
        query, positive, negative = vectors[batch.places].unbind(1)
        if self.stages[0].plan.together:
            lost = self.contrast.of_many(query, positive, *rivals(vectors, batch, self.cites))
        else:
            lost = self.contrast.of_two(query, positive, negative)
        return Loss(lost.sum(), len(lost))


def start(setup: Setup) -> Backbone:
    """What training starts from, further [CLS] included."""
    backbone = setup.backbone()
    if setup.settings["facet_init"] == "words":
        start_as_words(backbone, setup.base, setup.settings["cls_tokens"])
    return backbone


@torch.no_grad()
def start_as_words(backbone: Backbone, tokenizer: Path, count: int) -> None:
    """Let the tokens that stand for further [CLS] start as common words, each in turn.

    Nobody has trained theirs, and what the backbone makes of them tells little of a text. What a
    model whose states are averaged makes of a common word is close to that average. Without any of
    the words they start as copies of the first [CLS].
    """
    words, pieces = Vocabulary.of(tokenizer), Tokenizer.from_file(str(tokenizer / "tokenizer.json"))
    known = [number for number in map(pieces.token_to_id, COMMON) if number is not None]
    starts = islice(cycle(known or [words.cls]), count - 1)
    backbone.words[list(words.unused[: count - 1])] = backbone.words[list(starts)].clone()
