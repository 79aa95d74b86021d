"""`sciread-trainer evaluate` on two ranks gives the same report as on one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.distributed.ranks import ended, start_ranks
from tests.support.models.tiny_model import tiny_package
from trainer.contract.plots import read_pictures
from trainer.contract.report import Report
from trainer.evaluations.metrics.significance import read_items

pytestmark = pytest.mark.usefixtures("forked_python")

TASKS = ("citations", "questions", "journals", "health")


def without_times(report: Report) -> Report:
    """Return the report without measured times."""
    results = tuple(
        replace(
            result,
            seconds=0.0,
            scores=tuple(score for score in result.scores if "per_second" not in score.metric),
        )
        for result in report.results
    )
    return replace(report, created="", results=results)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_evaluate_on_two_ranks_reports_the_same_as_one(local_corpus, tmp_path: Path, monkeypatch):
    """Scores, intervals, items and pictures are identical, and only the first rank prints."""
    tiny = tiny_package(tmp_path / "tiny").folder
    where = ["--suite", "local", "--corpus", str(local_corpus.folder), "--seeds", "2"]
    for world in (1, 2):
        monkeypatch.setenv("SCIREAD_HOME", str(tmp_path / f"home of {world}"))
        output = ["-o", str(tmp_path / f"out of {world}"), "--tasks", ",".join(TASKS)]
        command = ("trainer", "evaluate", str(tiny), "tf-idf", *where, *output)
        ranks = ended(start_ranks(world, *command), 240)
        assert [rank.code for rank in ranks] == [0] * world, ranks
        assert "Citations" in ranks[0].out
        assert not "".join(rank.out for rank in ranks[1:])
    *_, speed = Report.read(tmp_path / "out of 2" / "tiny").results
    assert speed.task == "speed"  # it is last, although it was measured during the first task
    known = {score.metric: score.value for score in speed.scores}
    assert known["papers_per_second"] > 0 and known["dim"] == 32
    assert "per_second" not in str(Report.read(tmp_path / "out of 2" / "tf-idf"))
    for name in ("tiny", "tf-idf"):
        alone, shared = (tmp_path / f"out of {world}" / name for world in (1, 2))
        assert without_times(Report.read(shared)) == without_times(Report.read(alone))
        assert {*TASKS} <= {result.task for result in Report.read(shared).results}
        assert read_pictures(shared) == read_pictures(alone)
        one, both = read_items(alone), read_items(shared)
        assert one.keys() == both.keys()
        for task, metrics in one.items():
            for metric, items in metrics.items():
                assert np.array_equal(items.ids, both[task][metric].ids)
                assert np.array_equal(items.values, both[task][metric].values)
