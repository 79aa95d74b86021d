from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trainer.contract.errors import TrainerError
from trainer.data.corpus import builder
from trainer.data.corpus.columns import ListWriter, write_numbers
from trainer.data.corpus.corpus import Corpus
from trainer.data.corpus.prepare import _NO_IDS as NO_IDS
from trainer.data.corpus.prepare import prepare
from trainer.data.corpus.progress import PrepareProgress


class RecordedProgress(PrepareProgress):
    def __init__(self) -> None:
        self.problems: list[tuple[str, str, str]] = []
        self.notes: list[str] = []
        self.shares: dict[str, float] = {}

    def note(self, text: str) -> None:
        self.notes.append(text)

    def progress(self, file: str, entries: int, share: float) -> None:
        self.shares[file] = share

    def problem(self, file: str, entry: str, why: str) -> None:
        self.problems.append((file, entry, why))


def papers(path: Path, *records: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def test_files_of_many_kinds_make_one_corpus(tmp_path: Path) -> None:
    progress = RecordedProgress()
    lines = papers(tmp_path / "a.jsonl", {"id": "a", "title": "A"}, {"id": "b", "title": "B"}, {})
    table = tmp_path / "c.csv"
    table.write_text("id,title,journal\nc,C,Phys. Rev.\n")
    edges = tmp_path / "edges.tsv"
    edges.write_text("citing\tcited\na\tb\nb\tc\nbroken\n")
    more = tmp_path / "more.tsv.gz"
    more.write_bytes(gzip.compress(b"a\tc\n"))
    corpus = prepare(
        [str(edges), lines, str(table)], tmp_path / "corpus", citations=[str(more)], watch=progress
    )
    assert corpus.ids[:] == ["a", "b", "c"]
    assert [corpus.cites[row].tolist() for row in range(3)] == [[1, 2], [2], []]
    assert corpus.counts["read"] == 4 == corpus.papers + sum(corpus.counts["dropped"].values())
    files = {file["name"]: file for file in corpus.counts["files"]}
    assert files["a.jsonl"] == {
        "name": "a.jsonl",
        "kind": "jsonl",
        "papers": 2,
        "citations": 0,
        "problems": 1,
    }
    assert files["edges.tsv"]["citations"] == 2
    assert progress.problems == [
        ("a.jsonl", "line 3", "This paper has neither a title nor an abstract."),
        ("edges.tsv", "line 4", NO_IDS),
    ]
    assert any("edges.tsv" in note for note in progress.notes)
    assert progress.shares["a.jsonl"] == 1
    kept = (corpus.folder / "problems.jsonl").read_text().splitlines()
    assert [tuple(json.loads(line).values()) for line in kept] == progress.problems


def test_hash_is_independent_of_input_files(tmp_path: Path) -> None:
    one = papers(tmp_path / "one.jsonl", {"id": "a", "title": "A", "cites": ["b"]})
    two = papers(tmp_path / "two.jsonl", {"id": "b", "title": "B", "venue": "V"})
    both = papers(
        tmp_path / "both.jsonl", {"id": "b", "title": "B", "venue": "V"}, {"id": "a", "title": "A"}
    )
    edges = tmp_path / "edges.tsv"
    edges.write_text("citing\tcited\na\tb\n")
    hashes = {
        prepare(inputs, tmp_path / f"corpus{n}").sha256
        for n, inputs in enumerate([[one, two], [two, one], [both, str(edges)]])
    }
    assert len(hashes) == 1


def test_input_kind_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "unclear.txt"
    path.write_text('{"title": "A"}')
    with pytest.raises(TrainerError, match="'poem' is not a known input format"):
        prepare([f"poem={path}"], tmp_path / "corpus")
    assert prepare([f"jsonl={path}"], tmp_path / "corpus").papers == 1


@pytest.mark.parametrize("word", ["NaN", "nan", "None", "null", " NULL ", "<NA>"])
def test_placeholder_for_missing_value_is_empty(tmp_path: Path, word: str) -> None:
    table = tmp_path / "a.csv"
    table.write_text(
        f"id,title,abstract,journal\na,A,{word},{word}\nb,{word},B,J\nc,{word},{word},J\n"
    )
    progress = RecordedProgress()
    corpus = prepare([str(table)], tmp_path / "corpus", watch=progress)
    assert list(zip(corpus.ids[:], corpus.titles[:], corpus.abstracts[:], strict=True)) == [
        ("a", "A", ""),
        ("b", "", "B"),
    ]
    assert corpus.venue_names == ("J",)
    assert [(file, entry) for file, entry, _ in progress.problems] == [
        ("a.csv", "a"),
        ("a.csv", "b"),
        ("a.csv", "line 4"),
    ]
    assert ["abstract" in progress.problems[0][2], "title" in progress.problems[1][2]] == [
        True,
        True,
    ]


def test_nan_in_json_is_reported_and_null_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"id": "a", "title": "A", "abstract": NaN}\n'
        '{"id": "b", "title": "nan", "abstract": "B"}\n'
        '{"id": "c", "title": "C", "abstract": null}\n'
        '{"id": "NaN", "title": "Nan particles"}\n'
    )
    progress = RecordedProgress()
    corpus = prepare([str(path)], tmp_path / "corpus", watch=progress)
    assert [entry for _, entry, _ in progress.problems] == ["a", "b"]
    assert corpus.titles[:][:3] == ["A", "", "C"]
    assert corpus.abstracts[:][:3] == ["", "B", ""]
    assert corpus.ids[3].startswith("text:") and corpus.titles[3] == "Nan particles"


