"""In-batch negatives: over ranks, in groups, without false negatives."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from trainer.data.examples import Batch, identity_gather
from trainer.methods.physbert import InBatch
from trainer.model.packed import Packed


def batch_of(
    pairs: int, parts: int = 2, labels: list[int] | None = None, papers: Tensor | None = None
) -> Batch:
    """A batch whose texts are numbered by part: all anchors, all positives, all hard negatives."""
    places = torch.arange(pairs * parts).view(parts, pairs).T
    return Batch(
        texts=Packed(torch.zeros(0, dtype=torch.int64), ()),
        places=places,
        labels=torch.full((pairs,), -1) if labels is None else torch.tensor(labels),
        papers=places if papers is None else papers,
        positions=torch.arange(pairs),
    )


def part(batch: Batch, examples: Tensor) -> Batch:
    """Some examples of a batch, as held by another rank."""
    columns = ("places", "labels", "papers", "positions")
    return replace(batch, **{name: getattr(batch, name)[examples] for name in columns})


class SequentialRanks:
    """Gathers of ranks that run one after the other.

    A first pass records the tensors of every rank, a second one returns them together.
    """

    def __init__(self, loss: InBatch, outputs: Tensor, batches: list[Batch]) -> None:
        self._gathered: list[list[Tensor]] = []
        for batch in batches:
            gathered: list[Tensor] = []
            loss(outputs, replace(batch, gather=self._recorder(gathered)))
            self._gathered.append(gathered)

    def gather(self) -> Callable[[Tensor], Tensor]:
        rounds = iter(zip(*self._gathered, strict=True))
        return lambda rows: torch.cat(next(rounds))

    @staticmethod
    def _recorder(gathered: list[Tensor]) -> Callable[[Tensor], Tensor]:
        def gather(rows: Tensor) -> Tensor:
            gathered.append(rows)
            return rows

        return gather


def golden(shared: Path) -> tuple[dict[str, Any], Tensor]:
    """The case, and its anchors, positives and hard negatives as outputs of a model."""
    case = json.loads((shared / "golden" / "infonce_simcse.json").read_text())
    given = [case["inputs"][name] for name in ("anchors", "positives", "hard_negatives")]
    return case, torch.tensor(given, dtype=torch.float32).flatten(0, 1)


def loss(together: int = 6, **switches: bool) -> InBatch:
    return InBatch(0.05, together, **({"same_label": False, "same_paper": False} | switches))


def mean(loss: InBatch, outputs: Tensor, batch: Batch) -> float:
    total, count = loss(outputs, batch)
    return total.item() / count


def test_in_batch_loss_matches_reference_values(shared: Path) -> None:
    case, outputs = golden(shared)
    expected = case["expected"]
    documents = torch.tensor(case["inputs"]["positive_doc_ids"])
    papers = torch.stack([torch.full((6,), -1), documents], dim=1)

    assert mean(loss(), outputs, batch_of(6)) == pytest.approx(expected["mean"], 1e-5)
    with_hard = mean(loss(), outputs, batch_of(6, parts=3))
    assert with_hard == pytest.approx(expected["with_hard_negatives_mean"], 1e-5)
    masked = mean(loss(same_paper=True), outputs, batch_of(6, papers=papers))
    assert masked == pytest.approx(expected["duplicates_masked_mean"], 1e-5)


def test_separate_groups_equal_ranks_without_gather(shared: Path) -> None:
    case, outputs = golden(shared)
    expected = sum(case["expected"]["two_ranks_no_gather_means"]) / 2
    assert mean(loss(together=3), outputs, batch_of(6)) == pytest.approx(expected, 1e-5)


@pytest.mark.parametrize("parts", [2, 3])
@pytest.mark.parametrize("shares", [([0, 1, 2], [3, 4, 5]), ([5, 0], [3, 1, 2, 4]), ([], [0, 3])])
@pytest.mark.parametrize("together", [6, 4])
def test_several_ranks_learn_the_same_as_one(
    shared: Path, parts: int, shares: tuple[list[int], list[int]], together: int
) -> None:
    _, outputs = golden(shared)
    step = batch_of(6, parts, labels=[0, 0, 1, 1, -1, -1])
    every = part(step, torch.tensor([*shares[0], *shares[1]]))
    halves = [part(step, torch.tensor(share, dtype=torch.int64)) for share in shares]
    measure = loss(together, same_label=True, same_paper=True)

    apart = outputs.clone().requires_grad_()
    ranks = SequentialRanks(measure, apart, halves)
    found = [measure(apart, replace(half, gather=ranks.gather())) for half in halves]
    total = torch.stack([each.total for each in found]).sum()
    total.backward()
    whole = outputs.clone().requires_grad_()
    alone_total, count = measure(whole, every)
    alone_total.backward()

    assert sum(each.count for each in found) == count
    torch.testing.assert_close(total, alone_total)
    torch.testing.assert_close(apart.grad, whole.grad)


def test_papers_of_the_same_class_are_masked_only_on_request() -> None:
    torch.manual_seed(1)
    outputs = torch.randn(8, 5)
    labelled = batch_of(4, labels=[7, 7, 7, 7])
    assert mean(loss(4, same_label=True), outputs, labelled) == pytest.approx(0, abs=1e-6)
    assert mean(loss(4), outputs, labelled) > 0.1
    unlabelled = batch_of(4, labels=[-1, -1, -1, -1])
    assert mean(loss(4, same_label=True), outputs, unlabelled) > 0.1


def test_own_paper_as_positive_of_another_pair_is_masked() -> None:
    outputs = torch.eye(4)
    # The positive of pair 1 is the anchor paper of pair 0.
    papers = torch.tensor([[0, 1], [2, 0]])
    outputs[3] = outputs[0]
    batch = batch_of(2, papers=papers)
    harsh = loss(2)(outputs, batch).total
    fair = loss(2, same_paper=True)(outputs, batch).total
    assert harsh - fair == pytest.approx(20, abs=0.1)


def test_rank_without_examples_takes_part_in_backward() -> None:
    outputs = torch.randn(2, 3, requires_grad=True)
    nobody = part(batch_of(1), torch.zeros(0, dtype=torch.int64))
    total, count = loss()(outputs, nobody)
    total.backward()
    assert (total.item(), count) == (0, 0)
    assert torch.equal(outputs.grad, torch.zeros(2, 3))
    assert nobody.gather is identity_gather
