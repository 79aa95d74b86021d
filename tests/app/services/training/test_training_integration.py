"""Training on papers of a library with the real trainer and a tiny BERT."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from sciread_app.domain.paper import Identifier
from sciread_app.domain.training import TrainingData, TrainingDataKind
from sciread_app.encoder import EncoderProcess
from sciread_app.services.training.run_monitor import RunMonitor
from sciread_app.services.training.runs import RunStatus
from sciread_app.services.training.training_service import TrainingPlan
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace, open_workspace
from tests.support.generate.papers import paper
from tests.support.models.small_runs import small_base
from tests.support.models.tiny_model import WORDS

PAPERS = 120
SETTINGS = {"base": "tiny", "max_tokens": 40, "read_tokens": 0, "batch_size": 8, "max_steps": 12}


@pytest.fixture
def workspace(tmp_path: Path):
    workspace = open_workspace(tmp_path / "home")
    chance = random.Random(1)
    words = [word for word in WORDS if word.isalpha()]

    def text(length: int) -> str:
        return " ".join(chance.choices(words, k=length))

    workspace.library.put(
        [paper(text(4), abstract=text(12), arxiv=f"2001.{n:05}") for n in range(PAPERS)]
    )
    names = [Identifier("arxiv", f"2001.{n:05}") for n in range(PAPERS)]
    pairs = [(one, other) for one in names for other in chance.sample(names, 4) if one != other]
    workspace.library.citations.put(pairs, "test")
    workspace.editor.collect(workspace.library.ids().tolist(), "all")
    small_base(workspace.home.models / "tiny")
    yield workspace
    workspace.close()


@pytest.mark.slow
@pytest.mark.usefixtures("one_core")
def test_collection_trains_a_model(workspace: Workspace) -> None:
    plan = TrainingPlan(
        data=TrainingData(TrainingDataKind.collection, "all"), changes=SETTINGS, name="mine"
    )
    learning = workspace.training
    assert learning.check(plan, Task()).able
    estimate = learning.estimate(plan, Task())
    assert estimate.steps == 12 and estimate.seconds > 0 and estimate.memory > 0
    assert [stage.name for stage in estimate.stages] == ["triples"]

    begun = learning.start(plan, Task())
    monitor, seen = RunMonitor(begun.folder), set()
    late = time.monotonic() + 240
    while (now := learning.runs.find("mine")).status.is_active and time.monotonic() < late:
        seen.add(monitor.look().step)
        time.sleep(0.05)
    assert now.status is RunStatus.finished, learning.runs.log("mine")
    progress = monitor.look()
    assert (progress.step, progress.steps, len(progress.curves["loss"])) == (12, 12, 12)
    assert progress.validations and progress.about["device"] == "cpu"
    assert now.corpus == learning.corpora.all()[0].folder and now.papers == PAPERS
    assert any(score.before for score in learning.runs.scores("mine"))

    name = workspace.run_importer.add_model("mine", Task())
    assert workspace.run_importer.add_model("mine", Task()) == name  # the model was already added
    encoder = EncoderProcess(workspace.home.models / name)
    try:
        assert encoder.encode([("deep graph learning", "")]).shape == (1, 32)
    finally:
        encoder.close()


@pytest.fixture
def one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads of such a small model would only wait for each other."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
