"""Prompts and modules of the base model that a training keeps or drops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.models.small_loop import make, setup
from tests.support.models.small_runs import small_corpus, small_recipe
from tests.support.models.tiny_model import package_with_dense, tiny_package
from trainer.contract.package import Package, read_package
from trainer.contract.run import Run
from trainer.data.corpus.corpus import Corpus
from trainer.data.tokens import TextPart
from trainer.distributed import Ranks
from trainer.encoder import Encoder
from trainer.loop.scoring import text_reader
from trainer.loop.setup import Options
from trainer.methods.library import LibraryMethod
from trainer.train import train

PROMPTS = {"template": "paper: {{a}} {title} {abstract}", "query_template": "graph study: {title}"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus.open(small_corpus(tmp_path_factory.mktemp("papers") / "corpus"))


def trained(method: str, corpus: Corpus, base: Package, folder: Path) -> Run:
    run = Run.create(folder, small_recipe(method, corpus.folder, base.folder))
    assert train(run, Ranks.single_process("cpu"), Options("cpu")).finished
    return run


def notes(run: Run) -> str:
    return "\n".join(event.values["text"] for event in run.events() if event.kind == "note")


def test_training_keeps_prompts_of_its_base(tmp_path: Path, corpus: Corpus) -> None:
    base = tiny_package(tmp_path / "base", **PROMPTS)
    run = trained("library", corpus, base, tmp_path / "run")
    package = read_package(run.package)
    assert package.template.startswith("paper: {{a}} {title}")
    assert package.query_template == PROMPTS["query_template"]
    encoder = Encoder(package, "cpu")
    query = [("deep network", "")]
    assert not np.allclose(encoder.encode(query), encoder.encode(query, queries=True), atol=1e-3)


def test_training_reads_papers_and_queries_with_their_prompts(
    tmp_path: Path, corpus: Corpus
) -> None:
    base = tiny_package(tmp_path / "base", **PROMPTS)
    given = setup(corpus, base.folder, "library-small", examples=24, join="space")
    method = LibraryMethod(replace(given, package=base))
    texts, reader = method.stages[0].train.texts, text_reader(method)  # type: ignore[attr-defined]
    for row in range(10):
        title, abstract = corpus.title(row), corpus.abstract(row)
        paper, query = (texts.ids(row, part).tolist() for part in (TextPart.both, TextPart.title))
        assert paper == reader.ids([(title, abstract)])[0][:40]
        assert query == reader.ids([(title, "")], queries=True)[0]
        parts = np.array([TextPart.both, TextPart.title])
        assert texts.lengths(np.array([row, row]), parts).tolist() == [len(paper), len(query)]


def test_model_without_prompts_trains_without_them(tmp_path: Path, corpus: Corpus) -> None:
    base = tiny_package(tmp_path / "base")
    method = make(corpus, base.folder, "library-small", examples=24)
    assert (method.reading.prompt, method.reading.query_template) == ("", "")


def test_training_says_that_it_leaves_out_modules_after_the_pooling(
    tmp_path: Path, corpus: Corpus
) -> None:
    run = trained("specter", corpus, package_with_dense(tmp_path / "base"), tmp_path / "run")
    package = read_package(run.package)
    assert (package.head, package.dim) == ((), 32)
    assert "Dense" in notes(run)
    assert "Dense" in (package.folder / "README.md").read_text("utf-8")


def test_training_says_that_it_drops_a_template_around_the_abstract(
    tmp_path: Path, corpus: Corpus
) -> None:
    base = tiny_package(tmp_path / "base", template="title: {title} | text: {abstract}")
    run = trained("specter", corpus, base, tmp_path / "run")
    assert "| text:" in notes(run)
