"""The layer that emphasizes what tells labels apart."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from tests.support.generate.corpus import make_corpus
from tests.support.models.small_runs import small_recipe
from tests.support.models.tiny_model import tiny_package
from trainer.contract.package import read_package
from trainer.contract.run import Run
from trainer.data.corpus.corpus import Corpus, Split
from trainer.distributed import Ranks
from trainer.encoder import Encoder
from trainer.loop.label_head import LABELS, choose_head
from trainer.loop.setup import Options
from trainer.methods.base import LabelledPapers
from trainer.methods.search_scores import QUERIES, SearchScores
from trainer.model.label_head import Discriminants, LabelHead
from trainer.train import train

pytestmark = pytest.mark.usefixtures("one_thread")

WORDS = ("deep", "graph", "learning", "paper", "we", "study", "neural", "network", "the", "of")
FIELDS = 3


def labelled_vectors(count: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors that differ little by label and much otherwise."""
    chance = np.random.default_rng(0)
    labels = chance.integers(0, 3, count)
    centers = 0.4 * chance.normal(size=(3, 12))
    vectors = centers[labels] + chance.normal(size=(count, 12)) * np.linspace(0.1, 2.0, 12)
    vectors += 1.0
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32), labels


def precision(vectors: np.ndarray, labels: np.ndarray) -> float:
    near = np.argsort(-(vectors @ vectors.T), axis=1)[:, 1:11]
    return float((labels[near] == labels[:, None]).mean())


def test_discriminants_span_the_space_of_linear_discriminant_analysis() -> None:
    # Of many papers, since the reference shrinks the covariance of each label by itself.
    vectors, labels = labelled_vectors(4_000)
    found = Discriminants.of(vectors, labels).directions
    reference = LinearDiscriminantAnalysis("eigen")
    expected = reference.fit(vectors.astype(np.float64), labels).scalings_[:, :2]
    assert found.shape == expected.shape
    _, left, *_ = np.linalg.lstsq(found, expected, rcond=None)
    assert left.sum() < 0.02 * np.square(expected).sum()


def test_layer_adds_discriminants_to_inner_products_and_keeps_dimensions() -> None:
    vectors, labels = labelled_vectors()
    found = Discriminants.of(vectors, labels)
    head = LabelHead.of(found, 0.5)
    centered = vectors - found.mean
    after = vectors @ head.weight.T + head.bias - found.mean
    added = centered @ found.directions
    np.testing.assert_allclose(after @ after.T, centered @ centered.T + 0.25 * added @ added.T)
    assert np.square(added).sum(1).mean() == pytest.approx(1.0)
    np.testing.assert_allclose(np.linalg.norm(head(vectors), axis=1), 1.0, atol=1e-6)
    assert precision(head(vectors), labels) > precision(vectors, labels) + 0.05


