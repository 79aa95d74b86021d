"""Texts of cards and details: marks, formulas, links, escaping of markup, progress."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.metadata.guesses import title_guess
from sciread_app.domain.metadata.identifiers import identifier_links
from sciread_app.domain.paper import PaperFile, PaperId
from sciread_app.domain.search_hit import MatchInfo, SearchHit
from sciread_app.domain.text.term_matching import spans
from sciread_app.language import format_percent
from sciread_app.ui.formatting import authors, authors_within, duration, progress_text
from sciread_app.ui.paper.details_html import body_text, head_text, marked, warning
from sciread_app.ui.paper_list.card_delegate import closeness
from sciread_app.ui.paper_list.card_text import (
    accessible_marks,
    best_excerpt,
    card_marks,
    match_text,
)
from sciread_app.ui.progress import JobProgress
from sciread_app.ui.style.theme import LIGHT
from sciread_app.ui.view_models import EMPTY_RESULTS, Card, Details, ResultList
from tests.support.generate.papers import paper


def hit(**evidence):
    return SearchHit(PaperId(1), **evidence)


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("Deep learning learns", "learn", ["learning", "learns"]),
        ("Two studies and a study", "studies", ["studies", "study"]),
        ("Schrödinger's cat", "schrodinger", ["Schrödinger"]),
        ("A category of cats", "cat", ["cats"]),
        ("Nothing here", "elsewhere", []),
    ],
)
def test_spans_contain_all_forms_of_a_word(text, word, found):
    assert [text[a:b] for a, b in spans(text, [word])] == found


@given(st.text())
def test_marked_accepts_any_text(text):
    marked(text, ("a", text), text[1:4], LIGHT)


def test_markup_of_a_paper_is_escaped():
    markup = '<img src="http://x/y.png"><script>alert(1)</script>&lt;'
    about = paper(
        markup, abstract=markup, authors=f"{markup}, X", venue=markup, fields=(markup,),
        keywords=(markup,), id=1, extra={"url": f'https://x/"{markup}', "withdrawn": markup},
    )  # fmt: skip
    shown = Details(Card(about), words=(markup,), sentence=markup, versions=((1, markup),))
    why = hit(text_rank=1, meaning_rank=1, percentile=99.0)
    listing = ResultList((1,), 1, {1: why}, words=("img",))
    text = head_text(shown, EMPTY_RESULTS, LIGHT, 10) + warning(shown)[1]
    text += body_text(shown, listing, LIGHT, 10)
    assert "<img" not in text and "<script" not in text and 'y.png"' not in text


def test_identifiers_have_links():
    found = identifier_links(
        paper(doi="10.1000/ab(1)c", arxiv="1706.03762", pmid="123", isbn="").identifiers
    )
    assert found == [
        ("DOI 10.1000/ab(1)c", "https://doi.org/10.1000/ab(1)c"),
        ("arXiv 1706.03762", "https://arxiv.org/abs/1706.03762"),
        ("PubMed 123", "https://pubmed.ncbi.nlm.nih.gov/123"),
    ]


def test_body_text_explains_why_a_paper_was_found():
    about = paper(abstract="It works. Very well.", id=1)
    shown = Details(Card(about), words=("works",), sentence="It works.")
    listing = ResultList((1,), 1, {1: hit(text_rank=3, percentile=99.27)}, words=("works",))
    text = body_text(shown, listing, LIGHT, 10)
    assert "Matching keywords: <b>works</b>" in text
    assert "<b>99.2%</b> match" in text
    assert "Rank by keyword: <b>3</b> · by meaning: not found" in text
    assert f'<span style="background-color:{LIGHT.sentence};">It </span>' in text


@pytest.mark.parametrize(
    ("percentile", "shown"),
    [(87.6, "87%"), (99.27, "99.2%"), (99.99, "99.9%"), (100, "99.9%")],
)
def test_percentiles_are_rounded_down(percentile, shown):
    assert format_percent(percentile) == shown


def test_closeness_is_logarithmic_in_the_distance_to_100():
    filled = [closeness(p) for p in (0, 50, 90, 99, 99.9, 100)]
    assert filled == sorted(filled)
    assert filled[0] == 0 and filled[-1] == 1
    assert filled[2] == pytest.approx(0.25) and filled[3] == pytest.approx(0.5)


def test_authors_beyond_the_limit_are_counted():
    many = paper(authors=";".join(f"Author{n}" for n in range(9)))
    assert authors(many).endswith("Author5 and 3 more")
    assert authors(many, 4).endswith("Author3 and 5 more")
    assert authors(paper(authors="")) == "Unknown authors"


def test_authors_with_others_are_not_counted():
    assert authors(paper(authors="Lee; Ng", extra={"and-others": "true"})) == "Lee, Ng et al."


def test_authors_within_a_width_are_counted():
    many = paper(authors=";".join(f"Author{n}" for n in range(9)))
    assert authors_within(many, lambda text: len(text) <= 30) == "Author0, Author1 and 7 more"
    assert authors_within(many, lambda text: False) == "Author0 and 8 more"
    two = replace(many, authors=many.authors[:2])
    assert authors_within(two, lambda text: len(text) <= 30) == "Author0, Author1"


def test_body_text_says_why_a_paper_needs_attention():
    files = (
        PaperFile(Path("/x/a<b.pdf"), problem="The file is damaged."),
        PaperFile(Path("b.pdf")),
    )
    shown = Details(Card(paper("", published="2020")), files=files)
    text = body_text(shown, EMPTY_RESULTS, LIGHT, 10)
    assert "No title · No authors" in text and "No year" not in text
    assert "a&lt;b.pdf: The file is damaged." in text and "b.pdf: <" not in text
    whole = Details(Card(paper("On bees", authors="Bee, Ann", published="2020")), files=files[1:])
    assert "NEEDS ATTENTION" in text
    assert "NEEDS ATTENTION" not in body_text(whole, EMPTY_RESULTS, LIGHT, 10)


def test_best_excerpt_starts_with_the_best_sentence():
    abstract = "It is long known. We study graph minors here. They are small."
    assert best_excerpt(abstract, ("graphs", "minor")) == (
        "… We study graph minors here. They are small."
    )
    assert best_excerpt(abstract, ()) == best_excerpt(abstract, ("bees",)) == abstract


def test_paper_with_a_guess_is_marked():
    card = Card(paper("scan", published="", extra=title_guess("On bees", "scan")))
    assert "Uncertain values" in [mark.text for mark in card_marks(card, LIGHT)]
    assert "uncertain values" in accessible_marks(card)
    accepted = Card(paper("On bees", extra=title_guess("On bees", "scan")))
    assert "Uncertain values" not in [mark.text for mark in card_marks(accepted, LIGHT)]


def test_card_marks_are_in_order_of_importance():
    marked = Card(
        paper(files=("/x/a.pdf",), fields=("math.CO",)), True, ("to read",), 4, "Retracted",
        {"to read": "green"}, 2,
    )  # fmt: skip
    marks = [mark.text for mark in card_marks(marked, LIGHT)]
    assert marks == ["Retracted", "★★★★☆", "to read", "2 versions", "PDF", "math.CO"]
    assert card_marks(marked, LIGHT)[2].fill != LIGHT.track
    assert accessible_marks(marked) == "Retracted, 4 stars, 2 versions, to read"
    assert accessible_marks(Card(paper())) == "unread"


def test_match_text_describes_the_percentile():
    texts = [match_text(hit(percentile=percentile)) for percentile in (99.95, 99, 96, 50)]
    assert texts == ["Very close", "Close", "Related", ""]


def test_match_text_of_a_result_is_never_negative():
    assert match_text(hit(percentile=50, match=MatchInfo.in_title)) == "In title"
    assert match_text(hit(percentile=50, match=MatchInfo.all_words)) == "All keywords"
    assert match_text(hit(meaning_rank=1, percentile=50)) == "Related"
    assert match_text(hit(text_rank=1, meaning_rank=1)) == ""
    assert match_text(hit(meaning_rank=1, weak=True)) == "Weak"


def test_card_and_details_mark_the_same_words():
    text = "Superconducting films and superconductors in thin layers."
    words = ("superconductivity", "thin", "films")
    on_card = [text[a:b] for a, b in spans(text, words)]
    assert on_card == ["Superconducting", "films", "thin"]
    shown = Details(Card(paper(title=text, abstract=text)), words=("layers",), whole=True)
    listing = ResultList((1,), 1, words=words)
    title = head_text(shown, listing, LIGHT, 10)
    abstract = body_text(shown, listing, LIGHT, 10)
    for html in (title, abstract):
        assert all(f'background-color:{LIGHT.mark};">{word}<' in html for word in on_card)
        assert f'background-color:{LIGHT.mark};">layers<' not in html


def test_progress_text_has_percentage_rate_and_remaining_time():
    progress = JobProgress()
    progress.add(0, 2_000, "", 10.0)
    progress.add(500, 2_000, "a.bib", 11.0)
    assert progress_text(progress, "a.bib") == "25% · 500 of 2,000 · 500/s · 3 s left · a.bib"


def test_progress_text_of_the_last_step_names_no_remaining_time():
    progress = JobProgress()
    progress.add(0, 2_000, "", 0.0)
    progress.add(2_000, 2_000, "", 4.0)
    assert "left" not in progress_text(progress, "Writing")


def test_progress_text_prefers_the_estimate_of_the_work_itself():
    progress = JobProgress()
    progress.add(0, 2_000, "", 0.0)
    progress.add(1_000, 2_000, "", 1.0, left=200.0)
    assert progress_text(progress).endswith("3 min 20 s left")


def test_long_progress_text_is_elided():
    text = progress_text(JobProgress(), "Looking through the papers and writing what was found")
    assert text.startswith("Looking through the papers") and text.endswith("…")
    assert len(text) <= 40


def test_progress_rate_is_reset_when_the_count_decreases():
    progress = JobProgress()
    progress.add(900, 1_000, "", 1.0)
    progress.add(10, 1_000, "", 2.0)
    assert progress.rate == 0


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.2, "1 s"), (59, "59 s"), (200, "3 min 20 s"), (7_500, "2 h 5 min")]
)
def test_duration_uses_the_two_largest_units(seconds, expected):
    assert duration(seconds) == expected
