"""PubMed's citation links: each paper has its own answer."""

from __future__ import annotations

import pytest

from sciread_app.domain.metadata.identifiers import identifier
from sciread_app.errors import Busy, SourceError
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.sources.pubmed import links as pubmed_links
from sciread_app.tasks import Task
from tests.support.servers import faults
from tests.support.servers.elink import ElinkServer, ids_of
from tests.support.servers.local import Answer

LINKS = {"1": ["2", "3"], "2": ["3"], "3": [], "5": ["5", "1", "1"]}
KEY = "s3cret-key"


@pytest.fixture
def server():
    with ElinkServer(LINKS) as server:
        yield server


@pytest.fixture
def ask(tmp_path):
    def ask(server, pmids):
        quick = RetryPolicy(tries=3, first=0.01, longest=0.05)
        with Client(tmp_path, server.endpoints, retry_policy=quick) as client:
            result = pubmed_links.ask([pmid(n) for n in pmids], client, Task())
            return [answer for reply in result for answer in reply]

    return ask


def pmid(number):
    return identifier("pmid", str(number))


def numbers_of(papers):
    return [int(value) for ((_, value),) in papers]


def test_references_and_citing_papers_are_parsed(server, ask):
    one, two, three = ask(server, [1, 2, 3])
    assert (numbers_of(one.cites), numbers_of(one.cited_by)) == ([2, 3], [5])
    assert (numbers_of(two.cites), numbers_of(two.cited_by)) == ([3], [1])
    assert (numbers_of(three.cites), numbers_of(three.cited_by)) == ([], [1, 2])
    assert all(answer.known for answer in (one, two, three))


def test_self_links_and_repeated_links_are_left_out(server, ask):
    [five] = ask(server, [5])
    assert numbers_of(five.cites) == [1] and five.cited_by == []


def test_paper_without_links_is_unknown(server, ask):
    [nobody] = ask(server, [99])
    assert not nobody.known and not nobody.problem


def test_papers_are_requested_once_in_separate_parameters(server, ask):
    assert len(ask(server, [*range(1, 451), 1])) == 450
    asked = [ids_of(request) for request in server.requests]
    assert [len(ids) for ids in asked] == [200, 200, 50]
    assert all(len(ids) == 1 for request in asked for ids in request)


def test_repeated_earlier_answer_is_retried(server, ask):
    server.links = {str(n): [str(n + 1)] for n in range(1, 401)}
    bodies = []

    def repeats_once(good):
        bodies.append(good.body)
        return Answer(bodies[0])

    server.fail(repeats_once, times=2)
    answers = ask(server, range(1, 401))
    assert len(server.requests) == 3
    assert [answer.identifier for answer in answers] == [pmid(n) for n in range(1, 401)]
    assert [numbers_of(answer.cites) for answer in answers] == [[n + 1] for n in range(1, 401)]


def test_paper_missing_in_answer_has_a_problem(server, ask):
    server.lost = {"2"}
    one, two, three = ask(server, [1, 2, 3])
    assert "did not return this paper" in two.problem
    assert one.known and three.known and not one.problem and not three.problem


def test_links_of_other_kinds_are_ignored(server, ask):
    body = (
        b"<eLinkResult><LinkSet><IdList><Id>1</Id></IdList><LinkSetDb>"
        b"<LinkName>pubmed_pubmed</LinkName><Link><Id>7</Id></Link></LinkSetDb></LinkSet>"
        b"</eLinkResult>"
    )
    server.fail(faults.replaced(body))
    [one] = ask(server, [1])
    assert not one.known and one.cites == one.cited_by == []


def test_invalid_ids_are_ignored(server, ask):
    body = (
        b"<eLinkResult><LinkSet><IdList><Id>1</Id></IdList><LinkSetDb>"
        b"<LinkName>pubmed_pubmed_refs</LinkName><Link><Id>PMC7</Id></Link><Link/>"
        b"<Link><Id> 8 </Id></Link></LinkSetDb></LinkSet></eLinkResult>"
    )
    server.fail(faults.replaced(body))
    [one] = ask(server, [1])
    assert numbers_of(one.cites) == [8]


def test_error_for_one_paper_is_its_problem(server, ask):
    body = (
        b"<eLinkResult><LinkSet><IdList><Id>1</Id></IdList><ERROR>Cannot link</ERROR></LinkSet>"
        b"</eLinkResult>"
    )
    server.fail(faults.replaced(body))
    [one] = ask(server, [1])
    assert "Cannot link" in one.problem


@pytest.mark.parametrize(
    "fault",
    [
        faults.too_many(),
        faults.too_many(retry_after=0),
        faults.unavailable(),
        faults.dropped(),
        faults.truncated(),
        faults.malformed(),
        faults.entity_bomb(),
        faults.wrong_type(),
        faults.replaced(b"<eSearchResult/>"),
        faults.replaced(b"<eLinkResult><ERROR>Database is busy</ERROR></eLinkResult>"),
    ],
    ids=[
        *("429", "429 with Retry-After", "503", "dropped", "truncated", "malformed"),
        *("entity bomb", "a web page", "another answer", "an error in words"),
    ],
)
def test_bad_reply_is_retried(server, ask, fault):
    server.fail(fault)
    [one] = ask(server, [1])
    assert numbers_of(one.cites) == [2, 3] and len(server.requests) == 2


def test_busy_source_raises_busy(server, ask):
    server.fail(faults.unavailable(), times=100)
    with pytest.raises(Busy, match="PubMed"):
        ask(server, [1])


def test_lasting_wrong_answer_names_source_and_cause(server, ask):
    answer = b"<eLinkResult><ERROR>Database is busy</ERROR></eLinkResult>"
    server.fail(faults.replaced(answer), times=100)
    with pytest.raises(SourceError, match="PubMed") as caught:
        ask(server, [1])
    assert "Database is busy" in str(caught.value)


def test_api_key_is_sent_in_the_form_and_never_shown(server, ask, monkeypatch):
    monkeypatch.setenv("NCBI_API_KEY", KEY)
    server.fail(faults.status(400, b"API key not valid: " + KEY.encode()), times=100)
    with pytest.raises(SourceError) as caught:
        ask(server, [1])
    [asked] = server.requests
    assert asked.params["api_key"] == KEY and asked.url_params == {}
    assert KEY not in repr(caught.value)
