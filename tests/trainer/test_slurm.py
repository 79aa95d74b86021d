"""The scripts for Slurm, with fake srun and scontrol commands."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "packaging" / "slurm"
SRUN = """#!/bin/bash
echo "$TORCH_ELASTIC_SHUTDOWN_TIMEOUT s: $@" > "$SAID/asked"
while [ ! -e "$SAID/run/stop" ] && [ ! -e "$SAID/finished" ]; do sleep 0.02; done
"""
SCONTROL = """#!/bin/bash
if [ "$1" = show ]; then printf "node7\\nnode8\\n"; else echo "$@" > "$SAID/told"; fi
"""


@pytest.fixture
def job(tmp_path):
    """A running train.sbatch."""
    (tmp_path / "run").mkdir()
    for name, script in (("srun", SRUN), ("scontrol", SCONTROL)):
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    slurm = {"NNODES": "2", "GPUS_ON_NODE": "8", "JOB_ID": "42", "CPUS_PER_TASK": "64"}
    started = subprocess.Popen(
        ["bash", str(SCRIPTS / "train.sbatch"), str(tmp_path / "run"), "--recipe=specter"],
        env=os.environ
        | {f"SLURM_{name}": value for name, value in slurm.items()}
        | {"SLURM_JOB_NODELIST": "node[7-8]", "SAID": str(tmp_path)}
        | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )
    while not (tmp_path / "asked").exists():
        assert started.poll() is None
        time.sleep(0.01)
    yield started
    started.kill()
    started.wait()


def test_job_at_its_time_limit_saves_and_requeues(job, tmp_path):
    job.send_signal(signal.SIGUSR1)
    assert job.wait(timeout=100) == 0
    assert (tmp_path / "run" / "stop").exists()
    assert (tmp_path / "told").read_text() == "requeue 42\n"


def test_finished_job_is_not_requeued(job, tmp_path):
    (tmp_path / "finished").touch()
    assert job.wait(timeout=100) == 0
    assert not (tmp_path / "told").exists()
    asked = (tmp_path / "asked").read_text()
    assert "torchrun --nnodes=2 --nproc-per-node=8 --max-restarts=3" in asked
    assert "--rdzv-endpoint=node7:29500 --rdzv-id=42" in asked
    assert asked.startswith("120 s: ")  # of Slurm's grace time, for saving
    assert asked.endswith(f"-m trainer train {tmp_path / 'run'} --recipe=specter\n")


@pytest.mark.parametrize("name", ["train.sbatch", "embed.sbatch"])
def test_scripts_have_valid_syntax(name):
    subprocess.run(["bash", "-n", str(SCRIPTS / name)], check=True)
