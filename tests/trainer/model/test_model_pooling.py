from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModel

from tests.support.golden import golden
from tests.support.models.tiny_model import CONFIG, SPECIAL, WORDS, tiny_package
from trainer.contract.errors import PackageRefused
from trainer.contract.package import Package, write_package
from trainer.encoder import Encoder
from trainer.model.packed import pack, pool
from trainer.model.pooling import FacetPooling, MeanFacets, ScalarMix
from trainer.model.text_model import Backbone, TextModel

VOCABULARY = [*SPECIAL, *WORDS, "[unused1]", "[unused2]"]
PAPERS = [
    ("Deep graph learning", "We study the citation graph of papers."),
    ("Neural networks", ""),
    ("", ""),
    ("The paper, the network", "the citation of the citation " * 40),
]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return tiny_package(tmp_path_factory.mktemp("models") / "tiny", vocabulary=VOCABULARY)


def save_and_load(model: TextModel, source: Package, folder: Path, **values: Any) -> Encoder:
    model.save(folder / "saved", source.folder)
    described = {"folder": folder / "made", "pooling": model.pooling} | values
    described |= {"cls_tokens": model.cls_tokens}
    return Encoder(write_package(replace(source, **described), folder / "saved"), "cpu", exact=True)


def models(package: Package) -> dict[str, TextModel]:
    torch.manual_seed(0)
    backbone = Backbone.new(CONFIG | {"vocab_size": len(VOCABULARY), "initializer_range": 0.3})
    mix = ScalarMix(2, torch.arange(len(VOCABULARY)) > 4)
    mix.weights.data = torch.tensor([0.3, -0.5])
    found = {name: TextModel(backbone, name) for name in ("cls", "mean", "mean_no_special")}
    found["scalar_mix"] = TextModel(backbone, "scalar_mix", None, mix)
    for init in ("released", "identity_effective"):
        facets = FacetPooling(32, 2, 3, init)
        facets.weight.data += torch.randn_like(facets.weight) / 10
        facets.bias.data += torch.randn_like(facets.bias) / 10
        found[init] = TextModel(backbone, "multi_cls", facets)
    facets = MeanFacets(32, 3)
    facets.weight.data += torch.randn_like(facets.weight) / 10
    facets.bias.data += torch.randn_like(facets.bias) / 10
    found["mean_facets"] = TextModel(backbone, "mean_and_cls", facets)
    found["one"] = TextModel(backbone, "multi_cls", FacetPooling(32, 2, 1, tanh=False))
    return found


@pytest.mark.parametrize(
    "name",
    [
        "cls",
        "mean",
        "mean_no_special",
        "scalar_mix",
        "released",
        "identity_effective",
        "mean_facets",
        "one",
    ],
)
def test_saved_model_encodes_as_in_training(tmp_path: Path, package: Package, name: str) -> None:
    model = models(package)[name].eval()
    encoder = save_and_load(model, package, tmp_path)
    ids = encoder.text.ids(PAPERS)
    expected = torch.nn.functional.normalize(model.vectors(pack(ids)), dim=1)
    np.testing.assert_allclose(encoder.encode(PAPERS), expected.detach().numpy(), atol=1e-5)
    facets = 3 if name == "mean_facets" else model.cls_tokens
    assert model(pack(ids)).shape[1:] == ((facets, 32) if model.facets else (32,))
    again = AutoModel.from_pretrained(tmp_path / "made")
    assert torch.equal(again.get_input_embeddings().weight, model.backbone.words)


def test_several_cls_tokens_come_first_and_text_is_truncated(
    tmp_path: Path, package: Package
) -> None:
    encoder = save_and_load(models(package)["released"], package, tmp_path, max_tokens=12)
    ids = encoder.text.ids([("deep", "graph"), ("deep " * 30, "")])
    assert ids[0] == [2, 16, 17, 5, 3, 6, 3]
    assert ids[1] == [2, 16, 17, *[5] * 8, 3]


