"""Citations of one paper: the stored ones, and those that can be requested."""

from __future__ import annotations

import json

import pytest

from sciread_app.domain.citations import CitationDirection, Mention
from sciread_app.domain.paper import Author, Identifier
from sciread_app.errors import SourceError
from sciread_app.services.ingest.lookup.citation_fetcher import CitationFetcher
from sciread_app.services.ingest.lookup.citation_links import citation_list
from sciread_app.services.ingest.lookup.paper_lookup import OnlineLookup
from sciread_app.sources.endpoints import Endpoint
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.servers import faults
from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.elink import ElinkServer
from tests.support.servers.local import Answer, LocalServer
from tests.support.servers.semantic_scholar_server import SemanticScholarServer

HELIX = {
    "DOI": "10.1038/171737a0", "type": "journal-article", "container-title": "Nature",
    "title": "Molecular Structure of Nucleic Acids", "volume": "171", "page": "737-738",
    "author": [{"given": "J. D.", "family": "WATSON", "sequence": "first"}],
    "issued": {"date-parts": [[1953, 4]]}, "URL": "http://dx.doi.org/10.1038/171737a0",
    "abstract": "<jats:p>We wish to suggest a structure.</jats:p>", "is-referenced-by-count": 9,
}  # fmt: skip


def doi(number):
    return Identifier("doi", f"10.5555/paper.{number}")


def crossref(fetched_at):
    items = [HELIX] if HELIX["DOI"] in fetched_at.params.get("filter", "") else []
    return Answer(json.dumps({"message": {"items": items}}).encode(), "application/json")


@pytest.fixture
def asking(library, tmp_path):
    with (
        SemanticScholarServer(60) as scholar,
        ElinkServer({}) as pubmed,
        ArxivServer(5) as arxiv,
        LocalServer(crossref) as works,
        LocalServer(lambda fetched_at: Answer(b'{"data": []}', "application/json")) as datacite,
    ):
        known = scholar.endpoints | pubmed.endpoints | arxiv.endpoints
        known["crossref"] = Endpoint("crossref", "Crossref", works.url, 0.0, "crossref")
        known["datacite"] = Endpoint("datacite", "DataCite", datacite.url, 0.0, "datacite")
        quick = RetryPolicy(tries=1, first=0.01, longest=0.05)
        with Client(tmp_path / "cache", known, retry_policy=quick) as client:
            lookup = OnlineLookup(library, CitationFetcher(library, client), client)
            lookup.scholar, lookup.pubmed = scholar, pubmed
            yield lookup


def test_citation_list_is_empty_before_first_request(library):
    library.put([paper("A", doi="10.5555/paper.10"), paper("B")])
    known = citation_list(library, 1, CitationDirection.references)
    assert (known.nearby, known.fetched_at, known.askable) == ((), None, True)
    assert not citation_list(library, 2, CitationDirection.references).askable


def test_citation_list_sorts_library_papers_first_then_titled_ones(library):
    library.put([paper("A", doi="10.5555/paper.10"), paper("B", doi="10.5555/paper.9")])
    library.citations.put([(doi(10), doi(n)) for n in (7, 8, 9)], "s2")
    library.citations.store_mentions([Mention(doi(8), "Eight", "H. Acht", "Zahlen", "1908")])
    known = citation_list(library, 1, CitationDirection.references)
    assert [one.name for one in known.nearby] == [doi(9), doi(8), doi(7)]
    assert known.nearby[0].paper.title == "B"
    assert known.nearby[1].mention.title == "Eight"
    assert (known.held, known.total, known.untitled) == ((2,), 3, 1)
    assert [
        one.paper.title for one in citation_list(library, 2, CitationDirection.citing).nearby
    ] == ["A"]


def test_request_for_one_paper_stores_citations_and_titles(library, asking):
    library.put([paper("A", doi="10.5555/paper.10"), paper("Not asked for", doi="10.5555/paper.2")])
    asking.ask(1, Task())
    cites, cited = (
        citation_list(library, 1, CitationDirection.references),
        citation_list(library, 1, CitationDirection.citing),
    )
    assert cites.fetched_at and cites.total == 4 and cited.total == 4
    assert cites.untitled == cited.untitled == 0
    assert {one.mention.title for one in cites.nearby if one.mention} >= {"Title of paper 9"}
    assert citation_list(library, 2, CitationDirection.citing).fetched_at is None


def test_citations_from_pubmed_are_kept_if_semantic_scholar_has_no_titles(library, asking):
    library.put([paper("A", doi="10.5555/paper.10", pmid="10000010")])
    asking.pubmed.links = {"10000010": ["5"]}
    asking.scholar.fail(faults.unavailable(), times=100)
    report = asking.ask(1, Task())
    known = citation_list(library, 1, CitationDirection.references)
    assert (known.total, known.untitled) == (1, 1)
    assert not report.failed and any("Titles" in remark for remark in report.remarks)


def test_paper_is_added_by_doi(library, asking):
    added = asking.add("10.1038/171737a0", Task())
    (helix,) = library.get([added])
    assert (helix.title, helix.venue, helix.kind) == (HELIX["title"], "Nature", "article-journal")
    assert helix.authors == (Author("WATSON", "J. D."),)
    assert helix.abstract == "We wish to suggest a structure."
    assert dict(helix.extra) == {"volume": "171", "pages": "737-738"}
    assert library.import_log.imports()[0].added == 1


def test_paper_is_added_by_arxiv_id(library, asking):
    added = asking.add("arxiv:hep-th/0712001", Task())
    (found,) = library.get([added])
    assert found.identifier("arxiv") == "hep-th/0712001"


def test_unknown_doi_raises_source_error_that_suggests_the_web_page(library, asking):
    with pytest.raises(SourceError, match="could not be added") as caught:
        asking.add("10.1000/nobody", Task())
    assert "web page" in caught.value.hint
    assert library.count() == 0


def test_unreachable_source_raises_source_error_without_the_web_page(library, tmp_path):
    nowhere = {
        name: Endpoint(name, name.title(), "http://127.0.0.1:9", 0.0, name)
        for name in ("crossref", "datacite", "openalex")
    }
    quick = RetryPolicy(tries=1, first=0.01, longest=0.05)
    with Client(tmp_path / "cache", nowhere, retry_policy=quick) as client:
        lookup = OnlineLookup(library, CitationFetcher(library, client), client)
        with pytest.raises(SourceError, match="could not be added") as caught:
            lookup.add("10.1000/nobody", Task())
    assert "web page" not in caught.value.hint
