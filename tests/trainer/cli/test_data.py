from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.support.models.tiny_model import tiny_package
from trainer import cli
from trainer.cli.data import PreparationDisplay
from trainer.contract.corpus_stats import CorpusStats
from trainer.data.corpus.corpus import Corpus


@pytest.fixture
def inputs(tmp_path: Path) -> list[str]:
    path = tmp_path / "papers.jsonl"
    lines = [{"id": f"p{n}", "title": f"deep graph {n}", "venue": f"V{n % 2}"} for n in range(8)]
    text = "".join(json.dumps(line) + "\n" for line in [*lines, lines[0], *[{}] * 7])
    path.write_text(text)
    edges = tmp_path / "edges.tsv"
    edges.write_text("citing\tcited\np1\tp3\np1\tunknown\n")
    return [str(path), str(edges)]


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli.app, ["prepare", *arguments], env={"COLUMNS": "120"})
    return done.exit_code, done.stdout, done.stderr


def test_prepare_shows_read_kept_and_dropped(tmp_path: Path, inputs: list[str]) -> None:
    code, shown, output = run(*inputs, "--output", str(tmp_path / "corpus"))
    assert code == 0
    rows = [line.split() for line in shown.splitlines()]
    assert ["papers.jsonl", "jsonl", "9", "0", "7"] in rows
    assert ["7", "unreadable"] in rows
    assert ["papers", "16", "8", "1", "duplicate", "paper"] in rows
    assert any(row[:4] == ["citations", "2", "1", "1"] for row in rows)
    assert "line 10: This paper has neither" in output
    assert "2 more problems are listed in problems.jsonl" in output
    assert Corpus.open(tmp_path / "corpus").papers == 8


def test_prepare_splits_papers_as_requested(tmp_path: Path, inputs: list[str]) -> None:
    # In the encoding of a Windows editor.
    (tmp_path / "mine.txt").write_bytes(b"\xef\xbb\xbfp3\r\np5\r\nelsewhere\r\n")
    split = ("--split", "all", "--test-ids", str(tmp_path / "mine.txt"))
    code, shown, output = run(*inputs, *split, "-o", str(tmp_path / "corpus"))
    assert code == 0
    assert "6 train, 0 validation, 2 test" in shown
    assert "elsewhere" in output
    answer = json.loads(run(*inputs, *split, "-o", str(tmp_path / "again"), "--json")[1])
    assert answer["split"] == {"train": 6, "validation": 0, "test": 2}
    assert answer["split_by"].startswith("100/0/0, test named")
    code, shown, _ = run(*inputs, "--split", "most", "-o", str(tmp_path / "none"), "--json")
    assert code == 1 and "most" in json.loads(shown)["error"]
    assert not (tmp_path / "none").exists()


def test_prepare_json_output_is_a_single_line(tmp_path: Path, inputs: list[str]) -> None:
    code, shown, output = run(*inputs, "-o", str(tmp_path / "corpus"), "--json")
    assert (code, output) == (0, "")
    (line,) = shown.splitlines()
    answer = json.loads(line)
    assert (answer["papers"], answer["read"]) == (8, 16)
    assert answer["citations"]["kept"] == 1
    assert answer["sha256"] == Corpus.open(tmp_path / "corpus").sha256
    code, shown, _ = run(*inputs, "-o", str(tmp_path / "corpus"), "--json")
    assert code == 1
    assert "already" in json.loads(shown)["error"]


def test_prepare_prints_progress_as_json_lines(tmp_path: Path, inputs: list[str]) -> None:
    code, shown, output = run(*inputs, "-o", str(tmp_path / "corpus"), "--json", "--progress")
    lines = [json.loads(line) for line in output.splitlines()]
    assert code == 0 and json.loads(shown)["papers"] == 8
    assert any("papers.jsonl" in line.get("note", "") for line in lines)
    assert {"task": "papers.jsonl", "text": "16 (100%)", "share": 1.0} in lines
    assert [line["why"] for line in lines if line.get("warning") == "papers.jsonl, line 10"]


