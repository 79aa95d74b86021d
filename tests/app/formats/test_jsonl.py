import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sciread_app.domain.metadata.identifiers import IDENTIFIER_KINDS
from sciread_app.domain.paper import KINDS, Author, Identifier, Paper, Skipped
from sciread_app.formats import jsonl
from sciread_app.formats.values import file_links


@pytest.fixture
def read(tmp_path):
    def read(*records):
        path = tmp_path / "papers.jsonl"
        lines = (r if isinstance(r, str) else json.dumps(r) for r in records)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return list(jsonl.read(path))

    return read


def test_arxiv_record_with_journal_is_a_preprint(read):
    (paper,) = read(
        {
            "id": "arxiv:acc-phys/9503001",
            "title": "A Study",
            "abstract": 'An electron &gt 0 in a ring: Schr\\"odinger, $\\nu$.',
            "categories": ["physics.acc-ph", "acc-phys"],
            "primary": "acc-phys",
            "created": "1995-03-29",
            "year": 1995,
            "authors": "A. N. Aleshaev, N. A. Vinokurov",
            "doi": "10.1016/0168-9002(96)88028-4",
            "comments": "4 pages,\n  LaTeX",
            "journal": "Nucl. Instrum. Methods A",
        }
    )
    assert paper == Paper(
        title="A Study",
        abstract="An electron > 0 in a ring: Schrödinger, $\\nu$.",
        authors=(Author("Aleshaev", "A. N."), Author("Vinokurov", "N. A.")),
        kind="article",
        published="1995-03-29",
        venue="Nucl. Instrum. Methods A",
        identifiers=(("arxiv", "acc-phys/9503001"), ("doi", "10.1016/0168-9002(96)88028-4")),
        fields=("acc-phys", "physics.acc-ph"),
        extra={"comment": "4 pages, LaTeX"},
        source="jsonl",
        source_id="arxiv:acc-phys/9503001",
    )


def test_unknown_keys_are_kept(read):
    (paper,) = read(
        {
            "id": "pmid:21",
            "title": "T",
            "labels": ["C01", "C02"],
            "included": 0,
            "topic": "",
            "year": "2011",
            "keywords": "a, b; c",
            "mesh": ["Humans"],
        }
    )
    assert paper.extra == {"labels": "C01; C02", "included": "0"}
    assert (paper.published, paper.keywords, paper.fields) == ("2011", ("a", "b", "c"), ("Humans",))
    assert paper.identifiers == (("pmid", "21"),)


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        ({"id": "acl:W89-0247", "booktitle": "Proceedings"}, "paper-conference"),
        ({"id": "pmid:7"}, "article-journal"),
        ({"journal": "Gut"}, "article-journal"),
        ({"kind": "thesis"}, "thesis"),
        ({"kind": "no such"}, "article"),
    ],
)
def test_kind_is_inferred_from_fields(read, record, kind):
    (paper,) = read({"title": "T", "pmid": record.get("id", "")[5:], **record})
    assert paper.kind == kind


def test_question_is_used_as_title(read):
    (paper,) = read({"id": "pmid:9", "question": "Does it?", "abstract": "It does.", "year": None})
    assert (paper.title, paper.published) == ("Does it?", "")


def test_values_of_wrong_types_are_tolerated(read):
    (paper,) = read(
        {"id": 7, "title": ["One", "two"], "authors": {"a": 1}, "year": [], "categories": 3,
         "created": 20, "keywords": {"k": [1]}, "doi": 10, "abstract": None, "primary": ["x"]}
    )  # fmt: skip
    assert (paper.title, paper.source_id, paper.authors) == ("One; two", "7", ())


def test_lines_without_paper_are_skipped(read):
    found = read(
        {"id": "a:1", "title": "One"}, "{", {"id": "a:2", "title": " "}, "", {"title": "T"}
    )
    assert [
        (f.entry, f.reason) if isinstance(f, Skipped) else f.title for f in found[:1] + found[2:]
    ] == [
        "One",
        ("a:2", "This paper has neither a title nor an abstract."),
        "T",
    ]
    assert found[1].entry == "Line 2"


