import pytest

from sciread_app.domain.pasted import pasted_identifier


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
    ],
)
def test_an_identifier_or_a_link_goes_straight_to_its_paper(text, kind, value):
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
        "http://[broken",
        "pmid: unknown",
        "arxiv papers",
        "0123456789123",
    ],
)
def test_other_text_is_no_identifier(text):
    assert pasted_identifier(text) is None
