import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.paper import Author, Identifier, Paper, Skipped
from sciread_app.formats.endnote import tagged


@pytest.fixture
def read(tmp_path):
    def read(text, encoding="utf-8"):
        path = tmp_path / "export.enw"
        path.write_bytes(text.encode(encoding))
        return list(tagged.read(path))

    return read


def test_tagged_record_becomes_a_paper(read):
    (paper,) = read("""%0 Journal Article
%T Length scales <i>in</i> ion &amp; hydration
%A van der Berg, Jo
%A World Health Organization
%E Roe, Mary
%J The Journal of Chemical Physics
%V 139
%N 4
%P 044504-044510
%@ 0021-9606
%D 2013
%8 July 22
%R 10.1063/1.4814070
%M 23901992
%W NLM
%X First paragraph

and the second.
%K ions
water
%G eng
%Z A note.
%U https://example.org/a
%F shi13
%= 2020-01-01
""")
    assert paper == Paper(
        title="Length scales in ion & hydration",
        abstract="First paragraph and the second.",
        authors=(
            Author("Berg", "Jo", "van der"),
            Author("World Health Organization", literal=True),
        ),
        kind="article-journal",
        published="2013-07-22",
        venue="The Journal of Chemical Physics",
        identifiers=(
            Identifier("doi", "10.1063/1.4814070"),
            Identifier("pmid", "23901992"),
            Identifier("citekey", "shi13"),
        ),
        keywords=("ions", "water"),
        extra={
            "volume": "139",
            "number": "4",
            "pages": "044504-044510",
            "issn": "0021-9606",
            "editor": "Roe, Mary",
            "language": "eng",
            "note": "A note.",
            "url": "https://example.org/a",
            "an": "23901992",
            "dp": "NLM",
        },
        source="endnote",
        source_id="shi13",
    )


@pytest.mark.parametrize(
    ("name", "kind", "field"),
    [
        ("Thesis", "thesis", "school"),
        ("Report", "report", "institution"),
        ("Book", "book", "publisher"),
        ("Conference Paper", "paper-conference", "publisher"),
        ("Artwork", "article", "publisher"),
    ],
)
def test_type_of_record_decides_kind_and_role_of_publisher(read, name, kind, field):
    (paper,) = read(f"%0 {name}\n%T On bees\n%I Hive University\n")
    assert (paper.kind, paper.extra[field]) == (kind, "Hive University")


def test_series_of_a_book_is_not_its_venue(read):
    (paper,) = read("%0 Book\n%T On bees\n%B Insects of the world\n%@ 978-3-86490-311-3\n")
    assert (paper.venue, paper.extra["series"]) == ("", "Insects of the world")
    assert paper.identifier("isbn") == "9783864903113"


def test_number_of_a_report_is_not_an_isbn(read):
    (paper,) = read("%0 Report\n%T On bees\n%@ TR-12\n")
    assert paper.extra["number"] == "TR-12"


def test_records_without_types_are_separated_by_blank_lines(read):
    papers = read("%A Lee, A\n%T First\n%J Bees\n\n%A Roy, B\n%T Second\n")
    assert [(p.title, p.authors[0].family) for p in papers] == [("First", "Lee"), ("Second", "Roy")]
    assert papers[0].kind == "article-journal"


def test_blank_line_in_an_abstract_separates_no_records(read):
    one, two = read("%T First\n%X Of bees.\n\nOf wasps.\n%D 2001\n\n%T Second\n")
    assert (one.title, one.abstract, one.published) == ("First", "Of bees. Of wasps.", "2001")
    assert two.title == "Second"


def test_record_without_title_is_skipped_and_others_are_read(read):
    first, skipped, last = read("%0 Book\n%T A\n\n%0 Book\n%A Lee\n%R 10.1/x\n\n%0 Book\n%T B\n")
    assert (first.title, last.title) == ("A", "B")
    assert isinstance(skipped, Skipped) and "Line 4" in skipped.reason and skipped.entry == "10.1/x"


def test_legacy_encoding_is_read(read):
    (paper,) = read("%0 Book\n%A Preißel, René\n%T Über Bienen\n", "cp1252")
    assert (paper.title, paper.authors[0].given) == ("Über Bienen", "René")


def test_linked_file_that_exists_is_attached(read, tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF-")
    (paper,) = read("%0 Book\n%T A\n%> a.pdf\n")
    assert paper.files == (str(tmp_path / "a.pdf"),)


LINES = st.text("abc é.%0", max_size=8).map(str.strip).filter(lambda text: text[:1] != "%")


@given(st.lists(st.lists(LINES, max_size=4), max_size=5))
def test_each_record_is_read_once_with_its_abstract(tmp_path_factory, abstracts):
    path = tmp_path_factory.mktemp("enw") / "a.enw"
    records = [
        "\n".join([f"%0 Book\n%T Title {n}\n%X", *lines]) for n, lines in enumerate(abstracts)
    ]
    path.write_text("\n\n".join(f"{record}\n%D 2001\n" for record in records), encoding="utf-8")
    papers = list(tagged.read(path))
    assert [paper.title for paper in papers] == [f"Title {n}" for n in range(len(abstracts))]
    assert [paper.abstract for paper in papers] == [
        " ".join(" ".join(lines).split()) for lines in abstracts
    ]
    assert all(paper.published == "2001" for paper in papers)
