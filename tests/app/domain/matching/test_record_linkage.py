"""Rules that classify two records as the same paper, versions of one work, or different."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.matching.record_keys import MatchVerdict
from sciread_app.domain.matching.record_linkage import judge, likelihood
from sciread_app.domain.matching.titles import is_generic
from sciread_app.domain.paper import Paper
from tests.support.generate.papers import paper

LONG = "A measurement of the anomalous magnetic moment of the muon"


def verdict(a: Paper, b: Paper) -> MatchVerdict:
    assert judge(a, b).verdict == judge(b, a).verdict
    return judge(a, b).verdict


@pytest.mark.parametrize("kind, value", [("pmid", "123"), ("arxiv", "2101.00027"), ("pmcid", "7")])
def test_same_identifier_is_same_paper_despite_titles(kind, value):
    assert verdict(paper("Bees", **{kind: value}), paper("Wasps", **{kind: value})) == "same"


def test_same_doi_is_same_paper():
    a = paper("The bees of Belgium", doi="10.1000/BEES")
    b = paper("Bees of Belgium", doi="https://doi.org/10.1000/bees.")
    assert verdict(a, b) == "same"


def test_same_doi_with_different_titles_is_maybe():
    a = paper("The bees of Belgium", doi="10.1000/bees")
    b = paper("Superconductivity in nickelates", doi="10.1000/bees")
    assert verdict(a, b) == "maybe"


def test_same_doi_of_two_conference_talks_is_maybe():
    a = paper("Behaviour of speech in Wilson's disease", authors="Barbosa, E.", doi="10.1002/mds")
    b = paper("Epilepsy in Wilson's disease", authors="Prashanth, L.", doi="10.1002/mds")
    assert verdict(a, b) == "maybe"


def test_placeholder_doi_is_ignored():
    a = paper("The bees of Belgium", doi="10.1145/nnnnnnn.nnnnnnn")
    b = paper("Superconductivity in nickelates", doi="10.1145/nnnnnnn.nnnnnnn")
    assert verdict(a, b) == "different"


def test_same_title_author_and_year_is_same_paper():
    a = paper(LONG, authors="Brown, Hugh N.; Bunce, G.", published="2001")
    b = paper(LONG.upper() + ".", authors="BROWN, H.; Bunce, Gerry", published="2001-02")
    assert verdict(a, b) == "same"


@pytest.mark.parametrize(
    "other",
    [
        paper(LONG, authors="Brown, Karl", published="2001"),  # another Brown
        paper(LONG, authors="Bunce, G.", published="2001"),
        paper(LONG, authors="Brown, H.", published="2004"),
        paper("Erratum: " + LONG, authors="Brown, H.", published="2001"),
        paper(LONG + ", part II", authors="Brown, H.", published="2001"),
        paper(LONG + " 2", authors="Brown, H.", published="2001"),
        paper("Reply to " + LONG, authors="Brown, H.", published="2001"),
    ],
)
def test_different_author_year_or_part_is_another_paper(other):
    assert verdict(paper(LONG, authors="Brown, Hugh", published="2001"), other) == "different"


def test_agreeing_papers_with_different_dois_are_maybe():
    a = paper(LONG, authors="Brown, H.", doi="10.1586/14737140.7.1.57")
    b = paper(LONG, authors="Brown, H.", doi="10.1586/14787210.7.1.57")
    assert verdict(a, b) == "maybe"


def test_title_with_typo_is_maybe():
    a = paper(LONG, authors="Brown, H.", published="2001")
    b = paper(LONG.replace("moment", "momemt"), authors="Brown, H.", published="2001")
    assert verdict(a, b) == "maybe"


def test_generic_title_is_not_enough():
    a = paper("Editorial", authors="Brown, H.; Clark, J.", published="2001")
    b = paper("Editorial", authors="Brown, H.", published="2002")
    assert verdict(a, b) == "maybe"


def test_preprint_and_article_are_versions():
    preprint = paper(LONG, authors="Brown, H.", arxiv="hep-ex/0102017", published="2001")
    article = paper(
        LONG, authors="Brown, H. N.", doi="10.1103/x", published="2001", kind="article-journal"
    )
    assert verdict(preprint, article) == "versions"


def test_article_doi_of_preprint_links_versions():
    preprint = paper(LONG, arxiv="hep-ex/0102017", doi="10.1103/x", source="arxiv")
    article = paper("Quite another title", doi="10.1103/x", kind="article-journal")
    assert verdict(preprint, article) == "versions"


def test_two_preprints_with_same_article_doi_are_not_merged():
    a, b = paper(LONG, arxiv="2101.00027", doi="10.1/x"), paper(LONG, arxiv="2101.00028")
    assert verdict(a, b) == "different"
    assert (
        verdict(
            paper(LONG, arxiv="2101.00027", doi="10.1103/x"),
            paper(LONG, arxiv="2101.00028", doi="10.1103/x"),
        )
        == "maybe"
    )


# Two papers of one journal, year and volume by the same authors that differ in one word of the
# title.
PAIRS = [
    ("Bone loss and its risk factors in men", "Bone loss and its risk factors in women"),
    ("Sleep and memory consolidation in boys", "Sleep and memory consolidation in girls"),
    ("Toxicity of silver particles in vitro", "Toxicity of silver particles in vivo"),
    ("Hypothermia after cardiac surgery", "Hyperthermia after cardiac surgery"),
    ("Anion transport into cells of yeast", "Cation transport into cells of yeast"),
    ("Two-year outcome of coronary stents", "Three-year outcome of coronary stents"),
    ("2-year outcome of stenting the left artery", "5-year outcome of stenting the left artery"),
    ("Increased risk of stroke after infection", "Decreased risk of stroke after infection"),
    ("Genetics of type 1 diabetes in Finland", "Genetics of type 2 diabetes in Finland"),
    ("Soils of northern Ghana: a survey", "Soils of southern Ghana: a survey"),
    ("Correction: Soils of northern Ghana", "Erratum: Soils of northern Ghana"),
    ("Comment on the age of the universe", "Reply on the age of the universe"),
    ("Cortical maps in the cat", "Cortical maps in the rat"),
    ("Air quality in Beijing in 2013", "Air quality in Beijing in 2015"),
    ("The third law of thermodynamics revisited", "The fourth law of thermodynamics revisited"),
    ("Left ventricular strain in athletes", "Right ventricular strain in athletes"),
    ("Ferromagnetic order in thin films", "Antiferromagnetic order in thin films"),
    ("Magnetic properties of Fe3O4 layers", "Magnetic properties of Fe2O3 layers"),
    ("Five-year follow-up of leukaemia", "Six-year (yr) follow-up of leukaemia"),
    ("Introduction", "Introduction"),
    ("Book review", "Book review"),
    ("Editorial", "Editorial"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_similar_titles_in_one_volume_are_maybe_not_same(first, second):
    both = {"authors": "Smith, J.; Jones, K.", "published": "2010", "venue": "Lancet"}
    a = paper(first, **both, extra={"volume": "12", "pages": "580-2"})
    b = paper(second, **both, extra={"volume": "12", "pages": "601-9"})
    assert verdict(a, b) == ("different" if is_generic(first) else "maybe")
    without = paper(second, **both)  # a database that gives neither volume nor pages
    assert verdict(a, without) != "same"


@pytest.mark.parametrize(
    "other",
    [
        {"extra": {"volume": "13", "pages": "601"}},
        {"published": "2011"},
        {"venue": "Chest"},
        {"authors": "Jones, K."},
        {"doi": "10.1000/other"},
        {"kind": "book"},
    ],
)
@pytest.mark.parametrize(
    "title", ["Bone loss in men of the Andes", "Bone loss in 5 women of the Andes"]
)
def test_similar_titles_in_different_places_are_different(title, other):
    first = {
        "authors": "Smith, J.; Jones, K.",
        "published": "2010",
        "venue": "Lancet",
        "extra": {"volume": "12", "pages": "580-2"},
        "doi": "10.1000/one",
        "kind": "article-journal",
    }
    second = first | {"doi": "", "extra": {"volume": "12", "pages": "601-9"}}
    women = "Bone loss in women of the Andes"
    assert verdict(paper(title, **first), paper(women, **second)) == "maybe"
    assert verdict(paper(title, **first), paper(women, **second | other)) == "different"


WHOLE = {
    "authors": "Smith, John; Jones, K.",
    "published": "2010",
    "venue": "American Journal of Infection Control",
    "extra": {"volume": "12", "number": "3", "pages": "580-582"},
}


@pytest.mark.parametrize(
    "other",
    [
        {"extra": {"volume": "12", "pages": "580-2"}},
        {"extra": {"volume": "12 (3)", "pages": "580"}},
        {"extra": {}},
        {"venue": "Am J Infect Control"},
        {"venue": "The American journal of infection control (New York, N.Y.)"},
        {"venue": ""},
        {"authors": "SMITH, J."},
        {"published": "2010-05"},
        {"title": "A measurement of the <i>anomalous</i> magnetic moment of the muon."},
        {"title": "A Measurement of the {Anomalous} Magnetic Moment of the Muon"},
    ],
)
def test_agreeing_records_without_contradiction_are_same(other):
    first = {"title": LONG, **WHOLE}
    assert verdict(paper(**first), paper(**first | other)) == "same"


@pytest.mark.parametrize(
    "other",
    [
        {"extra": {"volume": "12", "pages": "581"}},
        {"extra": {"volume": "13", "pages": "580"}},
        {"venue": "American Journal of Cardiology"},
        {"published": "2011"},
        {"authors": "Jones, K.; Smith, John"},
        {"authors": "Smith, John; Miller, A."},
        {"kind": "paper-conference"},
        {"doi": "10.1000/other"},
        {"title": LONG.replace("moment", "momemt")},
        {"title": "Short report: " + LONG},
        {"title": LONG + ": a review of the evidence"},
        {"abstract": " ".join(f"other{n}" for n in range(60))},
    ],
)
def test_merely_similar_records_are_maybe(other):
    text = " ".join(f"word{n}" for n in range(60))
    first = {"title": LONG, "kind": "article-journal", "abstract": text, **WHOLE}
    a, b = paper(**first, doi="10.1000/one"), paper(**first | other)
    assert verdict(a, b) == "maybe"


@pytest.mark.parametrize(
    ("first", "second", "one"),
    [
        ("H$_2$O: on $\\alpha$-decay of nuclei", "H2O: on α-decay of nuclei", True),
        ("M\\\"uller's {\\O}re law of the sea", "Müller’s Øre law of the sea", True),
        ("Health care-associated fever in wards", "Healthcare associated fever in wards", True),
        ("CD4(+) cells in tuberculosis wards", "CD4+ cells in tuberculosis wards", True),
        ("CD4+ cells in tuberculosis wards", "CD4- cells in tuberculosis wards", False),
        ("Imaging the brain in a field of 1.5 T", "Imaging the brain in a field of 15 T", False),
        ("A history of the language C", "A history of the language C++", False),
        ("ハスの研究とその応用について", "バスの研究とその応用について", False),
    ],
)  # fmt: skip
def test_title_comparison_ignores_spelling_but_not_meaning(first, second, one):
    both = {"authors": "Smith, J.", "published": "2010"}
    assert (verdict(paper(first, **both), paper(second, **both)) == "same") is one


def test_doi_of_whole_volume_does_not_identify_its_parts():
    doi, both = "10.1659/0276-4741(2004)024", {"authors": "Smith, J.", "published": "2004"}
    part = paper("Introduction", doi=doi, **both, extra={"pages": "1-3"})
    chapter = paper("Introduction", doi=doi, **both, extra={"pages": "141-150"})
    other = paper("Spatial patterns of pastures in the Andes", doi=doi, **both)
    assert verdict(part, chapter) == verdict(part, other) == "maybe"
    men = paper("Bone loss in men of the Andes", doi=doi, **both, extra={"pages": "1-3"})
    women = paper("Bone loss in women of the Andes", doi=doi, **both, extra={"pages": "5-9"})
    assert verdict(men, women) == "maybe"


def test_likelihood_ranks_probable_duplicates_first():
    first = paper(LONG, **WHOLE)
    slip = paper(LONG.replace("moment", "momemt"), **WHOLE)
    abstract = paper(LONG, **WHOLE | {"venue": "Chest", "extra": {"pages": "S1"}})
    assert likelihood(first, first) > likelihood(first, slip) > likelihood(first, abstract)


TELLING = [
    ("men", "women"), ("boys", "girls"), ("male", "female"), ("mice", "rats"), ("dogs", "cats"),
    ("increased", "decreased"), ("early", "late"), ("acute", "chronic"), ("positive", "negative"),
    ("with", "without"), ("stable", "unstable"), ("symptomatic", "asymptomatic"),
    ("part I", "part II"),
    ("two-year", "three-year"), ("2-year", "3-year"), ("phase 2", "phase 3"),
    ("in vitro", "in vivo"),
    ("anion", "cation"), ("hypotension", "hypertension"), ("upper", "lower"), ("left", "right"),
    ("is effective", "is not effective"), ("E. coli", "E. faecalis"), ("2013", "2014"), ("α", "β"),
]  # fmt: skip
WORDS = st.lists(
    st.sampled_from(("treatment", "risk", "of", "infection", "protein", "children", "model")),
    min_size=3,
    max_size=6,
)  # fmt: skip


@given(
    st.sampled_from(TELLING) | st.tuples(st.integers(1, 60), st.integers(61, 99)).map(
        lambda both: (f"part {both[0]}", f"part {both[1]}")
    ),
    WORDS,
    WORDS,
    st.booleans(),
    st.booleans(),
)  # fmt: skip
def test_titles_with_different_content_word_are_never_merged(pair, before, after, full, upper):
    both = {"authors": "Smith, J.; Jones, K.", "published": "2010", "venue": "Lancet"}
    if full:
        both["extra"] = {"volume": "12", "pages": "580-2"}
    first, second = (" ".join((*before, word, *after)) for word in pair)
    second = second.upper() if upper else second
    assert verdict(paper(first, **both), paper(second, **both)) != "same"
