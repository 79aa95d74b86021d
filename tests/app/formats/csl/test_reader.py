import io
import json

import pytest

from sciread_app.domain.paper import Author, Identifier, Paper, Skipped
from sciread_app.formats.csl import reader as csl_json
from tests.support.generate.papers import paper


@pytest.fixture
def read(tmp_path):
    def read(value):
        path = tmp_path / "items.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return list(csl_json.read(path))

    return read


ITEM = {
    "id": "lee2017",
    "type": "article-journal",
    "title": "On <i>E. coli</i> &amp; more",
    "author": [
        {"family": "Berg", "given": "Jo", "non-dropping-particle": "van der", "suffix": "Jr"},
        {"literal": "World Health Organization"},
    ],
    "container-title": "Nature",
    "issued": {"date-parts": [["2017", 6, 12]]},
    "volume": 3,
    "issue": "4",
    "page": "1-10",
    "DOI": "10.1000/182",
    "PMID": "123",
    "number": "arXiv:2101.00027",
    "note": "Liked it\nPMCID: PMC77",
    "keyword": "one, two",
    "accessed": {"date-parts": [[2020, 1, 2]]},
    "odd": {"a": [1]},
}


def test_csl_item_becomes_a_paper(read):
    assert read([ITEM]) == [
        Paper(
            title="On E. coli & more",
            authors=(
                Author("Berg", "Jo", "van der", "Jr"),
                Author("World Health Organization", literal=True),
            ),
            kind="article-journal",
            published="2017-06-12",
            venue="Nature",
            identifiers=(
                Identifier("doi", "10.1000/182"),
                Identifier("pmid", "123"),
                Identifier("arxiv", "2101.00027"),
                Identifier("pmcid", "PMC77"),
                Identifier("citekey", "lee2017"),
            ),
            keywords=("one", "two"),
            extra={
                "volume": "3",
                "number": "4",
                "pages": "1-10",
                "note": "Liked it",
                "urldate": "2020-01-02",
                "odd": '{"a": [1]}',
            },
            source="csl-json",
            source_id="lee2017",
        )
    ]


@pytest.mark.parametrize(
    "wrap", [lambda i: i, lambda i: {"items": [i]}, lambda i: {"references": [i]}]
)
def test_single_or_wrapped_csl_item_is_read(read, wrap):
    (found,) = read(wrap(ITEM))
    assert found.source_id == "lee2017"


@pytest.mark.parametrize(
    ("issued", "published", "left"),
    [
        ({"raw": "June 2017"}, "2017-06", {}),
        ({"literal": "in press"}, "", {"year": "in press"}),
        ({"date-parts": [[2017], [2018, 2]]}, "2017", {"date": "2017/2018-02"}),
        ({"date-parts": [[]]}, "", {}),
        ("2017-06", "2017-06", {}),
    ],
)
def test_csl_dates_are_read_in_all_forms(read, issued, published, left):
    (found,) = read([{"id": "a", "title": "A", "issued": issued}])
    assert (found.published, found.extra) == (published, left)


def test_generated_csl_ids_are_not_citation_keys(read):
    found = read(
        [{"id": "http://zotero.org/users/1/items/A", "title": "A"}, {"id": 7, "title": "B"}]
    )
    assert [paper.identifiers for paper in found] == [(), ()]


def test_unreadable_csl_items_are_skipped_by_number(read):
    found = read([{"id": "a", "title": "A"}, 5, {"id": "b"}, {"id": "c", "title": "C"}])
    assert [getattr(paper, "title", None) for paper in found] == ["A", None, None, "C"]
    assert found[1].reason == "item 2 is not CSL-JSON: it has no id, type, or title."
    assert (found[2].entry, found[2].reason[:19]) == ("b", "item 3 has no title")


def test_truncated_csl_file_gives_complete_items(read):
    first, skipped = read('[{"id": "a", "title": "A"}, {"id": "b", "ti')
    assert first.title == "A"
    assert isinstance(skipped, Skipped)
    assert skipped.reason.startswith("item 2 is not valid JSON")


@pytest.mark.parametrize("text", ["", "no json", "[" * 100_000, '{"a": ', "[1 2", '"text"'])
def test_other_json_files_are_skipped_with_reason(read, text):
    assert all(isinstance(found, Skipped) for found in read(text))


def test_csl_items_larger_than_a_block_are_read(read):
    long = {"id": "a", "title": "A", "abstract": "word " * 400_000}
    found = read([long, long, ITEM])
    assert [len(paper.abstract) for paper in found] == [1_999_999, 1_999_999, 0]


def test_empty_csl_list_is_written_and_read(read):
    stream = io.StringIO()
    csl_json.write([], stream)
    assert read(stream.getvalue()) == []


def test_preprint_is_written_as_csl_article(read):
    stream = io.StringIO()
    csl_json.write([paper("A", arxiv="2101.00027", fields=("cs.CL",))], stream)
    assert json.loads(stream.getvalue()) == [
        {
            "id": "1",
            "type": "article",
            "title": "A",
            "number": "arXiv:2101.00027",
            "publisher": "arXiv",
            "custom": {"fields": ["cs.CL"]},
        }
    ]


def test_better_bibtex_json_is_read_with_keys_people_and_files(tmp_path):
    pdf = tmp_path / "bees.pdf"
    pdf.write_bytes(b"%PDF")
    bees = {
        "itemType": "journalArticle", "title": "Bees", "citationKey": "maeterlinck1901",
        "creators": [{"creatorType": "author", "firstName": "Maurice", "lastName": "Maeterlinck"}],
        "date": "1901", "publicationTitle": "Annals", "tags": [{"tag": "insects"}],
        "attachments": [{"itemType": "attachment", "path": str(pdf)}],
    }  # fmt: skip
    file = tmp_path / "zotero.json"
    header = {"config": {"label": "BetterBibTeX JSON"}, "collections": {"A": {"name": "Thesis"}}}
    file.write_text(json.dumps({**header, "items": [bees, {"itemType": "book"}]}), "utf-8")
    paper, skipped = csl_json.read(file)
    assert (paper.title, paper.venue, paper.published) == ("Bees", "Annals", "1901")
    assert paper.authors == (Author("Maeterlinck", "Maurice"),) and paper.kind == "article-journal"
    assert paper.identifier("citekey") == "maeterlinck1901"
    assert paper.keywords == ("insects",) and paper.files == (str(pdf),)
    assert "title" in skipped.reason
