from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.support.models.tiny_model import CONFIG
from trainer.model.packed import attended, first, pack
from trainer.model.pooling import FacetPooling, MeanFacets, facet_linear, facet_places
from trainer.model.text_model import Backbone, TextModel

TEXTS = [[2, 16, 17, 5, 6, 3], [2, 16, 17, 7, 3], [2, 16, 17, 9, 9, 9, 9, 9, 9, 3]]


@pytest.fixture
def case(shared: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((shared / "golden" / "multi2spe_linear.json").read_text())
    return found


@pytest.fixture
def backbone() -> Backbone:
    torch.manual_seed(0)
    config = CONFIG | {"vocab_size": 18, "initializer_range": 0.3, "num_hidden_layers": 6}
    return Backbone.new(config, dropout=0.0)


def array(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def golden_facets(case: dict[str, Any]) -> FacetPooling:
    facets = FacetPooling(5, 12).double()
    facets.weight.data = array(case["inputs"]["W"]).repeat(3, 1, 1, 1)
    facets.bias.data = array(case["inputs"]["b"]).repeat(3, 1, 1)
    return facets


def test_facet_layer_matches_reference_values(case: dict[str, Any]) -> None:
    facets, expected, near = golden_facets(case), case["expected"], case["tolerance_abs"]
    weight, bias, states = facets.effective()[0], facets.bias[0], array(case["inputs"]["h"])
    found = facet_linear(states, weight, bias)
    plain = facet_linear(states, facets.weight[0], bias)
    torch.testing.assert_close(weight, array(expected["effective_W"]), atol=near, rtol=0)
    torch.testing.assert_close(found, array(expected["reparam"]), atol=near, rtol=0)
    torch.testing.assert_close(plain, array(expected["plain"]), atol=near, rtol=0)
    assert weight.sum(0).abs().max() < 1e-12


def test_facet_layer_matches_reference_gradients(case: dict[str, Any]) -> None:
    facets, expected, near = golden_facets(case), case["expected"], case["tolerance_abs"]
    states, into = array(case["inputs"]["h"]), array(case["inputs"]["G"])
    (facet_linear(states, facets.effective()[0], facets.bias[0]) * into).sum().backward()
    assert facets.weight.grad is not None
    assert facets.bias.grad is not None
    wanted = array(expected["grad_W_reparam"])
    torch.testing.assert_close(facets.weight.grad[0], wanted, atol=near, rtol=0)
    torch.testing.assert_close(facets.bias.grad[0], array(expected["grad_b"]), atol=near, rtol=0)


def test_released_initialisation_starts_first_two_layers_at_zero(backbone: Backbone) -> None:
    facets = FacetPooling(32, 6)
    assert not facets.effective()[:2].any()
    assert facets.effective()[2].any()
    packed, seen = pack(TEXTS), []
    steps = dict(facets.after())
    for place, step in facets.after().items():

        def look(states: Tensor, texts: Any, step: Any = step) -> Tensor:
            seen.append(step(states, texts))
            return seen[-1]

        steps[place] = look
    backbone(packed, steps)
    assert not first(seen[0], packed, 3).any()
    assert not first(seen[1], packed, 3).any()
    assert first(seen[2], packed, 3).any()
    others = torch.ones(len(packed.ids), dtype=torch.bool)
    others[(packed.bounds[:-1, None] + torch.arange(3)).flatten()] = False
    assert seen[0][others].any()


def test_effective_identity_starts_as_the_plain_transformer(backbone: Backbone) -> None:
    packed = pack(TEXTS)
    model = TextModel(
        backbone, "multi_cls", FacetPooling(32, 6, 3, "identity_effective", tanh=False)
    )
    expected = first(backbone(packed), packed, 3)
    torch.testing.assert_close(model(packed), expected, atol=1e-5, rtol=0)
    torch.testing.assert_close(model.vectors(packed), expected.sum(1), atol=1e-5, rtol=0)


@pytest.mark.parametrize("init", ["released", "identity_effective"])
def test_single_cls_keeps_its_own_weights(backbone: Backbone, init: str) -> None:
    packed = pack(TEXTS)
    facets = FacetPooling(32, 6, 1, init, tanh=False)
    assert torch.equal(facets.effective()[0, 0], torch.eye(32))
    expected = first(backbone(packed), packed, 1)
    if init == "released":  # the last layer starts like any other
        expected = facet_linear(expected, facets.weight[2], facets.bias[2])
    found = TextModel(backbone, "multi_cls", facets)(packed)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)


def test_tanh_follows_the_last_layer_if_enabled(backbone: Backbone) -> None:
    packed, facets = pack(TEXTS), FacetPooling(32, 6, tanh=False)
    plain = TextModel(backbone, "multi_cls", facets)(packed)
    facets.tanh = True
    squeezed = TextModel(backbone, "multi_cls", facets)(packed)
    torch.testing.assert_close(squeezed, torch.tanh(plain), atol=1e-6, rtol=0)


def test_all_facets_learn_in_both_inits_and_with_checkpointing(backbone: Backbone) -> None:
    for init in ("released", "identity_effective"):
        for backbone.checkpointing in (False, True):
            facets = FacetPooling(32, 6, 3, init)
            TextModel(backbone, "multi_cls", facets)(pack(TEXTS)).square().sum().backward()
            assert facets.weight.grad is not None
            assert facets.weight.grad[2].abs().amax((1, 2)).min() > 0
            if init == "identity_effective":
                assert facets.weight.grad.abs().amax((2, 3)).min() > 0


def test_facets_have_the_published_number_of_parameters() -> None:
    count = sum(p.numel() for p in FacetPooling(768, 12).parameters())
    assert count == 5_315_328
    assert sum(p.numel() for p in FacetPooling(768, 12, 5).parameters()) == 8_858_880


@pytest.mark.parametrize(
    ("layers", "places"), [(12, (3, 7, 11)), (6, (1, 3, 5)), (4, (0, 2, 3)), (2, (0, 0, 1))]
)
def test_facet_layers_are_at_one_third_two_thirds_and_the_end(
    layers: int, places: tuple[int, ...]
) -> None:
    assert facet_places(layers) == places


def test_mean_facets_start_as_the_mean_of_the_plain_transformer(backbone: Backbone) -> None:
    packed, facets = pack(TEXTS), MeanFacets(32, 3)
    model = TextModel(backbone, "mean_and_cls", facets)
    expected = TextModel(backbone, "mean")(packed)
    assert model(packed).shape == (3, 3, 32)
    assert torch.equal(model.vectors(packed), expected)
    # Also after the queries have changed.
    facets.queries.data += 1
    assert torch.equal(model.vectors(packed), expected)


def test_mean_facets_learn_to_differ_from_each_other(backbone: Backbone) -> None:
    packed, facets = pack(TEXTS), MeanFacets(32, 3)
    model = TextModel(backbone, "mean_and_cls", facets)
    optimizer = torch.optim.SGD(facets.parameters(), 0.1)
    for _ in range(2):
        optimizer.zero_grad()
        (model(packed).square() * torch.arange(1.0, 4.0)[:, None]).sum().backward()
        model.vectors(packed).square().sum().backward()
        optimizer.step()
    _, one, other = model(packed).unbind(1)
    assert facets.queries.grad is not None
    assert facets.queries.grad.abs().amax(1).min() > 0
    assert not torch.allclose(one, other, atol=1e-4)


def test_attended_states_are_weighted_by_softmax_within_each_text() -> None:
    packed = pack(TEXTS)
    states, scores = torch.randn(len(packed.ids), 4), 50 * torch.randn(len(packed.ids))
    parts = zip(states.split(packed.lengths), scores.split(packed.lengths), strict=True)
    expected = torch.stack([torch.softmax(score, 0) @ state for state, score in parts])
    torch.testing.assert_close(attended(states, packed, scores), expected)
