from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.formats.pdf.content import PdfContent
from sciread_app.formats.pdf.extraction import extract
from sciread_app.formats.pdf.metadata.text_cleanup import clean, join_hyphens
from tests.support.generate.pdf import At, body, dc_title, make_pdf, xmp

TITLE = "Learning to Weigh Neutrinos"


def read(*pages, name="file_name.pdf", **values) -> PdfContent:
    return extract(Path("/papers") / name, make_pdf(*pages, **values))


def first_page(*more: At, title: str = TITLE) -> list[At]:
    return [At(title, 18, 100, 700), At("Ann Lee, Bo Ng", 11, 100, 670), *body(), *more]


def names(content: PdfContent) -> dict[str, str]:
    return dict(content.paper.identifiers)


def how(content: PdfContent) -> str:
    return content.paper.extra["pdf_evidence"]


# --- titles ---


def test_largest_text_is_the_title_joined_over_lines():
    page = [At("Learning to Weigh Neu-", 18, 100, 720), At("trinos", 18, 100, 698), *body()]
    content = read(page)
    assert content.paper.title == TITLE
    assert "largest text" in how(content)


@pytest.mark.parametrize(
    "banner",
    [
        "University of Somewhere",
        "PHYSICAL REVIEW LETTERS",
        "Journal of Cleaner Research",
        "arXiv:1234.56789",
        "Original Article",
        "12 March 2019",
        "www.example.org",
        "Bioinformatics",
        "BIOINFORMATICS ORIGINAL PAPER",
        "Contents lists available at ScienceDirect",
    ],
)
def test_banner_larger_than_title_is_ignored(banner):
    assert read([At(banner, 24, 100, 760), *first_page()]).paper.title == TITLE


def test_journal_name_is_recognised_by_homepage():
    page = [
        At("Contents lists available at ScienceDirect", 8, 200, 790),
        At("Expert Systems With Applications", 22, 150, 770),
        At("journal homepage: www.example.org/locate/eswa", 8, 200, 750),
        *first_page(),
    ]
    assert read(page).paper.title == TITLE


def test_journal_name_is_recognised_by_issue():
    page = [At("Computer Physics Messages", 22, 150, 770), *first_page()]
    issue = At("Computer Physics Messages 181 (2010) 687", 8, 60, 40)
    assert read([*page, issue]).paper.title == TITLE


def test_thesis_title_is_found_below_university():
    page = [
        At("Universidade do Estado", 24, 100, 720),
        At("Master's thesis", 14, 100, 600),
        At(TITLE, 20, 100, 450, bold=True),
        At("Ann Beatrice Lee", 20, 100, 390),
    ]
    assert read(page).paper.title == TITLE


def test_subtitle_follows_a_title_ending_with_colon():
    page = [At("Weighing Neutrinos:", 20, 100, 720), At("A Practical Tour", 15, 100, 690), *body()]
    assert read(page).paper.title == "Weighing Neutrinos: A Practical Tour"


def test_separate_heading_in_body_size_is_a_title():
    content = read([At("Notes on a small matter", 10, 100, 700), *body(600)])
    assert content.paper.title == "Notes on a small matter"


def test_running_text_is_not_a_title():
    content = read(body(700), name="Smith_2019__deep%20nets.PDF")
    assert content.paper.title == "Smith 2019 deep nets"
    assert how(content) == "title: the file's name"


@pytest.mark.parametrize(
    "junk",
    ["Microsoft Word - thesis.doc", "untitled", "paper.dvi", "main.tex", "1706.pdf", "S0370-2693"],
)
def test_title_written_by_a_program_is_ignored(junk):
    assert read(body(700), info={"Title": junk}).paper.title == "file name"


def test_metadata_title_is_preferred_if_on_the_page():
    content = read(first_page(title=TITLE.upper()), info={"Title": TITLE})
    assert content.paper.title == TITLE
    assert "document information, and the same on the first pages" in how(content)


def test_metadata_title_not_on_the_page_is_ignored():
    assert read(first_page(), info={"Title": "Some Collaboration document"}).paper.title == TITLE


def test_metadata_title_that_is_part_of_printed_one_is_ignored():
    assert read(first_page(), info={"Title": "Neutrinos"}).paper.title == TITLE


def test_publisher_metadata_has_priority_over_page():
    data = dc_title("The Real Title") + "<prism:doi>10.1234/real</prism:doi>"
    content = read(first_page(), xmp=xmp(data))
    assert content.paper.title == "The Real Title"
    assert names(content) == {"doi": "10.1234/real"}


# --- arXiv numbers ---


