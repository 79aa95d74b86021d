"""SPECTER and Multi2SPE on a few papers that cite each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from tests.support.generate.corpus import make_corpus
from tests.support.models.small_loop import learn, make
from tests.support.models.tiny_model import SPECIAL, WORDS, tiny_package
from trainer.contract.errors import TrainerError
from trainer.contract.package import write_package
from trainer.data.corpus.corpus import Corpus
from trainer.encoder import Encoder
from trainer.methods.multi2spe import COMMON
from trainer.methods.specter import begin_words
from trainer.methods.triplet_plan import batch_negatives

UNUSED = tuple(f"[unused{number}]" for number in range(1, 4))


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tiny_package(tmp_path / "tiny", vocabulary=[*SPECIAL, *UNUSED, *WORDS]).folder


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Groups of four papers; each cites the next two of its group, and these cite the third."""
    cites = [
        (first + paper, first + (paper + step) % 4)
        for first in range(0, 32, 4)
        for paper in range(4)
        for step in (1, 2)
    ]
    return make_corpus(tmp_path / "corpus", 32, cites)


@pytest.mark.parametrize(
    ("recipe", "changes"),
    [
        ("specter-paper", {}),
        ("specter-paper", {"pooling": "mean"}),
        ("specter-paper", {"negatives": "batch", "distance": "cosine", "margin": 0.1}),
        ("specter-released", {}),
        ("specter-allennlp", {"embedding_dropout": 0.0}),
        ("multi2spe-paper", {}),
        ("multi2spe-paper", {"facet_init": "identity_effective"}),
        ("multi2spe-paper", {"cls_tokens": 1}),
        ("multi2spe-paper", {"negatives": "batch"}),
        ("multi2spe-paper", {"facet_init": "words", "similarity": "cosine", "temperature": 0.05}),
        ("multi2spe-released", {}),
        ("multi2spe-paper", {"mean_facet": True, "similarity": "cosine", "temperature": 0.05}),
    ],
)
def test_method_overfits_32_papers(
    corpus: Corpus, base: Path, recipe: str, changes: dict[str, object]
) -> None:
    # Hard negatives are from the query's own group here, and could not all be learned.
    (stage,) = make(corpus, base, recipe, hard_share=0.0, **changes).stages
    # In a batch, papers of the query's own group that were drawn for others are negatives too.
    most = 0.9 if changes.get("negatives") == "batch" else 0.1
    losses = learn(stage, enough=most)
    assert losses[-1] < most * losses[0]


def test_pooler_in_training_leaves_the_package_with_cls(corpus: Corpus, base: Path) -> None:
    method = make(corpus, base, "specter-paper", pooling="pooler")
    batch = method.stages[0].train.batch(*[torch.arange(2).numpy()] * 2, key=1)
    states = method.encoder.backbone(batch.texts)
    assert method.encoder.pooling == "cls"
    assert torch.equal(method.encoder(batch.texts), states[batch.texts.bounds[:-1]])
    assert method.stages[0].model(batch.texts).abs().max() <= 1


def test_vector_dropout_applies_only_in_training(corpus: Corpus, base: Path) -> None:
    (stage,) = make(corpus, base, "specter-allennlp").stages
    batch = stage.train.batch(*[torch.arange(2).numpy()] * 2, key=1)
    dropped = (stage.model.train()(batch.texts) == 0).float().mean()
    assert 0.3 < dropped < 0.7
    assert (stage.model.eval()(batch.texts) != 0).all()


def test_training_changes_the_exported_weights(corpus: Corpus, base: Path) -> None:
    method = make(corpus, base, "multi2spe-paper")
    before = {name: value.clone() for name, value in method.encoder.state_dict().items()}
    learn(method.stages[0], 1)
    changed = {n for n, value in method.encoder.state_dict().items() if not value.equal(before[n])}
    assert {"facets.weight", "facets.bias"} < changed


