"""Training sets in the formats published by the methods' authors."""

from __future__ import annotations

import csv
import gzip
import json
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from trainer.contract.errors import TrainerError
from trainer.data.corpus.prepare import prepare
from trainer.data.corpus.records import CitedIds, InputRecord, RecordProblem
from trainer.data.inputs import kind_of
from trainer.data.inputs.pairs import of_category
from trainer.data.inputs.source import Source


def read(path: Path, key: str) -> list[Any]:
    source = Source(path)
    kind = kind_of(source)
    assert kind.key == key
    assert kind.read is not None
    return list(kind.read(source))


def as_json(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


# SPECTER and SciDocs

METADATA: dict[str, Any] = {
    "q": {"paper_id": "q", "title": "Query", "abstract": "About it", "year": 2019, "venue": "ACL"},
    "a": {"paper_id": "a", "title": "Cited", "abstract": None},
    "b": {"paper_id": "b", "title": "Cited by the cited", "abstract": ""},
    "c": {"paper_id": "c", "title": None, "abstract": None},
    "d": ["no paper"],
}
COUNTS: dict[str, Any] = {
    "q": {"a": {"count": 5}, "b": {"count": 1}, "zz": {"count": 5}, "c": {}},
    "a": {"b": {"count": 5}},
    "b": "nothing",
}


def test_specter_files_give_papers_and_both_kinds_of_citations(tmp_path: Path) -> None:
    metadata = as_json(tmp_path / "metadata.json", METADATA)
    counts = as_json(tmp_path / "data.json", COUNTS)
    papers = read(metadata, "papers")
    assert papers[0] == InputRecord("q", "Query", "About it", 2019, "ACL")
    assert [(p.id if isinstance(p, InputRecord) else p.entry) for p in papers] == list("qabcd")
    assert [type(p) for p in papers[3:]] == [RecordProblem, RecordProblem]
    assert read(counts, "counts") == [
        CitedIds("q", ("a", "zz"), ("b",)),
        RecordProblem("q", "1 of the listed papers have no count.", paper=False),
        CitedIds("a", ("b",), ()),
        RecordProblem("b", "This entry does not list papers.", paper=False),
    ]
    corpus = prepare([str(counts), str(metadata)], tmp_path / "corpus")
    assert corpus.ids[:] == ["a", "b", "q"]
    assert [corpus.cites[row].tolist() for row in range(3)] == [[1], [], [0]]
    assert [corpus.second_hand[row].tolist() for row in range(3)] == [[], [], [1]]
    assert (corpus.counts["read"], corpus.counts["second_hand"]["kept"]) == (5, 1)


def test_scidocs_metadata_give_references_as_citations(tmp_path: Path) -> None:
    described = {"x": {"paper_id": "x", "title": "X", "references": ["y"], "cited_by": ["z"]}}
    path = as_json(tmp_path / "paper_metadata_recomm.json", described)
    assert read(path, "papers") == [InputRecord("x", "X", cites=("y",))]


def test_truncated_metadata_give_entries_before_the_break(tmp_path: Path) -> None:
    path = tmp_path / "metadata.json"
    path.write_text(json.dumps(METADATA)[:150])
    found = read(path, "papers")
    assert [getattr(p, "id", None) for p in found] == ["q", None]
    assert found[-1].entry == "entry 2"


def test_large_metadata_are_read_in_constant_memory(tmp_path: Path) -> None:
    path = tmp_path / "metadata.json.gz"
    with gzip.open(path, "wt", compresslevel=1) as file:
        file.write("{")
        for number in range(20_000):
            paper = {"paper_id": f"p{number}", "title": "t", "abstract": "word " * 200}
            file.write(f'{", " if number else ""}"p{number}": {json.dumps(paper)}')
        file.write("}")
    source = Source(path)
    reading = kind_of(source).read
    assert reading is not None
    tracemalloc.start()
    count = sum(1 for _ in reading(source))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 8 << 20  # of 20 MB


# MIReAD

MIREAD = ["", "abstr", "title", "journal", "field", "label_journal", "label_field"]
ROWS = [
    ["0", "An abstract,\nof two lines", "A title", "Adv. Math.", "Applied Mathematics", "17", "3"],
    ["1", "Another", 'With "quotes"', "Phys. Lett.", "Physics", "18", "4"],
    ["2", "", "", "Phys. Lett.", "Physics", "18", "4"],
]
EXPECTED = [
    InputRecord(
        "", "A title", "An abstract,\nof two lines", 0, "Adv. Math.", ("Applied Mathematics",)
    ),
    InputRecord("", 'With "quotes"', "Another", 0, "Phys. Lett.", ("Physics",)),
]


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_miread_table_is_read(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "table.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=delimiter).writerows([MIREAD, *ROWS, ["too", "short"]])
    found = read(path, "table")
    assert found[:2] == EXPECTED
    assert [p.entry for p in found[2:]] == ["line 5", "line 6"]


@pytest.mark.parametrize(
    "header",
    ["title;abstract, short", "title,notes;others", "id;query_id;positive_id;negative_id"],
)
def test_table_delimiter_is_detected_by_known_columns(tmp_path: Path, header: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(header + "\n", "utf-8")
    assert kind_of(Source(path)).key == "table"


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_unknown_columns_are_named_with_expected_ones(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(delimiter.join(("Titel", "Zusammenfassung")) + "\n", "utf-8")
    with pytest.raises(TrainerError, match="titel, zusammenfassung") as refused:
        kind_of(Source(path))
    assert "title or abstract" in refused.value.hint


def test_parquet_gives_the_same_as_csv(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    columns = {name: [row[n] for row in ROWS] for n, name in enumerate(MIREAD) if name}
    parquet.write_table(pyarrow.table(columns), path)
    found = read(path, "table")
    assert found[:2] == EXPECTED
    assert found[2].entry == "row 3"
    corpus = prepare([str(path)], tmp_path / "corpus")
    assert corpus.venue_names == ("Adv. Math.", "Phys. Lett.")
    assert corpus.field_names == ("Applied Mathematics", "Physics")


def test_damaged_parquet_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1 and no more")
    (problem,) = read(path, "table")
    assert "invalid" in problem.reason


def test_parquet_without_pyarrow_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(TrainerError) as refused:
        read(path, "table")
    assert "sciread[parquet]" in refused.value.hint


def test_table_without_texts_is_refused_with_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    parquet.write_table(pyarrow.table({"a": [1], "b": [2]}), path)
    with pytest.raises(TrainerError) as refused:
        read(path, "table")
    assert "a, b" in str(refused.value)
    assert "title" in refused.value.hint


def test_arxiv_categories_in_a_table_are_split_into_words(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("id,title,categories,year\nx,T,cs.CL cs.AI,2019\n")
    assert read(path, "table") == [InputRecord("x", "T", "", 2019, "", ("cs.CL", "cs.AI"))]


@pytest.mark.parametrize(
    ("column", "value", "paper_id"),
    [
        ("id", "Any", "Any"),
        ("arxiv_id", "2101.00027v2", "arxiv:2101.00027"),
        ("arxiv_id", "arxiv:2101.00027", "arxiv:2101.00027"),
        ("doi", "10.1000/X", "doi:10.1000/x"),
        ("pmid", "12", "pmid:12"),
        ("number", "12", ""),
    ],
)
def test_table_ids_are_normalised(tmp_path: Path, column: str, value: str, paper_id: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"{column},title\n{value},T\n")
    assert read(path, "table") == [InputRecord(paper_id, "T")]


# PhysBERT

PAIR = ["first text", "second text"]


@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("P2P_astro-ph_CO.json", "astro-ph.CO"),
        ("P2P_cond-mat_dis-nn.json", "cond-mat.dis-nn"),
        ("P2P_quant-ph.json", "quant-ph"),
        ("citing_pairs.json", ""),
    ],
)
def test_file_name_gives_the_category(name: str, category: str) -> None:
    assert of_category(Path(name)) == category


@pytest.mark.parametrize(
    "entry",
    [
        PAIR,
        {"texts": PAIR},
        {"set": PAIR},
        {"sentence1": PAIR[0], "sentence2": PAIR[1]},
        {"abstract1": PAIR[0], "abstract2": PAIR[1]},
    ],
)
def test_pairs_of_a_category_become_its_papers(tmp_path: Path, entry: Any) -> None:
    path = as_json(tmp_path / "P2P_astro-ph_CO.json", [entry, entry])
    corpus = prepare([str(path)], tmp_path / "corpus")
    assert sorted(corpus.abstracts) == PAIR
    assert corpus.field_names == ("astro-ph.CO",)
    assert corpus.primary.tolist() == [0, 0]
    assert corpus.counts["dropped"] == {"duplicate paper": 2}


@pytest.mark.parametrize("entry", ["a text", {"text": "a text"}, {"abstract": "a text"}])
def test_texts_of_a_category_become_its_papers(tmp_path: Path, entry: Any) -> None:
    (found,) = read(as_json(tmp_path / "P2P_hep-th.json", [entry]), "array")
    assert (found.abstract, found.fields) == ("a text", ("hep-th",))


@pytest.mark.parametrize(("name", "cited"), [("citing_pairs", 1), ("non_citing_pairs", 0)])
def test_file_name_decides_whether_titles_cite(tmp_path: Path, name: str, cited: int) -> None:
    path = as_json(tmp_path / f"{name}.json", [PAIR, ["", "x"], 7])
    corpus = prepare([str(path)], tmp_path / "corpus")
    assert sorted(corpus.titles) == PAIR
    assert len(corpus.cites.indices) == cited
    assert corpus.counts["files"][0]["problems"] == 2


def test_label_decides_whether_pairs_cite(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("title1,title2,label\none,two,1\nthree,four,0\n")
    corpus = prepare([str(path)], tmp_path / "corpus")
    citing = int(corpus.cites.counts.argmax())
    assert corpus.title(citing) == "one"
    assert corpus.title(int(corpus.cites.indices[0])) == "two"


def test_questions_are_attached_to_their_passages(tmp_path: Path) -> None:
    described = {
        "queries": {"q1": "Why?", "q2": "How?", "q3": "Where?"},
        "corpus": {"d1": "Because.", "d2": "So.", "d3": None},
        "relevant_docs": {"q1": ["d1"], "q2": ["d1", "d2"], "q3": ["gone"], "q9": ["d2"]},
    }
    path = as_json(tmp_path / "ir_dataset.json", described)
    assert read(path, "retrieval") == [
        InputRecord("passage:d1", abstract="Because.", questions=("Why?", "How?")),
        InputRecord("passage:d2", abstract="So.", questions=("How?",)),
        RecordProblem("d3", "This passage has no text."),
    ]
    table = tmp_path / "questions.csv"
    table.write_text("question,context\nWhy?,Because.\n")
    assert read(table, "table") == [InputRecord("", abstract="Because.", questions=("Why?",))]
