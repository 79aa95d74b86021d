"""Model swaps under searches and kills: no search fails or mixes two models, no vector is lost.

`SCIREAD_SWAPS=200` does so longer.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.models.swap_load import (
    NAMES,
    ROOT,
    Load,
    lost,
    make_home,
    model_processes,
    opened,
)

SWAPS = int(os.environ.get("SCIREAD_SWAPS", "20"))
SEED = int(os.environ.get("SCIREAD_SEED", "7"))
KILLS = 4  # kills of the whole program

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(60 + 30 * SWAPS),
    pytest.mark.skipif(sys.platform == "win32", reason="nobody is killed there as here"),
    pytest.mark.usefixtures("forked_python"),
]


def test_no_search_fails_or_mixes_models_when_processes_are_killed(tmp_path):
    workspace = opened(make_home(tmp_path))
    workspace.active_model.encode_missing(Task())
    load = Load(workspace, SEED)
    with load.searching(killing=True) as story:
        for _ in range(SWAPS):
            load.swap()
    assert not story.failed and not story.wrong
    assert story.searches > 2 * 8 * SWAPS and len(story.calls) == len(NAMES)
    assert story.killed >= SWAPS / 10
    assert lost(workspace) == []
    assert len(model_processes()) == 1  # the memory of all others was freed
    workspace.close()
    assert not model_processes()


def test_program_killed_at_any_moment_resumes_swapping(tmp_path):
    home, draw, messages = make_home(tmp_path), random.Random(SEED), []
    for kill in range(KILLS):
        with program(tmp_path, 10**6, SEED + kill) as process:
            wait_for_output(messages, collect_output(process, messages))
            time.sleep(draw.uniform(0, 1.5))
            models = psutil.Process(process.pid).children()
            process.kill()
        psutil.wait_procs(models, timeout=60)
        assert not any(model.is_running() for model in models)
        library = Library(home.library)
        standing = library.active_model.state()
        library.close()
        assert standing is None or standing.active.model in NAMES
    left = max(3, SWAPS - count_swaps(messages))
    with program(tmp_path, left, SEED) as process:
        collect_output(process, messages).join()
        assert process.wait() == 0
    assert [line for line in messages if line.startswith(("wrong", "Traceback"))] == []
    assert messages[-1].startswith("done") and count_swaps(messages) >= SWAPS
    workspace = opened(home)
    assert workspace.active_model.pending() == ""
    assert lost(workspace) == []
    assert workspace.library.problems() == []
    workspace.close()


def count_swaps(messages: list[str]) -> int:
    return sum(line.startswith("swap") for line in messages)


def program(home: Path, swaps: int, seed: int) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-m",
        "tests.support.models.swap_load",
        str(home),
        str(swaps),
        str(seed),
    ]
    return subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def collect_output(process: subprocess.Popen[str], messages: list[str]) -> threading.Thread:
    """Collect its output until it ends."""
    lines = process.stdout
    assert lines
    thread = threading.Thread(target=lambda: messages.extend(line.strip() for line in lines))
    thread.start()
    return thread


def wait_for_output(messages: list[str], listening: threading.Thread) -> None:
    before = len(messages)
    while len(messages) == before and listening.is_alive():
        time.sleep(0.01)
