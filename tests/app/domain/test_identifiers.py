"""Names of papers come in many spellings, and in addresses that say more than the name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.identifiers import identifier


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("https://doi.org/10.1000/ABC?utm_source=x&y=1", "10.1000/abc"),
        ("10.1016/j.x.2010.01.001&rft.genre=article", "10.1016/j.x.2010.01.001"),
        ("https://onlinelibrary.wiley.com/doi/10.1002/anie.201/pdf", "10.1002/anie.201"),
        ("https://link.springer.com/article/10.1007/s1-2#Sec3", "10.1007/s1-2"),
        ("http://dx.doi.org/10.1002/x<1661::AID>3.0.CO;2-2", "10.1002/x<1661::aid>3.0.co;2-2"),
        ("10.1000/a/full", "10.1000/a/full"),
        ("doi:10.1000/xyz.", "10.1000/xyz"),
    ],
)
def test_a_doi_is_told_from_the_address_it_stands_in(text, doi):
    found = identifier("doi", text)
    assert found is not None and found.value == doi


SICI = "10.1659/0276-4741(2004)024[0141:SPOCMP]2.0.CO;2"


@pytest.mark.parametrize(
    "text",
    [
        "10.1659/0276-4741(2004)024 [ 0141:SPOCMP]2.0.CO;2",
        "10.1659/0276-4741(2004)024[0141: SPOCMP] 2.0.CO; 2",
        "10.1659/0276-4741(2004)024\n[0141:SPOCMP]2.0.CO;2",
        "https://doi.org/10.1659/0276-4741(2004)024 [ 0141:SPOCMP]2.0.CO;2.",
        "See 10.1659/0276-4741(2004)024 [ 0141:SPOCMP]2.0.CO;2 and what follows [there].",
    ],
)
def test_a_doi_is_read_past_the_blanks_in_it(text):
    assert identifier("doi", text).value == SICI.lower()


@pytest.mark.parametrize("brackets", ["[]", "<>", ("&lt;", "&gt;")])
@given(
    year=st.integers(1900, 2030),
    pages=st.integers(1, 9999),
    code=st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=2, max_size=6),
    blanks=st.lists(st.sampled_from(["", " ", "\n", "  "]), min_size=4, max_size=4),
)
def test_wherever_the_blanks_are_it_is_the_same_doi(brackets, year, pages, code, blanks):
    a, b, c, d = blanks
    opening, closing = brackets
    text = f"10.1175/1520-0485({year})029{a}{opening}{b}{pages}:{code}{c}{closing}{d}2.0.CO;2"
    plain = re.sub(r"\s", "", text).replace("&lt;", "<").replace("&gt;", ">")
    assert identifier("doi", text).value == plain.lower()


@given(
    st.sampled_from(["10.1038/nature14539", "10.1000/182", "10.1016/0370-2693(88)91418-2"]),
    st.sampled_from([" and", " [see there]", " (2004) 024 [0141]", "; 2.0", " <1:x>", ", CO;2"]),
)
def test_a_doi_ends_where_prose_follows(doi, prose):
    assert identifier("doi", doi + prose).value == doi
