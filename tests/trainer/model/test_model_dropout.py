from __future__ import annotations

import pytest
import torch

from trainer.model.cpu.dropout import boost, draw, drop, dropout


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_dropout_has_the_requested_rate_and_keeps_the_mean(dtype: torch.dtype, rate: float) -> None:
    ones = torch.ones(300, 1001, dtype=dtype)
    found = drop(ones, draw(ones, rate, (7, 1))).double()
    assert set(found.unique().tolist()) == {0.0, 1.0}
    assert float(found.mean()) == pytest.approx(1 - rate, abs=0.003)
    assert float(found.mean()) * boost(rate) == pytest.approx(1, abs=0.03)
    # Rows, columns and neighbours are uncorrelated.
    assert found.mean(0).std() < 0.05
    assert abs(torch.corrcoef(torch.stack([found[:, :-1], found[:, 1:]]).flatten(1))[0, 1]) < 0.01


def test_dropout_mask_depends_only_on_its_key() -> None:
    like = torch.empty(40, 40)
    first, again, other = (draw(like, 0.5, key) for key in ((1, 2), (1, 2), (1, 3)))
    assert first is not None
    assert again is not None
    assert other is not None
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_zero_rate_drops_nothing() -> None:
    assert draw(torch.empty(4), 0.0, (1,)) is None
    assert boost(0.0) == 1


def test_dropout_gradients_flow_through_kept_values() -> None:
    states = torch.randn(50, 8, requires_grad=True)
    found = dropout(states, 0.25, 9)
    found.sum().backward()
    assert states.grad is not None
    expected = (found != 0) * boost(0.25)
    torch.testing.assert_close(states.grad, expected)