def test_collection_option_requires_a_library(tmp_path: Path, inputs: list[str]) -> None:
    code, shown, _ = run(*inputs, "-o", str(tmp_path / "corpus"), "--collection", "x", "--json")
    assert code == 1 and "papers.jsonl has no collections" in json.loads(shown)["error"]


def test_corpus_shows_stats_and_supported_methods(tmp_path: Path, inputs: list[str]) -> None:
    run(*inputs, "-o", str(tmp_path / "corpus"))
    output = CliRunner().invoke(cli.app, ["corpus", str(tmp_path / "corpus")]).stdout
    assert ["specter-small", "abstracts", "0", "too", "few"] in [
        line.split() for line in output.splitlines()
    ]
    answer = CliRunner().invoke(cli.app, ["corpus", str(tmp_path / "corpus"), "--json"]).stdout
    holds = CorpusStats.read(json.loads(answer)["holds"])
    assert (holds.papers, holds.abstracts, holds.citations, holds.citing) == (8, 0, 1, 1)
    done = CliRunner().invoke(cli.app, ["corpus", str(tmp_path), "--json"])
    assert done.exit_code == 1 and "is not a corpus" in json.loads(done.stdout)["error"]


def test_prepare_excludes_venues_by_name_or_file(tmp_path: Path, inputs: list[str]) -> None:
    unseen = tmp_path / "unseen.txt"
    unseen.write_text("V0\nAnother\n")
    for number, named in enumerate(("v0", str(unseen))):
        output = tmp_path / f"corpus{number}"
        code, _, printed = run(*inputs, "-o", str(output), "--exclude-venues", named)
        assert code == 0
        assert Corpus.open(output).venue_names == ("V1",)
        warned = [line for line in printed.splitlines() if "No paper is from this journal" in line]
        assert len(warned) == number
        assert all(line.startswith("excluded journals, Another:") for line in warned)


def test_prepare_can_tokenize_at_once(tmp_path: Path, inputs: list[str]) -> None:
    model = tiny_package(tmp_path / "model").folder
    code, _, output = run(*inputs, "-o", str(tmp_path / "corpus"), "--tokens", str(model))
    assert code == 0
    assert "Tokenizing" in output
    assert len(list((tmp_path / "corpus" / "tokens").glob("*/tokens.json"))) == 1


def test_prepare_missing_model_fails_first(tmp_path: Path, inputs: list[str]) -> None:
    code, shown, _ = run(*inputs, "-o", str(tmp_path / "corpus"), "--tokens", "nowhere", "--json")
    assert code == 1
    assert json.loads(shown)["error"]
    assert not (tmp_path / "corpus").exists()


def test_wrong_usage_exits_with_2(tmp_path: Path, inputs: list[str]) -> None:
    assert run(*inputs)[0] == 2
    assert run("-o", str(tmp_path / "corpus"))[0] == 2
    assert run(str(tmp_path / "missing"), "-o", str(tmp_path / "corpus"), "--json")[0] == 1


def test_prepare_shows_no_rate_in_the_first_moments(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    with PreparationDisplay(quiet=False) as progress:
        for clock[0], entries in ((6.0, 1_000), (12.0, 3_000)):
            progress.progress("a.tsv", entries, entries / 4_000)
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["a.tsv: 1,000 (25%)", "a.tsv: 3,000 (75%), 500 per second"]


def test_files_of_the_same_name_have_separate_rates(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    with PreparationDisplay(quiet=False) as progress:
        for folder in ("old", "new"):
            progress.note(f"Reading {folder}/a.tsv (citations)")
            for entries in (1_000, 3_000):
                clock[0] += 6.0
                progress.progress("a.tsv", entries, entries / 4_000)
    rates = [line for line in capsys.readouterr().err.splitlines() if "per second" in line]
    assert rates == ["a.tsv: 3,000 (75%), 500 per second"] * 2


def test_prepare_help_has_examples() -> None:
    _, shown, _ = run("--help")
    assert "sciread-trainer prepare metadata.json data.json --output" in shown
    assert all(kind in shown for kind in ("PubMed XML", "Parquet", "library.sqlite3"))
