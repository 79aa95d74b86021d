import gzip
import json
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.paper import Author
from sciread_app.formats.values.author_list import authors


def names(value):
    """Return each author as "given|family" with particle and suffix; organisations in <>."""
    return [
        f"<{a.family}>"
        if a.literal
        else "|".join((a.given, f"{a.particle} {a.family} {a.suffix}".strip()))
        for a in authors(value)
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("P. Cichosz", ["P.|Cichosz"]),
        ("A. Foo, B. Bar and C. Baz", ["A.|Foo", "B.|Bar", "C.|Baz"]),
        ("Lin Lin, Sihong Shao, Weinan E", ["Lin|Lin", "Sihong|Shao", "Weinan|E"]),
        ("Jarke J. van Wijk, A. de Bari", ["Jarke J.|van Wijk", "A.|de Bari"]),
        ("P Hannonen; J Schulte am Esch", ["P|Hannonen", "J Schulte|am Esch"]),
        ("W. T. McKinney, Jr., R. G. Eising", ["W. T.|McKinney Jr.", "R. G.|Eising"]),
        ("C. Lynch, III", ["C.|Lynch III"]),
        ("Benjamin Jr. Molina, Al Tee", ["Benjamin Jr.|Molina", "Al|Tee"]),
        (
            "F. Reese Harvey, H. Blaine Lawson,, John Wermer",
            ["F. Reese|Harvey", "H. Blaine|Lawson", "John|Wermer"],
        ),
        (
            "Keith Vander Linden, ; Barbara Di Eugenio",
            ["Keith Vander|Linden", "Barbara Di|Eugenio"],
        ),
        (
            "H. W. L. Naus, H. --J. Pirner, Y. -c. Ghim",
            ["H. W. L.|Naus", "H.-J.|Pirner", "Y.-c.|Ghim"],
        ),
        ("A. -L. Melchior et al", ["A.-L.|Melchior"]),
        ("Stephan Gekle \\and José Manuel Gordillo", ["Stephan|Gekle", "José Manuel|Gordillo"]),
        ("Niels Gr{\\o}nbech-Jensen, Sa\\v{s}a Miran", ["Niels|Grønbech-Jensen", "Saša|Miran"]),
    ],
)
def test_author_line_is_split_into_names(line, expected):
    assert names(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Xinfang Zhang, Pingxing Chen1", ["Xinfang|Zhang", "Pingxing|Chen"]),
        (
            "Qili Tian, 1 Wei Wang, 1Charles A. Langston",
            ["Qili|Tian", "Wei|Wang", "Charles A.|Langston"],
        ),
        ("Amitabha Lahiri, 10", ["Amitabha|Lahiri"]),
        ("C. Balázs (1), P. Nadolsky (2 and 3) ((1) ANL, (2) Foo)", ["C.|Balázs", "P.|Nadolsky"]),
        ("A. Lee (MIT), B. Foo (CERN, Geneva)", ["A.|Lee", "B.|Foo"]),
        ("Mohammed (Ehsan) Hoque, B. Foo", ["Mohammed (Ehsan)|Hoque", "B.|Foo"]),
    ],
)
def test_affiliation_marks_are_not_part_of_a_name(line, expected):
    assert names(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (" CMS Collaboration", ["<CMS Collaboration>"]),
        ("NEMO-3 Collaboration, :, R. Arnold", ["<NEMO-3 Collaboration>", "R.|Arnold"]),
        (
            " Tingjun Yang for the ArgoNeuT Collaboration",
            ["Tingjun|Yang", "<ArgoNeuT Collaboration>"],
        ),
        (
            "Bei-Zhen Hu, for the Daya Bay Collaboration",
            ["Bei-Zhen|Hu", "<Daya Bay Collaboration>"],
        ),
        (
            "Kelly Stifter, on behalf of the CMS Collaboration",
            ["Kelly|Stifter", "<CMS Collaboration>"],
        ),
        ("A. Kirk, the MAST Team", ["A.|Kirk", "<MAST Team>"]),
        ("S. Caron, D0 collaboration", ["S.|Caron", "<D0 collaboration>"]),
        (
            "national advisory committee for aeronautics",
            ["<national advisory committee for aeronautics>"],
        ),
        (["Roger Lacasse and the E877 Collaboration"], ["Roger|Lacasse", "<E877 Collaboration>"]),
    ],
)
def test_organisations_keep_their_whole_name(line, expected):
    assert names(line) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Comaromi, J.P.", ["J.P.|Comaromi"]),
        ("Fayollat, James", ["James|Fayollat"]),
        ("Garvey, W.D. Griffith, B.c.", ["W.D.|Garvey", "B.c.|Griffith"]),
        ("Saracevic, Tefko Perk, Lawrence J.", ["Tefko|Saracevic", "Lawrence J.|Perk"]),
        ("Byrum, John D. Jr. Rowen, Judith S.", ["John D.|Byrum Jr.", "Judith S.|Rowen"]),
        ("Kraft, D. H. Hill, T. W. Jr.", ["D. H.|Kraft", "T. W.|Hill Jr."]),
        ("van driest,e.r. and blumer,c.b.", ["e.r.|van driest", "c.b.|blumer"]),
        (
            "holder, d.w., pearcey, h.h. and gadd, g.e.",
            ["d.w.|holder", "h.h.|pearcey", "g.e.|gadd"],
        ),
        ("ferri, a. zakkay, v. and ting, l.", ["a.|ferri", "v.|zakkay", "l.|ting"]),
        ("sol r. bodner", ["sol r.|bodner"]),
    ],
)
def test_names_with_family_first_are_parsed(line, expected):
    assert names(line) == expected


def test_list_has_one_author_per_item():
    assert names(["U.M.Heller", "J.W.York Jr", "J.-A.Rodríguez", "van Genabith, Josef"]) == [
        "U.M.|Heller",
        "J.W.|York Jr",
        "J.-A.|Rodríguez",
        "Josef|van Genabith",
    ]


def test_names_cut_at_an_entity_are_repaired():
    assert names(["Mauser, Arne", "Hasan, Sa&scaron", "a", "L&oacute", "pez, Eduardo"]) == [
        "Arne|Mauser",
        "Saša|Hasan",
        "Eduardo|López",
    ]


@pytest.mark.parametrize("nothing", ["", " , ;", None, 7, {}, ["", " ,"], [None, 3]])
def test_text_without_names_has_no_authors(nothing):
    assert authors(nothing) == ()


@given(st.text() | st.lists(st.text()))
def test_any_text_gives_only_authors_with_names(value):
    assert all(isinstance(a, Author) and a.name.strip() for a in authors(value))


def test_author_names_of_arxiv_are_clean(shared):
    with gzip.open(shared / "data" / "arxiv" / "papers.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in islice(lines, 20_000)]
    found = [author for record in records for author in authors(record["authors"])]
    odd = [a for a in found if not a.literal and set(a.name) & set("(){}$;:&\\0123456789")]
    assert len(found) > 50_000
    assert len(odd) < 10


@pytest.mark.parametrize("endless", [",", " ,", "(1, ", "[", "]["])
def test_endless_author_line_is_parsed_quickly(endless):
    found = authors("Ann Lee" + endless * 300_000 + "1")
    assert f"{found[0].given} {found[0].family}".startswith("Ann Lee")
