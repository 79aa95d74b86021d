"""Every setting of every method changes its part of a training."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from tests.support.models.small_loop import setup
from trainer.contract.catalog import METHODS as SPECS
from trainer.contract.package import WEIGHTS
from trainer.data.corpus.builder import Builder
from trainer.data.corpus.corpus import Corpus
from trainer.data.corpus.records import InputRecord, Triple
from trainer.methods.base import Examples, Method, TrainingStage
from trainer.methods.registry import METHODS

PAPERS = 120
# These are used before a method sees the settings: the base model and the precision.
BEFORE_THE_METHOD = {"base", "precision"}
# Used at the end of a training, or with texts of several sentences: see test_library.py and
# loop/test_label_head.py. Of adapters: see test_lora.py. Of grids: see
# test_grid.py.
TESTED_ELSEWHERE = {
    *("keep_search", "sentence_share", "label_head", "label_head_loss"),
    *("lora_rank", "lora_alpha", "grid_minutes"),
}


class Change(NamedTuple):
    """A setting, another value of it, the `part` of a training that must change by it, and the
    other settings, before and after."""

    setting: str
    value: Any
    part: str
    others: Mapping[str, Any] = {}


COMMON = (
    *(
        Change(name, value, "plan")
        for name, value in (
            ("epochs", 3.0),
            ("batch_size", 24),
            ("learning_rate", 0.5),
            ("weight_decay", 0.5),
            ("warmup", 0.7),
            ("schedule", "constant"),
            ("clip", 0.5),
            ("beta1", 0.5),
            ("beta2", 0.5),
            ("epsilon", 0.5),
            ("evaluations", 2),
            ("max_steps", 5),
            ("average_steps", 10),
        )
    ),
    Change("max_tokens", 10, "examples"),
    Change("read_tokens", 10, "reading"),
    Change("join", "space", "examples"),
    Change("dropout", 0.5, "model"),
)
TRIPLES = (
    Change("anchor", 100.0, "loss", {"negatives": "batch"}),
    Change("triples", "given", "examples"),
    Change("samples_per_query", 2, "examples"),
    Change("hard_share", 1.0, "examples"),
    Change("queries", "two_hop", "examples", {"hard_share": 0.0}),
    Change("negatives", "batch", "loss"),
    Change("negatives", "batch", "plan"),
)
NEW_WORDS = {"train_tokenizer": True, "from_scratch": True}
CHANGES = {
    "specter": (
        Change("margin", 2.0, "loss"),
        Change("distance", "cosine", "loss"),
        Change("distance", "dot", "loss"),
        Change("pooling", "pooler", "model"),
        Change("pooling", "mean", "model"),
        Change("pooling", "scalar_mix", "model"),
        Change("embedding_dropout", 0.5, "model"),
        Change("start_share", 0.25, "package"),
        *TRIPLES,
    ),
    "multi2spe": (
        Change("cls_tokens", 2, "model"),
        Change("mean_facet", True, "model"),
        Change("lambda", 0.9, "loss"),
        Change("mix", "losses", "loss"),
        Change("facet_init", "released", "model"),
        Change("facet_init", "words", "model"),
        Change("similarity", "cosine", "loss"),
        Change("temperature", 2.0, "loss"),
        Change("tanh", True, "model"),
        Change("start_share", 0.25, "package"),
        *TRIPLES,
    ),
    "miread": (
        Change("head", "raw_cls", "model"),
        Change("head", "mean", "model"),
        Change("head_scale", 30.0, "model"),
        Change("anchor", 100.0, "loss", {"head": "mean"}),
        Change("start_share", 0.25, "package"),
        Change("min_papers", 15, "examples"),
        Change("pubmed_min_papers", 15, "examples"),
        Change("max_papers", 5, "examples"),
        Change("recent_year", 2018, "examples"),
        Change("first_year", 2010, "examples"),
        Change("pubmed_first_year", 2010, "examples"),
        Change("choose", "first", "examples"),
        Change("exclude", "journal 1 of 0", "examples"),
    ),
    "physbert": (
        Change("train_tokenizer", True, "examples", {"from_scratch": True}),
        Change("vocabulary", 120, "examples", NEW_WORDS),
        Change("cased", True, "examples", NEW_WORDS),
        Change("from_scratch", True, "model"),
        Change("mlm_short", 24, "examples"),
        Change("mlm_long", 0, "examples"),
        Change("mlm_short_epochs", 3.0, "plan"),
        Change("mlm_long_epochs", 3.0, "plan"),
        Change("mlm_batch_size", 4, "plan"),
        Change("mlm_learning_rate", 0.5, "plan"),
        Change("mlm_warmup", 0.5, "plan"),
        Change("mlm_beta2", 0.5, "plan"),
        Change("mlm_epsilon", 0.5, "plan"),
        Change("masked", 0.5, "examples"),
        Change("contrast", False, "examples"),
        Change("category_pairs", 8, "examples"),
        Change("category_text", "abstract", "examples"),
        Change("citation_pairs", 8, "examples"),
        Change("question_pairs", 8, "examples"),
        Change("merge", False, "examples"),
        Change("min_papers", 40, "examples"),
        Change("homogeneous", True, "examples"),
        Change("temperature", 0.5, "loss"),
        Change("together", 4, "loss"),
        Change("together", 4, "plan"),
        Change("mask_same_label", True, "loss"),
        Change("mask_same_doc", True, "loss", {"together": 48, "batch_size": 48}),
        Change("pooling", "mean_no_special", "model"),
        Change("pooling", "cls", "model"),
        Change("scored", 200, "scores"),
        Change("start_share", 0.25, "package"),
        Change("anchor", 100.0, "loss"),
    ),
    "library": (
        Change("examples", 64, "examples"),
        Change("citation_share", 0.0, "examples"),
        Change("group_share", 0.0, "examples"),
        Change("title_share", 0.0, "examples"),
        Change("question_share", 0.0, "examples"),
        Change("hard_negatives", False, "examples"),
        Change("temperature", 0.5, "loss"),
        Change("anchor", 0.0, "loss"),
        Change("start_share", 0.25, "package"),
        Change("pooling", "mean_no_special", "model"),
        Change("pooling", "cls", "model"),
        Change("scored", 10, "examples"),
    ),
}
START: dict[str, dict[str, Any]] = {
    "specter": {},
    "multi2spe": {},
    "miread": {
        "min_papers": 2,
        "pubmed_min_papers": 2,
        "max_papers": 8,
        "recent_year": 0,
        "pubmed_first_year": 0,
    },
    "physbert": {
        "train_tokenizer": False,
        "from_scratch": False,
        "vocabulary": 100,
        "mlm_short": 16,
        "mlm_long": 32,
        "min_papers": 2,
        "category_pairs": 16,
        "category_text": "both",
        "citation_pairs": 16,
        "question_pairs": 16,
        "together": 8,
        "scored": 100,
    },
    "library": {"examples": 160, "join": "sep", "evaluations": 3},
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Papers of arXiv and PubMed, each with journals of 30, 20 and 10 papers, and new words."""
    chance = random.Random(1)

    def words(count: int) -> str:
        letters = ("".join(chance.choices("abcdefghij", k=4)) for _ in range(count))
        return " ".join(f"the {word.title()}" for word in letters)

    fields = ("astro-ph.CO", "astro-ph.GA", "hep-th", "math.AG")
    papers = []
    for number in range(PAPERS):
        place, pubmed = divmod(number, 2)
        papers.append(
            {
                "id": f"{'pmid' if pubmed else 'arxiv'}:{number:05}",
                "title": words(2),
                "abstract": words(8),
                "venue": f"Journal {0 if place < 30 else 1 if place < 50 else 2} of {pubmed}",
                "year": 2000 + number % 20,
                "fields": (fields[number % 4],),
                "questions": (f"deep graph {number} study",),
            }
        )
    citations = [
        (citing, cited)
        for citing in range(100)
        for cited in chance.sample(range(PAPERS), 4)
        if cited != citing
    ]
    # Some cite only papers without references.
    citations += [(citing, citing + 10) for citing in range(100, 110)]
    with Builder(tmp_path_factory.mktemp("settings") / "corpus") as builder:
        for paper in papers:
            builder.add(InputRecord(**paper))
        for citing, cited in citations:
            builder.cite(papers[citing]["id"], [papers[cited]["id"]])
        for number in range(PAPERS - 2):
            builder.add_triple(Triple(*(paper["id"] for paper in papers[number : number + 3])))
        return builder.finish()


