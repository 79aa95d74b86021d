"""Validation of vectors and of the inputs of evaluation tasks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from tests.support.generate.vectors import vectors_of
from trainer.contract.errors import TrainerError
from trainer.evaluations.base import EvaluationTask, TaskResult, TextInput, Vectors
from trainer.evaluations.metrics.significance import Items


def first_numbers(vectors: Vectors, queries: Vectors | None, seed: int) -> TaskResult:
    values = vectors.matrix[:, 0].astype(np.float64)
    return TaskResult.of(
        {"first": Items(vectors.ids, values)},
        seed=seed,
        excluded={"papers without a vector": 0, "empty papers": len(vectors.empty)},
        spread={"first": [0.25, 0.5, 0.75]},
    )


def a_task(**changes: object) -> EvaluationTask:
    plain = {
        "name": "toy",
        "evaluation": "toy",
        "split": "test",
        "sha256": "",
        "papers": [TextInput("a", "A"), TextInput("b", "B")],
        "measure": first_numbers,
    }
    return EvaluationTask(**(plain | changes))  # type: ignore[arg-type]


def test_vectors_rows_of_missing_ids_are_minus_one() -> None:
    vectors = Vectors(["b", "a"], np.eye(2, dtype=np.float32))
    assert vectors.rows(["a", "x", "b"]).tolist() == [1, -1, 0]
    assert vectors.dim == 2


def test_vectors_distinguish_empty_from_missing() -> None:
    vectors = vectors_of({"a": [1.0, 2.0], "b": []})
    assert vectors.rows(["a", "b", "c"]).tolist() == [0, -1, -1]
    assert vectors.empty == {"b"}


@pytest.mark.parametrize("broken", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_vectors_with_nan_raise_error_naming_the_paper(broken: float, kind: type) -> None:
    matrix = np.ones((3, 4), np.float32)
    matrix[1, 2] = broken
    with pytest.raises(TrainerError, match="vector of 'b'"):
        Vectors(["a", "b", "c"], kind(matrix))


def test_repeated_id_is_refused() -> None:
    with pytest.raises(TrainerError, match="'a' occurs twice"):
        Vectors(["a", "b", "a"], np.ones((3, 2)))


def test_number_of_ids_must_equal_rows() -> None:
    with pytest.raises(TrainerError, match="2 IDs for vectors of shape"):
        Vectors(["a", "b"], np.ones((3, 2)))


def test_task_refuses_queries_of_another_dimension() -> None:
    task = a_task(queries=[TextInput("q", "what is A?")])
    papers = Vectors(["a"], np.ones((1, 2)))
    with pytest.raises(TrainerError, match=r"^The queries have 3 dimensions, the papers 2"):
        task.run(papers, Vectors(["q"], np.ones((1, 3))))
    with pytest.raises(TrainerError, match="queries have no vectors"):
        task.run(papers)


def test_task_without_vectors_raises_an_error() -> None:
    with pytest.raises(TrainerError, match=r"^No paper has a vector"):
        a_task().run(Vectors([], np.empty((0, 2))))


def test_task_result_has_interval_spread_and_exclusions() -> None:
    matrix = np.array([[0.0], [0.25], [0.5], [1.0]])
    outcome = a_task().run(Vectors(list("abcd"), matrix, frozenset({"x"})), seed=3)
    (score,) = outcome.scores
    assert score.value == outcome.value("first") == 0.4375
    assert 0 <= score.low < score.value < score.high <= 1
    assert (score.n, score.spread, score.seeds) == (4, 0.25, 3)
    assert outcome.excluded == {"empty papers": 1}
    assert a_task().run(Vectors(list("abcd"), matrix), seed=3).scores == (score,)
