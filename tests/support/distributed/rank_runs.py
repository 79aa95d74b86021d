"""Train runs one after the other, as one of the ranks started by torchrun.

`python -m tests.support.distributed.rank_runs RUNS`, where RUNS is JSON:
`[{"run": FOLDER, "budget": 0, "fsdp": false, "breaks": 0}, ...]`;
`breaks` is the step at which a run is interrupted, to be resumed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from trainer.contract.errors import TrainerError
from trainer.contract.run import Run
from trainer.distributed import Ranks
from trainer.loop.optimizer import optimizer_step
from trainer.loop.setup import Options
from trainer.train import train


def main(runs: list[dict[str, Any]]) -> None:
    torch.set_num_threads(1)
    with Ranks.from_environment("cpu") as ranks:
        for asked in runs:
            fsdp = asked.get("fsdp", False)
            options = Options("cpu", asked.get("budget", 0), fsdp, checkpointing=fsdp, save_every=0)
            run = Run(Path(asked["run"]))
            if asked.get("breaks"):
                _break_off(run, ranks, options, asked["breaks"])
            assert train(run, ranks, options).finished


def _break_off(run: Run, ranks: Ranks, options: Options, step: int) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(TrainerError, match="Broken off"):
        steps = iter(range(step))

        def some(*arguments: Any) -> Any:
            if next(steps, None) is None:
                raise TrainerError("Broken off.")
            return optimizer_step(*arguments)

        patch.setattr("trainer.loop.stage_trainer.optimizer_step", some)
        train(run, ranks, options)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
