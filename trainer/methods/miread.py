"""MIReAD: classification of a paper's journal (Razdaibiedina et al., 2023)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainer.data.examples import Batch, PaperExamples
from trainer.data.journals import JournalRule, journal_examples
from trainer.methods.anchor import anchored, with_anchor
from trainer.methods.base import (
    LabelledPapers,
    Loss,
    OptimizationPlan,
    Setup,
    TrainingStage,
)
from trainer.methods.wise_ft import WeightInterpolation
from trainer.model.packed import Packed, to_device
from trainer.model.text_model import TextModel

# The classifier's input, and the vector of the finished model: never the pooler (their README).
_HEADS = {"pooler": ("pooler", "cls"), "raw_cls": ("cls", "cls"), "mean": ("mean", "mean")}


class Miread:
    """Cross entropy over journals, with a classification head that is discarded afterwards."""

    def __init__(self, setup: Setup) -> None:
        settings = setup.settings
        self.reading = setup.reading()
        rule = JournalRule(
            at_least=settings["min_papers"],
            at_most=settings["max_papers"],
            recent_year=settings["recent_year"],
            first_year=settings["first_year"],
            first=settings["choose"] == "first",
        )
        pubmed = replace(
            rule,
            at_least=settings["pubmed_min_papers"],
            first_year=settings["pubmed_first_year"],
            last_year=settings["recent_year"],
        )
        exclude = [name.strip() for name in settings["exclude"].split(";") if name.strip()]
        texts = setup.texts(self.reading)
        found = journal_examples(setup.corpus, texts, setup.seed, rule, exclude, pubmed)
        for name in found.unknown:
            setup.note(f"No paper is from the journal {name!r}, so no paper was excluded.")
        self.labelled = (labelled(found.train), labelled(found.validation))
        self.records = {"classes": found.classes, "excluded": exclude, **found.records}
        backbone = setup.backbone()
        trained, vector = _HEADS[settings["head"]]
        self.encoder = WeightInterpolation(
            backbone, vector, setup.backbone, settings["start_share"]
        )
        model = Classifier(
            setup.pooled(backbone, trained),
            len(found.classes),
            settings["dropout"],
            settings["head_scale"],
        )
        plan, anchor = OptimizationPlan.of(settings), settings["anchor"]
        if anchor:
            plan = replace(plan, together=plan.batch_size)
        examples = with_anchor(setup, texts, trained, found.train, found.validation)
        loss = partial(journal_loss, classes=len(found.classes), anchor=anchor)
        self.stages = (TrainingStage("journals", *examples, model, loss, plan),)


def labelled(examples: PaperExamples) -> LabelledPapers:
    assert examples.labels is not None
    return LabelledPapers(examples.rows[:, 0], examples.labels)


def journal_loss(outputs: Tensor, batch: Batch, classes: int, anchor: float = 0.0) -> Loss:
    """Return the cross entropy over the journals, with the anchor. `outputs` are a Classifier's."""
    scores, vectors = outputs.float().tensor_split([classes], dim=1)
    logits = scores[batch.places[:, 0]]
    labels = to_device(batch.labels, logits.device)
    loss = Loss(F.cross_entropy(logits, labels, reduction="sum"), len(logits))
    return anchored(loss, vectors, batch, anchor)


class Classifier(nn.Module):
    """Dropout and a linear layer on a vector: the head of BertForSequenceClassification.

    With a `scale` the initial scores are the same, and change faster by that factor as the head
    learns.
    """

    def __init__(self, texts: TextModel, classes: int, dropout: float, scale: float = 1.0) -> None:
        super().__init__()
        self.texts, self.scale = texts, scale
        self.dropout = nn.Dropout(dropout)
        self.classes = nn.Linear(texts.dim, classes)
        nn.init.normal_(self.classes.weight, std=0.02 / scale)
        nn.init.zeros_(self.classes.bias)

    def forward(self, texts: Packed) -> Tensor:
        """Return the scores of the classes and the vector of each text, [texts, classes + dim]."""
        vectors = self.texts(texts)
        scores = self.scale * self.classes(self.dropout(vectors))
        return torch.cat([scores, vectors], dim=1)
