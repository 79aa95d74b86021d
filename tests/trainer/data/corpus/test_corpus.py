from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.generate.corpus import make_corpus
from trainer.contract.errors import TrainerError
from trainer.data.corpus.builder import Builder
from trainer.data.corpus.columns import Csr, ListWriter, TextColumn, write_texts
from trainer.data.corpus.corpus import COLUMNS, Corpus, Split, split_of
from trainer.data.corpus.records import InputRecord, one_line

ANY_TEXT = st.text(st.characters(codec="utf-8"))


@given(st.lists(ANY_TEXT))
def test_text_column_round_trip_is_lossless(tmp_path_factory, texts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("column")
    write_texts(folder, "titles", texts)
    column = TextColumn(folder, "titles")
    assert list(column) == texts == column[:]
    assert column.lengths.tolist() == [len(text.encode()) for text in texts]
    with pytest.raises(IndexError):
        column[len(texts)]


@given(st.lists(st.lists(st.integers(0, 9))), st.data())
def test_list_column_round_trip_is_lossless(tmp_path_factory, lists, data) -> None:
    folder = tmp_path_factory.mktemp("column")
    with ListWriter(folder, "cites", "int32") as writer:
        for numbers in lists:
            writer.add(np.array(numbers, np.int32).tobytes())
    csr = Csr.open(folder, "cites")
    assert [csr[row].tolist() for row in range(len(csr))] == lists
    rows = data.draw(st.lists(st.sampled_from(range(len(lists)))) if lists else st.just([]))
    taken = csr.gather(np.array(rows, np.int64))[1]
    assert taken.tolist() == [number for row in rows for number in lists[row]]


def test_lone_surrogate_in_text_is_replaced(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "corpus", [{"title": "broken \ud83d text"}])
    assert corpus.title(0) == "broken ? text"


def test_corpus_holds_its_papers(tmp_path: Path) -> None:
    corpus = make_corpus(
        tmp_path / "corpus",
        [
            {"title": "A  title\n", "venue": "Phys. Rev.", "fields": ("cs.CL", "cs.AI")},
            {"fields": ("astro-ph",), "labels": ("Humans", "Adult"), "year": 1999},
            {"questions": ("Why?", "What for?"), "year": 0},
        ],
        [(0, 2), (2, 1), (0, 1)],
    )
    assert corpus.title(0) == "A title"
    assert [corpus.id(row) for row in range(3)] == ["p00000", "p00001", "p00002"]
    assert corpus.venue_names == ("Phys. Rev.",)
    assert corpus.venues.tolist() == [0, -1, -1]
    assert corpus.field_names == ("astro-ph", "cs.AI", "cs.CL")
    assert [corpus.fields[row].tolist() for row in range(3)] == [[2, 1], [0], []]
    assert corpus.primary.tolist() == [2, 0, -1]
    assert [corpus.label_names[code] for code in corpus.labels[1]] == ["Humans", "Adult"]
    assert corpus.years.tolist()[1:] == [1999, 0]
    assert corpus.questions[:] == ["What for?", "Why?"]
    assert corpus.question_papers.tolist() == [2, 2]
    assert [corpus.cites[row].tolist() for row in range(3)] == [[1, 2], [], [1]]


def test_rows_are_found_by_id(tmp_path: Path) -> None:
    ids = ["b", "äther", "a", "arxiv:2101.00027", "B", "ab"]
    corpus = make_corpus(tmp_path / "corpus", [{"id": name} for name in ids])
    assert [corpus.id(corpus.row(name)) for name in ids] == ids
    assert [corpus.row(name) for name in ("", "zzz", "ac", "A")] == [None] * 4


def test_empty_corpus_can_be_made_and_read(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "corpus", 0)
    assert (corpus.papers, corpus.row("a"), len(corpus.cites)) == (0, None, 0)


def test_split_depends_only_on_the_id(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"arxiv:2101.00027").digest()
    place = int.from_bytes(digest[:8], "big") / 2**64
    expected = Split.train if place < 0.85 else Split.validation if place < 0.9 else Split.test
    assert split_of("arxiv:2101.00027") == expected
    many = [split_of(f"p{number}") for number in range(4000)]
    assert [round(many.count(part) / 4000, 2) for part in Split] == pytest.approx(
        [0.85, 0.05, 0.1], abs=0.02
    )
    small = make_corpus(tmp_path / "small", 40)
    large = make_corpus(tmp_path / "large", 80)
    assert np.array_equal(small.split, large.split[:40])
    assert sorted(np.concatenate([small.rows(part) for part in Split])) == list(range(40))


def records(count: int) -> list[InputRecord]:
    return [
        InputRecord(
            f"p{n}", f"title {n}", f"abstract {n}", venue=f"v{n % 3}", fields=(f"f{n % 4}", "g")
        )
        for n in range(count)
    ]


def test_hash_is_independent_of_paper_order(tmp_path: Path) -> None:
    found = []
    for name, papers in (("forth", records(20)), ("back", records(20)[::-1])):
        with Builder(tmp_path / name) as builder:
            for paper in papers:
                builder.add(paper)
            builder.cite("p3", ["p5", "p4"])
            found.append(builder.finish().sha256)
    assert found[0] == found[1]
    with Builder(tmp_path / "other") as builder:
        for paper in [*records(19), InputRecord("p19", "another title")]:
            builder.add(paper)
        assert builder.finish().sha256 != found[0]


@given(st.permutations(range(4)), st.lists(st.tuples(ANY_TEXT, ANY_TEXT), min_size=4, max_size=4))
def test_papers_are_independent_of_order(tmp_path_factory, order, texts) -> None:
    folder = tmp_path_factory.mktemp("corpora")
    with Builder(folder / "corpus") as builder:
        for number in order:
            builder.add(InputRecord(f"p{number}", *texts[number]))
        corpus = builder.finish()
    kept = [(one_line(title), one_line(abstract)) for title, abstract in texts]
    kept = [text for text in kept if any(text)]
    assert list(zip(corpus.titles, corpus.abstracts, strict=True)) == kept


def test_repeated_id_keeps_first_paper_unless_only_second_has_abstract(
    tmp_path: Path,
) -> None:
    corpus = make_corpus(
        tmp_path / "corpus",
        [
            {"id": "a", "title": "first", "abstract": "first"},
            {"id": "a", "title": "second", "abstract": "second"},
            {"id": "b", "title": "first", "abstract": ""},
            {"id": "b", "title": "second", "abstract": "second"},
            {"id": "b", "title": "third", "abstract": "third", "questions": ("whose?",)},
        ],
    )
    assert corpus.titles[:] == ["first", "second"]
    assert corpus.counts["dropped"] == {"duplicate paper": 3}
    assert corpus.question_papers.tolist() == [1]


def test_papers_without_id_are_identified_by_text(tmp_path: Path) -> None:
    papers = [{"id": "", "title": title} for title in ("one", "two", " one ")]
    corpus = make_corpus(tmp_path / "corpus", [paper | {"abstract": ""} for paper in papers])
    assert sorted(corpus.titles) == ["one", "two"]
    assert all(paper_id.startswith("text:") for paper_id in corpus.ids)


def test_zero_byte_in_id_becomes_a_space(tmp_path: Path) -> None:
    papers = [{"id": "a\0b"}, {"id": "a b"}, {"id": "a\0"}, {"id": "a", "cites": ("a\0b",)}]
    corpus = make_corpus(tmp_path / "corpus", papers)
    assert corpus.ids[:] == ["a", "a b"]
    assert corpus.cites[0].tolist() == [1]


def test_papers_of_excluded_venues_are_excluded_under_any_record(tmp_path: Path) -> None:
    corpus = make_corpus(
        tmp_path / "corpus",
        [
            {"id": "a", "venue": "Unseen  J."},
            {"id": "b", "venue": "Seen"},
            {"id": "a", "venue": "", "abstract": "the same paper from elsewhere"},
        ],
        exclude_venues={" unseen j."},
    )
    assert corpus.ids[:] == ["b"]
    assert corpus.venue_names == ("Seen",)
    assert corpus.excluded_venues == (" unseen j.",)
    assert corpus.counts["dropped"]["excluded journal"] == 1


def test_papers_without_abstract_can_be_left_out(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "corpus", [{"abstract": ""}, {}], need_abstract=True)
    assert corpus.papers == 1
    assert corpus.counts["dropped"] == {"no abstract": 1}


def test_read_papers_equal_kept_plus_dropped(tmp_path: Path) -> None:
    papers = [{"id": "x" * 201}, {"title": "", "abstract": " "}, {"id": "a"}, {"id": "a"}, {}]
    counts = make_corpus(tmp_path / "corpus", papers).counts
    assert counts["read"] == 5 == counts["kept"] + sum(counts["dropped"].values())


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[0] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_corpus_with_damaged_file_is_refused(tmp_path: Path, name: str) -> None:
    folder = make_corpus(
        tmp_path / "corpus",
        [
            {"venue": "v", "fields": ("f",), "labels": ("l",), "questions": ("q",)},
            {"second_hand": ("p00000",)},
        ],
        [(0, 1)],
    ).folder
    damage(folder / name)
    with pytest.raises(TrainerError, match=name):
        Corpus.open(folder)


def test_corpus_with_missing_or_short_file_is_refused(tmp_path: Path) -> None:
    folder = make_corpus(tmp_path / "corpus").folder
    path = folder / "titles.utf8.uint8"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(TrainerError, match=r"titles.utf8.uint8.*bytes"):
        Corpus.open(folder, verify=False)
    path.unlink()
    with pytest.raises(TrainerError, match=r"lacks the file titles.utf8.uint8"):
        Corpus.open(folder)


def describe(folder: Path, **changes: object) -> None:
    path = folder / "corpus.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"format": 2}, "format 2, not 1"),
        ({"format": None}, "format None"),
        ({"papers": 5}, "inconsistent"),
        ({"papers": "12"}, "inconsistent"),
        ({"counts": None, "files": {}}, "list all files"),
        ({"files": {"../../etc/passwd": {}}}, "list all files"),
    ],
)
def test_corpus_with_wrong_description_is_refused(tmp_path: Path, changes, expected) -> None:
    folder = make_corpus(tmp_path / "corpus").folder
    describe(folder, **changes)
    with pytest.raises(TrainerError, match=expected) as refused:
        Corpus.open(folder)
    assert refused.value.hint


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "[]", "null"])
def test_broken_description_is_refused(tmp_path: Path, text: str) -> None:
    folder = make_corpus(tmp_path / "corpus").folder
    (folder / "corpus.json").write_text(text)
    with pytest.raises(TrainerError):
        Corpus.open(folder)


