"""Identifiers in many spellings and inside URLs."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.metadata.identifiers import closed_up, identifier, pasted_identifier


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
def test_doi_is_extracted_from_url(text, doi):
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
        "10.1659/0276-4741(2004)024[0141:SPOCMP]2.0.CO ; 2",
        "10.1659/0276-4741(2004)024 [0141:SPOCMP] 2.0.CO ;2",
        "10.1659/ 0276-4741(2004)024[0141:SPOCMP]2.0.CO;2",
        "See 10.1659/0276-4741(2004)024 [ 0141:SPOCMP]2.0.CO;2 and what follows [there].",
    ],
)
def test_doi_with_spaces_is_read(text):
    assert identifier("doi", text).value == SICI.lower()


@pytest.mark.parametrize("brackets", ["[]", "<>", ("&lt;", "&gt;")])
@given(
    year=st.integers(1900, 2030),
    pages=st.integers(1, 9999),
    code=st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=2, max_size=6),
    blanks=st.lists(st.sampled_from(["", " ", "\n", "  "]), min_size=4, max_size=4),
)
def test_spaces_and_brackets_do_not_change_a_sici_doi(brackets, year, pages, code, blanks):
    a, b, c, d = blanks
    opening, closing = brackets
    text = f"10.1175/1520-0485({year})029{a}{opening}{b}{pages}:{code}{c}{closing}{d}2.0.CO;2"
    plain = re.sub(r"\s", "", text).replace("&lt;", "<").replace("&gt;", ">")
    assert identifier("doi", text).value == plain.lower()


@pytest.mark.parametrize("slash", ["/ ", " /", " / ", "/\n", "/%20"])
@pytest.mark.parametrize("before", ["", "doi: ", "https://doi.org/"])
def test_space_beside_slash_is_not_part_of_doi(before, slash):
    found = identifier("doi", f"{before}10.1016{slash}j.cell.2007.01.001")
    assert found.value == "10.1016/j.cell.2007.01.001"


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1016/j.cell. 2007.01.001", "10.1016/j.cell.2007.01.001"),
        ("https://doi.org/10.1016/j.cell. 2007.01.001.", "10.1016/j.cell.2007.01.001"),
        ("10.1016/j.cell.2007.\n01.001", "10.1016/j.cell.2007.01.001"),
        ("10.1111/j.1365- 2966.2007.01234.x", "10.1111/j.1365-2966.2007.01234.x"),
        ("10.1007/978-3-030-58452-8_ 1-24", "10.1007/978-3-030-58452-8_1-24"),
        # After a whole DOI, a full stop ends a sentence.
        ("10.1038/nature14539. 12.03.2007", "10.1038/nature14539"),
        ("10.1038/nature14539. Elsevier 2007.01", "10.1038/nature14539"),
        ("10.1038/nature14539. 2.5 times as many", "10.1038/nature14539"),
    ],
)
def test_doi_cut_by_a_blank_is_joined_where_it_continues(text, doi):
    assert identifier("doi", text).value == doi


def test_pasted_doi_cut_by_a_blank_is_found():
    found = pasted_identifier("doi:10.1016/j.cell. 2007.01.001")
    assert found == ("doi", "10.1016/j.cell.2007.01.001")


@pytest.mark.parametrize(
    "text",
    [
        "10.1016/j.cell.",
        "10.1016/j.cell. 2007",
        "10.1016/j.cell. 12.03.2007",
        "10.1016/j.cell. 2007.01.001 and 7 more",
        "10.1111/j.1365-",
        "10.1007/978-3-030-58452-8_",
        "10.1659/0276-4741(2004)024[0141:SPOCMP]2.0.CO",
        "10.1659/0276-4741(2004)024[0141:SPOCMP]2.0.CO ;",
        "10.1016/ and other journals",
        "10.1016/ j.cell.2007.01.001 and 7 more",
    ],
)
def test_possibly_truncated_doi_is_rejected(text):
    assert identifier("doi", text) is None


def test_long_text_of_broken_dois_is_parsed_quickly():
    # Backtracking over all of it took minutes.
    text = "10.1234/1234-5678" * 2_000 + " and .CO;"
    assert closed_up(text) == text


@given(
    st.sampled_from(["10.1038/nature14539", "10.1000/182", "10.1016/0370-2693(88)91418-2"]),
    st.sampled_from([" and", " [see there]", " (2004) 024 [0141]", "; 2.0", " <1:x>", ", CO;2"]),
)
def test_doi_ends_before_prose(doi, prose):
    assert identifier("doi", doi + prose).value == doi


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("10.1038/nature14539", "doi", "10.1038/nature14539"),
        ("doi:10.1038/NATURE14539", "doi", "10.1038/nature14539"),
        ("DOI: 10.1038/nature14539", "doi", "10.1038/nature14539"),
        ("https://doi.org/10.1038/nature14539", "doi", "10.1038/nature14539"),
        ("dx.doi.org/10.1038/nature14539", "doi", "10.1038/nature14539"),
        ("https://academic.oup.com/doi/10.1093/nar/gkz123/full", "doi", "10.1093/nar/gkz123"),
        (
            "https://dl.acm.org/doi/pdf/10.1145/3292500.3330701?x=1",
            "doi",
            "10.1145/3292500.3330701",
        ),
        ("1706.03762", "arxiv", "1706.03762"),
        ("arXiv:1706.03762v5 [cs.CL]", "arxiv", "1706.03762"),
        ("https://arxiv.org/pdf/1706.03762v5.pdf", "arxiv", "1706.03762"),
        ("http://arxiv.org/abs/hep-th/9901001?context=math", "arxiv", "hep-th/9901001"),
        ("hep-th/9901001", "arxiv", "hep-th/9901001"),
        ("10.48550/arXiv.1706.03762", "arxiv", "1706.03762"),
        ("31452104", "pmid", "31452104"),
        ("PMID: 345", "pmid", "345"),
        ("https://pubmed.ncbi.nlm.nih.gov/31452104/", "pmid", "31452104"),
        ("https://www.ncbi.nlm.nih.gov/pubmed/31452104", "pmid", "31452104"),
        ("PMC2323736", "pmcid", "PMC2323736"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC2323736/", "pmcid", "PMC2323736"),
        ("978-0-262-03561-3", "isbn", "9780262035613"),
        ("ISBN 9780262035613", "isbn", "9780262035613"),
        (
            "https://www.biorxiv.org/content/10.1101/2020.01.30.927871v2.full.pdf",
            "doi",
            "10.1101/2020.01.30.927871",
        ),
        (
            "https://www.medrxiv.org/content/10.1101/2020.03.09.20033217v1",
            "doi",
            "10.1101/2020.03.09.20033217",
        ),
        ("https://www.nature.com/articles/s41586-021-03819-2", "doi", "10.1038/s41586-021-03819-2"),
        ("https://www.nature.com/articles/nature14539", "doi", "10.1038/nature14539"),
        (
            "https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0000308",
            "doi",
            "10.1371/journal.pone.0000308",
        ),
        ("https://europepmc.org/article/MED/31452104", "pmid", "31452104"),
        ("https://europepmc.org/articles/PMC2323736", "pmcid", "PMC2323736"),
        (
            "https://pmc.ncbi.nlm.nih.gov/articles/PMC2323736/pdf/main.pdf",
            "pmcid",
            "PMC2323736",
        ),
        ("https://pubmed.ncbi.nlm.nih.gov/31452104/citations/", "pmid", "31452104"),
    ],
)
def test_pasted_identifier_of_identifier_or_link_is_found(text, kind, value):
    assert pasted_identifier(text) == (kind, value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2019",
        "10 12",
        "graph",
        "see 10.1038/nature14539 and others",
        "input/output",
        "https://example.org/about",
        "https://www.nature.com/about",
        "https://www.ncbi.nlm.nih.gov/gene/7157",
        "https://www.ncbi.nlm.nih.gov/nuccore/12345678",
        "https://europepmc.org/article/PPR/12345",
        "https://openreview.net/forum?id=rJl-b3RcF7",
        "http://[broken",
        "pmid: unknown",
        "arxiv papers",
        "0123456789123",
    ],
)
def test_pasted_identifier_of_other_text_is_none(text):
    assert pasted_identifier(text) is None
