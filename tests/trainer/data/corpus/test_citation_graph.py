from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trainer.data.corpus import citation_graph
from trainer.data.corpus.citation_graph import Graph, TooLongError, lines
from trainer.data.corpus.columns import Csr, TextColumn, write_texts
from trainer.data.corpus.ids import IdTable, hashes, padded

IDS = [f"p{number}" for number in range(30)]


def pieces(text: bytes) -> Iterator[bytes]:
    return (
        text[start : start + citation_graph.PIECE]
        for start in range(0, len(text), citation_graph.PIECE)
    )


def graph_of(folder: Path, text: bytes, ids: list[str] = IDS) -> tuple[Csr, dict]:
    write_texts(folder, "ids", ids)
    graph = Graph(IdTable(TextColumn(folder, "ids")), folder / "parts", len(text))
    for found in lines(pieces(text)):
        graph.add(found)
    counts = graph.write(folder, "cites")
    return Csr.open(folder, "cites"), counts


def test_every_line_is_a_citation_or_counted_by_reason(tmp_path: Path) -> None:
    text = (
        b"citing\tcited\np1\tp2\np1\tp0\np2\tp2\np1\tp2\nzz\tp1\np1\tzz\nzz\tzz\nno tab\n"
        b"\np3\t\n\tp3\np4\tp1\tand more\tcolumns\np5\tp6\r\np29\tp0"
    )
    csr, counts = graph_of(tmp_path, text)
    cited = {row: csr[row].tolist() for row in range(30) if len(csr[row])}
    assert cited == {1: [0, 2], 4: [1], 5: [6], 29: [0]}
    assert counts == {
        "read": 13,
        "kept": 5,
        "dropped": {
            "paper citing itself": 1,
            "lines without two IDs": 3,
            "cited paper not in the corpus": 1,
            "citing paper not in the corpus": 2,
            "duplicate citation": 1,
        },
    }
    assert not (tmp_path / "parts").exists()


def test_lines_without_two_ids_are_reported_by_number() -> None:
    (found,) = lines([b"citing\tcited\na\tb\nbroken\n\nc\td\nworse\t\n"])
    assert found.wrong.tolist() == [3, 6]


PAIRS = st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)))


@given(PAIRS, st.integers(16, 200), st.booleans())
@example([(1, 2), (29, 0)], 16, True)
def test_graph_is_independent_of_chunks_and_parts(tmp_path_factory, pairs, chunk, header) -> None:
    text = "".join(f"p{citing}\tp{cited}\n" for citing, cited in pairs)
    text = "citing\tcited\n" * header + text
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(citation_graph, "PIECE", chunk)
        patch.setattr(citation_graph, "_PART", 1)
        csr, counts = graph_of(tmp_path_factory.mktemp("graph"), text.encode())
    expected = [sorted({b for a, b in pairs if a == row != b}) for row in range(30)]
    assert [csr[row].tolist() for row in range(30)] == expected
    assert counts["read"] == len(pairs) == counts["kept"] + sum(counts["dropped"].values())


def test_endless_line_is_refused_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(citation_graph, "PIECE", 64)
    with pytest.raises(TooLongError, match="3"):
        list(lines(pieces(b"a\tb\nc\td\n" + b"x" * 1000)))


def test_overlong_id_matches_no_paper(tmp_path: Path) -> None:
    long = "x" * 200
    csr, counts = graph_of(tmp_path, f"{long}y\tb\n{long}\tb\n".encode(), ["b", long])
    assert csr[1].tolist() == [0]
    assert counts["kept"] == 1


TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=40), unique=True)


@given(TEXTS, TEXTS)
def test_id_table_finds_exactly_its_ids(tmp_path_factory, ids, others) -> None:
    folder = tmp_path_factory.mktemp("ids")
    write_texts(folder, "ids", ids)
    column = TextColumn(folder, "ids")
    table = IdTable(column)
    write_texts(folder, "asked", [*column, *others])
    asked = TextColumn(folder, "asked")
    found = table.rows(hashes(padded(asked.utf8), asked.starts[:-1], asked.lengths))
    known = {text: row for row, text in enumerate(column)}
    assert found.tolist() == [known.get(text, -1) for text in asked]


def test_hashes_of_similar_ids_are_spread() -> None:
    text = np.frombuffer("".join(f"{n:08}" for n in range(100_000)).encode(), np.uint8)
    starts = np.arange(100_000) * 8
    hashed = hashes(padded(text), starts, np.full(100_000, 8))
    assert len(np.unique(hashed)) == 100_000
    places = np.bincount((hashed >> np.uint64(48)).astype(int), minlength=1 << 16)
    assert places.max() < 15
