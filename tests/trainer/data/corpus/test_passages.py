"""A corpus has the full texts of papers that may be learned from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sciread_app.services.ingest.importer import Importer
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.corpus import full_text, ids_of, make_corpus
from tests.support.generate.pdf import At, make_pdf
from trainer.contract.errors import TrainerError
from trainer.data.corpus.corpus import Corpus, Split, count_training_data
from trainer.data.corpus.prepare import prepare
from trainer.data.corpus.progress import PrepareProgress
from trainer.data.corpus.split import SplitRule

TRAIN, VALIDATION, TEST = ((ids_of(3, part)) for part in Split)


def lines(path: Path, *records: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def texts_of(corpus: Corpus, id: str) -> list[str]:
    row = corpus.row(id)
    first, stop = corpus.passages_of(np.array([row]))
    return corpus.passages[first[0] : stop[0]]


def used(corpus: Corpus) -> set[str]:
    """The ids of the papers with passages."""
    return {corpus.id(int(row)) for row in corpus.passage_papers}


def test_passages_and_questions_belong_to_their_papers(tmp_path: Path) -> None:
    numbers = range(6)
    papers = [{"full_text": full_text(n) if n % 2 else ""} for n in numbers]
    corpus = make_corpus(tmp_path / "corpus", papers, split=SplitRule((1, 0, 0)))
    assert used(corpus) == {f"p{n:05}" for n in (1, 3, 5)}
    for number in (1, 3, 5):
        row = corpus.row(f"p{number:05}")
        mine = corpus.passage_papers[corpus.question_passages] == row
        assert sum(mine) == 3
        for question in np.flatnonzero(mine).tolist():
            assert f"network {number} of" in corpus.passage_questions[question]
        assert all(passage in full_text(number) for passage in texts_of(corpus, corpus.id(row)))
    stats = count_training_data(corpus)
    assert (stats.full_texts, stats.passage_questions) == (3, 9)
    assert corpus.counts["full_texts"]["kept"] == 3


@pytest.mark.parametrize("order", [1, -1])
def test_full_text_of_another_record_of_a_paper_is_kept(tmp_path: Path, order: int) -> None:
    paper = {"id": "p1", "title": "Bees", "abstract": "They dance."}
    both = [
        lines(tmp_path / "a.jsonl", paper, {"id": "p2", "title": "Ants", "abstract": "They dig."}),
        lines(tmp_path / "b.jsonl", {"id": "p1", "title": "Bees", "full_text": full_text(1)}),
    ]
    corpus = prepare(both[::order], tmp_path / "corpus", split=SplitRule((1, 0, 0)), full_text=True)
    assert used(corpus) == {"p1"}
    assert len(corpus.passage_questions) == 3


def test_full_texts_of_test_papers_are_left_out(tmp_path: Path) -> None:
    ids = [*TRAIN, *VALIDATION, *TEST]
    papers = [{"id": id, "full_text": full_text(n)} for n, id in enumerate(ids)]
    corpus = make_corpus(tmp_path / "corpus", papers)
    assert used(corpus) == {*TRAIN, *VALIDATION}
    assert corpus.counts["full_texts"]["dropped"] == {"test paper": 3}
    every = make_corpus(tmp_path / "all", papers, split=SplitRule((1, 0, 0)))
    assert used(every) == set(ids)


def test_text_or_title_of_a_paper_held_out_is_not_learned_from(tmp_path: Path) -> None:
    same, other, version = TRAIN
    title = "On the Sound of Graphs"
    papers = [
        {"id": TEST[0], "full_text": full_text(1)},
        {"id": same, "full_text": full_text(1)},
        {"id": other, "full_text": full_text(2)},
        {"id": VALIDATION[0], "title": title.lower() + "."},
        {"id": version, "title": title, "full_text": full_text(3)},
    ]
    corpus = make_corpus(tmp_path / "corpus", papers)
    assert used(corpus) == {other}


def test_text_of_several_papers_is_used_once(tmp_path: Path) -> None:
    papers = [{"id": id, "full_text": full_text(1)} for id in TRAIN]
    assert used(make_corpus(tmp_path / "corpus", papers)) == {min(TRAIN)}


def test_order_of_papers_does_not_change_the_corpus(tmp_path: Path) -> None:
    papers = [
        {"id": f"p{n}", "title": f"Deep {n}", "abstract": f"We study {n}.", "year": 2000}
        | {"full_text": full_text(n, 1 + n % 3)}
        for n in range(9)
    ]
    one = make_corpus(tmp_path / "one", papers)
    other = make_corpus(tmp_path / "other", papers[::-1])
    assert one.sha256 == other.sha256


def test_json_lines_have_full_texts_if_requested(tmp_path: Path) -> None:
    record = {"id": TRAIN[0], "title": "Deep", "full_text": [full_text(1), full_text(2)]}
    file = lines(tmp_path / "a.jsonl", record)
    plain = prepare([file], tmp_path / "plain")
    corpus = prepare([file], tmp_path / "full", full_text=True)
    assert len(plain.passages) == 0 and "full_texts" not in plain.counts
    assert len(texts_of(corpus, TRAIN[0])) >= 6
    assert corpus.counts["files"][0]["full_texts"] == 1
    assert corpus.sha256 != plain.sha256


def test_damaged_passages_are_refused(tmp_path: Path) -> None:
    folder = make_corpus(tmp_path / "corpus", [{"full_text": full_text(1)}]).folder
    assert Corpus.open(folder).folder == folder
    column = folder / "passage_papers.int32"
    column.write_bytes(np.full(column.stat().st_size // 4, 7, "<i4").tobytes())
    with pytest.raises(TrainerError):
        Corpus.open(folder, verify=False)
    column.unlink()
    with pytest.raises(TrainerError, match="passage_papers"):
        Corpus.open(folder, verify=False)


class Problems(PrepareProgress):
    def __init__(self) -> None:
        self.entries: dict[str, str] = {}

    def problem(self, file: str, entry: str, why: str) -> None:
        self.entries[Path(entry).name] = why


def pdf(number: int) -> bytes:
    """Two pages with a title, a running head, different sentences and a reference."""
    pages = []
    for page in range(3):
        words = full_text(10 * number + page).split()
        rows = [" ".join(words[at : at + 12]) for at in range(0, len(words), 12)][:36]
        head = At("Journal of Graphs 7", 8, 60, 780)
        pages.append([head, *(At(row, 10, 60, 700 - 14 * n) for n, row in enumerate(rows))])
    pages[0].insert(1, At(f"Deep Learning of Graphs, Part {number}", 18, 60, 740))
    pages[2] += [At("References", 12, 60, 120), At("[1] A. Smith, On Sound, 1999.", 10, 60, 100)]
    return make_pdf(*pages)


def test_text_of_pdfs_comes_from_the_library(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    for number in range(3):
        (folder / f"part-{number}.pdf").write_bytes(pdf(number))
    (folder / "scan.pdf").write_bytes(make_pdf([]))
    Importer(library).add([folder], Task())
    progress = Problems()
    path = f"library={tmp_path / 'library.sqlite3'}"
    rule = SplitRule((1, 0, 0))
    corpus = prepare([path], tmp_path / "corpus", full_text=True, split=rule, watch=progress)
    assert len(used(corpus)) == 3 and len(corpus.passage_questions) > 0
    text = " ".join(corpus.passages)
    assert "Journal of Graphs" not in text and "Smith" not in text
    assert set(progress.entries) == {"scan.pdf"} and progress.entries["scan.pdf"]
    assert len(prepare([path], tmp_path / "plain", split=rule).passages) == 0
