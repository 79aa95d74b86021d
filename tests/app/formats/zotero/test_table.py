import csv
import io

import pytest

from sciread_app import formats
from sciread_app.domain.paper import Author, FiledPaper, Identifier, Paper, Skipped
from sciread_app.formats.ris import reader as ris

ROW = {
    "Key": "GG9HVA6K",
    "Item Type": "journalArticle",
    "Publication Year": "2017",
    "Author": "Lee, Ann B.; Bee Consortium",
    "Title": "Bees <i>at</i> night",
    "Publication Title": "Bee Journal",
    "ISSN": "1536-4801",
    "DOI": "10.1000/Bees",
    "Url": "https://example.org",
    "Abstract Note": "Bees\nlive.",
    "Date": "2017-11",
    "Pages": "1-9",
    "Issue": "5",
    "Volume": "65",
    "Publisher": "Hive",
    "Type": "",
    "Number": "",
    "Language": "en",
    "Archive": "MEDLINE",
    "Archive Location": "28753182",
    "Extra": "PMCID: PMC7",
    "Notes": "",
    "File Attachments": "",
    "Manual Tags": "wax; honey",
    "Automatic Tags": "Apis",
    "Editor": "Roe, Mary",
}


@pytest.fixture
def read(tmp_path):
    def read(*changes):
        stream = io.StringIO(newline="")
        table = csv.DictWriter(stream, ROW, quoting=csv.QUOTE_ALL)
        table.writeheader()
        table.writerows({**ROW, **change} for change in changes)
        path = tmp_path / "library.csv"
        path.write_text(stream.getvalue(), encoding="utf-8-sig", newline="")
        return list(formats.read_file(path))

    return read


def test_row_becomes_a_paper(read):
    assert read({}) == [
        Paper(
            title="Bees at night",
            abstract="Bees live.",
            authors=(Author("Lee", "Ann B."), Author("Bee Consortium", literal=True)),
            kind="article-journal",
            published="2017-11",
            venue="Bee Journal",
            identifiers=(
                Identifier("doi", "10.1000/bees"),
                Identifier("pmid", "28753182"),
                Identifier("pmcid", "PMC7"),
            ),
            keywords=("wax", "honey", "Apis"),
            extra={
                "doi": "10.1000/Bees",
                "volume": "65",
                "number": "5",
                "pages": "1-9",
                "issn": "1536-4801",
                "url": "https://example.org",
                "publisher": "Hive",
                "language": "en",
                "archive": "MEDLINE",
                "archive_location": "28753182",
                "editor": "Roe, Mary",
            },
            source="zotero",
            source_id="GG9HVA6K",
        )
    ]


@pytest.mark.parametrize(("kind", "field"), [("thesis", "school"), ("report", "institution")])
def test_publisher_and_type_of_thesis_and_report_are_kept(read, kind, field):
    (paper,) = read({"Item Type": kind, "Type": "PhD", "Number": "TR-1", "Issue": ""})
    assert (paper.kind, paper.extra[field], paper.extra["type"]) == (kind, "Hive", "PhD")
    assert paper.extra["number"] == "TR-1"


def test_attached_file_that_exists_is_linked(read, tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF-")
    (paper,) = read({"File Attachments": "a.pdf; C:\\b.pdf"})
    assert paper.files == (str(tmp_path / "a.pdf"),) and "b.pdf" in paper.extra["file"]


def test_notes_come_with_the_paper(read):
    (paper,) = read({"Notes": "<p>Read &amp; compare</p>"})
    assert isinstance(paper, FiledPaper)
    assert [note.text for note in paper.filing.notes] == ["Read & compare"]


def test_row_without_title_is_skipped_and_others_are_read(read):
    _, skipped, last = read({}, {"Title": "", "Key": "AAAA"}, {"Title": "Last"})
    assert isinstance(skipped, Skipped) and skipped.entry == "AAAA" and last.title == "Last"


def test_real_export_agrees_with_the_ris_export_of_the_same_library(shared):
    name = "ris_asreview__ris_asreview_DOKU_All_FT-Screening_20200116_cap"
    fixtures = shared / "fixtures"
    table = list(formats.read_file(fixtures / "csv" / f"{name}.csv"))
    records = list(ris.read(fixtures / "ris" / f"{name}.ris"))

    def about(paper):
        return (
            paper.title, paper.authors, paper.published, paper.venue, paper.abstract,
            paper.kind, frozenset(paper.keywords), paper.identifier("doi"),
            paper.extra.get("pages"), paper.extra.get("volume"), paper.extra.get("number"),
        )  # fmt: skip

    assert len(table) == 174
    assert len(set(map(about, table)) & set(map(about, records))) >= 170
