"""Protection of search: a finished model finds papers by typed queries as well as its base, or the
user is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from trainer.contract.errors import PackageRefused
from trainer.contract.package import find_model
from trainer.contract.run import Recipe
from trainer.distributed import Ranks
from trainer.encoder import Encoder
from trainer.loop.scoring import validation_encoder
from trainer.loop.setup import PreparedRun
from trainer.machine import budget_for, precision_of
from trainer.methods.base import Encode, Method
from trainer.methods.search_scores import QUERIES, SearchScores
from trainer.methods.wise_ft import WeightInterpolation

# Shares of the base model that are tried beside the recipe's own, which is the least.
_SHARES = (0.25, 0.5, 0.75, 0.9)
SCORED = 500


def mixed_encoder(method: Method, share: float, device: torch.device) -> Encode:
    """Return what encodes as the finished model will with this share of its base model."""
    assert isinstance(method.encoder, WeightInterpolation)
    model = method.encoder.mixed(share).to(device)
    budget, precision = budget_for(device, model.backbone), precision_of("auto", device)
    return validation_encoder(method, Ranks.single_process(str(device)), precision, budget, model)


def protect_search(
    recipe: Recipe, begun: PreparedRun, device: torch.device, warn: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Choose the share of the base model in the finished model, on the validation papers.

    The share is the one with the best mean of the scores among those with which queries find papers
    at least as well as with the base model; without any, the one with which they do best, and
    `warn` is told. Return the scores before and after as rows of metrics; none if the base cannot
    be compared or there is nothing to search for.
    """
    corpus, method, _ = begun
    encoder = method.encoder
    scores = SearchScores(corpus, int(recipe.settings.get("scored", SCORED)), recipe.seed)
    if not isinstance(encoder, WeightInterpolation) or QUERIES not in scores.scored:
        return []
    try:
        base = Encoder(find_model(recipe.base), str(device))
    except PackageRefused:  # such as a plain folder, whose pooling is unknown
        warn(
            "The results of typed queries could not be compared with those of the base model, "
            f"because {recipe.base} is not a model package."
        )
        return []
    before = scores(base.encode)
    shares = sorted({encoder.share, *(s for s in _SHARES if s > encoder.share)})
    found = {share: scores(mixed_encoder(method, share, device)) for share in shares}
    good = [share for share, after in found.items() if after[QUERIES] >= before[QUERIES]]
    if good:
        encoder.share = max(good, key=lambda share: sum(found[share].values()))
    else:
        encoder.share = max(found, key=lambda share: found[share][QUERIES])
        warn(
            "The base model remains better at finding papers by typed queries: nDCG@10 "
            f"{100 * before[QUERIES]:.1f}, with the trained model "
            f"{100 * found[encoder.share][QUERIES]:.1f} on validation papers."
        )
    after = found[encoder.share]
    return [
        {"task": name, **metric._asdict(), "value": after[name], "before": before[name]}
        for name, metric in scores.scored.items()
    ]
