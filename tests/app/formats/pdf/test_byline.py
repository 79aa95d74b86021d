"""Authors, year and venue as first pages print them."""

from dataclasses import replace
from pathlib import Path

import pytest

from sciread_app.domain.metadata.guesses import (
    accepted,
    guessed_authors,
    guessed_title,
    guessed_year,
)
from sciread_app.formats.pdf.content import PdfContent
from sciread_app.formats.pdf.extraction import extract
from sciread_app.formats.pdf.metadata.byline.names import author_of
from sciread_app.formats.pdf.metadata.byline.parser import authors_of, marked_text, pieces_of
from sciread_app.formats.pdf.metadata.layout import LayoutLine, PageLayout
from sciread_app.formats.pdf.metadata.printed_identifiers import printed_doi
from sciread_app.formats.pdf.metadata.rows import rows_of
from tests.support.generate.pdf import At, body, make_pdf

TITLE = At("On the Flight of Honey Bees over Water", 18, 60, 720)
ABSTRACT = At("Abstract", 10, 60, 560, bold=True)


def read(*pages: list[At], **values) -> PdfContent:
    return extract(Path("/papers/file_name.pdf"), make_pdf(*pages, **values))


def page(*head: At) -> list[At]:
    return [TITLE, *head, ABSTRACT, *body(540, 20)]


def authors(*head: At) -> list[str]:
    return [author.name for author in read(page(*head)).paper.authors]


def raised(text: str, x: float, y: float) -> At:
    return At(text, 7, x, y + 4)


def test_raised_marks_are_no_part_of_names():
    head = [
        At("Alice Martin", 11, 60, 690), raised("1,2", 122, 690),
        At(", Robert K. Weber", 11, 134, 690), raised("a", 222, 690),
        At("1 University of Oslo, Norway", 9, 60, 670),
    ]  # fmt: skip
    assert authors(*head) == ["Alice Martin", "Robert K. Weber"]


def test_affiliations_between_names_are_passed_over():
    head = [
        At("Alice Martin", 11, 60, 690, bold=True),
        At("Department of Physics, University of Oslo", 10, 60, 677),
        At("Robert Weber", 11, 60, 655, bold=True),
        At("Bell Laboratories, Murray Hill, New Jersey", 10, 60, 642),
        At("weber@example.org", 10, 60, 629),
    ]
    assert authors(*head) == ["Alice Martin", "Robert Weber"]


def test_names_in_columns_are_read_row_by_row():
    head = [
        At("Alice Martin", 11, 60, 690), At("Robert Weber", 11, 250, 690),
        At("Oslo University", 10, 60, 677), At("Google Research", 10, 250, 677),
        At("Carlos Fernandez", 11, 60, 650), At("Wei Zhang", 11, 250, 650),
        At("Oslo University", 10, 60, 637), At("Peking University", 10, 250, 637),
    ]  # fmt: skip
    assert authors(*head) == ["Alice Martin", "Robert Weber", "Carlos Fernandez", "Wei Zhang"]


def test_list_goes_on_in_the_next_line_within_a_name():
    head = [
        At("Alice Martin, Robert Weber, Carlos", 11, 60, 690),
        At("Fernandez, and Wei Zhang", 11, 60, 676),
    ]
    assert authors(*head) == ["Alice Martin", "Robert Weber", "Carlos Fernandez", "Wei Zhang"]


def test_group_that_the_authors_write_for_is_an_organization():
    head = [
        At("Alice Martin, MD; Robert Weber, MD; on behalf of", 11, 60, 690),
        At("the EXAMPLE Study Investigators", 11, 60, 676),
    ]
    found = read(page(*head)).paper.authors
    assert [(author.name, author.literal) for author in found] == [
        ("Alice Martin", False),
        ("Robert Weber", False),
        ("EXAMPLE Study Investigators", True),
    ]


def test_accent_placed_after_the_next_words_belongs_to_its_letter():
    # As TeX's old fonts print it and PDFium returns it: the accent is a separate character.
    head = [At("Jose Garcia and Robert Weber", 11, 60, 690), At("\u00b4", 11, 79.9, 690)]
    assert authors(*head)[0] == "José Garcia"


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Alice Martin, Robert F. Stone, Jr.", ["Alice Martin", "Robert F. Stone Jr."]),
        ("Robert F. Stone, Sr.", ["Robert F. Stone Sr."]),
        ("Alice Martin, MD, Robert Weber, MD", ["Alice Martin", "Robert Weber"]),
        ("Wouter van ’t Hoff, Alice Martin", ["Wouter van ’t Hoff", "Alice Martin"]),
        ("Alice Martin (B), Robert Weber", ["Alice Martin", "Robert Weber"]),
    ],
)
def test_suffixes_degrees_and_symbols_are_no_names(line, names):
    assert authors(At(line, 11, 60, 690)) == names


