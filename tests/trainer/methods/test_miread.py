"""MIReAD: classification of journals, and the resulting package."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from tests.support.generate.corpus import make_corpus
from tests.support.models.small_loop import learn, make, setup
from tests.support.models.tiny_model import CONFIG, tiny_package
from trainer.contract.errors import TrainerError
from trainer.data.corpus.corpus import Corpus
from trainer.data.examples import Batch
from trainer.methods.miread import Classifier, Miread, journal_loss
from trainer.model.packed import Packed
from trainer.model.text_model import Backbone

FEW = {"min_papers": 4, "recent_year": 0, "max_papers": 0}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tiny_package(tmp_path / "tiny").folder


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    venues = ("Annals", "Letters", "Nature", "Rare")
    papers = [{"venue": venues[min(number // 10, 3)]} for number in range(32)]
    return make_corpus(tmp_path / "corpus", papers)


@pytest.mark.parametrize("head", ["pooler", "raw_cls", "mean"])
def test_miread_overfits_32_papers(corpus: Corpus, base: Path, head: str) -> None:
    (stage,) = make(corpus, base, "miread-paper", head=head, **FEW).stages
    losses = learn(stage)
    assert losses[-1] < 0.1 * losses[0]


def test_classes_are_recorded_and_the_head_is_not_saved(corpus: Corpus, base: Path) -> None:
    settled = setup(corpus, base, "miread-paper", exclude="letters; Unheard", **FEW)
    heard: list[str] = []
    method = Miread(replace(settled, note=heard.append))
    assert [messages for messages in heard if "journal" in messages] == [
        "No paper is from the journal 'Unheard', so no paper was excluded."
    ]
    assert json.loads(json.dumps(method.records))["classes"] == ["Annals", "Nature"]
    assert method.records["journals with too few papers"] == 1
    assert not any(isinstance(part, Classifier) for part in method.encoder.modules())
    batch = method.stages[0].train.batch(*[np.arange(3)] * 2, key=1)
    states = method.encoder.backbone(batch.texts)
    assert torch.equal(method.encoder(batch.texts), states[batch.texts.bounds[:-1]])


def test_corpus_of_one_journal_is_refused(corpus: Corpus, base: Path) -> None:
    with pytest.raises(TrainerError, match="two are required"):
        make(corpus, base, "miread-paper", exclude="Letters;Nature", **FEW)
    with pytest.raises(TrainerError, match="have only one known journal; two are"):
        make(corpus, base, "miread-paper", exclude="Letters;Nature;Rare", **FEW)


@pytest.mark.parametrize(("recent", "papers"), [(2021, 24), (0, 48)])
def test_pubmed_papers_end_with_the_recent_year(
    tmp_path: Path, base: Path, recent: int, papers: int
) -> None:
    found = [
        {"id": f"pmid:{number}", "venue": f"Journal {number % 2}", "year": 2021 + number // 24}
        for number in range(48)
    ]
    corpus = make_corpus(tmp_path / "pubmed", found)
    method = make(
        corpus, base, "miread-paper", **FEW | {"recent_year": recent}, pubmed_min_papers=2
    )
    (stage,) = method.stages
    kept = method.records["papers of the test split"]
    assert len(stage.train) + len(stage.validation) + kept == papers


def test_finished_model_may_read_more_than_in_training(corpus: Corpus, base: Path) -> None:
    method = make(corpus, base, "miread-paper", max_tokens=10, read_tokens=50, **FEW)
    (stage,) = method.stages
    assert stage.train.tokens(np.arange(len(stage.train))).max() == 10
    assert method.reading.max_tokens == 50
    same = make(corpus, base, "miread-paper", max_tokens=10, read_tokens=0, **FEW)
    assert same.reading.max_tokens == 10


def test_read_tokens_above_model_limit_are_refused(corpus: Corpus, base: Path) -> None:
    with pytest.raises(TrainerError, match="at most 64 tokens, not 65") as refused:
        make(corpus, base, "miread-paper", read_tokens=65, **FEW)
    assert "read_tokens=64" in str(refused.value.hint)


@pytest.mark.parametrize("share", [0.0, 0.25])
def test_start_share_interpolates_saved_weights(
    corpus: Corpus, base: Path, share: float, tmp_path: Path
) -> None:
    method = make(corpus, base, "miread-paper", head="mean", start_share=share, **FEW)
    start = Backbone.load(base).weights()
    learn(method.stages[0], 5)
    learned = method.encoder.backbone.weights()
    for _ in range(2):  # Saving does not change later saves.
        method.encoder.save(tmp_path / "saved", method.reading.tokenizer)
        saved = Backbone.load(tmp_path / "saved").weights()
        for (
            name,
            weight,
        ) in saved.items():  # the pooler is saved as learned, since it makes no vector
            kept = 0.0 if name.startswith("pooler.") else share
            expected = kept * start[name] + (1 - kept) * learned[name]
            torch.testing.assert_close(weight, expected, rtol=0, atol=1e-6)
    assert not torch.equal(start["embeddings.LayerNorm.bias"], learned["embeddings.LayerNorm.bias"])


class Given(nn.Module):
    """Texts with known vectors."""

    def __init__(self, vectors: torch.Tensor) -> None:
        super().__init__()
        self.vectors, self.dim = vectors, vectors.shape[1]

    def forward(self, texts: Packed) -> torch.Tensor:
        return self.vectors


@pytest.mark.parametrize(("head", "name"), [("pooler", "pooled"), ("raw_cls", "raw_cls")])
def test_head_matches_reference_values(shared: Path, head: str, name: str) -> None:
    case = json.loads((shared / "golden" / "miread_cls_cross_entropy.json").read_text())
    given = {key: torch.tensor(case["inputs"][key]) for key in ("cls", "pooler_W", "pooler_b")}
    states = given["cls"].double()
    if head == "pooler":
        states = golden_pooler(given["pooler_W"], given["pooler_b"])(states)
    model = Classifier(Given(states), len(case["inputs"]["classifier_W"]), dropout=0.0).double()
    with torch.no_grad():
        model.classes.weight.copy_(torch.tensor(case["inputs"]["classifier_W"]))
        model.classes.bias.copy_(torch.tensor(case["inputs"]["classifier_b"]))
    classes = len(model.classes.weight)
    outputs = model(Packed(torch.zeros(0), ()))
    logits = outputs[:, :classes]

    expected, count = case["expected"], len(states)
    torch.testing.assert_close(logits, torch.tensor(expected[f"logits_{name}"]).double())
    places, labels = torch.arange(count)[:, None], torch.tensor(case["inputs"]["labels"])
    nothing = torch.zeros(0)
    batch = Batch(Packed(nothing, ()), places, labels, places, torch.arange(count))
    total, examples = journal_loss(outputs, batch, classes)
    assert examples == count
    assert total.item() / count == pytest.approx(expected[f"ce_mean_{name}"], rel=1e-6)


def test_scaled_head_starts_equal_and_learns_faster(corpus: Corpus, base: Path) -> None:
    vectors = torch.randn(6, 8, generator=torch.Generator().manual_seed(2))
    moved = {}
    for scale in (1.0, 100.0):
        torch.manual_seed(1)
        model = Classifier(Given(vectors), 3, 0.0, scale)
        before = model(Packed(torch.zeros(0), ()))[:, :3]
        optimizer = torch.optim.Adam(model.parameters(), 1e-5)
        before.logsumexp(1).sum().backward()
        optimizer.step()
        after = model(Packed(torch.zeros(0), ()))[:, :3]
        moved[scale] = (before.detach(), (after - before).detach())
    torch.testing.assert_close(moved[1.0][0], moved[100.0][0])
    torch.testing.assert_close(100 * moved[1.0][1], moved[100.0][1], rtol=0.02, atol=1e-4)
    (stage,) = make(corpus, base, "miread-paper", head_scale=30.0, **FEW).stages
    assert stage.model.scale == 30


def golden_pooler(weight: torch.Tensor, bias: torch.Tensor) -> nn.Module:
    """The pooler of a backbone of this width, with these weights."""
    width = len(weight)
    config = CONFIG | {"vocab_size": 8, "hidden_size": width, "num_attention_heads": 1}
    pooler = Backbone.new(config).pooler
    with torch.no_grad():
        pooler.dense.weight.copy_(weight)
        pooler.dense.bias.copy_(bias)
    return pooler.double()
