from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F

from trainer.model.backbone import attend

HEADS, WIDTH = 12, 32


@pytest.fixture(autouse=True)
def fixed_seed() -> None:
    torch.manual_seed(0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(
    "lengths", [(1,), (63, 63, 64), (65,), (200, 200, 200, 17), (255, 254, 31, 31), (512, 500)]
)
def test_each_text_attends_only_to_itself(lengths: tuple[int, ...], dtype: torch.dtype) -> None:
    parts = torch.randn(sum(lengths), 3 * HEADS * WIDTH).to(dtype)
    found = attend(parts, lengths, HEADS)
    alone = [
        F.scaled_dot_product_attention(*text.double().view(-1, 3, HEADS, WIDTH).permute(1, 2, 0, 3))
        for text in parts.split(lengths)
    ]
    exact = torch.cat([text.transpose(0, 1).flatten(1) for text in alone])
    allowed = 1e-5 if dtype == torch.float32 else 0.02
    torch.testing.assert_close(found.double(), exact, rtol=allowed, atol=allowed)


def test_attention_is_finite_for_large_scores() -> None:
    parts = 40 * torch.randn(100, 3 * HEADS * WIDTH).bfloat16()
    assert attend(parts, (100,), HEADS).isfinite().all()


def test_attention_after_the_last_text_is_zero() -> None:
    parts = torch.randn(160, 3 * HEADS * WIDTH).bfloat16()
    found = attend(parts, (100,), HEADS)
    assert found[:100].all()
    assert not found[100:].any()
