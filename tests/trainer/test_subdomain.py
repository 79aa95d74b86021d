"""`sciread-trainer subdomain`: train on a field, then cluster its subcategories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trainer.cli import app
from trainer.contract.errors import TrainerError
from trainer.contract.report import Report
from trainer.contract.run import Run

WORDS = {"hep-ph": "deep learning network", "hep-th": "graph study paper"}


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """Training pairs of two subcategories, and twenty texts of each for evaluation."""
    data = tmp_path / "data"
    for name in ("physbert_subdomain_training", "physbert_subdomain_eval"):
        (data / name).mkdir(parents=True)
    for category, words in WORDS.items():
        texts = [f"we study {words} {'the ' * (n % 7)}{'of ' * (n // 7)}" for n in range(160)]
        pairs = [[texts[n], texts[n + 1]] for n in range(0, 140, 2)]
        file = f"P2P_{category}.json"
        (data / "physbert_subdomain_training" / file).write_text(json.dumps(pairs))
        (data / "physbert_subdomain_eval" / file).write_text(json.dumps(texts[140:]))
    return data


def run(*named: object):
    small = ("batch_size=8", "together=8", "category_pairs=32", "max_tokens=40", "scored=100")
    settings = [part for setting in small for part in ("--set", setting)]
    given = [str(part) for part in ("subdomain", *named)]
    return CliRunner().invoke(app, [*given, *settings], catch_exceptions=False)


@pytest.mark.usefixtures("one_thread")
def test_best_run_of_the_grid_is_evaluated_on_held_out_papers(published, tiny_base, tmp_path):
    where = ("--corpus", published, "-o", tmp_path / "out", "--fields", "hep")
    done = run(tiny_base, *where)
    assert done.exit_code == 0, done.output
    kept = Run(tmp_path / "out" / "hep" / "run")
    assert set(kept.report["grid"]) == {"learning_rate=0.0001", "learning_rate=0.0002"}
    assert kept.recipe.settings["epochs"] == 1.0
    report = Report.read(tmp_path / "out" / "hep" / "report")
    (result,) = (result for result in report.results if result.task != "speed")
    assert (report.suite, result.task, result.evaluation) == ("physbert", "sub-hep", "subdomain")
    assert 0 <= result.score("v_measure").value <= 1
    assert result.score("v_measure").n == 10
    assert report.subject.method == "physbert"

    again = run(tiny_base, *where)
    assert again.exit_code == 0
    assert "already evaluated" in again.stderr


def test_missing_data_is_reported_before_training(published, tiny_base, tmp_path):
    where = ("--corpus", published, "-o", tmp_path / "out")
    with pytest.raises(TrainerError, match="field 'optics' does not exist"):
        run(tiny_base, *where, "--fields", "optics")
    with pytest.raises(TrainerError, match="physbert_subdomain_training contains 0 P2P_astro-ph"):
        run(tiny_base, *where, "--fields", "hep,astro")
    assert not (tmp_path / "out").exists()
