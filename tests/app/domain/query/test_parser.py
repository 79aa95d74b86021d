import sqlite3
import unicodedata
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sciread_app.domain.paper import Identifier
from sciread_app.domain.query.builder import QUOTES, fragment, joined
from sciread_app.domain.query.parser import TEXT_FIELDS, Condition, Term, any_of, parse, words_in
from sciread_app.errors import BadQuery

ABSTRACT = (
    "We study the spread of activation in networks: a model -- with few parameters -- explains "
    'what the "classical" theory (see author:smith) cannot, namely why year:2019..2015 OR so '
    "passes before the first reaction is seen. Experiments confirm the theory, but not -always."
)


def conditions(text):
    return [tuple(c) for c in parse(text).conditions]


def terms(text):
    return [term.text + "*" * term.prefix for term in parse(text).terms]


def test_common_words_are_encoded_but_not_ranked():
    query = parse("the role of Attention in neural networks")
    assert [t.text for t in query.terms] == ["role", "attention", "neural", "networks"]
    assert query.meaning == "the role of Attention in neural networks"
    assert query.conditions == ()


def test_query_of_only_common_words_keeps_them():
    assert terms("to be or not to be") == ["to", "be", "or", "not", "to", "be"]


def test_repeated_word_counts_each_time():
    assert terms("graph theory of graph minors") == ["graph", "theory", "graph", "minors"]


def test_compound_words_are_split_like_in_text_index():
    assert terms("COVID-19 state-of-the-art") == ["covid", "19", "state", "art"]


def test_phrase_ranks_and_is_required():
    query = parse('"deep learning" proteins')
    assert query.terms == (Term("deep learning"), Term("proteins"))
    assert query.conditions == (Condition("text", "deep learning"),)
    assert query.meaning == "deep learning proteins"


def test_typographic_quotation_marks_work_like_straight_ones():
    assert parse("“deep learning”") == parse('"deep learning"')
    assert conditions("«deep learning»") == conditions('"deep learning"')


def test_excluded_words_are_conditions_and_not_encoded():
    query = parse('jaguar -car -"big cat" -author:smith')
    assert conditions('jaguar -car -"big cat" -author:smith') == [
        ("text", "car", True),
        ("text", "big cat", True),
        ("author", "smith", True),
    ]
    assert (terms(query.text), query.meaning) == (["jaguar"], "jaguar")


def test_query_of_only_exclusions_has_no_terms():
    query = parse("-car")
    assert (query.terms, query.meaning) == ((), "")
    assert query.conditions == (Condition("text", "car", True),)


@pytest.mark.parametrize(
    "text", ["graph-based - methods", "bundles on O(-k)", "PU(2)-monopoles", "E2f-1, -2 and -3"]
)
def test_minus_inside_word_or_before_number_excludes_nothing(text):
    assert conditions(text) == []


@pytest.mark.parametrize("text", ['K\\"ahler manifolds', 'the 8" tube', 'v"=0 level'])
def test_quotation_mark_inside_word_quotes_nothing(text):
    assert conditions(text) == []


def test_prefix_ranks():
    assert parse("transf* learning").terms == (Term("transf", prefix=True), Term("learning"))
    assert parse("transf* learning").meaning == "learning"
    assert parse("transf*").meaning == "transf"


