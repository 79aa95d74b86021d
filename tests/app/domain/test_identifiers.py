"""Names of papers come in many spellings, and in addresses that say more than the name."""

from __future__ import annotations

import pytest

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
