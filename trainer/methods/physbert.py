"""PhysBERT: language modelling on a field, then contrastive learning (Hellert et al., 2024)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from trainer.contract.errors import TrainerError
from trainer.data.corpus.corpus import Split
from trainer.data.examples import Batch
from trainer.data.pairs import (
    PairSet,
    category_pairs,
    citation_pairs,
    pair_examples,
    passage_pairs,
    question_pairs,
)
from trainer.data.token_blocks import Blocks
from trainer.data.tokens import TextPart, TokenCache, Vocabulary
from trainer.data.wordpiece import learn_word_pieces
from trainer.methods.anchor import anchored, with_anchor
from trainer.methods.base import (
    LabelledPapers,
    Loss,
    OptimizationPlan,
    Setup,
    TrainingStage,
)
from trainer.methods.losses import info_nce
from trainer.methods.wise_ft import WeightInterpolation
from trainer.model.packed import Packed, to_device
from trainer.model.text_model import Backbone

# Maximum of warm-up steps (as RoBERTa; the paper does not give any).
_LONGEST_WARMUP = 10_000


class PhysBert:
    """Masked words in short blocks, then in long ones; then pairs with in-batch negatives."""

    def __init__(self, setup: Setup) -> None:
        settings = setup.settings
        self.reading = setup.reading()
        if settings["train_tokenizer"]:
            self.reading = replace(self.reading, tokenizer=_word_pieces(setup))
        if settings["from_scratch"]:
            self.reading = replace(self.reading, prompt="", query_prompt="")
        # Without the base model's own weights and words, there is nothing to keep of it.
        if settings["from_scratch"] or settings["train_tokenizer"]:
            for name in ("start_share", "keep_search", "anchor", "lora_rank"):
                if settings[name]:
                    raise TrainerError(
                        f"{name} requires a training that starts from the base model.",
                        f"Set from_scratch=false and train_tokenizer=false, or {name}=0.",
                    )
        # The start has the vocabulary of this training, which may not be the base model's.
        start = partial(_backbone, setup, self.reading.tokenizer)
        self.encoder = WeightInterpolation(
            start(), settings["pooling"], start, settings["start_share"]
        )
        self.records: dict[str, Any] = {}
        self.labelled = (_labelled({}), _labelled({}))
        self.stages = list(self._word_stages(setup))
        if settings["contrast"]:
            self.stages.append(self._pair_stage(setup))
        if not self.stages:
            raise TrainerError(
                "There is nothing to train: mlm_short, mlm_long and contrast are off.",
                "Set contrast=true, or mlm_short or mlm_long to a number of tokens.",
            )

    def _word_stages(self, setup: Setup) -> Iterator[TrainingStage]:
        settings, model = setup.settings, MaskedWordHead(self.encoder.backbone)
        for name in ("mlm_short", "mlm_long"):
            if length := settings[name]:
                setup.check_places(self.encoder.backbone, length, name)
                cache = TokenCache.open(setup.corpus, self.reading.tokenizer, setup.note)
                train, validation = (
                    Blocks(cache, setup.corpus.rows(split), length, settings["masked"], setup.seed)
                    for split in (Split.train, Split.validation)
                )
                self.records[name] = train.records
                plan = _word_plan(settings, settings[f"{name}_epochs"], len(train))
                yield TrainingStage(name, train, validation, model, masked_word_loss, plan)

    def _pair_stage(self, setup: Setup) -> TrainingStage:
        # Imported late, since it imports scikit-learn: more than a second per training process.
        from trainer.methods.pair_scores import PairScores

        settings = setup.settings
        texts = setup.texts(self.reading, [TextPart.question, TextPart.passage_question])
        train, validation = pairs_to_learn(setup)
        self.labelled = (_labelled(train), _labelled(validation))
        examples = (
            pair_examples(texts, list(train.values()), settings["homogeneous"]),
            pair_examples(texts, list(validation.values()), settings["homogeneous"]),
        )
        self.records["contrast"] = {name: pairs.records for name, pairs in train.items()}
        together = min(settings["together"], settings["batch_size"])
        scores = PairScores(setup.corpus, validation, settings["scored"], setup.seed)
        return TrainingStage(
            "contrast",
            *with_anchor(setup, texts, settings["pooling"], *examples),
            self.encoder,
            InBatch(
                settings["temperature"],
                together,
                same_label=settings["mask_same_label"],
                same_paper=settings["mask_same_doc"],
                anchor=settings["anchor"],
            ),
            OptimizationPlan.of(settings, together=together),
            scores if scores.scored else None,
            scores.scored,
        )


def pairs_to_learn(setup: Setup) -> tuple[dict[str, PairSet], dict[str, PairSet]]:
    """Return the training and validation pairs of each source. Raises TrainerError without any."""
    corpus, settings, seed = setup.corpus, setup.settings, setup.seed
    merge, at_least = settings["merge"], settings["min_papers"]
    part = TextPart[settings["category_text"]]
    sources: dict[str, Callable[[Split, int], PairSet]] = {
        "category_pairs": lambda split, count: category_pairs(
            corpus, split, count, seed, merge=merge, at_least=at_least, part=part
        ),
        "citation_pairs": lambda split, count: citation_pairs(corpus, split, count, seed),
        "question_pairs": lambda split, count: question_pairs(corpus, split, count, seed),
    }
    if len(corpus.passage_questions):
        sources["passage_pairs"] = lambda split, count: passage_pairs(corpus, split, count, seed)
    train, validation = {}, {}
    for name, source in sources.items():
        if count := settings["question_pairs" if name == "passage_pairs" else name]:
            found = source(Split.train, count)
            if not len(found.rows):
                if name != "question_pairs" or not len(corpus.passage_questions):
                    setup.note(
                        f"The corpus has no {name.replace('_', ' ')}; the training continues "
                        "without them."
                    )
                continue
            train[name] = found
            validation[name] = source(Split.validation, min(count, settings["scored"]))
    if not train:
        raise TrainerError(
            f"The corpus {corpus.folder} has no pairs for training.",
            "Reduce min_papers, or use a corpus with fields, citations or questions.",
        )
    return train, validation


def _labelled(pairs: Mapping[str, PairSet]) -> LabelledPapers:
    """Return the papers of the category pairs, with their categories."""
    found = pairs.get("category_pairs")
    if found is None:
        return LabelledPapers(np.empty(0, np.int32), np.empty(0, np.int32))
    rows, first = np.unique(found.rows, return_index=True)
    return LabelledPapers(rows, np.repeat(found.labels, 2)[first])


def _word_plan(settings: Mapping[str, Any], epochs: float, blocks: int) -> OptimizationPlan:
    batch_size, warmup = settings["mlm_batch_size"], settings["mlm_warmup"]
    if warmup * epochs * blocks / batch_size > _LONGEST_WARMUP:
        warmup = _LONGEST_WARMUP
    return OptimizationPlan.of(
        settings,
        epochs=epochs,
        batch_size=batch_size,
        learning_rate=settings["mlm_learning_rate"],
        warmup=warmup,
        beta2=settings["mlm_beta2"],
        epsilon=settings["mlm_epsilon"],
        together=0,
        evaluations=1,
    )


def _word_pieces(setup: Setup) -> Path:
    """Return the tokenizer of this run's corpus; trained once, however often the run is resumed."""
    settings, folder = setup.settings, setup.folder / "tokenizer"
    if not settings["from_scratch"]:
        raise TrainerError(
            "The base model's weights do not match a new tokenizer.",
            "Set train_tokenizer=false or from_scratch=true.",
        )
    if not folder.exists():
        setup.note(f"Training a tokenizer with {settings['vocabulary']:,} tokens")
        unfinished = folder.with_name("tokenizer.new")
        shutil.rmtree(unfinished, ignore_errors=True)
        learn_word_pieces(
            setup.corpus, unfinished, size=settings["vocabulary"], cased=settings["cased"]
        )
        unfinished.rename(folder)
    return folder


