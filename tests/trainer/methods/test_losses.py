"""The losses, checked against values computed by hand and by their gradients."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from tests.support.golden import golden
from trainer.contract import catalog
from trainer.loop import optimizer
from trainer.methods import losses
from trainer.methods.losses import FacetContrast, all_triplets, info_nce, triplet_margin


def float64(values: Any) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


def close(found: Tensor | float, expected: Any, case: dict[str, Any]) -> bool:
    found = torch.as_tensor(found, dtype=torch.float64)
    torch.testing.assert_close(found, float64(expected), rtol=0, atol=case["tolerance_abs"])
    return True


def triplet(case: dict[str, Any]) -> list[Tensor]:
    return [float64(case["inputs"][name]) for name in ("query", "positive", "negative")]


@pytest.mark.parametrize(
    ("distance", "expected"), [("l2", "l2_eps_1e-06"), ("cosine", "cosine"), ("dot", "dot")]
)
def test_triplet_margin_matches_reference_values(
    shared: Path, distance: str, expected: str
) -> None:
    case = golden(shared, "triplet_margin")
    lost = triplet_margin(*triplet(case), case["inputs"]["margin"], distance)
    assert close(lost, case["expected"][expected]["per_sample"], case)
    assert close(lost.mean(), case["expected"][expected]["mean"], case)


@pytest.mark.parametrize("best_share", ["0.0", "0.1", "0.5", "1.0"])
@pytest.mark.parametrize(("mix", "name"), [("logits", "paper"), ("losses", "released_code")])
def test_facet_contrast_matches_reference_values(
    shared: Path, best_share: str, mix: str, name: str
) -> None:
    case = golden(shared, "multi2spe_similarity_loss")
    expected = case["expected"][f"lambda_{best_share}"]
    lost = FacetContrast(float(best_share), mix).of_two(*triplet(case))
    assert close(lost, expected[f"{name}_loss_per_sample"], case)
    assert close(lost.mean(), expected[f"{name}_loss_mean"], case)


def pairs(case: dict[str, Any]) -> tuple[Tensor, Tensor, Tensor]:
    names = ("anchors", "positives", "hard_negatives")
    anchors, positives, negatives = (
        F.normalize(float64(case["inputs"][name]), dim=1) for name in names
    )
    return anchors, positives, negatives


@pytest.mark.parametrize("chunk", [1_024, 4])
def test_info_nce_matches_reference_values(
    shared: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(losses, "CHUNK", chunk)
    case = golden(shared, "infonce_simcse")
    anchors, positives, negatives = pairs(case)
    wanted = torch.arange(len(anchors))
    temperature = case["inputs"]["temperature"]

    lost = info_nce(anchors, positives, wanted, temperature)
    assert close(lost, case["expected"]["per_sample"], case)
    assert close(lost.mean(), case["expected"]["mean"], case)

    lost = info_nce(anchors, torch.cat([positives, negatives]), wanted, temperature)
    assert close(lost, case["expected"]["with_hard_negatives_per_sample"], case)


def test_same_paper_is_not_a_negative(shared: Path) -> None:
    case = golden(shared, "infonce_simcse")
    anchors, positives, _ = pairs(case)
    papers = torch.tensor(case["inputs"]["positive_doc_ids"])
    same = [(papers[:, None], papers)]
    lost = info_nce(
        anchors, positives, torch.arange(len(anchors)), case["inputs"]["temperature"], same
    )
    assert close(lost, case["expected"]["duplicates_masked_per_sample"], case)


def test_negative_keys_mask_nothing() -> None:
    vectors = F.normalize(torch.randn(4, 5, dtype=torch.float64), dim=1)
    nobody = torch.full((4,), -1)
    plain = info_nce(vectors, vectors, torch.arange(4), 0.05)
    keyed = info_nce(vectors, vectors, torch.arange(4), 0.05, [(nobody[:, None], nobody)])
    assert torch.equal(plain, keyed)


def test_no_anchors_give_no_losses() -> None:
    lost = info_nce(torch.zeros(0, 3), torch.zeros(0, 3), torch.zeros(0, dtype=torch.int64), 0.05)
    assert lost.shape == (0,)


def random_tensor(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("distance", ["l2", "cosine", "dot"])
def test_triplet_margin_passes_gradcheck(distance: str) -> None:
    torch.manual_seed(1)
    texts = [random_tensor(4, 5) for _ in range(3)]
    assert torch.autograd.gradcheck(lambda q, p, n: triplet_margin(q, p, n, 1, distance), texts)


@pytest.mark.parametrize("similarity", ["dot", "cosine"])
@pytest.mark.parametrize("mix", ["logits", "losses"])
def test_facet_contrast_passes_gradcheck(mix: str, similarity: str) -> None:
    torch.manual_seed(1)
    texts = [random_tensor(2, 3, 4) for _ in range(3)]
    assert torch.autograd.gradcheck(FacetContrast(0.1, mix, similarity, 0.5).of_two, texts)


def test_temperature_divides_similarities_of_facets() -> None:
    query = torch.ones(1, 2, 1, dtype=torch.float64)
    near, far = query, query * 0
    # The sums are 2 and 2, or 2 and 0: dot products 4 and 0. Normalised: 1 and 0.
    for similarity, apart in (("dot", 4), ("cosine", 1)):
        lost = FacetContrast(0.0, "logits", similarity, 0.5).of_two(query, near, far)
        assert lost.item() == pytest.approx(math.log1p(math.exp(-apart / 0.5)))


def test_cosine_of_facets_ignores_length() -> None:
    torch.manual_seed(1)
    query, near, far = (torch.randn(4, 3, 8) for _ in range(3))
    longer = torch.rand(4, 1, 1) + 0.5
    for mix in ("logits", "losses"):
        contrast = FacetContrast(0.3, mix, "cosine", 0.1)
        lost = contrast.of_two(query, near, far)
        torch.testing.assert_close(contrast.of_two(query * longer, near / longer, far * 3), lost)


def test_info_nce_passes_gradcheck(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(losses, "CHUNK", 2)
    torch.manual_seed(1)
    wanted, keys = torch.tensor([2, 0, 1]), torch.tensor([0, 0, 1, -1, -1])
    same = [(keys[wanted, None], keys)]
    assert torch.autograd.gradcheck(
        lambda a, c: info_nce(a, c, wanted, 0.5, same), [random_tensor(3, 4), random_tensor(5, 4)]
    )


def test_dot_products_of_long_vectors_keep_precision() -> None:
    # Sums of three vectors of 768 numbers near 1: dot products near 6,900, where bfloat16 has steps
    # of 32.
    query = torch.full((1, 3, 768), 0.999)
    farther = query - 0.0005
    assert 0 < FacetContrast(0.0, "logits").of_two(query, query, farther).item() < 0.05


@pytest.mark.parametrize(
    ("schedule", "name"), [("linear", "linear"), ("stlr", "slanted_triangular")]
)
@pytest.mark.parametrize("warmup", [100, 0.1])
def test_schedules_match_reference_values(
    shared: Path, schedule: str, name: str, warmup: float
) -> None:
    case = golden(shared, "lr_schedules")
    total = case["inputs"]["total"]
    found = [
        optimizer.multiplier(schedule, step, total, warmup) for step in case["inputs"]["steps"]
    ]
    assert close(float64(found), case["expected"][name], case)


def test_warmup_longer_than_the_training_is_allowed() -> None:
    assert optimizer.multiplier("linear", 7, 8, 100) == 0.07
    assert optimizer.multiplier("constant", 300, 300, 100) == 1


def test_catalogue_lists_all_schedules() -> None:
    assert set(catalog.SCHEDULES) == set(optimizer.SCHEDULES)


@pytest.mark.parametrize("distance", ["l2", "cosine", "dot"])
def test_all_triplets_average_the_active_ones_of_a_query(
    distance: str,
) -> None:
    torch.manual_seed(3)
    query, positive, others = (torch.randn(n, 6, dtype=torch.float64) for n in (4, 4, 9))
    allowed = torch.rand(4, 9) < 0.7
    found = all_triplets(query, positive, others, allowed, 0.5, distance)
    for number in range(4):
        each = [
            triplet_margin(
                query[number : number + 1],
                positive[number : number + 1],
                other[None],
                0.5,
                distance,
            ).item()
            for other, negative in zip(others, allowed[number], strict=True)
            if negative
        ]
        lost = [loss for loss in each if loss > 0]
        assert found[number].item() == pytest.approx(sum(lost) / max(len(lost), 1), abs=1e-5)


def test_distances_of_nearly_equal_papers_are_accurate_in_batches() -> None:
    torch.manual_seed(3)
    query = 10 * torch.randn(30, 8, dtype=torch.float64)
    positive, others = (query + 1e-6 * torch.randn(30, 8) for _ in range(2))
    found = all_triplets(query, positive, others, torch.eye(30, dtype=bool), 1e-5, "l2")
    alone = triplet_margin(query, positive, others, 1e-5, "l2")
    torch.testing.assert_close(found, alone, rtol=1e-5, atol=0)


@pytest.mark.parametrize("similarity", ["dot", "cosine"])
@pytest.mark.parametrize("mix", ["logits", "losses"])
def test_facet_contrast_of_many_equals_that_of_two(mix: str, similarity: str) -> None:
    torch.manual_seed(3)
    query, positive, others = (torch.randn(n, 3, 6, dtype=torch.float64) for n in (4, 4, 2))
    contrast = FacetContrast(0.3, mix, similarity, 0.7)
    allowed = torch.tensor([[True, False]] * 4)
    found = contrast.of_many(query, positive, others, allowed)
    alone = contrast.of_two(query, positive, others[:1].expand(4, -1, -1))
    torch.testing.assert_close(found, alone)
    more = contrast.of_many(query, positive, others, torch.ones(4, 2, dtype=bool))
    assert (more > found).all()
