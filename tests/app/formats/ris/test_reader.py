import io
from dataclasses import replace

import pytest

from sciread_app.domain.paper import Author, Identifier, Paper, Skipped
from sciread_app.formats.ris import reader as ris


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "export.ris"
        path.write_text(text, encoding="utf-8-sig")
        return list(ris.read(path))

    return read


def test_ris_record_becomes_a_paper(read):
    (paper,) = read("""TY  - JOUR
AU  - van der Berg, Jo, Jr
A1  - World Health Organization
T1  - Length scales <i>in</i> ion &amp; hydration
N2  - One line
and another.
KW  - ions
KW  - water; salt
JF  - The Journal of Chemical Physics
JO  - J. Chem. Phys.
Y1  - 2013/07/22
PY  - 2013
VL  - 139
IS  - 4
SP  - 044504
EP  - 044510
SN  - 0021-9606
DO  - https://doi.org/10.1063/1.4814070
U1  - 123[pmid]
ID  - shi13
XX  - something else
ER  -
""")
    assert paper == Paper(
        title="Length scales in ion & hydration",
        abstract="One line and another.",
        authors=(
            Author("Berg", "Jo", "van der", "Jr"),
            Author("World Health Organization", literal=True),
        ),
        kind="article-journal",
        published="2013-07-22",
        venue="The Journal of Chemical Physics",
        identifiers=(
            Identifier("doi", "10.1063/1.4814070"),
            Identifier("pmid", "123"),
            Identifier("citekey", "shi13"),
        ),
        keywords=("ions", "water", "salt"),
        extra={
            "volume": "139",
            "number": "4",
            "pages": "044504-044510",
            "issn": "0021-9606",
            "jo": "J. Chem. Phys.",
            "xx": "something else",
        },
        source="ris",
        source_id="shi13",
    )


def test_text_between_ris_records_is_ignored(read):
    text = "Embase\n\n1.\nTY  - JOUR\nTI  - A\nER  - \n\n2. of 2\nTY  - JOUR\nTI  - B\nER  -\nBye"
    assert [paper.title for paper in read(text)] == ["A", "B"]


def test_ris_record_may_lack_its_end(read):
    found = read("TY  - JOUR\nTI  - A\nTY  - BOOK\nTI  - B")
    assert [(paper.title, paper.kind) for paper in found] == [
        ("A", "article-journal"),
        ("B", "book"),
    ]


def test_ris_record_may_lack_its_type(read):
    (paper,) = read("JF  - Empirical Software\nT1  - Open Source\nPY  - 2001/09/01/\nER  -\n")
    assert (paper.title, paper.kind, paper.published) == (
        "Open Source",
        "article-journal",
        "2001-09-01",
    )


def test_unreadable_ris_records_are_skipped_with_line(read):
    no_title, neither = read("TY  - PAT\nDO  - 10.1201/x\nER  - \n\nAU  - Lee, Ann\nER  - ")
    assert isinstance(no_title, Skipped)
    assert no_title.entry == "10.1201/x"
    assert no_title.reason.startswith("Line 1: the record has no title (TI)")
    assert neither.reason.startswith("Line 5: the record has neither a type (TY) nor a title (TI)")


def test_all_texts_of_user_fields_are_kept(read):
    (paper,) = read("TY  - JOUR\nTI  - A\nU5  - Any text\nU5  - Two words: more\nER  - ")
    assert paper.extra["u5"] == "Any text\nTwo words: more"


@pytest.mark.parametrize(
    ("lines", "before", "after"),
    [
        ("PY  - 2019\nDA  - 2019/07//Jul-Aug", "2019-07", ["PY  - 2021", "DA  - 2021///"]),
        ("PY  - 2013/02/15/received", "2013-02-15", ["PY  - 2021", "DA  - 2021///"]),
        ("PY  - 2013\nY1  - Spring 2013", "2013", ["PY  - 2021", "DA  - 2021///"]),
    ],
)
def test_dates_are_written_as_read_until_the_date_is_edited(read, lines, before, after):
    def dates(paper):
        stream = io.StringIO()
        ris.write([paper], stream)
        return [line for line in stream.getvalue().splitlines() if line[:2] in ("PY", "DA", "Y1")]

    (paper,) = read(f"TY  - JOUR\nTI  - A\n{lines}\nER  - ")
    assert paper.published == before
    assert set(lines.splitlines()) <= set(dates(paper))
    assert dates(replace(paper, published="2021")) == after


@pytest.mark.parametrize(
    ("lines", "published"),
    [
        ("PY  - 2012///", "2012"),
        ("PY  - 2017\nDA  - MAR 15", "2017-03-15"),
        ("PY  - 2017\nDA  - OCT", "2017-10"),
        ("DA  - 2014/12/12", "2014-12-12"),
        ("Y1  - 2016/10/19\nPY  - 2016", "2016-10-19"),
        ("PY  - 2016\nDA  - 2015/12/31", "2016"),
    ],
)
def test_most_precise_agreeing_date_is_used(read, lines, published):
    (paper,) = read(f"TY  - JOUR\nTI  - A\n{lines}\nER  - ")
    assert paper.published == published


@pytest.mark.parametrize(
    ("lines", "identifier"),
    [
        ("AN  - 26957754\nDB  - PubMed", ("pmid", "26957754")),
        ("U1  - 35957633 [PMID]", ("pmid", "35957633")),
        ("UR  - https://pubmed.ncbi.nlm.nih.gov/26957754", ("pmid", "26957754")),
        ("N1  - PMID: 123", ("pmid", "123")),
        ("AN  - PMC3654245", ("pmcid", "PMC3654245")),
        ("UR  - https://arxiv.org/abs/2101.00027v2", ("arxiv", "2101.00027")),
        ("N1  - doi: 10.1063/1.4814070", ("doi", "10.1063/1.4814070")),
        ("UR  - http://dx.doi.org/10.1000/182?from=x", ("doi", "10.1000/182")),
        ("SN  - 978-0-306-40615-7", ("isbn", "9780306406157")),
    ],
)
def test_identifiers_are_found_in_fields_used_by_databases(read, lines, identifier):
    (paper,) = read(f"TY  - JOUR\nTI  - A\n{lines}\nER  - ")
    assert paper.identifiers == (identifier,)


def test_linked_files_are_found_beside_ris_file(read, tmp_path):
    (tmp_path / "a.pdf").touch()
    here = str((tmp_path / "a.pdf").resolve())
    (paper,) = read(
        f"TY  - JOUR\nTI  - A\nL1  - a.pdf\nL1  - gone.pdf\nL4  - file://{here}\nER  - "
    )
    assert paper.files == (here,)
    assert paper.extra == {"l1": "gone.pdf"}


def test_doi_with_spaces_is_read_completely(tmp_path):
    path = tmp_path / "a.ris"
    dois = "DO  - 10.1659/0276-4741(2004)024 [ {}:SPOCMP]2.0.CO;2"
    records = (f"TY  - JOUR\nTI  - A{n}\n{dois.format(n)}\nER  -\n" for n in (141, 152))
    path.write_text("".join(records), encoding="utf-8")
    assert [paper.identifier("doi") for paper in ris.read(path)] == [
        "10.1659/0276-4741(2004)024[141:spocmp]2.0.co;2",
        "10.1659/0276-4741(2004)024[152:spocmp]2.0.co;2",
    ]