@pytest.fixture(scope="module")
def fingerprints(
    corpus: Corpus, tiny_base: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., dict[str, str]]:
    """Return a cached function giving the fingerprint of each part of a training."""
    known: dict[str, dict[str, str]] = {}

    def make(method: str, settings: Mapping[str, Any]) -> dict[str, str]:
        key = method + repr(sorted(settings.items()))
        if key not in known:
            folder = tmp_path_factory.mktemp("run")
            settled = setup(corpus, tiny_base, method, **{"batch_size": 16, **settings})
            known[key] = parts_of(METHODS[method](replace(settled, folder=folder)), folder)
        return known[key]

    return make


@pytest.mark.parametrize(
    ("method", "change"),
    [
        pytest.param(method, change, id=f"{method}-{change.setting}-{change.value}-{change.part}")
        for method, own in CHANGES.items()
        for change in (*COMMON, *own)
    ],
)
def test_setting_changes_its_part_of_a_training(
    fingerprints: Callable[..., dict[str, str]], one_thread: None, method: str, change: Change
) -> None:
    before = {**START[method], **change.others}
    one, other = (
        fingerprints(method, before),
        fingerprints(method, {**before, change.setting: change.value}),
    )
    assert one[change.part] != other[change.part]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.key)
def test_every_setting_is_tested(spec: Any) -> None:
    looked_at = {change.setting for change in (*COMMON, *CHANGES[spec.key])}
    assert looked_at == {setting.name for setting in spec.settings} - (
        BEFORE_THE_METHOD | TESTED_ELSEWHERE
    )