def test_arxiv_stamp_gives_id_category_and_date():
    stamp = At("arXiv:1706.09498v1 [cs.CV] 28 Jun 2017", 20, 30, 200, upwards=True)
    paper = read(first_page(stamp)).paper
    assert dict(paper.identifiers) == {"arxiv": "1706.09498"}
    assert (paper.fields, paper.published) == (("cs.CV",), "2017-06-28")
    assert paper.title == TITLE


def test_stamp_of_later_version_dates_paper_by_its_id():
    stamp = At("arXiv:1706.03762v7 [cs.CL] 2 Aug 2023", 20, 30, 200, upwards=True)
    assert read(first_page(stamp)).paper.published == "2017-06"


def test_old_arxiv_stamp_is_read():
    stamp = At("arXiv:hep-th/9901001v1  4 Jan 1999", 20, 30, 200, upwards=True)
    paper = read(first_page(stamp)).paper
    assert (dict(paper.identifiers), paper.published) == ({"arxiv": "hep-th/9901001"}, "1999-01-04")


@pytest.mark.parametrize("step", [12, -12])
def test_stamp_of_single_letters_is_read_in_both_directions(step):
    text = "arXiv:1706.09498v1[cs.CV]28Jun2017"
    letters = [At(c, 12, 30, 400 + step * i, upwards=True) for i, c in enumerate(text)]
    assert names(read(first_page(*letters))) == {"arxiv": "1706.09498"}


def test_reversed_stamp_is_read():
    stamp = At("7102 nuJ 82 ]VC.sc[ 1v89490.6071:viXra", 20, 30, 200, upwards=True)
    assert names(read(first_page(stamp))) == {"arxiv": "1706.09498"}


def test_arxiv_id_in_corner_of_first_page_is_own():
    assert names(read([At("hep-ph/0301001", 10, 450, 780), *first_page()])) == {
        "arxiv": "hep-ph/0301001"
    }


def test_cited_arxiv_id_is_not_own():
    page = first_page(
        At("as was shown in arXiv:1706.09498 [cs.CV] and later", 10, 60, 300),
        At("[7] A. Lee, On Weighing, arXiv:1706.09499v2 [hep-ph].", 10, 60, 280),
    )
    assert names(read(page)) == {}


@pytest.mark.parametrize("name", ["2303.03819v2.pdf", "2303.03819 (1).pdf"])
def test_arxiv_download_is_recognised_by_file_name(name):
    content = read(first_page(), name=name)
    assert names(content) == {"arxiv": "2303.03819"}
    assert "file's name" in how(content)


# --- DOIs ---


@pytest.mark.parametrize(
    "line",
    [
        "https://doi.org/10.1038/s41586-020-2649-2",
        "Nature | Vol 585 | 17 September 2020 | doi:10.1038/s41586-020-2649-2",
        "DOI 10.1038/S41586-020-2649-2.",
    ],
)
def test_doi_in_footer_is_own(line):
    assert names(read(first_page(At(line, 8, 60, 40)))) == {"doi": "10.1038/s41586-020-2649-2"}


def test_doi_broken_over_lines_is_joined():
    foot = [At("doi:10.1016/j.fusengdes.2020.", 8, 60, 40), At("111503", 8, 60, 30)]
    assert names(read(first_page(*foot))) == {"doi": "10.1016/j.fusengdes.2020.111503"}


@pytest.mark.parametrize(
    "lines",
    [
        ["References", "https://doi.org/10.1007/978-3-662-65004-2"],
        ["[1] A. Lee, Weighing, Nucl. Fusion, vol. 57, 2017. doi:10.1088/1741-4326/aa6a6a"],
        ["Lee, A. (2023). Products and", "Production. https://doi.org/10.1007/978-3-662-65004-2"],
        ["The data is available at https://doi.org/10.5281/zenodo.12345"],
        ["We follow earlier work (https://doi.org/10.1007/s00894-012-1), which has shown that"],
        ["https://doi.org/10.1145/nnnnnnn.nnnnnnn"],
    ],
)
def test_doi_of_other_work_is_not_own(lines):
    page = first_page(*(At(line, 9, 60, 330 - 11 * i) for i, line in enumerate(lines)))
    assert names(read(page)) == {}


def test_doi_in_citation_of_own_title_is_own():
    cited = [
        At(f"Lee, A. and Ng, B. (2019). {TITLE}. Some Journal 12, 3.", 8, 60, 60),
        At("Published there: https://doi.org/10.1234/own.5", 8, 60, 48),
    ]
    content = read(first_page(*cited))
    assert names(content) == {"doi": "10.1234/own.5"}
    assert "citation of this title" in how(content)


def test_doi_of_metadata_is_used_if_pages_have_none():
    content = read(
        first_page(), info={"Subject": "Phys. Lett. B 716 (2012) doi:10.1016/j.x.2012.8"}
    )
    assert names(content) == {"doi": "10.1016/j.x.2012.8"}