@pytest.mark.parametrize(
    ("name", "content", "messages"),
    [
        ("a.csv", "", ["a.csv is empty"]),
        ("a.csv", "\ufeff \n\n", ["a.csv is empty"]),
        ("a.csv", "heading,summary\nA,B\n", ["heading, summary", "title", "abstract"]),
        ("a.tsv", "p1\tp2\np2\tp3\n", ["p1, p2", "title", "citations=", "citing, tab, cited"]),
        ("a.txt", "p1 p2\np2 p3\n", ["not recognized", "citing, tab, cited"]),
    ],
)
def test_unrecognised_file_is_refused_with_expected_formats(
    tmp_path: Path, name: str, content: str, messages: list[str]
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(TrainerError) as refused:
        prepare([str(path)], tmp_path / "corpus")
    answer = f"{refused.value} {refused.value.hint}"
    assert all(words in answer for words in messages), answer


@pytest.mark.parametrize("content", ["", "a b\nb c\n"])
def test_citation_list_without_citations_is_reported(tmp_path: Path, content: str) -> None:
    edges = tmp_path / "edges.txt"
    edges.write_text(content)
    progress = RecordedProgress()
    lines = papers(tmp_path / "a.jsonl", {"id": "a", "title": "A"})
    prepare([lines], tmp_path / "corpus", citations=[str(edges)], watch=progress)
    assert all(file == "edges.txt" for file, *_ in progress.problems)
    assert all("citing, tab, cited" in why for *_, why in progress.problems)
    assert len(progress.problems) == 1 + content.count("\n")


@pytest.mark.parametrize("name", ["", "missing.jsonl", "jsonl=missing.jsonl"])
def test_missing_files_are_reported_before_any_work(tmp_path: Path, name: str) -> None:
    with pytest.raises(TrainerError, match=r"does not exist|a folder"):
        prepare([papers(tmp_path / "a.jsonl", {"title": "A"}), name], tmp_path / "corpus")
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


def test_truncated_file_is_reported_and_others_are_read(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"id": f"p{n:05}", "title": f"t{n}"}) + "\n" for n in range(20_000))
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(gzip.compress(lines.encode())[:-3000])
    edges = tmp_path / "edges.tsv.gz"
    edges.write_bytes(gzip.compress(b"p00000\tlast\n" * 200_000)[:-9])
    good = papers(tmp_path / "good.jsonl", {"id": "last", "title": "last"})
    progress = RecordedProgress()
    corpus = prepare([str(broken), good, f"citations={edges}"], tmp_path / "corpus", watch=progress)
    assert corpus.row("last") is not None
    assert corpus.papers > 10_000
    assert {file for file, _, why in progress.problems if "is incomplete" in why} == {
        "broken.jsonl.gz",
        "edges.tsv.gz",
    }
    assert corpus.cites[corpus.row("p00000")].tolist() == [corpus.row("last")]