def test_cls_tokens_have_own_layers_and_vector_is_their_sum(corpus: Corpus, base: Path) -> None:
    method = make(corpus, base, "multi2spe-paper")
    own = sum(weight.numel() for weight in method.encoder.facets.parameters())
    assert own == 3 * 3 * (32 * 32 + 32)
    batch = method.stages[0].train.batch(*[torch.arange(2).numpy()] * 2, key=1)
    facets = method.encoder(batch.texts)
    assert facets.shape == (len(batch.texts.lengths), 3, 32)
    torch.testing.assert_close(method.encoder.vectors(batch.texts), facets.sum(1))
    first = [batch.texts.ids[start : start + 3].tolist() for start in batch.texts.bounds[:-1]]
    assert {tuple(ids) for ids in first} == {(2, 5, 6)}  # [CLS] [unused1] [unused2]


def test_additional_cls_tokens_start_as_common_words(corpus: Corpus, base: Path) -> None:
    method = make(corpus, base, "multi2spe-paper", facet_init="words", cls_tokens=4)
    plain = make(corpus, base, "multi2spe-paper").encoder.backbone.words
    words = method.encoder.backbone.words
    numbers = [[*SPECIAL, *UNUSED, *WORDS].index(word) for word in ("the", "of", "the")]
    assert torch.equal(words[[5, 6, 7]], plain[numbers])
    changed = (words != plain).any(1).nonzero().flatten().tolist()
    assert changed == [5, 6, 7]


def test_additional_cls_tokens_start_as_the_first_without_common_words(
    corpus: Corpus, tmp_path: Path
) -> None:
    vocabulary = [*SPECIAL, *UNUSED, *(word for word in WORDS if word not in COMMON)]
    base = tiny_package(tmp_path / "without", vocabulary=vocabulary).folder
    words = make(corpus, base, "multi2spe-paper", facet_init="words").encoder.backbone.words
    assert torch.equal(words[[5, 6]], words[[2, 2]])


def test_facets_initialised_as_words_leave_the_backbone_output(corpus: Corpus, base: Path) -> None:
    method = make(corpus, base, "multi2spe-paper", facet_init="words")
    texts = method.stages[0].train.batch(np.arange(2), np.arange(2), 0).texts
    states = method.encoder.backbone(texts)
    expected = [states[start : start + 3] for start in texts.bounds[:-1]]
    torch.testing.assert_close(method.encoder(texts), torch.stack(expected))


def test_model_with_mean_facet_starts_with_the_similarities_of_the_base(
    corpus: Corpus, tmp_path: Path
) -> None:
    package = tiny_package(tmp_path / "plain")  # Its tokenizer has no further [CLS].
    method = make(corpus, package.folder, "multi2spe-small", read_tokens=48, join="sep")
    method.encoder.save(tmp_path / "saved", package.folder)
    described = {"folder": tmp_path / "start", "pooling": method.encoder.pooling}
    start = write_package(replace(package, **described), tmp_path / "saved")
    papers = [(corpus.title(row), corpus.abstract(row)) for row in range(8)]
    before, after = (Encoder(one, "cpu").encode(papers) for one in (package, start))
    np.testing.assert_allclose(after @ after.T, before @ before.T, atol=1e-6, rtol=0)
    learn(method.stages[0], 5, enough=0.0)
    method.encoder.save(tmp_path / "learned", package.folder)
    described["folder"] = tmp_path / "end"
    end = Encoder(write_package(replace(package, **described), tmp_path / "learned"), "cpu")
    changed = end.encode(papers)
    assert not np.allclose(changed @ changed.T, before @ before.T, atol=1e-3)


def test_tanh_of_the_mean_facet_is_refused(corpus: Corpus, base: Path) -> None:
    with pytest.raises(TrainerError, match="tanh"):
        make(corpus, base, "multi2spe-paper", mean_facet=True, tanh=True)


@pytest.mark.parametrize("negatives", ["drawn", "batch"])
def test_loss_of_facets_that_start_at_zero_has_finite_gradients(
    corpus: Corpus, base: Path, negatives: str
) -> None:
    changes = {"negatives": negatives, "batch_size": 16, "mean_facet": True}
    (stage,) = make(corpus, base, "multi2spe-paper", similarity="cosine", **changes).stages
    batch = stage.train.batch(np.arange(16), np.arange(16), 0)
    outputs = torch.randn(len(batch.texts.lengths), 3, 32)
    outputs[:, 1:] = 0
    outputs.requires_grad_(True)
    stage.loss(outputs, batch).total.backward()
    assert outputs.grad is not None
    assert outputs.grad[:, 1:].any()
    assert outputs.grad.abs().max() < 100