def _backbone(setup: Setup, tokenizer: Path) -> Backbone:
    base = setup.backbone()
    if not setup.settings["from_scratch"]:
        return base
    words = Vocabulary.of(tokenizer)
    config = base.config | {"vocab_size": words.size, "pad_token_id": words.pad}
    return Backbone.new(config, dropout=setup.settings["dropout"])


class MaskedWordHead(nn.Module):
    """BERT's head for masked words, with tied word embeddings."""

    def __init__(self, backbone: Backbone) -> None:
        super().__init__()
        self.backbone = backbone
        self.dense = nn.Linear(backbone.hidden, backbone.hidden)
        self.norm = nn.LayerNorm(backbone.hidden, eps=backbone.config.get("layer_norm_eps", 1e-12))
        self.bias = nn.Parameter(torch.zeros(len(backbone.words)))
        nn.init.normal_(self.dense.weight, std=0.02)
        nn.init.zeros_(self.dense.bias)

    def forward(self, texts: Packed) -> Tensor:
        """Return the score of every word for each masked token, [masked tokens, vocabulary]."""
        selected = texts.selected
        assert selected is not None
        states = self.backbone(texts).index_select(0, selected)
        return F.linear(self.norm(F.gelu(self.dense(states))), self.backbone.words, self.bias)