def test_star_after_one_or_two_letters_is_part_of_a_name():
    assert terms("A* search") == ["search"]
    assert terms("C*-algebras") == ["c", "algebras"]


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("author:curie", "author", "curie"),
        ('author:"van der Berg"', "author", "van der Berg"),
        ("author: curie", "author", "curie"),
        ("Authors:Curie", "author", "Curie"),
        ("title:graph*", "title", "graph*"),
        ("venue:nature", "venue", "nature"),
        ("journal:nature", "venue", "nature"),
        ("journal: nature", "venue", "nature"),
        ("conference:neurips", "venue", "neurips"),
        ("tags:urgent", "tag", "urgent"),
        ("folder:thesis", "in", "thesis"),
        ("category:cs.CL", "cat", "cs.CL"),
        ("stars:4..", "rating", "4..5"),
        ("date:2015", "year", "2015..2015"),
        ("abstract:entropy", "abstract", "entropy"),
        ("cat:cs.CL", "cat", "cs.CL"),
        ("cat:cs.*", "cat", "cs.*"),
        ('tag:"to read"', "tag", "to read"),
        ("in:thesis/methods", "in", "thesis/methods"),
        ("is:unread", "is", "unread"),
        ("has:PDF", "has", "pdf"),
        ("year:2015", "year", "2015..2015"),
        ("year:2015..2019", "year", "2015..2019"),
        ("year:2015-2019", "year", "2015..2019"),
        ("year:2015…2019", "year", "2015..2019"),
        ("year:..2019", "year", "..2019"),
        ("year:2015..", "year", "2015.."),
        ("year:>=2015", "year", "2015.."),
        ("year:>2015", "year", "2016.."),
        ("year:<2015", "year", "..2014"),
        ("rating:4..", "rating", "4..5"),
        ("rating:>=4", "rating", "4..5"),
        ("rating:3", "rating", "3..3"),
        ("rating:..2", "rating", "1..2"),
        ("rating:0", "rating", "0..0"),
        ("is:retracted", "is", "retracted"),
        ("is:unfiled", "is", "unfiled"),
        ("has:tags", "has", "tags"),
        ("in:trash", "in", "trash"),
        ("added:7d", "added", "7d"),
        ("added:today", "added", "0d"),
        ("added:2026-01..", "added", "2026-01-01.."),
        ("added:2026-02", "added", "2026-02-01..2026-02-28"),
        ("added:..2025", "added", "..2025-12-31"),
        ('venue:="Nature"', "venue", "=Nature"),
        ('author:="Marie Curie"', "author", "=Marie Curie"),
    ],
)
def test_fields_are_conditions(text, field, value):
    assert conditions(text) == [(field, value, False)]
    assert conditions(f"-{text}") == [(field, value, True)]


def test_open_year_range_is_unbounded():
    assert parse("year:2015..").conditions[0].years == (2015, 9999)
    assert parse("year:..2015").conditions[0].years == (0, 2015)


def test_words_of_title_field_also_rank():
    query = parse("title:attention author:vaswani")
    assert (terms(query.text), query.meaning) == (["attention"], "attention")


@pytest.mark.parametrize(
    "text",
    [
        *("10:30", "Re: x", "Attention: all you need", "Title: a story", "Train a CAT: how"),
        *("ZnO:Al films", "see https://example.org/x today", "a: b"),
    ],
)
def test_unknown_fields_are_plain_text(text):
    assert parse(text).conditions == ()
    assert parse(text).terms


def test_added_accepts_days_ago_and_date_ranges():
    (lately,), (spring,) = (parse(q).conditions for q in ("added:7d", "added:2026-03..2026-05"))
    assert lately.days(date(2026, 11, 22)) == (date(2026, 11, 15), date.max)
    assert spring.days(date(2026, 11, 22)) == (date(2026, 3, 1), date(2026, 5, 31))


def test_like_names_examples_and_counterexamples():
    query = parse("like:17,23 -like:5 graph minors like:17")
    assert (query.like, query.unlike) == ((17, 23), (5,))
    assert (query.conditions, query.meaning) == ((), "graph minors")


def test_like_accepts_citation_key_or_identifier():
    query = parse("like:vaswani2017attention -like:10.1016/0370-2693(88)91418-2 graphs")
    assert query.named_like == ("vaswani2017attention",)
    assert query.named_unlike == ("10.1016/0370-2693(88)91418-2",)
    assert (query.conditions, query.meaning) == ((), "graphs")


