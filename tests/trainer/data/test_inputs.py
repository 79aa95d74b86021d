from __future__ import annotations

import gzip
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciread_app.domain.metadata.identifiers import identifiers
from sciread_app.domain.paper import Skipped
from sciread_app.formats.pubmed import xml as as_the_app_reads_it
from sciread_app.storage.library import Library
from tests.support.generate.papers import paper
from trainer.contract.errors import TrainerError
from trainer.data.corpus.records import CitedIds, InputRecord, RecordProblem, one_line
from trainer.data.inputs import KINDS, json_stream, kind_named, kind_of
from trainer.data.inputs import library as library_input
from trainer.data.inputs.json_stream import BadJson, entries
from trainer.data.inputs.source import Source
from trainer.data.inputs.values import venue_of


def read(path: Path, key: str = "") -> list[InputRecord | CitedIds | RecordProblem]:
    """Read the file; assert that its kind is recognised as `key`."""
    source = Source(path)
    kind = kind_of(source)
    assert kind.read is not None
    assert key in ("", kind.key)
    return list(kind.read(source))


def file(folder: Path, content: str | bytes | list[Any], name: str = "file") -> Path:
    """Write a file of text, of bytes, or of one JSON value per line."""
    if isinstance(content, list):
        content = "".join(json.dumps(line) + "\n" for line in content)
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


# JSON lines


def test_own_json_lines_are_read_with_all_fields(tmp_path: Path) -> None:
    line = {
        "id": "arxiv:2101.00027",
        "title": "A title",
        "abstract": "An abstract.",
        "authors": "A, B",
        "categories": ["cs.CL", "cs.AI"],
        "primary": "cs.AI",
        "journal": "Phys. Rev.",
        "created": "2021-01-03",
        "year": 1999,
        "labels": ["C01"],
        "question": "Why?",
        "tldr": ["Because.", "Therefore."],
        "extra": {"references": "pmid:1 doi:10.1000/x"},
    }
    assert read(file(tmp_path, [line]), "jsonl") == [
        InputRecord(
            id="arxiv:2101.00027",
            title="A title",
            abstract="An abstract.",
            year=2021,
            venue="Phys. Rev.",
            fields=("cs.AI", "cs.CL", "cs.AI"),
            labels=("C01",),
            questions=("Why?", "Because.", "Therefore."),
            cites=("pmid:1", "doi:10.1000/x"),
        )
    ]


def test_arxiv_snapshot_lines_are_recognised(tmp_path: Path) -> None:
    line = {
        "id": "0704.0001",
        "authors": "C. Balázs, E. L. Berger",
        "title": "Calculation of prompt diphoton\n  production",
        "journal-ref": "Phys.Rev.D76:013009,2007",
        "categories": "hep-ph hep-ex",
        "abstract": "  A fully differential calculation\n",
        "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
        "update_date": "2008-11-26",
        "authors_parsed": [["Balázs", "C.", ""]],
    }
    (found,) = read(file(tmp_path, [line], "arxiv-metadata-oai-snapshot.json"), "jsonl")
    assert isinstance(found, InputRecord)
    assert (found.id, found.year, found.venue) == ("arxiv:0704.0001", 2007, "Phys. Rev. D")
    assert found.fields == ("hep-ph", "hep-ex")