@pytest.mark.parametrize("negatives", ["drawn", "batch"])
def test_similarity_and_temperature_reach_the_loss(
    corpus: Corpus, base: Path, negatives: str
) -> None:
    changes = {"negatives": negatives, "batch_size": 16, "facet_init": "words"}
    (stage,) = make(corpus, base, "multi2spe-paper", **changes).stages
    batch = stage.train.batch(np.arange(16), np.arange(16), 0)
    outputs = torch.randn(len(batch.texts.lengths), 3, 32)

    def lost(**more: object) -> float:
        (stage,) = make(corpus, base, "multi2spe-paper", **changes, **more).stages
        return stage.loss(outputs, batch).total.item()

    assert lost(temperature=4.0) == pytest.approx(stage.loss(outputs / 2, batch).total.item())
    of_unit = lost(similarity="cosine")
    (stage,) = make(corpus, base, "multi2spe-paper", **changes, similarity="cosine").stages
    assert stage.loss(outputs * 3, batch).total.item() == pytest.approx(of_unit)
    assert of_unit != pytest.approx(lost())


def test_records_count_triples_and_papers_without(corpus: Corpus, base: Path) -> None:
    method = make(corpus, base, "specter-paper", samples_per_query=3)
    (stage,) = method.stages
    assert method.records["train"]["triplets"] == len(stage.train)
    assert method.records["validation"]["triplets"] == len(stage.validation)


def test_max_tokens_above_model_limit_is_refused(corpus: Corpus, base: Path) -> None:
    with pytest.raises(TrainerError, match="at most 64 tokens, not 512") as refused:
        make(corpus, base, "specter-paper", max_tokens=512)
    assert "max_tokens=64" in refused.value.hint


def test_corpus_without_triples_is_refused_with_reasons(tmp_path: Path, base: Path) -> None:
    corpus = make_corpus(tmp_path / "lonely", 12)
    with pytest.raises(TrainerError, match="yields no triplets") as refused:
        make(corpus, base, "specter-paper")
    assert "papers cites no other paper" in refused.value.message
    assert "citations" in refused.value.hint


def test_allennlp_mean_uses_first_pieces_of_words(base: Path) -> None:
    vocabulary = [*SPECIAL, *UNUSED, *WORDS]
    begins = begin_words(base).tolist()
    without = {"[PAD]", "[CLS]", "[SEP]", "[MASK]", "##s"}
    assert [word for word, one in zip(vocabulary, begins, strict=True) if not one] == [
        word for word in vocabulary if word in without
    ]


def test_batch_negatives_are_all_uncited_papers_of_the_step(corpus: Corpus, base: Path) -> None:
    (stage,) = make(corpus, base, "specter-paper", negatives="batch", batch_size=16).stages
    assert stage.plan.together == 16
    numbers = np.arange(16)
    batch = stage.train.batch(numbers, numbers, 0)
    outputs = torch.randn(len(batch.texts.lengths), 8)
    others, allowed = batch_negatives(outputs, batch, corpus.cites)
    papers = batch.papers[:, 2].tolist()
    assert torch.equal(others, outputs[batch.places[:, 2]])
    for query, mine in zip(batch.papers[:, 0].tolist(), allowed.tolist(), strict=True):
        cited = {query, *corpus.cites[query].tolist()}
        assert mine == [paper not in cited for paper in papers]


@pytest.mark.parametrize("recipe", ["specter-paper", "multi2spe-paper"])
def test_several_ranks_have_the_same_loss_as_one(corpus: Corpus, base: Path, recipe: str) -> None:
    (stage,) = make(corpus, base, recipe, negatives="batch", batch_size=16).stages
    numbers = np.arange(16)
    batch = stage.train.batch(numbers, numbers, 0)
    outputs = stage.model(batch.texts).detach()
    whole = stage.loss(outputs, batch).total

    def rank(mine: slice) -> Tensor:
        everything = iter([outputs[batch.places[:, 2]], batch.papers[:, 2]])
        columns = ("places", "labels", "papers", "positions")
        share = {name: getattr(batch, name)[mine] for name in columns}
        return stage.loss(outputs, replace(batch, gather=lambda _: next(everything), **share)).total

    shares = [slice(0, 11), slice(11, 16), slice(16, 16)]
    torch.testing.assert_close(sum(rank(share) for share in shares), whole)
