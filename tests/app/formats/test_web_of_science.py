import pytest

from sciread_app import formats
from sciread_app.domain.paper import Author, Identifier, Paper, Skipped
from sciread_app.formats import web_of_science

RECORD = """PT J
AU Lee, AB
   Roy, C
AF Lee, Ann B.
   Roy, Cy
CA Bee Consortium
TI Optical waveguides in
   bees
SO BEE JOURNAL
LA English
DT Article; Retracted Publication
DE wax; honey
ID MODES
AB Bees
   live.
C1 [Lee, Ann B.; Roy, Cy] Hive Univ, Bern, Switzerland.
   [Roy, Cy] Wax Inst, Rome, Italy.
CR BACH T, 2005, OPT EXPRESS, V13, P9890, DOI 10.1364/OPEX.13.009890
   CHANDLER PJ, 1986, OPT ACTA, V33, P127
   ALSO, 2007, OPTICS, DOI [10.1000/A, 10.1000/b]
PU OPTICAL SOC AMER
PI WASHINGTON
SN 1094-4087
EI 1094-4088
JI Bee J.
PD MAR 20
PY 2006
VL 14
IS 6
BP 2344
EP 2358
DI 10.1000/Bees
WC Optics; Entomology
UT WOS:000236202800037
PM 123
ER
"""
TAGGED = f"FN Clarivate Analytics Web of Science\nVR 1.0\n{RECORD}\nEF\n"
COLUMNS = (
    "PT", "AU", "AF", "CA", "TI", "SO", "LA", "DT", "DE", "ID", "AB", "C1", "CR", "PU", "PI", "SN",
    "EI", "JI", "PD", "PY", "VL", "IS", "BP", "EP", "DI", "WC", "UT", "PM",
)  # fmt: skip


def table(*, quoted=False):
    """RECORD in the tab-delimited format."""
    lists = {"AU", "AF", "C1", "CR"}
    found = {}
    for line in RECORD.splitlines():
        if line[:2].strip():
            tag = line[:2]
            found[tag] = line[3:]
        else:
            found[tag] += ("; " if tag in lists else " ") + line.strip()
    cells = [found[tag] for tag in COLUMNS]
    row = "\t".join(f'"{cell}"' if quoted else cell for cell in cells)
    return "\t".join(COLUMNS) + "\n" + row + "\n"


EXPECTED = Paper(
    title="Optical waveguides in bees",
    abstract="Bees live.",
    authors=(
        Author("Lee", "Ann B."),
        Author("Roy", "Cy"),
        Author("Bee Consortium", literal=True),
    ),
    kind="article-journal",
    published="2006-03-20",
    venue="BEE JOURNAL",
    identifiers=(Identifier("doi", "10.1000/bees"), Identifier("pmid", "123")),
    fields=("Optics", "Entomology"),
    keywords=("wax", "honey", "MODES"),
    extra={
        "doi": "10.1000/Bees",
        "volume": "14",
        "number": "6",
        "pages": "2344-2358",
        "issn": "1094-4087\n1094-4088",
        "shortjournal": "Bee J.",
        "language": "English",
        "address": "WASHINGTON",
        "publisher": "OPTICAL SOC AMER",
        "an": "WOS:000236202800037",
        "publication_types": "Article; Retracted Publication",
        "affiliations": "[Lee, Ann B.; Roy, Cy] Hive Univ, Bern, Switzerland.; "
        "[Roy, Cy] Wax Inst, Rome, Italy.",
        "references": "doi:10.1364/opex.13.009890 doi:10.1000/a",
    },
    source="wos",
    source_id="WOS:000236202800037",
)


@pytest.fixture
def read(tmp_path):
    def read(text, name="savedrecs.txt", encoding="utf-8-sig"):
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return list(formats.read_file(path))

    return read


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-8", "utf-16"])
@pytest.mark.parametrize("text", [TAGGED, table(), table(quoted=True)])
def test_record_becomes_a_paper_whatever_the_form(read, text, encoding):
    assert read(text, encoding=encoding) == [EXPECTED]


@pytest.mark.parametrize(
    ("pt", "dt", "kind"),
    [
        ("J", "Article; Proceedings Paper", "article-journal"),
        ("C", "Proceedings Paper", "paper-conference"),
        ("S", "Article; Book Chapter", "chapter"),
        ("B", "Book", "book"),
        ("P", "", "patent"),
    ],
)
def test_publication_and_document_type_decide_the_kind(read, pt, dt, kind):
    (paper,) = read(f"PT {pt}\nAU Lee, A\nTI On bees\nDT {dt}\nER\n", "a.ciw")
    assert paper.kind == kind


def test_article_number_stands_for_missing_pages(read):
    (paper,) = read("PT J\nAU Lee, A\nTI On bees\nAR 044504\nER\n")
    assert paper.extra["pages"] == "044504"


def test_record_without_title_is_skipped_and_others_are_read(read):
    first, skipped, last = read("PT J\nTI A\nER\n\nPT J\nAU Lee, A\nUT WOS:2\nER\n\nPT J\nTI B\n")
    assert (first.title, last.title) == ("A", "B")
    assert isinstance(skipped, Skipped) and skipped.entry == "WOS:2" and "Line 5" in skipped.reason


def test_file_without_records_is_reported(read):
    (skipped,) = read("FN Clarivate\nVR 1.0\nEF\n")
    assert isinstance(skipped, Skipped)


def test_real_exports_are_read(shared):
    papers = {
        path.name: list(web_of_science.read(path))
        for path in (shared / "fixtures" / "isi").glob("*ImporterTest[2W]*.isi")
    }
    two, wos = sorted(papers.values(), key=len, reverse=True)
    assert [paper.title for paper in two] == [
        "Optical properties of MgO doped LiNbO/sub 3/ single crystals"
    ] * 3
    assert [len(paper.authors) for paper in wos] == [5, 6]
    assert [paper.published for paper in wos] == ["2006-06-14", "2006-03-20"]
    assert [paper.extra["pages"] for paper in wos] == ["5323-5331", "2344-2358"]
