from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from trainer.contract.errors import TrainerError
from trainer.encoders.opening import open_encoder
from trainer.encoders.vector_files import is_vectors, open_vectors
from trainer.evaluations.base import EvaluationTask, TaskResult, TextInput

PAPERS = [TextInput(name, f"Title {name}") for name in "abcd"]


def lines(path: Path, **vectors: object) -> Path:
    result = "".join(
        json.dumps({"paper_id": name, "title": "T", "embedding": vector}) + "\n"
        for name, vector in vectors.items()
    )
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(result.encode()))
    else:
        path.write_text(result)
    return path


@pytest.mark.parametrize("name", ["specter.jsonl", "specter.jsonl.gz"])
def test_scidocs_vectors_keep_full_precision(tmp_path, name):
    path = lines(tmp_path / name, b=[0.1, 0.12345678901234], a=[1, 2], d=[])
    encoder = open_encoder(str(path))
    made = encoder.encode(PAPERS)
    assert made.papers.ids == ["a", "b"]
    assert made.papers.matrix.tolist() == [[1, 2], [0.1, 0.12345678901234]]
    assert made.papers.empty == {"d"}
    assert made.cost is None
    subject = encoder.subject
    assert (subject.id, subject.kind, subject.dim, subject.space) == ("specter", "vectors", 2, "")
    (digest,) = subject.about["files"].values()
    assert digest.startswith("sha256:")


def test_several_vectors_of_a_paper_are_summed(tmp_path):
    encoder = open_vectors(lines(tmp_path / "a.jsonl", a=[[1, 2], [10, 20], [100, 200]]))
    assert encoder.encode(PAPERS).papers.matrix.tolist() == [[111, 222]]


def test_array_rows_are_matched_by_the_ids_file(tmp_path):
    matrix = np.arange(8, dtype=np.float16).reshape(4, 2)
    np.save(tmp_path / "mine.npy", matrix)
    (tmp_path / "mine.ids.json").write_text(json.dumps(["d", "c", "x", "a"]))
    made = open_encoder(str(tmp_path / "mine.npy")).encode(PAPERS)
    assert made.papers.ids == ["a", "c", "d"]
    assert made.papers.matrix.tolist() == [[6, 7], [2, 3], [0, 1]]
    assert made.papers.matrix.dtype == np.float32


def test_files_of_a_folder_may_share_equal_vectors(tmp_path):
    lines(tmp_path / "cls.jsonl", a=[1, 2], b=[3, 4])
    lines(tmp_path / "user-citation.jsonl", b=[3, 4], c=[5, 6])
    assert open_vectors(tmp_path).encode(PAPERS).papers.ids == ["a", "b", "c"]
    lines(tmp_path / "recomm.jsonl", c=[5, 7])
    with pytest.raises(TrainerError, match=r"recomm\.jsonl|user-citation\.jsonl.*'c'"):
        open_vectors(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{"paper_id": "a", "embedding": [1, 2]}\n{"paper_id": "a", "embedding": []}',
            "two vectors",
        ),
        ('{"paper_id": "a", "embedding": [1, 2]}\n{"paper_id": "b", "embedding": [1]}', "others"),
        ('{"paper_id": "a", "embedding": [1, 2]}\n\n{"paper_id": "b", "emb', "Line 3 "),
        ('{"paper_id": "a", "embedding": ["x"]}', "Line 1 "),
        ('{"paper_id": "a", "embedding": [[1, 2], [3]]}', "Line 1 "),
        ('{"paper_id": "a"}', "no embedding"),
        ("[1, 2]", "not a JSON object"),
        ("", "contains no vectors"),
    ],
)
def test_damaged_vector_file_raises_error_naming_the_line(tmp_path, text, expected):
    (tmp_path / "a.jsonl").write_text(text)
    with pytest.raises(TrainerError, match=expected) as caught:
        open_vectors(tmp_path / "a.jsonl")
    assert "a.jsonl" in caught.value.message
    assert caught.value.hint


def test_nan_raises_error_when_used(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"paper_id": "a", "embedding": [1, NaN]}')
    with pytest.raises(TrainerError, match="'a'"):
        open_vectors(tmp_path / "a.jsonl").encode(PAPERS)


def test_pickled_arrays_and_arrays_without_ids_are_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.array([{"a": 1}], object))
    with pytest.raises(TrainerError, match="not an array of numbers"):
        open_vectors(tmp_path / "a.npy")
    np.save(tmp_path / "a.npy", np.ones((3, 2), np.float32))
    with pytest.raises(TrainerError, match="no IDs"):
        open_vectors(tmp_path / "a.npy")
    (tmp_path / "ids.txt").write_text("a\nb\n")
    with pytest.raises(TrainerError, match="2 IDs"):
        open_vectors(tmp_path / "a.npy")


def test_missing_vector_file_is_named(tmp_path):
    with pytest.raises(TrainerError, match=r"gone\.jsonl could not be read: No such file or dir"):
        open_encoder(str(tmp_path / "gone.jsonl"))


def test_typed_queries_need_vectors(tmp_path):
    path = lines(tmp_path / "a.jsonl", a=[1, 2], q=[3, 4])
    encoder = open_vectors(path)
    task = EvaluationTask(
        "t", "retrieval", "all", "0", PAPERS, lambda *_: TaskResult(()), [TextInput("q", "Why?")]
    )
    assert encoder.unsupported_reason(task) == ""
    assert encoder.encode(task.papers, task.queries).queries.ids == ["q"]
    other = EvaluationTask(
        "t", "retrieval", "all", "0", PAPERS, task.measure, [TextInput("other", "Why?")]
    )
    assert "queries" in encoder.unsupported_reason(other)


def test_paper_vector_is_not_used_for_its_title(tmp_path):
    encoder = open_vectors(lines(tmp_path / "a.jsonl", a=[1, 2], b=[3, 4], q=[5, 6]))
    titles = [TextInput(paper.id, paper.title) for paper in PAPERS]
    task = EvaluationTask("t", "health", "all", "0", PAPERS, lambda *_: TaskResult(()), titles)
    assert encoder.unsupported_reason(task) == ""
    assert encoder.encode(task.papers, task.queries).queries.ids == []
    mixed = encoder.encode(PAPERS, [*titles, TextInput("q", "Why?")])
    assert mixed.queries.ids == ["q"]


def test_package_is_not_a_folder_of_vectors(tmp_path):
    assert not is_vectors(tmp_path)
    lines(tmp_path / "a.jsonl", a=[1])
    assert is_vectors(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    assert not is_vectors(tmp_path)