def test_stamp_and_doi_are_both_kept():
    stamp = At("arXiv:1706.09498v1 [cs.CV] 28 Jun 2017", 20, 30, 200, upwards=True)
    found = names(read(first_page(stamp, At("doi:10.1234/abc", 8, 60, 40))))
    assert found == {"arxiv": "1706.09498", "doi": "10.1234/abc"}


# --- XMP ---

JABREF = (
    dc_title("Stefan's Palace")
    + "<dc:creator><rdf:Seq><rdf:li>Olly Lee</rdf:li><rdf:li>Jo Ng</rdf:li></rdf:Seq></dc:creator>"
    "<dc:relation><rdf:Bag><rdf:li>bibtex/journal/Test Journal</rdf:li>"
    "<rdf:li>bibtex/bibtexkey/Olly2018</rdf:li><rdf:li>bibtex/pages/1-2</rdf:li>"
    "<rdf:li>bibtex/file/:secret/place.pdf:PDF</rdf:li></rdf:Bag></dc:relation>"
    "<dc:date><rdf:Seq><rdf:li>2018-03</rdf:li></rdf:Seq></dc:date>"
    "<dc:type><rdf:Bag><rdf:li>InProceedings</rdf:li></rdf:Bag></dc:type>"
)


@pytest.mark.parametrize("packed", [False, True])
def test_jabref_xmp_is_read(packed):
    paper = read(body(700), xmp=xmp(JABREF), packed=packed).paper
    assert paper.title == "Stefan's Palace"
    assert [author.name for author in paper.authors] == ["Olly Lee", "Jo Ng"]
    assert (paper.venue, paper.published, paper.kind) == (
        "Test Journal",
        "2018-03",
        "paper-conference",
    )
    assert dict(paper.identifiers) == {"citekey": "Olly2018"}
    assert paper.extra["pages"] == "1-2"
    assert "file" not in paper.extra


NEXT_RECORD = (
    '</rdf:Description><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" '
    'xmlns:prism="http://prismstandard.org/namespaces/basic/2.0/">'
)


def test_first_xmp_record_is_not_mixed_with_next():
    second = NEXT_RECORD + dc_title("Another") + "<prism:doi>10.1/x</prism:doi>"
    paper = read(body(700), xmp=xmp(JABREF + second)).paper
    assert (paper.title, paper.identifier("doi")) == ("Stefan's Palace", "")


@pytest.mark.parametrize(
    "packet",
    [
        xmp(dc_title("Cut off"))[:-60],
        xmp(dc_title("&boom;")).replace(
            "<x:xmpmeta", '<!DOCTYPE x [<!ENTITY boom "boom">]><x:xmpmeta', 1
        ),
        xmp("<dc:title>" + "<rdf:Seq>" * 5000 + "</dc:title>"),
    ],
)
def test_broken_or_malicious_xmp_is_ignored(packet):
    assert read(first_page(), xmp=packet).paper.title == TITLE


@pytest.mark.parametrize("author", ["Ann Lee; Bo Ng", "Some Typist", "Cy Doe; Dee Fox"])
def test_authors_are_those_below_the_title_whatever_the_metadata_say(author):
    paper = read(first_page(), info={"Author": author}).paper
    assert [author.name for author in paper.authors] == ["Ann Lee", "Bo Ng"]


@pytest.mark.parametrize(
    "author", ["Ann Lee", "Bo Ng", "Bo Ng; Cy Doe", "ATLAS, CMS Collaborations"]
)
def test_incomplete_author_list_is_ignored_for_the_printed_names(author):
    page = [At("On the Flight of Honey Bees", 20, y=720)]
    page += [At("Ann Lee, Bo Ng and Cy Doe, for the ATLAS and CMS Collaborations", 12, y=690)]
    page += [At("Abstract", 12, y=650), *body()]
    authors = read(page, info={"Author": author}).paper.authors
    assert [a.name for a in authors if not a.literal] == ["Ann Lee", "Bo Ng", "Cy Doe"]


@pytest.mark.parametrize(
    "line",
    [
        "Draft version July 14, 2017 Typeset using LATEX default style in AASTeX61",
        "This may be the author's version of a work that was submitted",
        "BetweenSoftware",
    ],
)
def test_line_above_title_is_not_the_title(line):
    paper = read([At(line, 22, y=740), At("On the Flight of Honey Bees", 16, y=700), *body()]).paper
    assert line[:12] not in paper.title


def test_author_is_not_a_title():
    info = {"Title": "Me, myself and I", "Author": "Me, myself and I"}
    assert read(first_page(), info=info).paper.title != "Me, myself and I"