def test_particle_that_begins_a_line_is_kept():
    head = [
        At("Alice Martin, Karl-Heinz", 11, 60, 690),
        At("von Stein, Robert Weber", 11, 60, 676),
    ]
    assert authors(*head) == ["Alice Martin", "Karl-Heinz von Stein", "Robert Weber"]


def test_title_above_names_in_larger_letters_is_the_title():
    head = [
        At("Ranking of World Universities", 18, 60, 720),
        At("Alice Martin, Robert Weber and Wei Zhang", 20, 60, 690),
    ]
    paper = read([*head, ABSTRACT, *body(540, 20)]).paper
    assert paper.title == "Ranking of World Universities"


@pytest.mark.parametrize(
    "line", ["Rio de Janeiro, julho de 2007", "Paris, le 3 mars 2007", "Completed: January 5, 2007"]
)
def test_date_of_a_thesis_gives_the_year(line):
    assert read(page(At("Alice Martin", 11, 60, 690), At(line, 9, 60, 600))).paper.year == 2007


def test_editors_and_reviewers_are_not_authors():
    head = [
        At("Alice Martin and Robert Weber", 11, 60, 690),
        At("Edited by: Maria Rossi, University of Bari, Italy", 11, 60, 670),
        At("Academic Editor: John Miller", 11, 60, 650),
        At("Received: 3 March 2016", 11, 60, 630),
    ]
    assert authors(*head) == ["Alice Martin", "Robert Weber"]


def test_thesis_has_one_author_and_no_supervisor():
    first = [
        TITLE,
        At("A thesis presented", 12, 60, 650), At("by", 12, 60, 630),
        At("Alice Martin", 12, 60, 610),
        At("in partial fulfillment of the requirements for the degree of", 12, 60, 590),
        At("Supervisor: Robert Weber", 12, 60, 570), At("Carlos Fernandez", 12, 60, 550),
    ]  # fmt: skip
    assert [author.name for author in read(first, body()).paper.authors] == ["Alice Martin"]


SUPERVISOR_FIRST = [
    At("Supervisor: Prof. Robert Weber", 12, 60, 650), At("Dr. Carlos Fernandez", 12, 60, 635),
    At("Submitted by", 12, 60, 590), At("Alice Martin", 12, 60, 575),
]  # fmt: skip
SUPERVISOR_BESIDE = [
    At("Relatore:", 12, 60, 650), At("Candidato:", 12, 350, 650),
    At("Prof. Robert Weber", 12, 60, 635), At("Alice Martin", 12, 350, 635),
    At("Correlatore:", 12, 60, 620), At("Dott. Carlos Fernandez", 12, 60, 605),
]  # fmt: skip


@pytest.mark.parametrize("names", [SUPERVISOR_FIRST, SUPERVISOR_BESIDE])
def test_supervisor_named_first_is_not_the_author(names):
    found = read([TITLE, At("A thesis", 12, 60, 680), *names], body()).paper.authors
    assert [author.name for author in found] == ["Alice Martin"]


def test_names_in_a_column_beside_the_abstract_are_all_read():
    head = [
        At("Alice Martin", 9, 60, 690), At("Abstract: we watched the bees", 10, 250, 690),
        At("Robert Weber", 9, 60, 679), At("of the lake for several years.", 10, 250, 678),
        At("Wei Zhang", 9, 60, 668), At("They flew over it.", 10, 250, 666),
    ]  # fmt: skip
    assert authors(*head) == ["Alice Martin", "Robert Weber", "Wei Zhang"]


def test_list_of_names_goes_on_in_bold():
    head = [
        At("Alice Martin, Robert Weber, Wei Zhang,", 11, 60, 690),
        At("Anna Fischer, Carlos Fernandez", 11, 60, 677, bold=True),
    ]
    found = ["Alice Martin", "Robert Weber", "Wei Zhang", "Anna Fischer", "Carlos Fernandez"]
    assert authors(*head) == found