def test_file_without_papers_is_reported(tmp_path: Path) -> None:
    empty = tmp_path / "empty.xml"
    empty.write_text("<PubmedArticleSet></PubmedArticleSet>")
    progress = RecordedProgress()
    corpus = prepare([str(empty)], tmp_path / "corpus", watch=progress)
    assert corpus.papers == 0
    assert [file for file, _, _ in progress.problems] == ["empty.xml"]


def test_invalid_citation_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "edges.tsv"
    path.write_bytes(b"x" * (20 << 20))
    progress = RecordedProgress()
    good = papers(tmp_path / "good.jsonl", {"title": "good"})
    assert prepare([good], tmp_path / "corpus", citations=[str(path)], watch=progress).papers == 1
    assert progress.problems == [("edges.tsv", "line 1", "The line is too long for a citation.")]


def test_full_disk_raises_while_writing_numbers(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, hard))
    try:
        with pytest.raises(OSError, match="too large"):
            write_numbers(tmp_path / "years.int16", np.ones(1_600))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_full_disk_is_reported_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    source = papers(tmp_path / "a.jsonl", {"title": "A", "categories": ["x"]})
    monkeypatch.setattr(ListWriter, "add", full)
    with pytest.raises(TrainerError, match="No space left on device") as raised:
        prepare([source], tmp_path / "corpus")
    assert "free disk space" in raised.value.hint
    assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]


KILLED_LATE = """
import os, signal, sys
from pathlib import Path
from trainer.data.corpus.builder import Builder
from trainer.data.corpus.prepare import _NO_IDS as NO_IDS
from trainer.data.corpus.prepare import prepare
Builder._describe = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
prepare([sys.argv[1]], Path(sys.argv[2]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_program_leaves_no_valid_corpus(tmp_path: Path) -> None:
    source = papers(tmp_path / "a.jsonl", {"id": "a", "title": "A"})
    output = tmp_path / "corpora" / "corpus"
    command = [sys.executable, "-c", KILLED_LATE, source, str(output)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert output.with_name("corpus.new").exists()
    with pytest.raises(TrainerError, match=r"corpus\.json could not be read"):
        Corpus.open(output.with_name("corpus.new"))
    assert not output.exists()
    assert prepare([source], output).papers == 1
    assert list(output.parent.iterdir()) == [output]


def test_unreadable_corpus_is_not_put_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder, "FORMAT", 99)
    with pytest.raises(TrainerError, match="format 99"):
        prepare([papers(tmp_path / "a.jsonl", {"title": "A"})], tmp_path / "corpus")
    assert not (tmp_path / "corpus").exists()


def test_real_papers_and_citations_are_all_kept(tmp_path: Path, shared: Path) -> None:
    folder = shared / "data" / "citations"
    names = ("vis_papers.jsonl.gz", "vis_citations.tsv.gz")
    corpus = prepare([str(folder / name) for name in names], tmp_path / "corpus")
    assert corpus.papers == corpus.counts["read"] == 4_034
    assert len(corpus.cites.indices) == 16_100
    assert not (corpus.folder / "problems.jsonl").exists()


def test_real_questions_and_labels_are_kept(tmp_path: Path, shared: Path) -> None:
    data = shared / "data"
    inputs = [data / "pairs" / "pubmedqa.jsonl.gz", data / "mesh" / "ohsumed_train.jsonl.gz"]
    corpus = prepare([str(path) for path in inputs], tmp_path / "corpus")
    assert corpus.papers == 687 + 3_357
    assert len(corpus.questions) == 687
    labelled = corpus.labels.counts > 0
    assert labelled[[corpus.id(row).startswith("ohsumed:") for row in range(corpus.papers)]].all()
    asked = int(corpus.question_papers[0])
    assert corpus.id(asked).startswith("pmid:")
    assert corpus.title(asked) == ""
    assert corpus.abstract(asked)
