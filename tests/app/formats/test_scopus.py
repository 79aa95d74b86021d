import csv
import io

import pytest

from sciread_app import formats
from sciread_app.domain.paper import Author, Identifier, Paper, Skipped

ROW = {
    "Authors": "Lee A.B.; van der Berg J.-P.; Bee Consortium",
    "Author full names": "",
    "Author(s) ID": "1;2",
    "Title": "Bees in <sub>the</sub> dark",
    "Year": "2004",
    "Source title": "Bee Journal",
    "Volume": "37",
    "Issue": "3",
    "Art. No.": "12",
    "Page start": "315",
    "Page end": "342",
    "Cited by": "2100",
    "DOI": "10.1016/J.BEE.2004",
    "Link": "https://www.scopus.com/x",
    "Affiliations": "Hive University",
    "Abstract": "Bees\nlive.",
    "Author Keywords": "wax; honey",
    "Index Keywords": "Apis",
    "References": "Roy C., (2001) https://doi.org/10.1000/A; Wu D., 10.1000/b",
    "Editors": "Roe M.",
    "Publisher": "Hive",
    "ISSN": "01234567",
    "PubMed ID": "123",
    "Language of Original Document": "English",
    "Abbreviated Source Title": "Bee J.",
    "Document Type": "Article",
    "Source": "Scopus",
    "EID": "2-s2.0-1",
}


@pytest.fixture
def read(tmp_path):
    def read(*changes):
        stream = io.StringIO(newline="")
        table = csv.DictWriter(stream, ROW)
        table.writeheader()
        table.writerows({**ROW, **change} for change in changes)
        path = tmp_path / "scopus.csv"
        path.write_text(stream.getvalue(), encoding="utf-8-sig", newline="")
        return list(formats.read_file(path))

    return read


def test_row_becomes_a_paper(read):
    assert read({}) == [
        Paper(
            title="Bees in the dark",
            abstract="Bees live.",
            authors=(
                Author("Lee", "A.B."),
                Author("Berg", "J.-P.", "van der"),
                Author("Bee Consortium", literal=True),
            ),
            kind="article-journal",
            published="2004",
            venue="Bee Journal",
            identifiers=(Identifier("doi", "10.1016/j.bee.2004"), Identifier("pmid", "123")),
            keywords=("wax", "honey", "Apis"),
            extra={
                "doi": "10.1016/J.BEE.2004",
                "volume": "37",
                "number": "3",
                "pages": "315-342",
                "issn": "01234567",
                "shortjournal": "Bee J.",
                "language": "English",
                "publisher": "Hive",
                "url": "https://www.scopus.com/x",
                "affiliations": "Hive University",
                "editor": "Roe, M.",
                "publication_types": "Article",
                "references": "doi:10.1000/a doi:10.1000/b",
            },
            source="scopus",
            source_id="2-s2.0-1",
        )
    ]


@pytest.mark.parametrize(
    ("short", "full", "expected"),
    [
        ("Lee A.B.; Roy C.", "Lee, Ann B. (1); Roy, Cy (2)", [("Lee", "Ann B."), ("Roy", "Cy")]),
        ("Lee A.B., Roy C.", "", [("Lee", "A.B."), ("Roy", "C.")]),
        ("Lee A.B., Jr., Roy C.", "", [("Lee", "A.B."), ("Roy", "C.")]),
        ("Lee A.B.", "", [("Lee", "A.B.")]),
        ("[No author name available]", "", []),
        ("", "", []),
    ],
)
def test_authors_of_all_versions_of_the_export_are_read(read, short, full, expected):
    (paper,) = read({"Authors": short, "Author full names": full})
    assert [(author.family, author.given) for author in paper.authors] == expected


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        ("Conference Paper", "paper-conference"),
        ("Book Chapter", "chapter"),
        ("Review", "article-journal"),
    ],
)
def test_document_type_decides_the_kind(read, document, kind):
    assert read({"Document Type": document})[0].kind == kind


def test_article_number_stands_for_missing_pages(read):
    assert read({"Page start": "", "Page end": ""})[0].extra["pages"] == "12"


def test_missing_values_in_brackets_are_left_out(read):
    assert read({"Abstract": "[No abstract available]"})[0].abstract == ""


def test_retracted_article_is_marked_as_by_pubmed(read):
    (paper,) = read({"Document Type": "Retracted"})
    assert paper.extra["publication_types"] == "Retracted Publication"


def test_row_without_title_is_skipped_and_others_are_read(read):
    first, skipped, last = read({}, {"Title": "", "EID": "2-s2.0-2"}, {"Title": "Last"})
    assert isinstance(first, Paper) and last.title == "Last"
    assert isinstance(skipped, Skipped) and skipped.entry == "2-s2.0-2"
