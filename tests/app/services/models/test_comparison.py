"""Comparison of models over one library: their vectors are kept separate."""

from __future__ import annotations

import pytest

from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.services.models.comparison import ModelComparison
from sciread_app.services.search.search import SearchService
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.models.fake_encoder import SynonymEncoder


class CountingSynonyms(SynonymEncoder):
    space = "other"

    def __init__(self) -> None:
        super().__init__()
        self.stopped = 0

    def close(self) -> None:
        self.stopped += 1


@pytest.fixture
def other() -> CountingSynonyms:
    return CountingSynonyms()


@pytest.fixture
def others(library, other, tmp_path) -> ModelComparison:
    library.put([paper("The automobile in town"), paper("A car for all"), paper("On kittens")])
    return ModelComparison(library, tmp_path, lambda name: other)


def test_compared_model_searches_after_encoding(library, others):
    assert others.progress("x") == (0, 3)
    assert others.encode("x", Task()) == 3
    assert others.progress("x") == (3, 3)
    hits = others.search("x").find(parse("vehicle"), mode=SearchMode.meaning, limit=2).hits
    assert {hit.paper for hit in hits} == {1, 2}


def test_vectors_of_compared_models_are_separate(library, others, tmp_path):
    others.encode("x", Task())
    assert SearchService(library, None).find(parse("car")).hits
    assert len(library.vector_rows("other")[0]) == 3
    assert len(library.vector_rows("synonyms")[0]) == 0


def test_papers_in_trash_are_not_counted_for_encoding(library, others):
    others.encode("x", Task())
    library.put([paper("A lorry")])
    library.trash([1])
    assert others.progress("x") == (2, 3)


def test_closed_models_are_stopped_and_reopened_on_demand(others, other):
    others.encode("x", Task())
    others.close()
    assert other.stopped == 1
    assert others.progress("x") == (3, 3)
