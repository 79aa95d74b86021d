"""Records of OpenAlex, by DOI and by title."""

from __future__ import annotations

import json

import pytest

from sciread_app.domain.paper import Author, Identifier
from sciread_app.errors import Busy, SourceError
from sciread_app.sources import openalex
from sciread_app.sources.endpoints import Endpoint
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.servers import faults
from tests.support.servers.local import Answer, LocalServer

WORK = {
    "id": "https://openalex.org/W2119717200",
    "doi": "https://doi.org/10.1038/Nature14539",
    "title": "Deep <i>learning</i> &amp; more",
    "publication_year": 2015,
    "publication_date": "2015-05-27",
    "type": "article",
    "language": "en",
    "ids": {
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/26017442",
        "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/4000001",
    },
    "authorships": [
        {"raw_author_name": "Yann LeCun", "author": {"display_name": "Y. Other"}},
        {"raw_author_name": "", "author": {"display_name": "Yoshua Bengio"}},
    ],
    "primary_location": {
        "source": {"display_name": "Nature", "issn_l": "0028-0836", "type": "journal"}
    },
    "locations": [{"landing_page_url": "https://arxiv.org/abs/1501.00001v2"}],
    "biblio": {"volume": "521", "issue": "7553", "first_page": "436", "last_page": "444"},
    "abstract_inverted_index": {"Deep": [0], "learning": [1, 4], "allows": [2], "deep": [3]},
    "topics": [{"display_name": "Neural Networks"}],
    "keywords": [{"display_name": "Learning"}, {"display_name": "Learning"}],
}  # fmt: skip


@pytest.fixture
def openalex_server(tmp_path):
    server = LocalServer(
        lambda asked: Answer(json.dumps(server.reply).encode(), "application/json")
    )
    server.reply = {"results": [WORK]}
    with server:
        yield server


@pytest.fixture
def client(openalex_server, tmp_path):
    known = {
        "openalex": Endpoint(
            "openalex", "OpenAlex", openalex_server.url, 0.0, "openalex",
            api_key="openalex", key_parameter="api_key",
        )
    }  # fmt: skip
    quick = RetryPolicy(tries=2, first=0.01, longest=0.05)
    with Client(tmp_path / "cache", known, retry_policy=quick) as client:
        yield client


def test_work_becomes_paper_with_all_its_fields():
    paper = openalex.paper_of(WORK)
    assert paper.title == "Deep learning & more"
    assert paper.abstract == "Deep learning allows deep learning"
    assert paper.authors == (Author("LeCun", "Yann"), Author("Bengio", "Yoshua"))
    assert (paper.kind, paper.published, paper.venue) == ("article-journal", "2015-05-27", "Nature")
    assert set(paper.identifiers) == {
        Identifier("doi", "10.1038/nature14539"),
        Identifier("arxiv", "1501.00001"),
        Identifier("pmid", "26017442"),
        Identifier("pmcid", "PMC4000001"),
    }
    assert paper.written_doi == "10.1038/Nature14539"
    assert paper.extra["pages"] == "436-444" and paper.extra["number"] == "7553"
    assert paper.keywords == ("Learning",)
    assert (paper.source, paper.source_id) == ("openalex", "W2119717200")


def test_first_of_january_is_an_unknown_day():
    assert openalex.paper_of(WORK | {"publication_date": "2015-01-01"}).published == "2015"


def test_preprint_has_no_venue_although_its_repository_has_a_name():
    place = {"source": {"display_name": "arXiv", "type": "repository"}}
    paper = openalex.paper_of(WORK | {"type": "preprint", "primary_location": place})
    assert (paper.kind, paper.venue) == ("article", "")


@pytest.mark.parametrize(
    "hostile",
    [
        {"authorships": "LeCun", "locations": [1, None], "biblio": [], "topics": {"a": 1}},
        {"abstract_inverted_index": {"a": [10**12, -1, "x", None], "b": "c"}},
        {"doi": "https://evil.example/", "ids": "none", "publication_date": "soon"},
        {"primary_location": {"source": [1]}, "type": 7, "language": True},
    ],
)
def test_properties_of_the_wrong_type_are_left_out(hostile):
    paper = openalex.paper_of(WORK | hostile)
    assert paper.title == "Deep learning & more"
    assert all(isinstance(value, str) for value in paper.extra.values())


def test_work_without_title_is_no_paper():
    assert openalex.paper_of({"doi": "10.1/x"}) is None


def test_dois_are_asked_for_in_one_request(client, openalex_server):
    dois = ["10.1038/nature14539", "10.1000/unknown", "10.1000/with,comma"]
    [paper] = openalex.by_dois(dois, client, Task())
    assert paper.identifier("doi") == dois[0]
    [asked] = openalex_server.requests
    assert asked.params["filter"] == f"doi:{dois[0]}|{dois[1]}"


def test_record_of_another_doi_is_left_out(client):
    assert openalex.by_dois(["10.1000/other"], client, Task()) == []


def test_operators_in_a_title_are_not_sent(client, openalex_server):
    openalex.by_title("Deep, learning|more: !yes OR NOT", 5, client, Task())
    assert (
        openalex_server.requests[0].params["filter"] == "title.search:deep learning more yes or not"
    )


def test_key_is_sent_as_parameter(client, openalex_server, monkeypatch):
    monkeypatch.setattr("sciread_app.sources.http.client.key", lambda name: f"{name}-secret")
    openalex.by_title("Deep learning", 5, client, Task())
    assert openalex_server.requests[0].params["api_key"] == "openalex-secret"


@pytest.mark.parametrize(
    "fault", [faults.status(500), faults.truncated(), faults.replaced(b"[]"), faults.dropped()]
)
def test_failed_request_is_repeated(client, openalex_server, fault):
    openalex_server.fail(fault)
    assert openalex.by_title("Deep learning", 5, client, Task())
    assert len(openalex_server.requests) == 2


def test_used_up_allowance_is_reported_as_busy(client, openalex_server):
    openalex_server.fail(faults.too_many(), times=9)
    with pytest.raises(Busy):
        openalex.by_title("Deep learning", 5, client, Task())


def test_endless_response_is_refused(client, openalex_server):
    openalex_server.fail(faults.huge(), times=9)
    with pytest.raises(SourceError):
        openalex.by_title("Deep learning", 5, client, Task())