def test_invalid_lines_are_reported_and_others_read(tmp_path: Path) -> None:
    lines = (
        b'{"title": "one"}\n{"title"\n\n[1]\n{"id": "x", "title": 7.5}\n\xff\xfe\n'
        + b'{"a": ' * 100_000
        + b'\n{"title": "l\xe9st", "year": "about 1987", "categories": {}, "labels": 5}'
    )
    found = read(file(tmp_path, lines))
    titles = [record.title for record in found if isinstance(record, InputRecord)]
    assert titles == ["one", "l\ufffdst"]
    assert [p.entry for p in found if isinstance(p, RecordProblem)] == [
        "line 2",
        "line 4",
        "x",
        "line 6",
        "line 7",
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@settings(max_examples=30)
@given(st.lists(st.dictionaries(st.sampled_from(sorted({*InputRecord._fields, "question"})), JSON)))
def test_any_json_line_gives_paper_or_problem(tmp_path_factory, lines) -> None:
    path = file(tmp_path_factory.mktemp("lines"), [{"title": "first"}, *lines])
    found = read(path, "jsonl")
    assert len(found) == len(lines) + 1
    for record in found:
        assert isinstance(record, InputRecord | RecordProblem)
        if isinstance(record, InputRecord):
            assert record.title or record.abstract
            assert all(isinstance(text, str) for text in (*record.fields, *record.questions))


def test_truncated_gzip_gives_lines_before_the_break(tmp_path: Path) -> None:
    whole = b"".join(b'{"title": "%d"}\n' % number for number in range(20_000))
    path = file(tmp_path, gzip.compress(whole)[:-2000], "papers.jsonl.gz")
    reading = kind_named("jsonl").read
    assert reading is not None
    found = []
    with pytest.raises(EOFError):
        for record in reading(Source(path)):
            found.append(record)
    assert len(found) > 10_000


# JSON by entries


def pieces(text: bytes, size: int) -> Iterator[bytes]:
    return (text[start : start + size] for start in range(0, len(text), size))


@given(st.dictionaries(st.text(), JSON) | st.lists(JSON), st.integers(1, 9), st.booleans())
def test_streamed_entries_equal_the_parsed_document(document, piece: int, indented: bool) -> None:
    text = json.dumps(document, indent=1 if indented else None, ensure_ascii=not indented)
    found = list(entries(pieces(text.encode("utf-8", "replace"), piece)))
    whole = json.loads(text.encode("utf-8", "replace"))
    named = whole if isinstance(whole, dict) else {str(n): v for n, v in enumerate(whole, 1)}
    assert found == list(named.items())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "7",
        '{"a": 1',
        '{"a" 1}',
        '{"a": 1 "b": 2}',
        "{1: 2}",
        '{"a": }',
        '{"a": "b',
        "[1, 2",
        "[1 2]",
    ],
)
def test_broken_json_is_reported_in_a_sentence(text: str) -> None:
    with pytest.raises(BadJson) as raised:
        list(entries([text.encode()]))
    assert str(raised.value).endswith(".")