def test_written_line_has_id_and_primary_field():
    out = io.StringIO()
    paper = Paper(
        title="T",
        authors=(Author("Berg", "Jan", "van der"), Author("CERN", literal=True)),
        published="2017-06",
        identifiers=(Identifier("doi", "10.1/x"), Identifier("arxiv", "1706.1")),
        fields=("cs.CL", "cs.LG"),
        source="bibtex",
        source_id="berg17",
    )
    jsonl.write([paper], out)
    assert json.loads(out.getvalue()) == {
        "id": "arxiv:1706.1",
        "title": "T",
        "authors": ["Jan van der Berg", {"family": "CERN", "literal": True}],
        "kind": "article",
        "created": "2017-06",
        "year": 2017,
        "categories": ["cs.CL", "cs.LG"],
        "primary": "cs.CL",
        "identifiers": ["doi:10.1/x", "arxiv:1706.1"],
        "source": "bibtex",
        "source_id": "berg17",
        "format": 1,
    }


def test_incomplete_line_of_own_format_is_read_like_others(read):
    (paper,) = read({"format": 1, "title": "T &amp; U", "authors": [3], "source": "bibtex"})
    assert (paper.title, paper.source) == ("T & U", "jsonl")


@pytest.mark.parametrize("share", [r"\\nas\papers\x.pdf", "//nas/x.pdf", r"/\nas\x.pdf"])
def test_file_on_a_network_share_is_kept_as_text_only(read, share):
    record = {"format": 1, "title": "T", "kind": "article", "source": "bibtex", "source_id": "a"}
    (paper,) = read(record | {"files": ["/home/x.pdf", share], "extra": {"file": "gone.pdf"}})
    assert paper.files == ("/home/x.pdf",)
    assert paper.extra["file"] == file_links.to_field([share], "gone.pdf")


words = st.text(max_size=30)
local_files = words.filter(lambda name: not file_links.is_network_share(name))
texts = st.lists(words, max_size=3).map(tuple)
authors = st.builds(Author, words, words, words, words, st.booleans())
plain_names = st.sampled_from(
    [Author("Berg", "J.-A.", "van der", "Jr"), Author("E", "Weinan"), Author("Li"), Author("de")]
)
dates = st.dates().filter(lambda day: 1500 <= day.year < 2100).map(str)
papers = st.builds(
    Paper,
    title=words,
    abstract=words,
    authors=st.lists(authors | plain_names, max_size=3).map(tuple),
    kind=st.sampled_from(KINDS),
    published=st.just("") | dates | dates.map(lambda d: d[:7]) | dates.map(lambda d: d[:4]),
    venue=words,
    identifiers=st.lists(
        st.builds(Identifier, st.sampled_from(IDENTIFIER_KINDS), words), max_size=3
    ).map(tuple),
    fields=texts,
    keywords=texts,
    extra=st.dictionaries(words, words, max_size=3),
    files=st.lists(local_files, max_size=3).map(tuple),
    source=words,
    source_id=words,
)


@given(st.lists(papers, max_size=4))
@example([Paper(title="", authors=(Author("", suffix="{,"),))])
def test_jsonl_round_trip_is_lossless(written):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "papers.jsonl"
        with path.open("w", encoding="utf-8") as out:
            jsonl.write(written, out)
        assert list(jsonl.read(path)) == written


@given(st.dictionaries(words | st.sampled_from(["id", "title", "authors", "year", "format"]),
                       st.recursive(st.none() | st.booleans() | st.integers() | words,
                                    lambda v: st.lists(v, max_size=3), max_leaves=5)))  # fmt: skip
def test_any_record_gives_paper_or_skip(record):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "papers.jsonl"
        path.write_text(json.dumps(record), encoding="utf-8")
        (found,) = jsonl.read(path)
        assert isinstance(found, Paper | Skipped)


@pytest.mark.parametrize(
    ("name", "read", "without_text"),
    [
        ("citations/vis_papers", 4034, 0),
        ("citations/nlp_titles_papers", 19170, 0),
        ("judged/cisi.papers", 1460, 0),
        ("judged/cranfield.papers", 1398, 2),
        ("mesh/ohsumed_train", 3357, 0),
        ("pairs/pubmedqa", 687, 0),
        ("screening/papers", 8630, 153),
    ],
)
def test_real_jsonl_files_are_read_completely(shared, name, read, without_text):
    found = list(jsonl.read(shared / "data" / f"{name}.jsonl.gz"))
    skipped = [f for f in found if isinstance(f, Skipped)]
    assert (len(found) - len(skipped), len(skipped)) == (read, without_text)
    assert {f.reason for f in skipped} <= {"This paper has neither a title nor an abstract."}
