"""Interpolation of a finished SPECTER or Multi2SPE between start and end of the training."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.support.generate.corpus import make_corpus
from tests.support.models.small_loop import learn, make
from tests.support.models.tiny_model import SPECIAL, WORDS, tiny_package
from trainer.contract.package import POOLING_WEIGHTS
from trainer.model.text_model import Backbone, TextModel

UNUSED = ("[unused1]", "[unused2]")


@pytest.mark.parametrize(
    ("recipe", "pooling", "more"),
    [
        ("specter-paper", {"pooling": "mean"}, False),
        ("specter-paper", {"pooling": "scalar_mix"}, True),
        ("multi2spe-paper", {}, True),
        ("multi2spe-paper", {"facet_init": "words"}, True),
    ],
)
def test_start_share_interpolates_the_finished_model(
    recipe: str, pooling: dict[str, str], more: bool, tmp_path: Path
) -> None:
    cites = [
        (paper, 4 * (paper // 4) + (paper + step) % 4) for paper in range(16) for step in (1, 2)
    ]
    base = tiny_package(tmp_path / "tiny", vocabulary=[*SPECIAL, *UNUSED, *WORDS]).folder
    corpus = make_corpus(tmp_path / "corpus", 16, cites)
    method = make(corpus, base, recipe, start_share=0.25, **pooling)
    start = {name: weight.clone() for name, weight in method.encoder.backbone.weights().items()}
    learn(method.stages[0], 3)
    learned, encoder = method.encoder.backbone.weights(), method.encoder
    encoder.save(tmp_path / "saved", method.reading.tokenizer)

    saved = Backbone.load(tmp_path / "saved").weights()
    # Embeddings too: additional [CLS] tokens may start as other words than those of the base.
    for name in ("embeddings.LayerNorm.bias", "embeddings.word_embeddings.weight"):
        assert not torch.equal(start[name], learned[name])
        torch.testing.assert_close(saved[name], 0.25 * start[name] + 0.75 * learned[name])
    # Weights that are not in the base, layer mixes or facets, stay as learned.
    TextModel(encoder.backbone, encoder.pooling, encoder.facets, encoder.scalar_mix).save(
        tmp_path / "learned", method.reading.tokenizer
    )
    assert pooling_weights(tmp_path / "saved") == pooling_weights(tmp_path / "learned")
    assert bool(pooling_weights(tmp_path / "saved")) == more


def test_start_share_interpolates_facets_that_start_at_zero(tmp_path: Path) -> None:
    cites = [(paper, 4 * (paper // 4) + (paper + 1) % 4) for paper in range(16)]
    base = tiny_package(tmp_path / "tiny").folder
    corpus = make_corpus(tmp_path / "corpus", 16, cites)
    changes = {"mean_facet": True, "hard_share": 0.0, "start_share": 0.25}
    method = make(corpus, base, "multi2spe-paper", **changes)
    learn(method.stages[0], 3)
    method.encoder.save(tmp_path / "saved", method.reading.tokenizer)
    saved, learned = load_file(tmp_path / "saved" / POOLING_WEIGHTS), method.encoder.facets
    assert learned.weight.any()
    for name in ("weight", "bias"):
        torch.testing.assert_close(saved[f"facets.{name}"], 0.75 * getattr(learned, name))
    assert torch.equal(saved["facets.queries"], learned.queries)


def pooling_weights(folder: Path) -> dict[str, list[float]]:
    path = folder / POOLING_WEIGHTS
    found = load_file(path) if path.exists() else {}
    return {name: weight.flatten().tolist() for name, weight in found.items()}
