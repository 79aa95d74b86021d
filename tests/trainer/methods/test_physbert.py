"""PhysBERT: its own tokenizer, masked words in blocks, then pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch.nn import functional as F

from tests.support.generate.corpus import full_text, make_corpus
from tests.support.models.small_loop import learn, make, setup
from tests.support.models.tiny_model import tiny_package
from trainer.contract.errors import TrainerError
from trainer.data.corpus.corpus import Corpus, Split
from trainer.data.corpus.split import SplitRule
from trainer.data.examples import Batch
from trainer.data.tokens import Vocabulary
from trainer.methods.base import OptimizationPlan
from trainer.methods.physbert import PhysBert
from trainer.model.packed import Packed

SMALL = {
    "train_tokenizer": False,
    "from_scratch": False,
    "mlm_short": 32,
    "mlm_long": 48,
    "min_papers": 2,
    "category_pairs": 40,
    "citation_pairs": 12,
    "question_pairs": 12,
}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tiny_package(tmp_path / "tiny").folder


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    return physics(tmp_path / "corpus", 400)


def physics(folder: Path, count: int) -> Corpus:
    """Papers of four categories, two of which are on the same papers; each with a question, citing
    the next twenty."""
    fields = ("astro-ph.CO", "astro-ph.GA", "hep-th", "math.AG")
    papers = [
        {"fields": (fields[number % 4],), "questions": (f"the study of {number}",)}
        for number in range(count)
    ]
    cites = [(n, (n + step) % count) for n in range(count) for step in range(1, 21)]
    return make_corpus(folder, papers, cites)


def physbert(corpus: Corpus, base: Path, **changes: Any) -> Any:
    return make(corpus, base, "physbert-paper", **(SMALL | changes))


def test_masking_and_contrast_stages_share_a_backbone(corpus: Corpus, base: Path) -> None:
    method = physbert(corpus, base)
    assert [stage.name for stage in method.stages] == ["mlm_short", "mlm_long", "contrast"]
    words, again, pairs = method.stages
    assert words.model is again.model
    assert words.model.backbone is pairs.model.backbone is method.encoder.backbone
    assert (words.plan.epochs, again.plan.epochs, pairs.plan.epochs) == (4, 6, 2)
    assert (words.plan.learning_rate, pairs.plan.learning_rate) == (1e-4, 2e-4)
    assert (words.plan.together, pairs.plan.together, pairs.plan.evaluations) == (0, 256, 3)
    assert words.train.tokens(np.arange(1)) == [32]


@pytest.mark.parametrize("number", [0, 2])
def test_stage_overfits_32_papers(tmp_path: Path, base: Path, number: int) -> None:
    corpus = physics(tmp_path / "few", 32)
    # Questions and titles of so few words repeat; papers of one category are not negatives.
    fair = {"citation_pairs": 0, "question_pairs": 0, "mask_same_label": True}
    method = physbert(corpus, base, category_pairs=16, from_scratch=True, **fair)
    losses = learn(method.stages[number])
    assert losses[-1] <= 0.1 * losses[0]


def test_masked_words_are_predicted_with_the_tied_embedding(corpus: Corpus, base: Path) -> None:
    stage = physbert(corpus, base).stages[0]
    batch = stage.train.batch(np.arange(4), np.arange(4), key=1)
    outputs = stage.model(batch.texts)
    words = stage.model.backbone.words
    assert outputs.shape == (len(batch.texts.selected), len(words))
    total, count = stage.loss(outputs, batch)
    assert count == len(batch.labels) == len(batch.texts.selected)
    (gradient,) = torch.autograd.grad(total, words)
    # Words that were not in the input also have a gradient, as classes.
    assert (gradient.abs().sum(1) > 0).all()


def test_tokenizer_is_trained_once_and_random_weights_match_it(corpus: Corpus, base: Path) -> None:
    changes = {"train_tokenizer": True, "from_scratch": True, "vocabulary": 120}
    method = physbert(corpus, base, **changes)
    folder = method.reading.tokenizer
    assert folder == base.parent / "tokenizer"
    words = Vocabulary.of(folder)
    assert len(method.encoder.backbone.words) == words.size <= 120
    assert words.mask >= 0
    learned = (folder / "tokenizer.json").stat().st_mtime_ns
    again = physbert(corpus, base, **changes)
    assert (folder / "tokenizer.json").stat().st_mtime_ns == learned
    for name, value in method.encoder.state_dict().items():
        assert torch.equal(value, again.encoder.state_dict()[name])


def test_pairs_stay_in_their_split(corpus: Corpus, base: Path) -> None:
    stage = physbert(corpus, base).stages[2]
    for examples, split in ((stage.train, Split.train), (stage.validation, Split.validation)):
        numbers = np.arange(len(examples))
        papers = examples.batch(numbers, numbers, key=1).papers.numpy()
        assert set(corpus.split[papers[papers >= 0]]) == {split}


def test_similarities_are_divided_by_the_temperature(corpus: Corpus, base: Path) -> None:
    found = [mean_loss(corpus, base, 8, temperature=t)[0] for t in (0.05, 0.1, 1.0)]
    vectors = F.normalize(outputs_of(8), dim=-1).unflatten(0, (8, 2))
    products = vectors[:, 0] @ vectors[:, 1].T
    expected = [F.cross_entropy(products / t, torch.arange(8)) for t in (0.05, 0.1, 1.0)]
    assert found == pytest.approx([one.item() for one in expected], rel=1e-4)


def test_only_pairs_of_a_group_are_negatives(corpus: Corpus, base: Path) -> None:
    whole, plan = mean_loss(corpus, base, 8, together=8, batch_size=8)
    assert plan.together == 8
    halves, plan = mean_loss(corpus, base, 8, together=4, batch_size=8)
    assert plan.together == 4
    vectors = F.normalize(outputs_of(8), dim=-1).unflatten(0, (2, 4, 2))
    products = vectors[:, :, 0] @ vectors[:, :, 1].mT / 0.05
    expected = F.cross_entropy(products.flatten(0, 1), torch.arange(4).repeat(2))
    assert halves == pytest.approx(expected.item(), rel=1e-4)
    assert halves < whole
    # A step has only its own pairs.
    assert mean_loss(corpus, base, 8, together=256, batch_size=8)[1].together == 8


def mean_loss(
    corpus: Corpus, base: Path, count: int, **changes: Any
) -> tuple[float, OptimizationPlan]:
    """Return the loss of so many pairs of one step, with different texts and the given
    `outputs_of`."""
    stage = physbert(corpus, base, **changes).stages[2]
    nothing, numbers = torch.zeros(0), torch.arange(count)
    places = torch.arange(2 * count).view(count, 2)
    labels = torch.full((count,), -1)
    total, found = stage.loss(
        outputs_of(count), Batch(Packed(nothing, ()), places, labels, places, numbers)
    )
    assert found == count
    return total.item() / count, stage.plan


def outputs_of(count: int) -> torch.Tensor:
    return torch.randn(2 * count, 8, generator=torch.Generator().manual_seed(3))


def test_validation_metrics_recognise_a_good_model(corpus: Corpus, base: Path) -> None:
    scores = physbert(corpus, base, category_pairs=4_000).stages[2].scores

    rows = {
        text: row
        for row in range(corpus.papers)
        for text in (corpus.abstract(row), corpus.questions[row])
    }

    def knows(texts: Sequence[tuple[str, str]], *, queries: bool = False) -> NDArray[np.float32]:
        """Papers lie at their category, those of astro-ph together, an abstract alone at its
        question, and titles at their row in the corpus."""
        categories = [name.split(".")[0] for name in corpus.field_names]
        found = np.zeros((len(texts), corpus.papers + 4), np.float32)
        for place, (title, abstract) in enumerate(texts):
            if abstract:
                category = categories[corpus.primary[rows[abstract]]]
                found[place, categories.index(category)] = 1
            elif title in rows:
                found[place, 4 + rows[title]] = 1
            else:
                found[place, 0] = 1
        return found

    found = scores(knows)
    assert set(found) == {"v_measure", "ndcg_at_10", "cosine_accuracy"}
    assert found["ndcg_at_10"] == 1
    assert found["v_measure"] == pytest.approx(1)
    assert 0.5 <= found["cosine_accuracy"] < 1  # all titles are equal to it


def test_missing_source_of_pairs_is_left_out_with_a_note(tmp_path: Path, base: Path) -> None:
    papers = [{"fields": ("hep-th",)}, {"fields": ("math.AG",)}] * 100
    corpus = make_corpus(tmp_path / "plain", papers)
    heard: list[str] = []
    settled = setup(corpus, base, "physbert-paper", **SMALL)
    method = PhysBert(replace(settled, note=heard.append))
    assert set(method.records["contrast"]) == {"category_pairs"}
    assert [messages for messages in heard if "question pairs" in messages]
    scores = method.stages[2].scores
    assert scores is not None
    assert set(scores(lambda pairs, queries=False: np.eye(len(pairs), 8))) == {"v_measure"}


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"mlm_short": 0, "mlm_long": 0, "contrast": False}, "nothing to train"),
        ({"mlm_long": 512}, "at most 64 tokens, not 512"),
        ({"train_tokenizer": True}, "do not match a new tokenizer"),
        ({"min_papers": 5_000, "citation_pairs": 0, "question_pairs": 0}, "has no pairs"),
    ],
)
def test_impossible_settings_are_refused_with_hint(
    corpus: Corpus, base: Path, changes: dict[str, Any], match: str
) -> None:
    with pytest.raises(TrainerError, match=match) as refused:
        physbert(corpus, base, **changes)
    assert refused.value.hint


def test_subdomain_grid_changes_batch_and_negatives_together(corpus: Corpus, base: Path) -> None:
    few = {"category_pairs": 40, "min_papers": 2}
    for batch_size in (16, 32):
        (stage,) = make(corpus, base, "physbert-subdomain", batch_size=batch_size, **few).stages
        assert stage.plan.together == stage.plan.batch_size == batch_size


def test_full_texts_are_learned_from_in_all_stages(tmp_path: Path, base: Path) -> None:
    papers = [{"title": f"Deep {n}", "full_text": full_text(n)} for n in range(40)]
    rule = SplitRule((0.7, 0.3, 0))
    corpus, plain = (
        make_corpus(tmp_path / name, some, split=rule)
        for name, some in (("full", papers), ("plain", [{"title": f"Deep {n}"} for n in range(40)]))
    )
    changes = {"category_pairs": 0, "citation_pairs": 0, "question_pairs": 500}
    method = physbert(corpus, base, **changes)
    short, _, pairs = method.stages
    abstracts = physbert(plain, base, contrast=False, mlm_long=0).stages[0]
    assert len(short.train) > 5 * len(abstracts.train)
    assert method.records["mlm_short"]["full texts"] == len(corpus.rows(Split.train))
    assert method.records["contrast"]["passage_pairs"]["pairs"] == len(pairs.train) > 50
    encoded: list[str] = []

    def encode(texts: Sequence[tuple[str, str]], queries: bool = False) -> NDArray[np.float32]:
        encoded.extend(text for text, _ in texts)
        return np.ones((len(texts), 2), np.float32)

    assert pairs.scores is not None
    assert pairs.scores(encode).keys() == pairs.scored.keys() == {"ndcg_at_10"}
    held_out = corpus.rows(Split.validation)
    first, stop = corpus.passages_of(held_out)
    allowed = {corpus.passages[n] for a, b in zip(first, stop, strict=True) for n in range(a, b)}
    assert set(encoded) & set(corpus.passages) and set(encoded) & set(corpus.passages) <= allowed
