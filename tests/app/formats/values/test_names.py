import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.paper import Author
from sciread_app.formats.values import latex, names


def listed(text):
    found, others = names.split_list(latex.grouped(text))
    authors = [author for name in found for author in names.parse(name, latex.plain)]
    return authors, others


@pytest.mark.parametrize(
    ("written", "author"),
    [
        ("Donald E. Knuth", Author("Knuth", "Donald E.")),
        ("Knuth, Donald E.", Author("Knuth", "Donald E.")),
        ("Ludwig van der Beethoven", Author("Beethoven", "Ludwig", "van der")),
        ("van der Beethoven, Jr., Ludwig", Author("Beethoven", "Ludwig", "van der", "Jr.")),
        ("Beethoven, Ludwig, Jr.", Author("Beethoven", "Ludwig", "", "Jr.")),
        ("Martin Luther King Jr.", Author("King", "Martin Luther", "", "Jr.")),
        ("Rajan Kumar V.", Author("V.", "Rajan Kumar")),
        ("Plato", Author("Plato")),
        ("{World Health Organization}", Author("World Health Organization", literal=True)),
        ("{Barnes and Noble}", Author("Barnes and Noble", literal=True)),
        ("Society of the Blind", Author("Society of the Blind", literal=True)),
        ("{W.M.P. van der} Aalst", Author("Aalst", "W.M.P. van der")),
        ("{de Silva}, Jo", Author("de Silva", "Jo")),
        ("{Barnes, Noble} Press", Author("Press", "Barnes, Noble")),
        (r"{\'E}mile Zola", Author("Zola", "Émile")),
        (r"Jean {\'e}l Zola", Author("Zola", "Jean", "él")),
        ("Jean-Paul d'Ormesson", Author("d'Ormesson", "Jean-Paul")),
    ],
)
def test_name_is_split_into_parts(written, author):
    assert listed(written) == ([author], False)


def test_names_are_split_at_and_outside_braces():
    found, others = listed("Ann Lee and {Barnes and Noble} AND Sand, Andy and others")
    assert [author.family for author in found] == ["Lee", "Barnes and Noble", "Sand"]
    assert others


@pytest.mark.parametrize(
    "written",
    [
        "Smith, SR, Newton, K, Hill, J",
        "Smith, SR; Newton, K; Hill, J",
        "S R Smith, K Newton, J Hill",
        "Smith, SR, Newton, K, and Hill, J",
    ],
)
def test_lists_without_and_are_split(written):
    assert [author.family for author in listed(written)[0]] == ["Smith", "Newton", "Hill"]


def test_plain_name_of_organisation_is_literal():
    assert names.from_plain("National Institute of Health").literal
    assert names.from_plain("EndNote Custom,") == Author("EndNote Custom", literal=True)
    assert names.from_plain("Jane van Doe") == Author("Doe", "Jane", "van")
    assert names.from_plain("van der Berg,J. A., Jr") == Author("Berg", "J. A.", "van der", "Jr")


WORD = st.text(st.sampled_from("ÀabcdéöşŁxyzn'-{}&%"), min_size=1, max_size=6).map(
    lambda word: f"Q{word}"
)
PERSON = st.builds(
    Author,
    family=st.lists(WORD, min_size=1, max_size=2).map(" ".join),
    given=st.lists(WORD, min_size=1, max_size=3).map(" ".join),
    particle=st.sampled_from(["", "van", "van der", "de la", "d’"]),
    suffix=st.sampled_from(["", "Jr", "III"]),
    literal=st.just(False),
)
BODY = st.lists(WORD | st.sampled_from(["and", "of", "the", "a, b", "x; y"]), min_size=1).map(
    lambda words: Author(" ".join(words), literal=True)
)


@given(st.lists(PERSON | BODY, min_size=1, max_size=4), st.booleans())
def test_name_list_survives_a_bibtex_round_trip(authors, others):
    assert listed(names.to_bibtex(authors, latex.encode, others=others)) == (authors, others)


@given(PERSON)
def test_person_survives_a_plain_text_round_trip(author):
    assert names.from_plain(names.to_plain(author)) == author


def test_repeated_initials_in_given_and_family_name_are_one_author():
    author = Author("Q Qa", "Q Qa")
    written = names.to_bibtex([author], str, others=False)
    assert names.parse(written, lambda text: text.strip("{}")) == [author]


def test_endless_gap_in_name_list_is_parsed_quickly():
    assert listed("Ann Lee" + " " * 1_000_000 + "and Bo Ray")[0] == [
        Author("Lee", "Ann"),
        Author("Ray", "Bo"),
    ]
    assert len(names.split_list("Ann" + " " * 1_000_000 + "Lee")[0]) == 1
