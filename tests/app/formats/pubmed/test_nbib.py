import pytest

from sciread_app.domain.paper import Author, Paper, Skipped
from sciread_app.formats.pubmed import nbib
from sciread_app.formats.pubmed import xml as pubmed_xml

RECORD = """PMID- 12230038
VI  - 3
IP  - 3
DP  - 2002 Sep 4
TI  - [The Bio* toolkits--a brief
      overview].
PG  - 296-302
LID - 10.1093/bib/3.3.296 [doi]
AB  - Research is hard. The
      toolkits help. Copyright 2002 Press.
FAU - Mangalam, Harry J Jr
AU  - Mangalam HJ Jr
AU  - de Vries PC
CN  - The Study Group
LA  - eng
PT  - Review
PT  - Retracted Publication
TA  - Brief Bioinform
JT  - Briefings in bioinformatics
PMC - PMC123
RIN - Brief Bioinform. 2003;4:1. PMID: 777
MH  - Humans
MH  - HIFU/adverse
      effects/*methods
MH  - *Software
OT  - *genomes
AID - S1 [pii]
IS  - 1467-5463 (Print)
"""


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "some.nbib"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return list(nbib.read(path))

    return read


def test_nbib_record_becomes_a_paper(read):
    (paper,) = read(RECORD)
    assert paper == Paper(
        title="The Bio* toolkits--a brief overview",
        abstract="Research is hard. The toolkits help.",
        authors=(
            Author("Mangalam", "Harry J", suffix="Jr"),
            Author("Vries", "P C", "de"),
            Author("The Study Group", literal=True),
        ),
        kind="article-journal",
        published="2002-09-04",
        venue="Briefings in bioinformatics",
        identifiers=(("pmid", "12230038"), ("pmcid", "PMC123"), ("doi", "10.1093/bib/3.3.296")),
        fields=("HIFU", "Software", "Humans"),
        keywords=("genomes",),
        extra={
            "volume": "3",
            "number": "3",
            "shortjournal": "Brief Bioinform",
            "language": "eng",
            "pages": "296-302",
            "publication_types": "Review; Retracted Publication",
            "pii": "S1",
            "issn": "1467-5463",
            "retraction_in": "777",
            "copyright": "Copyright 2002 Press.",
        },
        source="pubmed",
        source_id="12230038",
    )


def test_nbib_records_are_separated_without_blank_lines(read):
    found = read("PMID- 1\nTI  - One\nPMID- 2\nTI  - Two\n\n\nPMID- 3\nTI  - Three")
    assert [(paper.source_id, paper.title) for paper in found] == [
        ("1", "One"),
        ("2", "Two"),
        ("3", "Three"),
    ]


def test_blank_line_does_not_split_nbib_record(read):
    (paper,) = read("PMID- 1\nTI  - One\n\nAB  - Words.\n")
    assert paper.abstract == "Words."


def test_text_between_nbib_records_is_ignored(read):
    found = read(
        "Search results 1-2\r\n\r\nPMID- 1\r\nTI  - One\r\n\r\n2:\r\n\r\nPMID- 2\r\nTI  - Two\r\n"
    )
    assert [paper.title for paper in found] == ["One", "Two"]


def test_byte_order_mark_and_old_encoding_are_read(read):
    (paper,) = read("\ufeffPMID- 1\nTI  - Über uns\n".encode())
    assert paper.title == "Über uns"
    (paper,) = read("PMID- 1\nTI  - Über uns\n".encode("cp1252"))
    assert paper.title == "Über uns"


def test_nbib_record_without_text_is_skipped(read):
    paper, skipped = read("PMID- 1\nTI  - One\n\nPMID- 2\nAU  - Lee A\n")
    assert paper.title == "One"
    assert isinstance(skipped, Skipped)
    assert skipped.entry == "2"


def test_file_without_nbib_record_is_skipped_with_reason(read):
    (skipped,) = read("Dear all,\nplease find the list attached.\n")
    assert "no records" in skipped.reason


@pytest.mark.parametrize(
    ("name", "count", "last", "authors"),
    [
        ("txt/biopython__Medline_pubmed_result1.txt", 1, "12230038", 1),
        ("txt/biopython__Medline_pubmed_result2.txt", 4, "14630660", 2),
        ("txt/biopython__Medline_pubmed_result3.txt", 1, "23039619", 4),
        ("txt/pubmed_exports__pubmed_exports_pubmed_result_35_medline.txt", 35, "", 0),
        ("txt/pubmed_exports__pubmed_exports_pubmed_result_45_medline.txt", 45, "", 0),
        ("nbib/jabref__fileformat_NbibImporterTest.nbib", 1, "27169098", 4),
        ("nbib/pubmed_exports__pubmed_exports_citations.nbib", 200, "", 0),
    ],
)
def test_real_nbib_files_are_read_completely(shared, name, count, last, authors):
    papers = list(nbib.read(shared / "fixtures" / name))
    assert len(papers) == count
    assert all(isinstance(paper, Paper) and paper.title and paper.published for paper in papers)
    if last:
        assert (papers[-1].source_id, len(papers[-1].authors)) == (last, authors)


def test_nbib_and_xml_of_one_record_give_the_same_paper(tmp_path, read):
    path = tmp_path / "same.xml"
    path.write_text(
        "<PubmedArticle><MedlineCitation><PMID>1</PMID><Article><Journal><JournalIssue><PubDate>"
        "<Year>2002</Year><Month>Sep</Month></PubDate></JournalIssue><Title>Gut</Title></Journal>"
        "<ArticleTitle>[On it].</ArticleTitle><AuthorList><Author><LastName>de Vries</LastName>"
        "<ForeName>Anna B</ForeName></Author></AuthorList></Article></MedlineCitation>"
        "</PubmedArticle>"
    )
    text = "PMID- 1\nDP  - 2002 Sep\nTI  - [On it].\nFAU - de Vries, Anna B\nJT  - Gut\n"
    assert list(pubmed_xml.read(path)) == read(text)