def test_one_word_with_a_mark_among_names_is_a_name():
    head = [
        At("Alice Martin", 11, 60, 690), raised("1", 122, 690),
        At(", Suharto", 11, 130, 690), raised("2", 176, 690),
        At(", Robert Weber", 11, 184, 690), raised("1", 258, 690),
    ]  # fmt: skip
    assert authors(*head) == ["Alice Martin", "Suharto", "Robert Weber"]


def test_unknown_words_in_a_block_of_names_are_a_name():
    head = [
        At("Alice Martin", 11, 60, 690), At("Thandiwe Qqwerty", 11, 60, 677),
        At("Prepared by", 11, 60, 640), At("University of Oslo", 11, 60, 627),
    ]  # fmt: skip
    assert authors(*head) == ["Alice Martin", "Thandiwe Qqwerty"]


def test_names_below_a_summary_are_found_by_the_word_by():
    summary = [
        "We watched the bees of the lake for years",
        "and they flew over it in the sun,",
        "which is what this report of ours is about,",
        "and it is for the young in school.",
    ]
    head = [At(text, 12, 60, 690 - 14 * i) for i, text in enumerate(summary)]
    assert authors(*head, At("By Alice Martin and Robert Weber", 10, 60, 620, bold=True)) == [
        "Alice Martin",
        "Robert Weber",
    ]


def test_version_of_open_peer_review_is_no_part_of_the_title():
    title = At(f"{TITLE.text} [version 1; peer review: 2 approved]", 18, 60, 720)
    paper = read([title, At("Alice Martin", 11, 60, 690), ABSTRACT, *body(540, 20)]).paper
    assert (paper.title, len(paper.authors)) == (TITLE.text, 1)


def test_line_numbers_of_a_manuscript_are_ignored():
    lines = ["On the Flight of Honey Bees", "Alice Martin, Robert Weber", "Abstract"]
    lines += ["We watched the bees of the lake for years and they flew over it."] * 12
    numbered = [
        text
        for i, line in enumerate(lines)
        for text in (At(str(i + 1), 10, 30, 700 - 26 * i), At(line, 12, 60, 700 - 26 * i))
    ]
    paper = read(numbered).paper
    assert paper.title == "On the Flight of Honey Bees"
    assert [author.name for author in paper.authors] == ["Alice Martin", "Robert Weber"]


def test_uncertain_authors_are_a_guess_and_not_authors():
    content = read(page(At("Alice Martin, Robert Weber, learning of features", 11, 60, 690)))
    assert not content.paper.authors
    guess = [author.name for author in guessed_authors(content.paper)]
    assert guess == ["Alice Martin", "Robert Weber"]
    assert "Robert Weber" in content.remark


def test_uncertain_year_is_that_of_its_history_or_else_of_the_file():
    manuscript = page(At("Received 3 May 2014, revised 2 June 2015", 9, 60, 540))
    content = read(manuscript, info={"CreationDate": "D:20190401120000"})
    assert content.paper.year is None and guessed_year(content.paper) == "2015"
    undated = read(page(), info={"CreationDate": "D:20190401120000"}).paper
    assert undated.year is None and guessed_year(undated) == "2019"
    assert guessed_year(read(page()).paper) == ""


def test_uncertain_title_is_a_guess_beside_the_name_of_the_file():
    # Hardly larger than the text that follows it closely.
    paper = read([At("On the flight of bees", 11, 60, 712), *body(700, 20)]).paper
    assert (paper.title, guessed_title(paper)) == ("file name", "On the flight of bees")
    assert accepted(paper, "title")["title"] == "On the flight of bees"
    assert guessed_title(replace(paper, title="Typed by hand")) == ""


def test_citation_of_the_paper_gives_authors_that_its_byline_does_not():
    first = [
        At("Citation: Martin A, Weber RK (2015) On the Flight of Honey Bees over Water.", 9, y=760),
        At("Journal of Bees 12(3): 45-67.", 9, 60, 749),
        *page(At("A report from the lake", 11, 60, 690)),
    ]  # fmt: skip
    paper = read(first).paper
    assert [author.name for author in paper.authors] == ["A. Martin", "R. K. Weber"]
    assert (paper.year, paper.venue) == (2015, "Journal of Bees")


