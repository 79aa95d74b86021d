"""Training on all papers of a corpus, and its consequences for evaluation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.generate.corpus import make_corpus
from tests.support.models.small_runs import METHODS, small_base, small_corpus, small_recipe
from trainer.contract.errors import TrainerError
from trainer.contract.package import read_package
from trainer.contract.report import Report
from trainer.contract.run import RECORDS, Run
from trainer.data.corpus.corpus import Corpus
from trainer.data.corpus.split import SplitRule
from trainer.distributed import Ranks
from trainer.encoders.model_encoder import ModelEncoder
from trainer.encoders.vector_cache import VectorCache
from trainer.evaluate import evaluate, open_tasks
from trainer.loop.setup import Options
from trainer.suites.catalog import open_suite
from trainer.suites.suite import SuiteSettings
from trainer.train import train

pytestmark = pytest.mark.usefixtures("one_thread", "own_home")

CPU = Ranks.single_process("cpu")


class SilentProgress:
    def begin(self, *_: object) -> None: ...

    def begin_task(self, title: str) -> None: ...

    def done(self, title: str, text: str = "") -> None: ...


def trained(folder: Path, method: str, corpus: Path, **changes: object) -> Run:
    base = folder / "base"
    recipe = small_recipe(method, corpus, base if base.exists() else small_base(base), **changes)
    run = Run.create(folder / method, recipe)
    assert train(run, CPU, Options(measure=True)).finished
    return run


@pytest.mark.parametrize("method", METHODS)
def test_every_method_trains_on_all_papers_and_keeps_last_weights(
    tmp_path: Path, method: str
) -> None:
    corpus = small_corpus(tmp_path / "corpus", split=SplitRule.of("all"))
    run = trained(tmp_path, method, corpus, epochs=1)
    notes = "\n".join(event.values["text"] for event in run.events() if event.kind == "note")
    assert "no validation examples" in notes
    assert "no test papers" in notes
    assert read_package(run.package).corpus["split"] == "100/0/0"
    assert run.report is not None and run.report["corpus"]["split"] == "100/0/0"
    assert not run.report["scores"] and run.report["validation_loss"] is None
    records = json.loads((run.folder / RECORDS).read_text())
    if method == "specter":
        assert records["train"]["citations across splits, dropped"] == 0
    if method == "miread":
        assert records["papers of the test split"] == records["examples for validation"] == 0


def test_scores_on_possible_training_papers_are_marked(tmp_path: Path) -> None:
    usual = small_corpus(tmp_path / "usual", 300)
    whole = small_corpus(tmp_path / "whole", 300, split=SplitRule.of("all"))
    for learned, marked in ((whole, True), (usual, False)):
        run = trained(tmp_path / learned.name, "specter", learned, max_steps=1)
        suite = open_suite("local", usual, SuiteSettings(papers=40)).choose(["health"])
        tasks, _ = open_tasks(suite)
        maker = ModelEncoder(read_package(run.package), ranks=CPU, cache=VectorCache())
        folder = tmp_path / f"report of {learned.name}"
        evaluate(maker, "local", tasks, folder, CPU, progress=SilentProgress())
        (note,) = Report.read(folder).result("health").notes or ("",)
        assert ("may have been trained on" in note) is marked
        shown = (folder / "report.md").read_text()
        assert ("may have been trained on" in shown) is marked


def test_corpus_without_test_papers_cannot_be_evaluated(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "corpus", 40, split=SplitRule.of("all"))
    with pytest.raises(TrainerError, match="no test papers"):
        open_suite("local", corpus.folder, SuiteSettings())
    mine = tmp_path / "mine.txt"
    mine.write_text("".join(f"p{number:05}\n" for number in range(20)))
    rule = SplitRule.of("all", test=mine)
    named = make_corpus(tmp_path / "named", 40, split=rule)
    (task,), _ = open_tasks(open_suite("local", named.folder, SuiteSettings()).choose(["health"]))
    assert {paper.id for paper in task.papers} == {f"p{number:05}" for number in range(20)}
    assert Corpus.open(named.folder).split_by == rule.described