def test_unclosed_quotation_mark_is_ignored():
    assert parse('about "deep lear') == replace(parse("about deep lear"), text='about "deep lear')
    assert conditions('author:"curie') == [("author", "curie", False)]
    assert conditions('"deep learning" "of') == [("text", "deep learning", False)]


def test_conditions_before_pasted_text_or_identifier_are_kept():
    query = parse(f'in:"my thesis" cat:cs.CL OR cat:cs.LG {ABSTRACT}')
    assert query.pasted and query.meaning == " ".join(ABSTRACT.split())
    assert [c.field for c in query.conditions] == ["in", "cat"]
    query = parse("is:unread 10.1000/abc")
    assert query.identifier == Identifier("doi", "10.1000/abc")
    assert [c.field for c in query.conditions] == ["is"]


def test_or_between_words_is_one_condition():
    query = parse('cat OR dog OR "guinea pig" food')
    assert [t.text for t in query.terms] == ["cat", "dog", "guinea pig", "food"]
    (condition,) = query.conditions
    assert condition.alternatives == ("cat", "dog", "guinea pig")
    assert condition.expression == '"cat" OR "dog" OR "guinea pig"'


def test_or_between_values_of_a_field_is_one_condition():
    assert conditions("cat:cs.CL OR cat:cs.LG") == [("cat", "cs.CL\ncs.LG", False)]


def test_and_and_not_are_operators():
    assert parse("cats AND NOT dogs").conditions == parse("cats -dogs").conditions
    assert terms("cats AND NOT dogs") == ["cats"]


def test_dangling_or_is_ignored():
    assert terms("cats OR") == ["cats"]
    assert terms("OR cats") == ["cats"]


@pytest.mark.parametrize(
    ("text", "part", "hint"),
    [
        ("x year:2019..2015", "year:2019..2015", "year:2015..2019"),
        ("year:soon", "year:soon", "year:2015..2019"),
        ("year:15", "year:15", "year:2015"),
        ("year:..", "year:..", "year:2015"),
        ("rating:7", "rating:7", "rating:4.."),
        ("rating:>5", "rating:>5", "rating:4.."),
        ("rating:4..2", "rating:4..2", "rating:2..4"),
        ("added:soon", "added:soon", "added:7d"),
        ("added:2026-13", "added:2026-13", "added:7d"),
        ("added:2026..2025", "added:2026..2025", "added:2025..2026"),
        ("is:good", "is:good", "is:unread or is:read"),
        ("has:pictures", "has:pictures", "has:pdf"),
        ("author:", "author:", "author:curie"),
        ('tag:""', 'tag:""', "tag:"),
        ("author:??", "author:??", "author:curie"),
        ("title:a*", "title:a*", "photo*"),
        ("foo:bar", "foo", "author"),
        ('foo:"two words"', "foo", '"foo two words"'),
        ("title:", "title:", "title:boson"),
        ("deep journal:", "journal:", "venue:nature"),
        ("like:", "like:", "like:10"),
        ("???", "???", "graph neural networks"),
        ("\\rm", "\\rm", "graph neural networks"),
        ("\\bf*", "\\bf*", "graph neural networks"),
        ("-\\cal*", "\\cal*", "graph neural networks"),
        ("cat:cs.CL OR author:smith", "cat:cs.CL OR author:smith", "same field"),
        ("year:2015 OR year:2017", "year:2015..2015", "same field"),
        ("-cats OR dogs", "cats OR dogs", "between words"),
    ],
)
def test_invalid_query_is_explained(text, part, hint):
    with pytest.raises(BadQuery) as bad:
        parse(text)
    assert part in str(bad.value)
    assert hint in bad.value.hint


@pytest.mark.parametrize("text", ["bees \\bf*", "bees OR \\bf*", "bees -\\cal*", "\\rm bees"])
def test_tex_command_without_text_is_left_out(text):
    assert terms(text) == ["bees"] and not conditions(text)


def test_pasted_abstract_has_no_operators():
    query = parse(ABSTRACT)
    assert query.pasted
    assert query.conditions == ()
    assert query.meaning == ABSTRACT
    assert {"activation", "smith", "always"} <= {t.text for t in query.terms}


