"""Training files of sentence-transformers, Tevatron and FlagEmbedding, one JSON value per line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from trainer.data.corpus.corpus import Corpus
from trainer.data.corpus.prepare import prepare

QUERY, POSITIVE, NEGATIVE = "why is the sky blue", "Rayleigh scattering.", "The sea is salty."
TEVATRON = {
    "query_id": "7",
    "query": QUERY,
    "positive_passages": [{"docid": "p", "title": "Sky", "text": POSITIVE}],
    "negative_passages": [
        {"docid": "n", "title": "Sea", "text": NEGATIVE},
        {"docid": "m", "title": "", "text": "Another passage."},
    ],
}


def corpus_of(tmp_path: Path, *values: Any) -> Corpus:
    path = tmp_path / "train.jsonl"
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values))
    return prepare([str(path)], tmp_path / "corpus")


def triplets(corpus: Corpus) -> list[tuple[str, ...]]:
    """Return the texts of the triplets of a corpus, sorted."""
    texts = [
        " ".join(filter(None, both)) for both in zip(corpus.titles, corpus.abstracts, strict=True)
    ]
    return sorted(tuple(texts[row] for row in rows) for rows in corpus.triples.tolist())


@pytest.mark.parametrize(
    "line",
    [
        {"anchor": QUERY, "positive": POSITIVE, "negative": NEGATIVE},
        {"query": QUERY, "positive": POSITIVE, "negative": NEGATIVE},
        {"question": QUERY, "passage": POSITIVE, "negative_1": NEGATIVE},
        {"query": QUERY, "pos": [POSITIVE], "neg": [NEGATIVE]},
        [QUERY, POSITIVE, NEGATIVE],
    ],
)
def test_line_with_a_negative_gives_a_triplet(tmp_path: Path, line: Any) -> None:
    other = [text.upper() for text in (QUERY, POSITIVE, NEGATIVE)]
    corpus = corpus_of(tmp_path, line, other if isinstance(line, list) else line)
    assert (QUERY, POSITIVE, NEGATIVE) in triplets(corpus)


def test_several_negative_columns_give_a_triplet_each(tmp_path: Path) -> None:
    line = {"anchor": "a", "positive": "b", "negative_1": "c", "negative_2": "d"}
    assert triplets(corpus_of(tmp_path, line)) == [("a", "b", "c"), ("a", "b", "d")]


def test_tevatron_query_gives_triplets_and_a_question(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, TEVATRON)
    assert triplets(corpus) == [
        (QUERY, f"Sky {POSITIVE}", "Another passage."),
        (QUERY, f"Sky {POSITIVE}", f"Sea {NEGATIVE}"),
    ]
    assert list(corpus.questions) == [QUERY]
    assert {"passage:p", "passage:n", "passage:m"} < set(corpus.ids)


def test_query_without_negatives_is_a_question_and_no_paper(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {"query": QUERY, "pos": [POSITIVE], "neg": []})
    assert list(corpus.questions) == [QUERY]
    assert list(corpus.abstracts) == [POSITIVE]


def test_set_of_similar_texts_gives_pairs_without_negatives(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {"set": ["one", "two", "three"]})
    assert sorted(corpus.titles) == ["one", "three", "two"]
    assert len(corpus.cites.indices) == 2


def test_bad_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl.gz"
    lines = (json.dumps(["a", "b", "c"]), "[", '{"other": 1}', '{"query": "", "pos": ["x"]}', "[3]")
    path.write_bytes(
        gzip.compress("\n".join((lines[0], json.dumps(["d", "e"]), *lines[1:])).encode())
    )
    corpus = prepare([str(path)], tmp_path / "corpus")
    assert sorted(corpus.titles) == ["a", "b", "c", "d", "e"]
    problems = (tmp_path / "corpus" / "problems.jsonl").read_text().splitlines()
    assert [json.loads(line)["entry"] for line in problems] == [f"line {n}" for n in (3, 4, 5, 6)]


def test_table_with_negatives_gives_triplets(tmp_path: Path) -> None:
    path = tmp_path / "train.csv"
    path.write_text("anchor,positive,negative\none,two,three\n")
    assert triplets(prepare([str(path)], tmp_path / "corpus")) == [("one", "two", "three")]


def test_papers_with_lists_of_two_values_are_still_papers(tmp_path: Path) -> None:
    line = {"id": "x", "abstract": "Of a paper.", "mesh": ["A", "B"]}
    assert list(corpus_of(tmp_path, line).abstracts) == ["Of a paper."]