def test_discriminants_of_fewer_papers_than_dimensions_are_finite() -> None:
    vectors, labels = labelled_vectors(8)
    head = LabelHead.of(Discriminants.of(vectors, labels), 1.0)
    assert np.isfinite(head(vectors)).all()


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Papers whose words depend a little on their journal and category."""
    chance = random.Random(3)

    def text(field: int, length: int) -> str:
        often = WORDS[field * 3 : field * 3 + 3]
        return " ".join(
            chance.choice(often if chance.random() < 0.3 else WORDS) for _ in range(length)
        )

    papers = [
        {
            "title": text(number % FIELDS, 4),
            "abstract": text(number % FIELDS, 16),
            "venue": f"Journal {number % FIELDS}",
            "fields": (f"field{number % FIELDS}",),
        }
        for number in range(400)
    ]
    return make_corpus(tmp_path / "corpus", papers)


def labels_of(corpus: Corpus) -> tuple[LabelledPapers, LabelledPapers]:
    train, validation = (corpus.rows(split) for split in (Split.train, Split.validation))
    return LabelledPapers(train, corpus.venues[train]), LabelledPapers(
        validation, corpus.venues[validation]
    )


def searching(monkeypatch: pytest.MonkeyPatch, values: Sequence[float], name: str) -> None:
    """Let searches have these scores, one after the other; all others are equal."""
    left = iter(values)
    equal = {QUERIES: 0.8, "citations": 0.8}
    monkeypatch.setattr(SearchScores, "__call__", lambda *_: equal | {name: next(left)})


@pytest.mark.parametrize("name", [QUERIES, "citations"])
@pytest.mark.parametrize(
    ("values", "allowed", "strength"),
    [
        # Without the layer, then with strengths of 0.1, 0.2, 0.3, 0.5 and 1.
        ((0.8, 0.796, 0.7, 0.7, 0.7, 0.7), 0.5, 0.1),
        ((0.8, 0.796, 0.7, 0.7, 0.7, 0.7), 0.3, 0.0),
        ((0.8, 0.81, 0.8, 0.81, 0.7, 0.7), 0.0, 0.3),
        ((0.8, 0.83, 0.82, 0.81, 0.8, 0.79), 0.0, 0.5),
        ((0.8, 0.8, 0.8, 0.8, 0.8, 0.8), 0.0, 1.0),
        ((0.8, 0.7, 0.7, 0.7, 0.7, 0.7), 100.0, 1.0),
    ],
)
def test_largest_strength_without_loss_in_search_is_chosen(
    corpus: Corpus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    values: Sequence[float],
    allowed: float,
    strength: float,
) -> None:
    package = tiny_package(tmp_path / "tiny")
    monkeypatch.setattr("trainer.loop.label_head._precision", better_with_each_call())
    searching(monkeypatch, values, name)
    recipe = small_recipe("miread", corpus.folder, package.folder, label_head_loss=allowed)
    choice = choose_head(recipe, corpus, labels_of(corpus), Encoder(package, "cpu").encode)
    assert choice.strength == strength
    assert (choice.head is None) == (choice.strength == 0)
    assert bool(choice.reason) == (choice.head is None)
    assert choice.without[QUERIES] == 0.8


def better_with_each_call() -> Callable[..., float]:
    values = iter((0.1, 0.6, 0.7, 0.8, 0.85, 0.9))
    return lambda *_: next(values)


def test_layer_that_does_not_help_labels_is_not_kept(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tiny_package(tmp_path / "tiny")
    monkeypatch.setattr("trainer.loop.label_head._precision", lambda *_: 0.5)
    searching(monkeypatch, [0.8] * 6, QUERIES)
    recipe = small_recipe("miread", corpus.folder, package.folder)
    choice = choose_head(recipe, corpus, labels_of(corpus), Encoder(package, "cpu").encode)
    assert choice.head is None


def test_papers_of_one_label_give_no_layer(corpus: Corpus, tmp_path: Path) -> None:
    package = tiny_package(tmp_path / "tiny")
    one = tuple(papers._replace(labels=papers.labels * 0) for papers in labels_of(corpus))
    recipe = small_recipe("miread", corpus.folder, package.folder)
    choice = choose_head(recipe, corpus, (one[0], one[1]), Encoder(package, "cpu").encode)
    assert choice.head is None
    assert choice.reason


@pytest.mark.parametrize("method", ["miread", "physbert"])
def test_finished_model_ends_with_the_layer_and_says_so(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    base = tiny_package(tmp_path / "tiny").folder
    monkeypatch.setattr("trainer.loop.label_head._precision", better_with_each_call())
    monkeypatch.setattr(SearchScores, "__call__", lambda *_: {QUERIES: 0.8})
    changes: dict[str, Any] = {"label_head": True, "max_steps": 1}
    if method == "physbert":
        changes |= {"mlm_short": 0, "mlm_long": 0, "train_tokenizer": False, "from_scratch": False}
        changes |= {"category_pairs": 100}
    runs = {}
    for name in ("with", "without"):
        changes["label_head"] = name == "with"
        run = Run.create(tmp_path / name, small_recipe(method, corpus.folder, base, **changes))
        assert train(run, Ranks.single_process("cpu"), Options("cpu")).finished
        runs[name] = run
    package, plain = (read_package(run.package) for run in runs.values())
    assert package.head == ("2_Normalize", "3_Dense")
    assert plain.head == ()
    assert (package.dim, package.space == plain.space) == (plain.dim, False)
    assert package.id != plain.id
    saved = load_file(package.folder / "3_Dense" / "model.safetensors")
    head = LabelHead(saved["linear.weight"], saved["linear.bias"])
    texts = [("deep graph", "we study the network"), ("learning", "")]
    expected = head(Encoder(plain, "cpu", exact=True).encode(texts))
    found = Encoder(package, "cpu", exact=True).encode(texts)
    # A strong layer magnifies rounding errors.
    np.testing.assert_allclose(found, expected, atol=1e-4)
    report = runs["with"].report
    assert report is not None
    assert report["label_head"]["strength"] == 1.0
    assert report["label_head"]["scores"][LABELS] == 0.9
    assert "label_head" not in (runs["without"].report or {})
    assert any("strength 1" in line for line in runs["with"].log.read_text("utf-8").splitlines())


def test_model_from_scratch_with_a_vocabulary_of_its_own_ends_with_the_layer(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tiny_package(tmp_path / "tiny")
    monkeypatch.setattr("trainer.loop.label_head._precision", better_with_each_call())
    monkeypatch.setattr(SearchScores, "__call__", lambda *_: {QUERIES: 0.8})
    changes: dict[str, Any] = {"label_head": True, "max_steps": 1, "mlm_short": 0, "mlm_long": 0}
    changes |= {"from_scratch": True, "train_tokenizer": True}
    recipe = small_recipe("physbert", corpus.folder, base.folder, category_pairs=100, **changes)
    run = Run.create(tmp_path / "run", recipe)
    assert train(run, Ranks.single_process("cpu"), Options("cpu")).finished
    package = read_package(run.package)
    assert package.head
    assert (package.folder / "tokenizer.json").read_bytes() != (
        base.folder / "tokenizer.json"
    ).read_bytes()


def test_chosen_layer_is_the_same_in_every_run(corpus: Corpus, tmp_path: Path) -> None:
    package = tiny_package(tmp_path / "tiny")
    recipe = small_recipe("miread", corpus.folder, package.folder, label_head_loss=100.0)
    encode = Encoder(package, "cpu").encode
    one, other = (choose_head(recipe, corpus, labels_of(corpus), encode) for _ in range(2))
    assert one.scores == other.scores
    assert one.head is not None and other.head is not None
    assert np.array_equal(one.head.weight, other.head.weight)
    assert one.scores[LABELS] > one.without[LABELS]