def test_invalid_references_are_refused_despite_valid_hashes(tmp_path: Path) -> None:
    folder = make_corpus(tmp_path / "corpus", 3, [(0, 1)]).folder
    np.array([7], "<i4").tofile(folder / "cites.int32")
    with pytest.raises(TrainerError, match="inconsistent"):
        Corpus.open(folder, verify=False)


def test_folder_without_corpus_is_refused_with_hint(tmp_path: Path) -> None:
    with pytest.raises(TrainerError, match="is not a corpus") as refused:
        Corpus.open(tmp_path)
    assert "prepare" in refused.value.hint


def test_corpus_removed_during_use_is_detected(tmp_path: Path) -> None:
    corpus = make_corpus(tmp_path / "corpus")
    corpus.check()
    shutil.rmtree(corpus.folder)
    assert corpus.title(0)
    with pytest.raises(TrainerError, match="lacks the file"):
        corpus.check()


def test_incomplete_corpus_is_hidden_and_removed_by_next_attempt(
    tmp_path: Path,
) -> None:
    def stopped() -> None:
        with Builder(tmp_path / "corpus") as builder:
            builder.add(InputRecord("a", "title"))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "corpus.new" / "arriving").mkdir(parents=True)  # as left by a killed program
    make_corpus(tmp_path / "corpus")
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]


def test_concurrent_builds_of_one_corpus_are_refused(tmp_path: Path) -> None:
    with (
        Builder(tmp_path / "corpus"),
        pytest.raises(TrainerError, match="currently creating"),
        Builder(tmp_path / "corpus"),
    ):
        pass


def test_existing_corpus_is_not_replaced(tmp_path: Path) -> None:
    make_corpus(tmp_path / "corpus")
    with pytest.raises(TrainerError, match="already"):
        make_corpus(tmp_path / "corpus")
