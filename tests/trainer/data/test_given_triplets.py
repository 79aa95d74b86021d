"""Training on given triples."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generate.corpus import make_corpus
from tests.support.models.small_runs import small_base, small_recipe
from trainer.contract.errors import TrainerError
from trainer.contract.run import RECORDS, Run
from trainer.data.corpus.builder import Builder
from trainer.data.corpus.corpus import Corpus, Split
from trainer.data.corpus.prepare import prepare
from trainer.data.corpus.progress import PrepareProgress
from trainer.data.corpus.records import InputRecord, Triple
from trainer.data.corpus.split import SplitRule
from trainer.data.triplets import given_triples
from trainer.distributed import Ranks
from trainer.train import train


def papers(folder: Path, count: int) -> str:
    path = folder / "papers.jsonl"
    path.write_text(
        "".join(
            json.dumps({"id": f"p{n:03}", "title": f"deep graph {n}", "abstract": "we study"})
            + "\n"
            for n in range(count)
        )
    )
    return str(path)


class RecordedProgress(PrepareProgress):
    def __init__(self) -> None:
        self.problems: list[tuple[str, str]] = []

    def problem(self, file: str, entry: str, why: str) -> None:
        self.problems.append((file, entry))


@pytest.mark.parametrize("query", ["query_id", "query_paper_id"])
def test_table_of_ids_becomes_triples(tmp_path: Path, query: str) -> None:
    table = tmp_path / "triples.csv"
    lines = ["p001,p002,p003", "p000,p001,p002", "p001,p002,p003", "p001,p001,p002"]
    lines += ["p001,unknown,p002", "p001,,p002", "p001,NaN,p002"]
    table.write_text("\n".join([f"{query},positive_id,negative_id", *lines]) + "\n")
    progress = RecordedProgress()
    corpus = prepare([str(table), papers(tmp_path, 9)], tmp_path / "corpus", watch=progress)
    assert corpus.triples.tolist() == [[0, 1, 2], [1, 2, 3]]
    assert corpus.counts["triples"] == {
        "read": 5,
        "kept": 2,
        "dropped": {
            "paper not in the corpus": 1,
            "paper that is its own positive or negative": 1,
            "duplicate triplet": 1,
        },
    }
    assert progress.problems == [("triples.csv", "line 7"), ("triples.csv", "line 8")]
    assert corpus.papers == 9 == corpus.counts["read"]
    assert Corpus.open(corpus.folder).triples.tolist() == corpus.triples.tolist()


def test_corpus_without_triples_has_no_triples_file(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "corpus", 9)
    assert corpus.triples.shape == (0, 3)
    assert not list(corpus.folder.glob("triples*"))


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 3), max_size=30))
def test_triples_are_independent_of_order(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, int, int]]
) -> None:
    # Two of seven ids have no paper.
    ids = ["a", "ä b", "arxiv:1", "c", "doi:10.1/x", "", "none"]
    known = sorted(ids[:5], key=str.encode)
    found = []
    for order in (rows, rows[::-1]):
        with Builder(tmp_path_factory.mktemp("given") / "corpus") as builder:
            for triple in order:
                builder.add_triple(Triple(*(ids[at] for at in triple)))
            for name in ids[:5]:
                builder.add(InputRecord(name, "title"))
            found.append(builder.finish())
    expected = {
        tuple(known.index(ids[at]) for at in triple)
        for triple in rows
        if max(triple) < 5 and triple[0] not in triple[1:]
    }
    assert set(map(tuple, found[0].triples.tolist())) == expected
    assert len(found[0].triples) == len(expected)
    assert found[0].sha256 == found[1].sha256


def test_given_training_triples_stay_in_their_split(tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    table = tmp_path / "triples.csv"
    rows = chance.integers(0, 300, (3_000, 3))
    lines = [",".join(f"p{at:03}" for at in row) for row in rows.tolist()]
    table.write_text("\n".join(["query_id,positive_id,negative_id", *lines]) + "\n")
    corpus = prepare([str(table), papers(tmp_path, 300)], tmp_path / "corpus")
    learned, records = given_triples(corpus, Split.train)
    assert (corpus.split[learned] == Split.train).all()
    assert len(learned) == records["triplets"] > 1_000
    held, records = given_triples(corpus, Split.validation)
    assert (corpus.split[held[:, 0]] == Split.validation).all()
    assert (corpus.split[held] != Split.test).all() and records["triplets"] == len(held) > 50
    mine = corpus.split[corpus.triples[:, 0]] == Split.validation
    assert records["triplets across splits, dropped"] == mine.sum() - len(held)


@pytest.mark.usefixtures("one_thread", "own_home")
@pytest.mark.parametrize("method", ["specter", "multi2spe"])
def test_method_trains_on_given_triples_only(tmp_path: Path, method: str) -> None:
    table = tmp_path / "triples.csv"
    lines = [f"p{n:03},p{n + 1:03},p{n + 2:03}" for n in range(60)]
    table.write_text("\n".join(["query_id,positive_id,negative_id", *lines]) + "\n")
    base, rule = small_base(tmp_path / "base"), SplitRule.of("all")
    corpus = prepare([str(table), papers(tmp_path, 70)], tmp_path / "corpus", split=rule).folder
    recipe = small_recipe(method, corpus, base, triples="given")
    run = Run.create(tmp_path / "run", recipe)
    assert train(run, Ranks.single_process("cpu")).finished
    assert json.loads((run.folder / RECORDS).read_text())["train"]["triplets"] == 60
    other = make_corpus(tmp_path / "other", 40).folder
    lacking = Run.create(tmp_path / "lacking", small_recipe(method, other, base, triples="given"))
    with pytest.raises(TrainerError, match="contains no triplets"):
        train(lacking, Ranks.single_process("cpu"))
