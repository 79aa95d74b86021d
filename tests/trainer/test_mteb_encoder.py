"""Models as encoders of MTEB."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from tests.support.models.tiny_model import tiny_package
from trainer.contract.package import read_package
from trainer.encoder import Encoder
from trainer.mteb_encoder import MtebEncoder

ROWS: dict[str, list[Any]] = {
    "sentence1": ["deep graph network", "protein folding study", "learning models", "graph"],
    "sentence2": ["deep graph network", "protein folding", "deep study", "folding"],
    "score": [5.0, 3.0, 1.0, 2.0],
}


class PromptType(StrEnum):
    query = "query"
    document = "document"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_package(tmp_path_factory.mktemp("model") / "tiny").folder


def test_documents_are_read_as_papers_and_others_as_texts(folder: Path) -> None:
    batches: list[dict[str, Any]] = [
        {"text": ["deep graph network"], "title": ["deep"], "body": ["graph network"]},
        {"text": ["graph study"], "title": [""], "body": ["graph study"]},
        {"text": ["learning", "protein"]},
    ]
    found = MtebEncoder(str(folder), device="cpu").encode(
        batches, prompt_type=PromptType.document, task_metadata=None
    )
    pairs = [("deep", "graph network"), ("graph study", ""), ("learning", ""), ("protein", "")]
    expected = Encoder(read_package(folder), "cpu").encode(pairs)
    assert found == pytest.approx(expected, abs=1e-5)


def test_queries_have_the_prompt_of_queries(tmp_path: Path) -> None:
    folder = tiny_package(tmp_path / "tiny", query_template="study {title}").folder
    model = MtebEncoder(str(folder), device="cpu")
    query, document = (
        model.encode([{"text": ["deep graph"]}], prompt_type=kind) for kind in PromptType
    )
    asked = Encoder(read_package(folder), "cpu").encode([("deep graph", "")], queries=True)
    assert query == pytest.approx(asked, abs=1e-5)
    assert not np.allclose(query, document, atol=1e-3)


def test_similarities_are_cosines(folder: Path) -> None:
    model = MtebEncoder(str(folder), device="cpu")
    a, b = np.array([[2.0, 0], [3, 4]]), np.array([[1.0, 0], [0, 1]])
    assert model.similarity(a, b).numpy() == pytest.approx(np.array([[1, 0], [0.6, 0.8]]))
    assert model.similarity_pairwise(a, b).numpy() == pytest.approx(np.array([1, 0.8]))


def test_mteb_evaluates_a_model(folder: Path) -> None:
    mteb = pytest.importorskip("mteb", reason="mteb is not installed: it is in the group bench")
    datasets = pytest.importorskip("datasets")
    from mteb.abstasks.sts import AbsTaskSTS
    from mteb.abstasks.task_metadata import TaskMetadata

    class Likeness(AbsTaskSTS):
        metadata = TaskMetadata(
            name="Likeness",
            dataset={"path": "none/none", "revision": "1"},
            description="Similarity of sentences.",
            type="STS",
            category="t2t",
            modalities=["text"],
            eval_splits=["test"],
            eval_langs=["eng-Latn"],
            main_score="cosine_spearman",
        )

        def load_data(self, **_: Any) -> None:
            self.dataset = {"default": {"test": datasets.Dataset.from_dict(ROWS)}}
            self.data_loaded = True

    found = mteb.evaluate(
        MtebEncoder(str(folder), device="cpu"), Likeness(), cache=None, show_progress_bar=False
    )
    (scores,) = found.task_results[0].scores["test"]
    encoder = Encoder(read_package(folder), "cpu")
    first, second = (
        encoder.encode([(text, "") for text in ROWS[name]]) for name in ("sentence1", "sentence2")
    )
    expected = spearmanr((first * second).sum(1), ROWS["score"]).statistic
    assert scores["cosine_spearman"] == pytest.approx(expected)
