import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.errors import BadQuery
from sciread_app.sources.arxiv import query as arxiv_query
from tests.support.generate.papers import paper

ATTENTION = paper(
    "Attention Is All You Need",
    abstract="We propose a network architecture, the Transformer, of attention mechanisms.",
    authors="Vaswani, Ashish; Polosukhin, Illia; Müller, K.",
    published="2017-06-12",
    arxiv="1706.03762",
    fields=("cs.CL", "cs.LG"),
    extra={"comment": "15 pages, 5 figures", "journal_ref": "NIPS 30 (2017)", "number": "G-7"},
)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "transformer",
        "all:transformer",
        'all:"attention mechanism"',
        "ti:attention AND abs:transformers",
        "attention needed OR architecture",
        "ti:atten*",
        'ti:"all you ne?d"',
        "au:vaswani",
        'au:"Ashish Vaswani"',
        "au:vaswani_a",
        'au:"Vaswani, A."',
        "au:Muller",
        "au:Müller_Klaus",
        "au:polo*",
        "cat:cs.CL",
        "cat:CS.lg",
        "cat:cs.*",
        "cat:cs.C?",
        "co:figures",
        "jr:NIPS",
        "rn:G-7",
        "id:1706.03762",
        "id:1706.03762v5",
        "cat:hep-th OR ti:attention",
        "ti:attention ANDNOT au:hinton",
        "ti:(attention AND need)",
        "(ti:x OR (ti:attention AND cat:cs.*)) AND all:transformer",
        "cat:hep-th AND ti:x OR ti:attention",
        "submittedDate:[201706010000 TO 201706302359]",
        "submittedDate:[20170612* TO 20170612*]",
        "TI:attention",
    ],
)
def test_query_matches_paper(text):
    assert arxiv_query.check(text) == ""
    assert arxiv_query.parse(text).matches(ATTENTION)


@pytest.mark.parametrize(
    "text",
    [
        "all:galaxy",
        "ti:transformer",
        'all:"mechanisms attention"',
        "attention galaxy",
        "au:hinton",
        "au:Illia_Vaswani",
        "au:vaswani_b",
        "au:karlsson",
        "cat:cs.C",
        "cat:stat.*",
        "id:1706.03763",
        "ti:attention ANDNOT cat:cs.*",
        "ti:galaxy AND (ti:attention OR ti:need)",
        "submittedDate:[201706130000 TO 201801010000]",
    ],
)
def test_query_does_not_match_other_paper(text):
    assert arxiv_query.check(text) == ""
    assert not arxiv_query.parse(text).matches(ATTENTION)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(ti:a", "A ( is not closed."),
        ("ti:a)", "A ) has no matching (."),
        ("ti:a AND", "A search term is missing after AND."),
        ("OR ti:a", "A search term is missing before OR."),
        ("a AND OR b", "A search term is missing after AND."),
        ("a AND ()", "The parentheses are empty."),
        ("ti:", "A search term is missing after ti:"),
        ('ti:""', "A search term is missing after ti:."),
        ("all:*", "A search term is missing after all:."),
        ('ti:"a b', "A quotation mark is not closed."),
        ("submittedDate:[2024", "A [ is not closed."),
        (
            "submittedDate:2024",
            "Enter dates in the form submittedDate:[202401010000 TO 202412312359].",
        ),
        ("year:2024", "arXiv has no field year. Available fields: all:, ti:, au:, "),
        ("cat:sc.CL", "arXiv has no category sc.CL."),
        ("cat:cs", "cs is an archive, not a category. Enter cat:cs.* for all its papers."),
        ("id:2024", "2024 is not an arXiv ID."),
        ("ti:a and ti:b", 'Use AND, or put "and" in quotation marks.'),
        ("ti:a NOT ti:b", 'Use ANDNOT, or put "NOT" in quotation marks.'),
        ("(" * 5000 + "a", "The parentheses are nested too deeply."),
    ],
)
def test_invalid_query_is_explained(text, why):
    assert arxiv_query.check(text).startswith(why)
    with pytest.raises(BadQuery):
        arxiv_query.parse(text)


@pytest.mark.parametrize("category", ["cmp-lg", "alg-geom", "q-bio", "astro-ph", "math-ph", "q-*"])
def test_old_categories_are_known(category):
    assert arxiv_query.check(f"cat:{category}") == ""


@pytest.mark.parametrize(
    ("text", "categories"),
    [
        ("cat:cs.CL AND all:transformer", ["cs.CL"]),
        ("all:transformer AND (cat:cs.CL OR cat:stat.*)", ["cs.CL", "stat.*"]),
        ("(cat:cs.CL OR cat:cs.LG) AND cat:stat.ML", ["stat.ML"]),
        ("cat:cs.CL ANDNOT cat:cs.LG", ["cs.CL"]),
        ("cat:cs.CL OR ti:galaxy", None),
        ("ti:galaxy ANDNOT cat:cs.CL", None),
        ("galaxy", None),
        ("", None),
    ],
)
def test_categories_restrict_a_query(text, categories):
    assert arxiv_query.parse(text).categories() == categories


@given(st.text(alphabet='ab ti:cat.*?()"[]ANDORNOT\t', max_size=40))
def test_any_text_is_parsed_or_refused(text):
    try:
        arxiv_query.parse(text).matches(ATTENTION)
    except BadQuery as error:
        assert arxiv_query.check(text) == error.message


WORDS = st.sampled_from(["attention", "galaxy", "ti:need", "au:vaswani", "cat:cs.*", "cat:hep-th"])
QUERIES = st.recursive(
    WORDS.map(lambda word: (word, arxiv_query.parse(word).matches(ATTENTION))),
    lambda part: st.tuples(part, st.sampled_from(["AND", "OR", "ANDNOT"]), part).map(
        lambda p: (
            f"({p[0][0]} {p[1]} {p[2][0]})",
            {
                "AND": p[0][1] and p[2][1],
                "OR": p[0][1] or p[2][1],
                "ANDNOT": p[0][1] and not p[2][1],
            }[p[1]],
        )
    ),
    max_leaves=8,
)


@given(QUERIES)
def test_operators_have_boolean_semantics(query):
    text, expected = query
    assert arxiv_query.parse(text).matches(ATTENTION) == expected