def test_broken_json_is_not_read_completely(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = pieces(b'{"a": ' + b"x" * 10_000 + b"}", 64)
    with pytest.raises(BadJson):
        list(entries(broken))
    assert next(broken)
    monkeypatch.setattr(json_stream, "_LARGEST", 1000)
    endless = pieces(b'{"a": "' + b"x" * 100_000, 64)
    with pytest.raises(BadJson, match="more than"):
        list(entries(endless))
    assert len(list(endless)) > 1_400
    with pytest.raises(BadJson, match="deeply nested"):
        list(entries([b"[" * 200_000]))


# PubMed


def test_pubmed_records_are_read_like_in_the_app(shared: Path) -> None:
    path = shared / "fixtures" / "xml" / "pubmed_exports__pubmed_exports_pubmed_result.xml"
    found = [record for record in read(path, "pubmed") if isinstance(record, InputRecord)]
    expected = [p for p in as_the_app_reads_it.read(path) if not isinstance(p, Skipped)]
    assert len(found) == len(expected) == 292
    for record, known in zip(found, expected, strict=True):
        assert record.id == f"pmid:{known.identifier('pmid')}"
        assert record.abstract == one_line(known.abstract)
        assert (record.venue, record.year) == (known.venue, known.year)
        assert record.title == known.title or known.title.startswith("[[")


PUBMED = """<?xml version="1.0"?><PubmedArticleSet>
<PubmedArticle><MedlineCitation><PMID>12</PMID><Article>
  <Journal><JournalIssue><PubDate><MedlineDate>1998 Dec-1999 Jan</MedlineDate></PubDate></JournalIssue>
  <Title>The Lancet</Title></Journal>
  <ArticleTitle>[On <i>H. pylori</i>.]</ArticleTitle>
  <Abstract><AbstractText Label="AIM">To see.</AbstractText><AbstractText>Seen.</AbstractText></Abstract>
</Article><MeshHeadingList><MeshHeading><DescriptorName>Humans</DescriptorName></MeshHeading></MeshHeadingList>
<CommentsCorrectionsList><CommentsCorrections RefType="Cites"><PMID>7</PMID></CommentsCorrections>
<CommentsCorrections RefType="ErratumIn"><PMID>9</PMID></CommentsCorrections></CommentsCorrectionsList>
</MedlineCitation><PubmedData><ReferenceList><Reference><ArticleIdList><ArticleId IdType="pubmed">8</ArticleId>
</ArticleIdList></Reference></ReferenceList></PubmedData></PubmedArticle>
<PubmedArticle><MedlineCitation><PMID>13</PMID><Article><ArticleTitle>[Not Available].</ArticleTitle>
</Article></MedlineCitation></PubmedArticle>
"""  # noqa: E501


def test_pubmed_xml_gives_all_training_fields(tmp_path: Path) -> None:
    assert read(file(tmp_path, f"{PUBMED}</PubmedArticleSet>"), "pubmed") == [
        InputRecord(
            id="pmid:12",
            title="On H. pylori",
            abstract="AIM: To see. Seen.",
            year=1998,
            venue="The Lancet",
            labels=("Humans",),
            cites=("pmid:7", "pmid:8"),
        ),
        RecordProblem("13", "This record has neither a title nor an abstract."),
    ]


def test_broken_xml_gives_records_before_the_break(tmp_path: Path) -> None:
    first, _, problem = read(file(tmp_path, PUBMED + "<PubmedArticle"))
    assert isinstance(first, InputRecord)
    assert isinstance(problem, RecordProblem)
    assert problem.entry == "record 3"


def test_xml_with_own_entities_is_refused(tmp_path: Path) -> None:
    secret = file(tmp_path, "secret", "secret")
    attack = PUBMED.replace(
        '<?xml version="1.0"?>',
        f'<!DOCTYPE PubmedArticleSet [<!ENTITY x SYSTEM "file://{secret}">'
        '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
    ).replace("Seen.", "&x;&b;")
    found = read(file(tmp_path, f"{attack}</PubmedArticleSet>"), "pubmed")
    assert "entities" in found[-1].reason
    assert not any(isinstance(record, InputRecord) for record in found)


# The library


@pytest.fixture
def filled_library(library: Library, tmp_path: Path) -> Library:
    library.put([
        paper("A", abstract="about A", venue="Phys. Rev.", fields=("cs.CL", "cs.AI"),
              identifiers=identifiers(("doi", "10.1000/a"), ("arxiv", "2101.00001"))),
        paper("B", identifiers=identifiers(("pmid", "12"))),
        paper("C"),
        paper("D"),
    ])  # fmt: skip
    library.trash([4])
    with sqlite3.connect(tmp_path / "library.sqlite3") as db:
        db.executemany(
            "INSERT INTO citations VALUES (?, ?, ?, ?, 'test')",
            [
                ("doi", "10.1000/a", "pmid", "12"),
                ("arxiv", "2101.00001", "doi", "10.1000/unknown"),
                ("doi", "10.1000/stranger", "pmid", "12"),
            ],
        )
    return library


def test_library_is_read_while_open(tmp_path: Path, filled_library: Library) -> None:
    path = tmp_path / "library.sqlite3"
    before = path.read_bytes()
    found = read(path, "library")
    papers = [record for record in found if isinstance(record, InputRecord)]
    assert [(p.id, p.title) for p in papers] == [
        ("arxiv:2101.00001", "A"),
        ("pmid:12", "B"),
        ("paper:3", "C"),
    ]
    assert papers[0].fields == ("cs.CL", "cs.AI")
    assert (papers[0].abstract, papers[0].venue) == ("about A", "Phys. Rev.")
    cited = sorted(found[3:])
    assert cited == [
        CitedIds("arxiv:2101.00001", ("doi:10.1000/unknown",)),
        CitedIds("arxiv:2101.00001", ("pmid:12",)),
    ]
    assert path.read_bytes() == before
    assert filled_library.count() == 3


def test_collection_of_a_library_includes_subcollections(
    tmp_path: Path, filled_library: Library
) -> None:
    filled_library.collections.add([1], "thesis/methods")
    filled_library.collections.add([3, 4], "thesis")
    filled_library.collections.add([2], "methods")
    path = tmp_path / "library.sqlite3"

    def names(collection: str) -> list[str]:
        return [found.id for found in library_input.read(Source(path, collection))
                if isinstance(found, InputRecord)]  # fmt: skip

    assert names("thesis") == ["arxiv:2101.00001", "paper:3"]
    assert names(" thesis / methods") == ["arxiv:2101.00001"]
    assert names("methods") == ["pmid:12"]
    for unknown in ("thesis/none", "none"):
        with pytest.raises(TrainerError, match=f"no collection '{unknown}'"):
            names(unknown)


@pytest.mark.parametrize(
    ("pragma", "expected"),
    [("user_version = 99", "format 99"), ("application_id = 7", "not a SciRead library")],
)
def test_newer_library_or_other_database_is_refused(
    tmp_path: Path, filled_library: Library, pragma: str, expected: str
) -> None:
    path = tmp_path / "library.sqlite3"
    filled_library.close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA {pragma}")
    with pytest.raises(TrainerError, match=expected):
        read(path, "library")


def test_damaged_library_is_refused(tmp_path: Path) -> None:
    path = file(tmp_path, b"SQLite format 3\x00" + bytes(range(256)) * 40, "library.sqlite3")
    with pytest.raises(TrainerError, match="could not be read"):
        read(path, "library")


# File kinds


@pytest.mark.parametrize(
    ("content", "key"),
    [
        ('{"id": "a", "title": "b"}\n', "jsonl"),
        ('\ufeff{"id": "a", "title": "b"}', "jsonl"),
        ('{"p1": {"title": "b", "abstract": null}}', "papers"),
        ('{"p1": {"p2": {"count": 5}}}', "counts"),
        ('{\n "p1": {\n  "p2": {"count": 5}}}', "counts"),
        ('{"queries": {}, "corpus": {}, "relevant_docs": {}}', "retrieval"),
        ('[["a", "b"]]', "array"),
        ("citing\tcited\na\tb\n", "citations"),
        ("abstr,title,journal\na,b,c\n", "table"),
        ("id\ttitle\nx\ty\n", "table"),
        ("<PubmedArticleSet></PubmedArticleSet>", "pubmed"),
        (gzip.compress(b"citing\tcited\n", mtime=0), "citations"),
    ],
)
def test_file_kind_is_detected_by_content(tmp_path: Path, content, key: str) -> None:
    assert kind_of(Source(file(tmp_path, content))).key == key


@pytest.mark.parametrize(
    "content", ["hello", "{", "<html></html>", b"\x00\x01", b"\x9d\r\x01,", '{"a": [1]']
)
def test_unknown_file_kind_is_refused_by_name(tmp_path: Path, content) -> None:
    with pytest.raises(TrainerError, match="file") as refused:
        kind_of(Source(file(tmp_path, content)))
    assert all(kind.key in refused.value.hint for kind in KINDS)


@pytest.mark.parametrize(
    ("reference", "venue"),
    [
        ("Phys. Rev. D 76, 013009 (2007)", "Phys. Rev. D"),
        ("Phys.Rev.D76:013009,2007", "Phys. Rev. D"),
        ("JHEP 0705:052, 2007", "JHEP"),
        ("Proc. of the 31st Symposium on Logic, pp. 12-15", "Proc. of the 31st Symposium on Logic"),
        ("2007", ""),
        ("", ""),
    ],
)
def test_journal_name_is_extracted_from_a_reference(reference: str, venue: str) -> None:
    assert venue_of(reference) == venue
