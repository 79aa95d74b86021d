"""Goes on with a run, its ranks started by Ray Train: python ray_train.py RUN WORKERS"""

import sys
from pathlib import Path

from ray.train import FailureConfig, RunConfig, ScalingConfig
from ray.train.torch import TorchConfig, TorchTrainer

from trainer.contract.run import Run
from trainer.distributed import Ranks
from trainer.train import train


def work(settings: dict[str, str]) -> None:
    with Ranks.from_environment() as ranks:
        train(Run(Path(settings["run"])), ranks)


if __name__ == "__main__":
    TorchTrainer(
        work,
        train_loop_config={"run": str(Path(sys.argv[1]).resolve())},
        torch_config=TorchConfig(backend="cpu:gloo,cuda:nccl"),
        scaling_config=ScalingConfig(num_workers=int(sys.argv[2]), use_gpu=True),
        run_config=RunConfig(failure_config=FailureConfig(max_failures=3)),
    ).fit()