def test_unused_or_shortened_author_list_is_remarked():
    dropped = read(first_page(), info={"Author": "Cy Doe; Dee Fox"})
    assert "Cy Doe; Dee Fox" in dropped.remark
    cut = read(first_page(), info={"Author": "Ann Lee; Bo Ng; user"})
    assert [author.name for author in cut.paper.authors] == ["Ann Lee", "Bo Ng"]
    assert "user" in cut.remark and "Ann Lee" not in cut.remark
    for author in ("Ann Lee; Bo Ng", "Some Typist", ""):
        assert not read(first_page(), info={"Author": author}).remark


def test_bracketed_affiliations_are_not_authors():
    paper = read(first_page(), info={"Author": "Ann Lee, [Lab, Rome, Italy] Bo Ng [Oslo]"}).paper
    assert [author.name for author in paper.authors] == ["Ann Lee", "Bo Ng"]


# --- abstract, text, problems ---


def test_abstract_is_the_text_below_its_heading():
    page = [
        *first_page(),
        At("Abstract", 10, 60, 640, bold=True),
        At("We weigh neutrinos by listening to them for years in a deep and multi-", 10, 60, 626),
        At("modal cave. They are light.", 10, 60, 614),
        At("1 Introduction", 12, 60, 590, bold=True),
    ]
    page.sort(key=lambda text: -text.y)
    assert read(page).paper.abstract == (
        "We weigh neutrinos by listening to them for years in a deep and multimodal cave. "
        "They are light."
    )


def test_abstract_may_follow_heading_on_same_line_and_ends_at_keywords():
    page = [
        At(TITLE, 18, 100, 700),
        At(
            "Abstract—We weigh neutrinos by listening for many years in a deep cave. They",
            10,
            60,
            640,
        ),
        At("are light, lighter than we thought.", 10, 60, 628),
        At("Index Terms—neutrinos, patience", 10, 60, 616),
        *body(),
    ]
    assert read(page).paper.abstract.startswith("We weigh neutrinos")
    assert read(page).paper.abstract.endswith("lighter than we thought.")


def test_text_is_joined_over_lines_keeping_real_hyphens():
    pages = (
        [At("The multi-modal and multi-", 10, 60, 700), At("modal cell of the neu-", 10, 60, 688)],
        [At("second page of well-", 10, 60, 700), At("2 things", 10, 60, 688)],
    )
    text = read(*pages).text
    assert "multi-modal and multi-modal" in text
    assert "\n\nsecond page of well-2" in text


def test_page_without_text_is_reported_as_scan():
    content = read([])
    assert "OCR" in content.problem
    assert content.paper.extra["pdf_problem"] == content.problem
    assert (content.paper.title, content.pages) == ("file name", 1)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (b"hello", "not a valid PDF"),
        (b"%PDF-1.4\n" + b"\xff\x00" * 300, "damaged"),
        (make_pdf([At("x")])[:300], "damaged"),
    ],
)
def test_unreadable_file_becomes_paper_named_after_file_with_problem(data, why):
    content = extract(Path("/papers/On_Some Thing.pdf"), data)
    assert content.paper.title == "On Some Thing"
    assert why in content.problem
    assert content.paper.files == (str(Path("/papers/On_Some Thing.pdf").absolute()),)


def test_truncated_file_is_read_as_far_as_possible():
    data = make_pdf(first_page())
    assert extract(Path("/p.pdf"), data[: data.index(b"startxref")]).paper.title == TITLE


def test_extraction_stops_at_time_limit_with_problem():
    content = extract(Path("/p.pdf"), make_pdf(*[first_page()] * 5), seconds=-1)
    assert (content.pages, content.text) == (5, "")
    assert "pages could be read" in content.problem


def test_undecodable_file_name_is_not_stored():
    content = extract(Path("/papers/bad\udcff_name.pdf"), make_pdf(first_page()))
    assert content.paper.files == ()
    assert "Rename" in content.problem
    content.paper.title.encode()


# Without separate combining accents: those are put on the next letter.
written = st.text(st.characters(categories=["L", "N", "P", "Zs"]))


@given(written, written.filter(bool))
def test_joining_hyphens_keeps_every_letter(before, after):
    joined = join_hyphens(clean(f"{before}-\n{after}"))
    letters = [c for c in clean(before + after) if c.isalnum()]
    assert [c for c in clean(joined) if c.isalnum()] == letters


@given(st.binary(max_size=400))
def test_any_bytes_give_a_paper_with_problem(data):
    content = extract(Path("/p.pdf"), b"%PDF-1.7\n" + data)
    assert content.paper.title
    assert content.problem