def test_cover_sheet_is_passed_over():
    cover = [
        At("University of Somewhere", 24, 60, 760),
        At("On the Flight of Honey Bees over Water", 12, 60, 720),
        At("Alice Martin, et al.", 11, 60, 700),
        At("Citation for published version (APA):", 10, 60, 680),
        At("General rights", 10, 60, 660),
    ]
    paper = read(cover, page(At("Alice Martin, Robert Weber", 11, 60, 690))).paper
    assert paper.title == TITLE.text
    assert [author.name for author in paper.authors] == ["Alice Martin", "Robert Weber"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Alice Martin MD, PhD, Robert Weber, MSc", ["Alice Martin", "Robert Weber"]),
        ("Dr. Alice Martin and Prof. Robert Weber", ["Alice Martin", "Robert Weber"]),
        ("Alice Martin, Member, IEEE, and Robert Weber, Senior Member, IEEE",
         ["Alice Martin", "Robert Weber"]),
        ("ALICE MARTIN AND ROBERT VAN DER BERG", ["Alice Martin", "Robert van der Berg"]),
        ("Martin A, Weber RK, Zhang W", ["A. Martin", "R. K. Weber", "W. Zhang"]),
        ("Martin, Alice; Weber, Robert K.", ["Alice Martin", "Robert K. Weber"]),
        ("Alice MARTIN, Robert WEBER", ["Alice Martin", "Robert Weber"]),
        ("Alice Martin1,2*, Robert Weber3 & Wei Li1", ["Alice Martin", "Robert Weber", "Wei Li"]),
        ("Alice Martin ann@example.org, Robert Weber", ["Alice Martin", "Robert Weber"]),
        ("by Alice Martin · Robert Weber", ["Alice Martin", "Robert Weber"]),
        ("Robert Downey Jr., Alice Martin", ["Robert Downey Jr", "Alice Martin"]),
        ("王伟，李娜", ["伟 王", "娜 李"]),
        ("山田 太郎、佐藤 さくら", ["太郎 山田", "さくら 佐藤"]),
        ("XU Wei, ZHANG Alice, LI Na", ["Wei Xu", "Alice Zhang", "Na Li"]),
        ("JK Martin, Robert Weber", ["JK Martin", "Robert Weber"]),
        ("Alice MartiniD1, Robert WeberiD2", ["Alice Martin", "Robert Weber"]),
        ("Alice Martin1 e Robert Weber2", ["Alice Martin", "Robert Weber"]),
        ("Dott.ssa Alice Martin", ["Alice Martin"]),
        ("А. В. Иванов, С. П. Петрова", ["А. В. Иванов", "С. П. Петрова"]),
    ],
)  # fmt: skip
def test_line_of_names_is_split_into_authors(line, expected):
    assert [author.name for author in authors_of(pieces_of(marked_text(line)))] == expected


@pytest.mark.parametrize(
    "line",
    ["University of Oslo, Norway", "Department of Physics", "Received 3 May 2010", "Oslo, Norway",
     "Deep learning for the detection of bees", "New York, USA"],
)  # fmt: skip
def test_byline_of_other_text_is_empty(line):
    assert pieces_of(marked_text(line)).names == 0


def test_capitals_tell_the_family_name_apart():
    assert author_of("ZHANG Wei").family == "Zhang"
    assert author_of("Wei ZHANG").family == "Zhang"


@pytest.mark.parametrize(
    ("line", "year"),
    [
        ("Published online: 21 January 2016", 2016),
        ("© 2014 The Authors", 2014),
        ("Journal of Bees 181 (2010) 687-702", 2010),
        ("Bees, Vol. 12, No. 3, March 2009", 2009),
        ("Proceedings of the 9th Conference on Bees, Oslo, 2018", 2018),
        ("Received: 21 January 2016", None),
        ("As Smith (2011) has shown, bees of the lake are the best of all bees that we have", None),
    ],
)
def test_year_is_that_of_publication(line, year):
    assert read([At(line, 8, 60, 780), *page()]).paper.year == year


def test_year_of_a_reference_is_not_the_papers():
    references = [At("References", 10, 60, 100, bold=True)]
    references += [At("[1] Ann Lee, Bees, vol. 12, 2007, pp. 1-3.", 9, 60, 60)]
    assert read([*page(), *references]).paper.year is None


def test_printed_doi_keeps_its_case():
    head = [At("Alice Martin", 11, 60, 690), At("doi: 10.1016/S0140-6736(20)30183-5", 8, 60, 40)]
    paper = read(page(*head)).paper
    assert paper.identifier("doi") == "10.1016/s0140-6736(20)30183-5"
    assert paper.written_doi == "10.1016/S0140-6736(20)30183-5"


