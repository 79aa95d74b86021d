"""The training service: data checks, estimates and starting a run."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sciread_app.domain.training import LIBRARY, TrainingData, TrainingDataKind
from sciread_app.errors import LibraryError, TrainerFailed
from sciread_app.paths import Home
from sciread_app.services.subprocess import trainer
from sciread_app.services.training import training_service
from sciread_app.services.training.corpora import AvailableData, Corpora
from sciread_app.services.training.runs import Runs
from sciread_app.services.training.training_service import (
    Remedy,
    TrainingCheck,
    TrainingPlan,
    TrainingService,
)
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.models import fake_trainer
from trainer.contract.corpus_stats import CorpusStats, Level, VenueYear
from trainer.contract.errors import TrainerError
from trainer.contract.run import Recipe, Run


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(trainer, "trainer_command", fake_trainer.command)
    return Home(tmp_path)


@pytest.fixture
def learning(home: Home, library: Library) -> TrainingService:
    return TrainingService(home, Corpora(home, library), Runs(home))


def check(
    learning: TrainingService, held: AvailableData | None = None, **plan: Any
) -> TrainingCheck:
    """Return the check of these papers."""
    if held:
        learning.corpora.inspect = lambda data, task: held  # type: ignore[method-assign]
    return learning.check(TrainingPlan(**plan), Task())


def texts(found: TrainingCheck) -> list[str]:
    return [line.text for line in found.lines]


RICH = CorpusStats(
    papers=9_000, abstracts=8_000, citations=7_000, citing=900, fields={"cs.CL": 6_000},
    venues=[VenueYear(f"J{n}", 2020, False, 50) for n in range(6)],
)  # fmt: skip


def test_check_with_enough_data_lists_counts(learning: TrainingService) -> None:
    found = check(learning, AvailableData(RICH))
    assert found.able and {line.level for line in found.lines} == {Level.enough}
    assert texts(found) == [
        "8,000 of 9,000 papers have an abstract.",
        "7,000 citations connect these papers.",
    ]
    assert texts(check(learning, AvailableData(RICH, estimated=True)))[1].startswith(
        "About 7,000 citations"
    )


def test_check_counts_full_texts_and_names_pdfs_without(learning: TrainingService) -> None:
    plain = texts(check(learning, AvailableData(RICH), recipe="physbert-paper"))
    assert any("Without full texts" in text for text in plain)
    held = AvailableData(
        replace(RICH, full_texts=600), unread=tuple(f"/papers/{n}.pdf" for n in range(8))
    )
    found = check(learning, held, recipe="physbert-paper")
    assert any("600 papers have a full text" in text for text in texts(found))
    (unread,) = [line for line in found.lines if "0.pdf" in line.text]
    assert unread.level is Level.few
    assert "8 PDFs" in unread.text and "3 more" in unread.text and "7.pdf" not in unread.text


def test_check_offers_to_fetch_missing_citations(
    learning: TrainingService, library: Library
) -> None:
    library.put([paper("A", abstract="On A.", doi="10.1000/a"), paper("B"), paper("C", pmid="3")])
    citations = check(learning).lines[1]
    assert (citations.level, citations.remedy) == (Level.missing, Remedy.citations)
    assert citations.text == "No citation data yet."
    assert (citations.remedy_label, citations.papers) == ("Fetch citations for 2 papers", (1, 3))
    of_some = check(
        learning, AvailableData(CorpusStats(abstracts=900, citations=3), unasked=(1,))
    ).lines[1]
    assert of_some.level is Level.few and of_some.remedy_label == "Fetch citations for 1 paper"


def test_check_suggests_settings_that_give_enough_data(learning: TrainingService) -> None:
    found = check(learning, AvailableData(RICH), recipe="miread-paper")
    line = found.lines[1]
    assert not found.able and line.remedy is Remedy.settings
    assert line.text.startswith("0 journals have at least 100 papers, including one from 2021.")
    assert line.settings == {"min_papers": 50, "recent_year": 0}
    assert line.remedy_label == "Set min_papers = 50, recent_year = 0"
    again = check(learning, AvailableData(RICH), recipe="miread-paper", changes=line.settings)
    assert again.lines[1].text == "6 journals have at least 50 papers."


def test_check_suggests_more_papers_when_settings_cannot_help(learning: TrainingService) -> None:
    found = check(learning, AvailableData(CorpusStats(papers=9)), recipe="miread-small")
    assert [line.remedy for line in found.lines] == [Remedy.papers] * 2
    assert texts(found)[0] == "No paper has an abstract. Training requires abstracts."
    few = check(
        learning, AvailableData(CorpusStats(papers=9, abstracts=8)), recipe="physbert-small"
    )
    assert texts(few)[0].startswith("Only 8 papers have an abstract")
    assert few.lines[1].text.startswith("0 categories have at least 100 papers.")


def test_check_offers_to_fetch_missing_model(learning: TrainingService, home: Home) -> None:
    line = check(learning, AvailableData(RICH), recipe="specter-paper").lines[-1]
    base = "allenai/scibert_scivocab_uncased"
    assert (line.level, line.remedy, line.model) == (Level.missing, Remedy.model, base)
    folder = home.models / base.replace("/", "--")
    folder.mkdir(parents=True)
    (folder / "config.json").touch()
    torn = check(learning, AvailableData(RICH), recipe="specter-paper")
    assert not torn.able and "damaged" in texts(torn)[-1]
    (folder / "config.json").write_text("{}")
    assert check(learning, AvailableData(RICH), recipe="specter-paper").able
    gone = check(learning, AvailableData(RICH), changes={"base": str(home.folder / "gone")})
    assert not gone.able and gone.lines[-1].remedy is None


def test_start_without_base_model_is_refused(
    learning: TrainingService, library: Library, home: Home
) -> None:
    library.put([paper("A")])
    with pytest.raises(LibraryError, match="base model nowhere is not installed") as refused:
        learning.start(TrainingPlan(changes={"base": "nowhere"}), Task())
    assert refused.value.hint
    assert not home.corpora.exists() and not home.runs.exists()


@pytest.mark.parametrize(
    ("plan", "title"),
    [
        ({"recipe": "physbert-small"}, "MiniLM tuned by PhysBERT’s method on My library"),
        (
            {"changes": {"base": "allenai/specter"}},
            "specter tuned by SPECTER’s method on My library",
        ),
        (
            {"data": TrainingData(TrainingDataKind.collection, "Physics/QCD")},
            "MiniLM tuned by SPECTER’s method on QCD",
        ),
        ({"recipe": "library-small"}, "MiniLM tuned on My library"),
        ({"recipe": "physbert-paper"}, "PhysBERT on My library"),
    ],
)
def test_model_is_named_after_base_method_and_data(
    learning: TrainingService, plan: dict[str, Any], title: str
) -> None:
    assert check(learning, AvailableData(RICH), **plan).title == title


def test_check_names_active_run(learning: TrainingService, home: Home) -> None:
    run = Run.create(home.runs / "mine", Recipe.named("specter", home.corpora))
    with run.hold():
        found = check(learning, AvailableData(RICH))
    assert found.able and "mine" in texts(found)[-1]


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ({"recipe": "spectre"}, "The recipe 'spectre' does not exist."),
        ({"changes": {"epoch": 1}}, "setting 'epoch' does not exist"),
        ({"changes": {"epochs": "many"}}, "epochs cannot be 'many'"),
        ({"changes": {"epochs": ("1", "many")}}, "epochs cannot be 'many'"),
    ],
)
def test_invalid_plan_is_refused_before_any_work(
    learning: TrainingService, library: Library, home: Home, plan: dict[str, Any], expected: str
) -> None:
    library.put([paper("A")])
    for do in (learning.check, learning.start, learning.estimate):
        with pytest.raises(TrainerError, match=expected):
            do(TrainingPlan(**plan), Task())
    assert not home.corpora.exists() and not home.runs.exists()


def test_several_values_of_a_setting_form_a_grid(learning: TrainingService) -> None:
    recipe = TrainingPlan(changes={"clip": ["0", 1.0], "epochs": "2"}).on(Path("x"))
    assert recipe.settings["epochs"] == 2.0
    assert [one.settings["clip"] for _, one in recipe.combinations()] == [0.0, 1.0]


def test_training_is_estimated_started_and_finished(
    learning: TrainingService, library: Library, home: Home
) -> None:
    library.put([paper("A"), paper("B")])
    library.collections.add([1], "thesis")
    plan = TrainingPlan(
        data=TrainingData(TrainingDataKind.collection, "thesis"),
        seed=2,
        changes={"clip": (0.0, 1.0)},
    )
    messages: list[str] = []
    estimate = learning.estimate(plan, Task(lambda done, total, note: messages.append(note)))
    assert (estimate.steps, estimate.seconds, estimate.memory) == (60, 120.0, 1 << 30)
    assert [(one.name, one.examples) for one in estimate.stages] == [("triples", 99)]
    assert "Timing steps of the stage triples" in messages
    assert learning.runs.all() == learning.corpora.all() == []

    started = learning.start(TrainingPlan(data=plan.data, seed=2, name="Of my thesis"), Task())
    recipe = Run(started.folder).recipe
    (corpus,) = learning.corpora.all()
    assert (started.name, recipe.corpus) == ("Of my thesis", corpus.folder)
    assert (recipe.name, recipe.seed, corpus.what) == ("specter-small", 2, plan.data)
    assert recipe.title == "Of my thesis"
    usual = learning.recipe(TrainingPlan(data=plan.data), Task())
    assert usual.title == "MiniLM tuned by SPECTER’s method on thesis"
    late = time.monotonic() + 60
    while learning.runs.find(started.name).status.is_active and time.monotonic() < late:
        time.sleep(0.02)
    assert learning.runs.find(started.name).steps == fake_trainer.STEPS


@pytest.mark.parametrize(
    ("minutes", "seeds", "runs"), [(0, (1,), 4), (1.5, (1,), 2), (60, (1,), 4), (0.5, (1, 2), 2)]
)
def test_estimate_of_a_grid_ends_with_its_time(
    learning: TrainingService, library: Library, minutes: float, seeds: tuple[int, ...], runs: int
) -> None:
    library.put([paper("A")])
    changes = {"clip": (0.0, 1.0), "weight_decay": (0.0, 0.1), "seed": seeds}
    plan = TrainingPlan(changes={**changes, "grid_minutes": minutes})
    found = learning.estimate(plan, Task())
    assert (found.steps, found.seconds) == (30 * runs, 60.0 * runs)


def test_trainer_that_cannot_start_raises_trainer_failed(
    learning: TrainingService, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.put([paper("A")])
    learning.corpora.make(LIBRARY, Task())
    monkeypatch.setattr(
        learning.corpora, "make", lambda data, task: training_service.Path("/nowhere")
    )
    monkeypatch.setattr(trainer, "trainer_command", lambda *a: ["/no/such/program", *a])
    with pytest.raises(TrainerFailed, match="Could not start"):
        learning.start(TrainingPlan(), Task())


def test_max_tokens_above_model_limit_is_corrected(
    learning: TrainingService,
) -> None:
    found = check(learning, AvailableData(RICH), changes={"max_tokens": 4096})
    (line,) = (line for line in found.lines if line.level is Level.missing)
    assert line.text == "starter supports at most 512 tokens per text, not 4,096."
    assert line.remedy is Remedy.settings and line.settings == {"max_tokens": 512}
    with pytest.raises(LibraryError, match="not 4,096") as refused:
        learning.start(TrainingPlan(changes={"max_tokens": 4096}), Task())
    assert "max_tokens = 512" in refused.value.hint


def test_base_model_folder_becomes_absolute_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    assert TrainingPlan(changes={"base": "mine"}).on(tmp_path).base == str(tmp_path / "mine")
    assert TrainingPlan(changes={"base": "somebody/else"}).on(tmp_path).base == "somebody/else"
