"""The fake arXiv server refuses the same requests as arXiv, which other tests rely on."""

import pytest

from sciread_app.formats.arxiv import atom, oai_raw
from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.local import Asked


@pytest.fixture(scope="module")
def server():
    return ArxivServer(50)


def ask(server, path, **params):
    return server.respond(Asked(0.0, "GET", path, params, b"", {}, params))


@pytest.mark.parametrize(("start", "size"), [("29000", "1001"), ("0", "2001")])
def test_server_limits_start_and_page_size(server, start, size):
    query = {"search_query": "cat:*", "start": start, "max_results": size}
    answer = ask(server, "/api/query", **query)
    assert answer.status == 400
    assert atom.feed(answer.body).error == "arXiv reports an error: max_results is too large."


@pytest.mark.parametrize("query", ["year:2024", "cat:cs.CL NEAR cat:hep-th", "(cat:cs.CL", ""])
def test_server_refuses_invalid_queries(server, query):
    assert ask(server, "/api/query", search_query=query).status == 400


@pytest.mark.parametrize(
    ("params", "error"),
    [
        ({"verb": "Nothing"}, "badVerb"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc"}, "cannotDisseminateFormat"),
        ({"verb": "ListRecords", "metadataPrefix": "arXivRaw", "set": "x"}, "badArgument"),
        ({"verb": "ListRecords", "resumptionToken": "x"}, "badResumptionToken"),
        ({"verb": "ListRecords", "metadataPrefix": "arXivRaw", "from": "2030"}, "noRecordsMatch"),
    ],
)
def test_server_answers_errors_of_oai_pmh(server, params, error):
    assert oai_raw.harvest(ask(server, "/oai", **params).body).error == error


def test_server_identifies_itself_and_lists_sets(server):
    assert b"<repositoryName>arXiv<" in ask(server, "/oai", verb="Identify").body
    assert b"<setSpec>physics:hep-th</setSpec>" in ask(server, "/oai", verb="ListSets").body