def test_doi_in_brackets_and_in_an_address_is_found():
    brackets = printed_doi(["To cite this version: Bees.\n⟨10.1016/j.bee.2016.0123⟩. ⟨hal-01⟩"], [])
    assert brackets[0] == "10.1016/j.bee.2016.0123"
    line = "www.bees.org/cgi/doi/10.1073/bees.17123 BEES | March 6, 2018 | vol. 115 | no. 10"
    assert printed_doi([line], [])[0] == "10.1073/bees.17123"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Di Jin", "Di Jin"),
        ("Peter C. Ma", "PETER C. MA"),
        ("Timothy H. Boyer", "Boyer, Timothy H."),
        ("Francesca Parise", "Francesca Parise"),  # not France
    ],
)
def test_name_that_resembles_other_words_is_read(name, text):
    assert authors(At(text, 11, 60, 690), At("University of Oslo", 9, 60, 670)) == [name]


def test_unknown_words_with_a_mark_between_names_are_a_name():
    text = "Alice Martin*, Robert Weber*, Ad Lagendijk*, Anna Fischer*"
    assert authors(At(text, 11, 60, 690))[2] == "Ad Lagendijk"


def test_name_hyphenated_at_the_end_of_a_line_is_joined():
    head = [At("Alice Martin, Robert Weber, Anna Schwarz-", 11, 60, 690)]
    head += [At("mann, Maria Fischer", 11, 60, 677)]
    assert len(authors(*head)) == 4


def test_hyphen_of_a_double_name_is_kept_at_the_end_of_a_line():
    head = [At("Alice Martin, Robert Weber, Jean-", 11, 60, 690)]
    head += [At("Pierre Schwarz, Maria Fischer", 11, 60, 677)]
    assert "Jean-Pierre Schwarz" in authors(*head)


def test_mark_at_the_start_of_a_line_belongs_to_the_name_above():
    head = [
        At("Alice Martin, Robert Weber", 11, 60, 690),
        raised("1,2", 60, 677), At(", Anna Fischer", 11, 75, 677),
    ]  # fmt: skip
    assert authors(*head) == ["Alice Martin", "Robert Weber", "Anna Fischer"]


def test_member_in_another_style_on_the_next_line_ends_the_name_above():
    head = [
        At("Alice Martin, Robert Weber, and Anna", 11, 60, 690),
        At("Fischer, Member, IEEE", 11, 60, 677, bold=True),
    ]
    assert authors(*head) == ["Alice Martin", "Robert Weber", "Anna Fischer"]


def test_membership_in_parentheses_is_no_part_of_a_name():
    head = [
        At("ALICE MARTIN (Member, IEEE), ROBERT WEBER (Senior Member,", 11, 60, 690, bold=True),
        At("IEEE), and TINA LOPEZ", 11, 60, 677, bold=True),
        At("Department of Physics, University of Oslo", 10, 60, 655),
    ]
    assert authors(*head) == ["Alice Martin", "Robert Weber", "Tina Lopez"]


def test_affiliations_beside_names_are_no_sentence():
    head = [
        At("Alice Martin, School of Mathematics, University of Oslo, Oslo", 11, 60, 690),
        At("Robert Weber, Department of Physics, University of Bristol, Bristol", 11, 60, 677),
        At("Tina Lopez, Faculty of Medicine, University of Freiburg, Freiburg", 11, 60, 664),
        At("Ann Braun, Institute of Physics, University of Vienna, Vienna", 11, 60, 651),
    ]
    assert authors(*head) == ["Alice Martin", "Robert Weber", "Tina Lopez", "Ann Braun"]


@pytest.mark.parametrize(
    "line, expected",
    [
        ("Daniel ERRO, Vidhi ZALA", ["Daniel Erro", "Vidhi Zala"]),
        ("Smith JAB, Jones T", ["J. A. B. Smith", "T. Jones"]),
    ],
)
def test_four_capitals_are_a_family_name_and_three_initials(line, expected):
    assert [author.name for author in authors_of(pieces_of(marked_text(line)))] == expected


@pytest.mark.parametrize("size, count", [(12, 2), (10, 1)])
def test_text_of_another_size_close_by_is_another_cell(size, count):
    text = LayoutLine("a line of text in the left column", 10, 60, 300, 500)
    heading = LayoutLine("2 Related work", size, 310, 400, 500)
    rows = rows_of(PageLayout(800, (text, heading)))
    assert [len(row.cells) for row in rows] == [count]