def masked_word_loss(outputs: Tensor, batch: Batch) -> Loss:
    """Return the cross entropy over the masked words."""
    labels = to_device(batch.labels, outputs.device)
    return Loss(F.cross_entropy(outputs.float(), labels, reduction="sum"), len(labels))


class InBatch:
    """Each anchor is matched with its positive among those of its group, over all ranks.

    Examples are pairs, followed by hard negatives if there are any. A group is `together`
    consecutive examples of the step.
    """

    def __init__(
        self,
        temperature: float,
        together: int,
        *,
        same_label: bool,
        same_paper: bool,
        anchor: float = 0.0,
    ) -> None:
        self.temperature, self.together, self.anchor = temperature, together, anchor
        self.same_label, self.same_paper = same_label, same_paper

    def __call__(self, outputs: Tensor, batch: Batch) -> Loss:
        vectors = F.normalize(outputs.float(), dim=-1)
        anchors, others = vectors[batch.places[:, 0]], batch.gather(vectors[batch.places[:, 1:]])
        positions, labels, papers = (
            batch.gather(column) for column in (batch.positions, batch.labels, batch.papers)
        )
        # Every rank takes part in the backward pass of the gather, also one without examples.
        total = others.sum() * 0
        groups, there = batch.positions // self.together, partial(to_device, device=total.device)
        for group in sorted(set(groups.tolist())):
            mine = (groups == group).nonzero()[:, 0]
            theirs = (positions // self.together == group).nonzero()[:, 0]
            theirs = theirs[positions[theirs].argsort()]
            targets = torch.searchsorted(positions[theirs], batch.positions[mine])
            same = self._same(batch, mine, labels[theirs], papers[theirs, 1:])
            same = [(there(keys), there(of_others)) for keys, of_others in same]
            # All positives first, then all hard negatives.
            candidates = others[there(theirs)].transpose(0, 1).flatten(0, 1)
            lost = info_nce(
                anchors[there(mine)], candidates, there(targets), self.temperature, same
            )
            total = total + lost.sum()
        return anchored(Loss(total, len(anchors)), vectors, batch, self.anchor)

    def _same(
        self, batch: Batch, mine: Tensor, labels: Tensor, papers: Tensor
    ) -> list[tuple[Tensor, Tensor]]:
        """Return keys that exclude candidates as negatives of an anchor
        (trainer.methods.losses.info_nce)."""
        found = []
        if self.same_label:
            # The class of a hard negative is unknown.
            unknown = labels.new_full((papers[:, 1:].numel(),), -1)
            found.append((batch.labels[mine, None], torch.cat([labels, unknown])))
        if self.same_paper:
            found.append((batch.papers[mine, :2], papers.T.flatten()))
        return found