def test_pasted_identifier_is_the_whole_query():
    query = parse("https://arxiv.org/abs/1706.03762v5")
    assert query.identifier == Identifier("arxiv", "1706.03762")
    assert (query.terms, query.meaning) == ((), "")


def test_empty_query_has_no_terms():
    query = parse("  ")
    assert (query.terms, query.conditions, query.meaning) == ((), (), "")


@pytest.fixture(scope="module")
def text_index():
    db = sqlite3.connect(":memory:")
    columns = ", ".join(TEXT_FIELDS["text"])
    db.execute(
        f"CREATE VIRTUAL TABLE papers USING fts5({columns}, "
        "tokenize='porter unicode61 remove_diacritics 2')"
    )
    db.execute(
        "INSERT INTO papers (rowid, title, authors) VALUES "
        "(1, 'On Graphs', 'Ludwig van der Berg; Marie Curie'), "
        "(2, 'Graph Minors', 'Neil Robertson')"
    )
    yield db
    db.close()


def found(text_index, expression):
    rows = text_index.execute("SELECT rowid FROM papers WHERE papers MATCH ?", (expression,))
    return [row[0] for row in rows]


# Characters and words with a meaning in the query language, among others.
pieces = st.sampled_from(
    [
        *'"*:-()^+{}|',
        "OR",
        "AND",
        "NOT",
        "NEAR",
        "author:",
        "year:",
        "rating:",
        "added:",
        "like:",
        "venue:=",
        "\\bf",
        "2015..",
        "7d",
        "is:",
        "x",
        " ",
        "\0",
    ]
)
anything = st.one_of(
    st.text(max_size=60), st.lists(st.one_of(pieces, st.text(max_size=4))).map("".join)
)


@given(anything)
@settings(deadline=None)  # the machine may be busy
@example("İstanbul* ʼn")
@example('author:"a" OR author:"ß ﬁ"')
@example("x " * 5000)
def test_any_query_is_parsed_or_explained(text_index, text):
    try:
        query = parse(text)
    except BadQuery as bad:
        assert bad.message and bad.hint
        return
    if query.terms:
        found(text_index, any_of(dict.fromkeys(query.terms)))
    for condition in query.conditions:
        if condition.expression:
            found(text_index, condition.expression)


@pytest.mark.parametrize(
    "text",
    ['author:"Berg van der"', "author:berg", 'author:"L. van der Berg"', 'author:"berg, ludwig"'],
)
def test_author_matches_name_parts_in_any_order(text_index, text):
    (condition,) = parse(text).conditions
    assert found(text_index, condition.expression) == [1]


@given(st.lists(st.text(min_size=1), min_size=1, max_size=3), st.booleans())
def test_fragment_of_any_facet_value_can_be_parsed(names, negated):
    names = [name for name in names if words_in(name) and not set(name) & set(QUOTES + "\0")]
    assume(names)
    meant = [" ".join(unicodedata.normalize("NFC", name).split()) for name in names]
    for field, equals in (("tag", ""), ("in", ""), ("cat", ""), ("author", "="), ("venue", "=")):
        text = joined(["is:unread", fragment(field, names, negated=negated)], "OR words behind")
        query = parse(text)
        result = [part for c in query.conditions if c.field == field for part in c.alternatives]
        assert list(dict.fromkeys(result)) == list(dict.fromkeys(equals + name for name in meant))
        assert query.meaning == "words behind"


def test_parts_of_two_names_match_no_author(text_index):
    (condition,) = parse('author:"Ludwig Curie"').conditions
    assert found(text_index, condition.expression) == []


def test_field_searches_only_its_column(text_index):
    (condition,) = parse("author:graph").conditions
    assert found(text_index, condition.expression) == []
    (condition,) = parse("title:graph").conditions
    assert found(text_index, condition.expression) == [1, 2]
