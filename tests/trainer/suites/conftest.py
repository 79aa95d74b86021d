"""A small corpus with data for all tasks of the local suite."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.generate.corpus import ids_of, make_corpus
from tests.support.generate.judged import TOPICS
from tests.support.generate.judged import judged_folder as make_judged
from trainer.data.corpus.corpus import Corpus, Split


@pytest.fixture(scope="session")
def local_corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """180 test papers and 60 training papers, in three fields, journals and labels; the words of a
    paper tell its field. Every paper cites the next two of its field."""
    tests, learned = ids_of(180), ids_of(60, Split.train)
    ids = sorted([*tests, *learned])
    papers = []
    for number, name in enumerate(ids):
        topic = number % 3
        papers.append(
            {
                "id": name,
                "title": f"{TOPICS[topic]} paper {name}",
                "abstract": f"we study {TOPICS[topic]} " * 4,
                "fields": (f"field{topic}",),
                "venue": f"Journal {topic}",
                "labels": (f"label{topic}",),
                "questions": (f"what is {TOPICS[topic]} of {name}",) if number % 5 == 0 else (),
            }
        )
    cites = [(row, row + 3 * far) for row in range(len(ids) - 6) for far in (1, 2)]
    return make_corpus(tmp_path_factory.mktemp("local") / "corpus", papers, cites)


@pytest.fixture
def judged_folder(tmp_path: Path) -> Path:
    return make_judged(tmp_path / "judged")