def test_package_without_its_pooling_weights_is_refused(tmp_path: Path, package: Package) -> None:
    source = tmp_path / "source"
    models(package)["cls"].save(source, package.folder)
    mixed = replace(package, folder=tmp_path / "a", pooling="scalar_mix")
    with pytest.raises(PackageRefused, match="mixture"):
        Encoder(write_package(mixed, source), "cpu")
    models(package)["released"].save(source, package.folder)
    two = replace(package, folder=tmp_path / "b", pooling="multi_cls", cls_tokens=2)
    with pytest.raises(PackageRefused, match=r"2 \[CLS\] tokens"):
        Encoder(write_package(two, source), "cpu")
    with pytest.raises(PackageRefused, match=r"further \[CLS\]"):
        other = replace(package, folder=tmp_path / "c", pooling="mean_and_cls")
        Encoder(write_package(other, source), "cpu")


@pytest.mark.parametrize(
    ("pooling", "name"),
    [
        ("cls", "cls"),
        ("mean", "mean"),
        ("mean_no_special", "mean_no_special"),
        ("multi_cls", "multi2spe_sum_first3"),
    ],
)
def test_pooling_matches_reference_values(shared: Path, pooling: str, name: str) -> None:
    case = golden(shared, "pooling")
    hidden = torch.tensor(case["inputs"]["hidden"], dtype=torch.float64)
    mask = torch.tensor(case["inputs"]["attention_mask"]).bool()
    expected = torch.tensor(case["expected"][name], dtype=torch.float64)
    lengths = mask.sum(1).tolist()
    ids = [[2, *[5] * (length - 2), 3] for length in lengths]
    found = pool(hidden[mask], pack(ids), pooling, case["inputs"]["facets"])
    torch.testing.assert_close(found, expected, atol=case["tolerance_abs"], rtol=0)


def test_pooler_matches_reference_values(shared: Path) -> None:
    case = golden(shared, "pooling")
    inputs = case["inputs"]
    pooler = Backbone.new(CONFIG | {"vocab_size": 9, "hidden_size": 3, "num_attention_heads": 1})
    dense = pooler.double().pooler.dense
    dense.weight.data = torch.tensor(inputs["pooler_W"], dtype=torch.float64)
    dense.bias.data = torch.tensor(inputs["pooler_b"], dtype=torch.float64)
    cls = torch.tensor(inputs["hidden"], dtype=torch.float64)[:, 0]
    expected = torch.tensor(case["expected"]["pooled"], dtype=torch.float64)
    torch.testing.assert_close(pooler.pooler(cls), expected, atol=case["tolerance_abs"], rtol=0)


def test_mean_of_special_tokens_alone_uses_them() -> None:
    states = torch.arange(6.0)[:, None]
    found = pool(states, pack([[2, 3], [0], [2, 9, 3]]), "mean_no_special")
    assert found.flatten().tolist() == [0.5, 2.0, 4.0]


def test_mean_without_special_tokens_leaves_out_separators() -> None:
    states = torch.arange(11.0)[:, None]
    texts = pack([[2, 5, 3, 6, 7, 3], [2, 9, 3, 3], [2]])
    found = pool(states, texts, "mean_no_special")
    assert found.flatten().tolist() == pytest.approx([(1 + 3 + 4) / 3, 7.0, 10.0])


def test_scalar_mix_matches_reference_values(shared: Path) -> None:
    case = golden(shared, "scalar_mix")
    layers = torch.tensor(case["inputs"]["layers"], dtype=torch.float64)
    mix = ScalarMix(len(layers)).double()
    mix.weights.data = torch.tensor(case["inputs"]["w"], dtype=torch.float64)
    mix.gamma.data = torch.tensor(case["inputs"]["gamma"], dtype=torch.float64)
    expected = torch.tensor(case["expected"]["mix"], dtype=torch.float64)
    torch.testing.assert_close(mix(layers), expected, atol=case["tolerance_abs"], rtol=0)


def test_word_is_pooled_by_its_first_piece(package: Package) -> None:
    begins = torch.tensor([word not in SPECIAL and word[0] != "#" for word in VOCABULARY])
    backbone, mix = Backbone.load(package.folder, dropout=0.0), ScalarMix(2, begins)
    mix.weights.data = torch.tensor([-1e9, 0.0])
    packed = pack([[2, 5, 9, 6, 3], [2, 3]])
    states = backbone(packed)
    expected = torch.stack([states[[1, 3]].mean(0), states[5:].mean(0)])
    found = TextModel(backbone, "scalar_mix", None, mix)(packed)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