@pytest.mark.parametrize("method", CHANGES)
def test_equal_settings_give_equal_trainings(
    fingerprints: Callable[..., dict[str, str]], one_thread: None, method: str
) -> None:
    assert fingerprints(method, START[method]) == fingerprints(
        method, {**START[method], "batch_size": 16}
    )


@pytest.mark.parametrize(("epochs", "warmup"), [(1.0, 0.06), (1e6, 10_000)])
def test_masking_warmup_is_limited_to_ten_thousand_steps(
    corpus: Corpus, tiny_base: Path, epochs: float, warmup: float
) -> None:
    changes = {**START["physbert"], "mlm_short_epochs": epochs, "mlm_batch_size": 8}
    stages = METHODS["physbert"](setup(corpus, tiny_base, "physbert", **changes)).stages
    assert stages[0].plan.warmup == warmup
    assert stages[1].plan.warmup == 0.06


def parts_of(method: Method, folder: Path) -> dict[str, str]:
    """A fingerprint of each part of the training that a method makes."""
    found = {
        "examples": digest(*(_examples(stage) for stage in method.stages)),
        "plan": digest(*(stage.plan for stage in method.stages)),
        "scores": digest(*(vars(s.scores).get("_most") for s in method.stages if s.scores)),
        "reading": digest(method.reading.join, method.reading.max_tokens),
        "model": digest(*(_outputs(stage, train=True) for stage in method.stages)),
        "loss": digest(*(_loss(stage) for stage in method.stages)),
    }
    found["model"] += digest(*(w for s in method.stages for w in s.model.state_dict().values()))
    with torch.no_grad():
        for weight in method.encoder.parameters():
            weight.add_(1.0)  # as if something had been learned
    method.encoder.save(folder / "saved", method.reading.tokenizer)
    return {**found, "package": digest((folder / "saved" / WEIGHTS).read_bytes())}


def _examples(stage: TrainingStage) -> str:
    return digest(*map(_texts, (stage.train, stage.validation)), stage.train.order(1, 0, 16))


def _texts(examples: Examples) -> str:
    if not len(examples):
        return ""
    batch = examples.batch(*[np.arange(len(examples))] * 2, key=1)
    texts = (batch.texts.ids, batch.texts.lengths, batch.texts.selected)
    return digest(*texts, batch.places, batch.labels, batch.papers)


def _some(stage: TrainingStage) -> Any:
    return stage.train.batch(*[np.arange(min(48, len(stage.train)))] * 2, key=1)


@torch.no_grad()
def _outputs(stage: TrainingStage, *, train: bool) -> torch.Tensor:
    torch.manual_seed(7)
    found: torch.Tensor = stage.model.train(train)(_some(stage).texts)
    return found


def _loss(stage: TrainingStage) -> float:
    """A fingerprint of the loss for outputs that are independent of the model."""
    shape = _outputs(stage, train=False).shape
    outputs = torch.randn(shape, generator=torch.Generator().manual_seed(3))
    return stage.loss(outputs, _some(stage)).total.item()


def digest(*values: Any) -> str:
    hashed = hashlib.sha256()
    for value in values:
        if isinstance(value, torch.Tensor):
            value = value.numpy()
        hashed.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
    return hashed.hexdigest()
