"""Average score of a suite, as its paper reports it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping

from trainer.contract.evaluations import AVERAGE, evaluation_spec
from trainer.contract.report import Result, Score

_RANKED = ("map", "ndcg")
# By suite and task, the metrics that count: SciDocs' twelve numbers, Multi-SciDocs' five.
_COUNTED: Mapping[str, Mapping[str, Collection[str]]] = {
    "scidocs": {
        **dict.fromkeys(("mag", "mesh"), ("macro_f1",)),
        **dict.fromkeys(("co-view", "co-read", "cite", "co-cite"), _RANKED),
        "recomm": ("adj_ndcg", "adj_p@1"),
    },
    "multi-scidocs": {"mag": ("macro_f1",), **dict.fromkeys(("cite", "co-cite"), _RANKED)},
}


def average(suite: str, results: Mapping[str, Result]) -> Result | None:
    """Average the metrics that the suite's paper averages.

    None if one is missing, or if they were measured with several splits or seeds.
    """
    counted = _COUNTED.get(suite, {})
    parts = [results[task] for task in counted if task in results]
    scores = [part.score(metric) for part in parts for metric in counted[part.task]]
    values = [score.value for score in scores if score]
    whole = counted and len(parts) == len(counted) and len(values) == len(scores)
    if not whole or len({(part.split, part.seed) for part in parts}) > 1:
        return None
    spec = evaluation_spec(AVERAGE)
    known = [f"{part.sha256} {part.protocol}" for part in parts]
    excluded = sorted({why for part in parts for why in part.excluded})
    return Result(
        task=AVERAGE,
        title=spec.title,
        evaluation=spec.key,
        protocol=spec.protocol,
        split=parts[0].split,
        sha256=hashlib.sha256("\n".join(known).encode()).hexdigest(),
        seed=parts[0].seed,
        seconds=0.0,
        scores=(Score(AVERAGE, sum(values) / len(values), len(values)),),
        excluded={why: sum(part.excluded.get(why, 0) for part in parts) for why in excluded},
    )
