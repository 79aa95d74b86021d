from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.support.generate.corpus import make_corpus
from tests.support.generate.papers import paper
from trainer.contract.errors import TrainerError
from trainer.data.corpus.records import InputRecord, RecordProblem
from trainer.embedding.inputs import open_input

PAPERS = [{"id": f"p{n}", "title": f"Größe {n}", "abstract": "graph " * (n % 5)} for n in range(23)]
EXPECTED = [InputRecord(p["id"], p["title"], p["abstract"]) for p in PAPERS]


def json_lines(path: Path, packed: bool = False) -> Path:
    lines = "\n".join(json.dumps(p, ensure_ascii=False) for p in PAPERS[:11]) + "\n\n \n"
    lines += "\r\n".join(json.dumps(p) for p in PAPERS[11:])  # no newline at the end
    data = lines.encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


def table(path: Path) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(PAPERS), path, row_group_size=4)
    return path


KINDS = {
    "plain lines": lambda folder: json_lines(folder / "papers.jsonl"),
    "packed lines": lambda folder: json_lines(folder / "papers.jsonl.gz", packed=True),
    "table": lambda folder: table(folder / "papers.parquet"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("papers", [1, 7, 23, 100])
def test_parts_hold_every_paper_once_in_any_reading_order(tmp_path, kind, papers):
    found = open_input(KINDS[kind](tmp_path))
    parts = list(found.parts(papers))
    assert [part.count for part in parts[:-1]] == [papers] * (len(parts) - 1)
    backwards = [list(found.read(part)) for part in reversed(parts)]
    forwards = [list(found.read(part)) for part in parts]
    assert backwards[::-1] == forwards
    assert [record for part in forwards for record in part] == EXPECTED
    # A new worker, which has not read the earlier parts, reads the same.
    assert list(open_input(found.path).read(parts[-1])) == forwards[-1]


def test_partly_read_part_can_be_read_again(tmp_path):
    found = open_input(KINDS["packed lines"](tmp_path))
    parts = list(found.parts(7))
    next(found.read(parts[1]))
    assert list(found.read(parts[1])) == EXPECTED[7:14]


def test_corpora_are_read_row_by_row(tmp_path):
    corpus = make_corpus(tmp_path / "corpus", 5)
    found = open_input(tmp_path / "corpus")
    assert found.stamp == corpus.sha256
    records = [record for part in found.parts(2) for record in found.read(part)]
    assert [r.id for r in records] == list(corpus.ids)
    assert [r.title for r in records] == list(corpus.titles)


def test_library_input_skips_trash_and_allows_new_papers(tmp_path, library):
    library.put([paper(f"Title {n}") for n in range(6)])
    library.trash([2])
    found = open_input(tmp_path / "library.sqlite3")
    parts = list(found.parts(2))
    library.put([paper("Title 7")])
    assert [[r.id for r in found.read(part)] for part in parts] == [["1", "3"], ["4", "5"], ["6"]]


def test_input_reports_bad_entries_and_continues(tmp_path):
    path = tmp_path / "papers.jsonl"
    path.write_text('{"title": "One"}\nnot JSON\n[1]\n{"id": "x", "title": ""}\n{"title": "Two"}\n')
    found = open_input(path)
    (part,) = found.parts(100)
    records = list(found.read(part))
    assert part.count == len(records) == 5
    assert [r.title for r in records if isinstance(r, InputRecord)] == ["One", "Two"]
    problems = [r for r in records if isinstance(r, RecordProblem)]
    assert [p.entry for p in problems] == ["byte 18", "byte 27", "x"]
    assert "neither a title nor an abstract" in problems[2].reason


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", b"words", "is not a corpus, JSON Lines file, Parquet table or SciRead library"),
        ("a.gz", gzip.compress(b'{"title": "x"}\n' * 10_000, mtime=0)[:-20], "is incomplete"),
        ("a.parquet", b"PAR1 and nothing more", "is invalid"),
        ("a.sqlite3", b"SQLite format 3\x00" + bytes(100), "could not be read"),
    ],
)
def test_unreadable_files_are_named(tmp_path, name, content, expected):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TrainerError, match=expected) as error:
        list(open_input(tmp_path / name).parts(10))
    assert name in str(error.value)


def test_missing_files_and_plain_folders_are_refused(tmp_path):
    with pytest.raises(TrainerError, match="No such file"):
        open_input(tmp_path / "nothing.jsonl")
    with pytest.raises(TrainerError, match="is not a corpus"):
        open_input(tmp_path)


def test_table_without_texts_is_refused(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"id": ["a"], "name": ["b"]}), tmp_path / "a.parquet")
    with pytest.raises(TrainerError, match="has no column of titles or abstracts"):
        open_input(tmp_path / "a.parquet")
