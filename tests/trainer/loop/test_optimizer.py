"""Weight decay, gradient clipping and AdamW's settings."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from tests.support.models.tiny_model import CONFIG
from tests.support.models.toy_stage import stage
from trainer.distributed import Ranks
from trainer.loop.optimizer import adamw, optimizer_step
from trainer.loop.stage_trainer import StageTrainer
from trainer.methods.base import OptimizationPlan
from trainer.methods.physbert import MaskedWordHead
from trainer.model.pooling import FacetPooling, ScalarMix
from trainer.model.text_model import Backbone, TextModel


class RMSNorm(nn.Module):
    """A norm as in some transformers."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))


def test_all_weights_decay_except_biases_and_norms() -> None:
    backbone = Backbone.new(CONFIG | {"vocab_size": 16})
    facets = FacetPooling(backbone.hidden, backbone.layers)
    texts = TextModel(backbone, "multi_cls", facets, ScalarMix(backbone.layers))
    model = nn.ModuleDict({"texts": texts, "words": MaskedWordHead(backbone), "other": RMSNorm()})
    learned = {n: p for n, p in model.named_parameters() if p.requires_grad}
    for parameter in learned.values():
        nn.init.ones_(parameter)
        parameter.grad = torch.zeros_like(parameter)
    adamw(model, OptimizationPlan(learning_rate=0.1, weight_decay=0.5)).step()

    kept = {name for name, parameter in learned.items() if (parameter == 1).all()}
    assert all((learned[name] == 0.95).all() for name in learned.keys() - kept)
    assert kept == {n for n in learned if n.endswith("bias") or "norm" in n.lower()} | {
        "other.weight"
    }
    assert {"texts.facets.bias", "words.bias", "words.norm.weight"} < kept
    assert {"texts.facets.weight", "texts.scalar_mix.weights"} < learned.keys() - kept


@pytest.mark.parametrize(("clip", "length"), [(0.0, 5.0), (2.0, 2.0), (7.0, 5.0)])
def test_step_is_limited_by_gradient_clipping(clip: float, length: float) -> None:
    weights = nn.ParameterList([torch.zeros(1), torch.zeros(1)])
    for weight, gradient in zip(weights, (6.0, 8.0), strict=True):
        weight.grad = torch.tensor([gradient])
    result = optimizer_step(torch.optim.SGD(weights), rate=1.0, count=2.0, clip=clip)
    assert result.item() == 5
    assert torch.cat(list(weights)).norm().item() == pytest.approx(length, rel=1e-4)


def test_adamw_uses_betas_and_epsilon_of_the_plan() -> None:
    made = stage(beta1=0.8, beta2=0.98, epsilon=1e-6)
    for group in adamw(made.model, made.plan).param_groups:
        assert (group["betas"], group["eps"]) == ((0.8, 0.98), 1e-6)
    for group in adamw(made.model, OptimizationPlan()).param_groups:
        assert (group["betas"], group["eps"]) == ((0.9, 0.999), 1e-8)


def test_stage_uses_the_clip_of_its_plan() -> None:
    moved = []
    for clip in (0.0, 1e-12):
        made = stage(clip=clip)
        before = made.model.dense.weight.clone()
        learner = StageTrainer(
            made, Ranks.single_process("cpu"), seed=1, precision=torch.float32, budget=10**6
        )
        next(learner.train_steps())
        moved.append((made.model.dense.weight - before).norm().item())
    assert moved[1] < 0.01 * moved[0]
