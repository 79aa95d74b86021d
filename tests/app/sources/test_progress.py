"""A fetch makes progress or stops, however erratic its source is."""

from __future__ import annotations

import math
import re
import tempfile
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sciread_app.domain.fetch import SourceQuery
from sciread_app.errors import SourceError
from sciread_app.sources.arxiv import api as arxiv
from sciread_app.sources.arxiv import oai as arxiv_oai
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.sources.progress_guard import MOST_IN_VAIN
from sciread_app.sources.pubmed import fetch as pubmed
from sciread_app.tasks import Task
from tests.support.servers.eutils_server import EutilsServer
from tests.support.servers.faulty_arxiv import FAULTS, FaultyArxiv

NO_WAIT = RetryPolicy(first=0.0, longest=0.0)


@contextmanager
def pages_of(size, reach):
    with (
        mock.patch.object(arxiv, "_PAGE", size - 1),
        mock.patch.object(arxiv, "_REACH", reach),
    ):
        yield


@contextmanager
def client_of(server):
    with (
        tempfile.TemporaryDirectory() as folder,
        Client(Path(folder), server.endpoints, retry_policy=NO_WAIT) as client,
    ):
        yield client


def fetched(client, cursor=""):
    return arxiv.fetch(SourceQuery("arxiv", "cat:*"), cursor, client, Task())


def ids(pages):
    return [record.source_id for page in pages for record in page.records]


@settings(max_examples=40, deadline=None)
@given(
    kinds=st.sampled_from([FAULTS, *((fault,) for fault in FAULTS)]),
    seed=st.integers(0, 2**32),
    count=st.integers(1, 400),
)
@example(kinds=("a later page",), seed=2543320, count=78)  # a run fails after skipping a page
def test_resumed_runs_fetch_everything_from_erratic_source(kinds, seed, count):
    server = FaultyArxiv(count, seed=seed, kinds=kinds)
    found, cursor, is_complete = set(), "", False
    with server, client_of(server) as client, pages_of(20, 200):
        while not is_complete:
            run = []
            # Ten wrong answers in a row end a run with an error; the next one resumes it.
            with suppress(SourceError):
                for page in fetched(client, cursor):
                    run += ids([page])
                    cursor = page.cursor
                is_complete = True
            assert len(run) == len(set(run))
            found.update(run)
    assert found == set(server.papers)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), needed=st.integers(5, 20))
def test_wrong_answers_cost_few_requests(seed, needed):
    server = FaultyArxiv(19 * needed, seed=seed)
    with server, client_of(server) as client, pages_of(20, 1000):
        assert len(ids(fetched(client))) == 19 * needed
    # The number of wrong answers is random: by chance alone, one run of five pages in twenty needs
    # ten requests.
    assert len(server.requests) <= needed + 2 * server.wrong + 2


def first_request_at(start):
    """Return a condition that holds once, for the first request of the page with this start."""
    asked = []

    def when(request):
        if request.params.get("start") == str(start):
            asked.append(request)
        return len(asked) == 1 and request is asked[0]

    return when


def with_total(total):
    return lambda good: replace(
        good, body=re.sub(rb"(totalResults>)\d+", rb"\g<1>%d" % total, good.body)
    )


def test_page_with_too_small_total_is_requested_again():
    server = FaultyArxiv(300, seed=0, fault_rate=0)
    with server, client_of(server) as client, pages_of(20, 1000):
        server.fail(with_total(20), when=first_request_at(57))
        assert Counter(ids(fetched(client))) == Counter(list(server.papers))
        # The odd page is not cached, and only this page was requested twice.
        assert len(server.requests) == 1 + math.ceil(299 / 19)
        again = len(server.requests)
        assert Counter(ids(fetched(client))) == Counter(list(server.papers))
        assert len(server.requests) == again


def test_repeating_source_fails_and_fetch_can_resume():
    server = FaultyArxiv(300, seed=0, fault_rate=0)
    with server, client_of(server) as client, pages_of(20, 1000):
        first = next(fetched(client))
        body = server.respond(server.requests[0])
        server.fail(lambda good: body, times=999)
        with pytest.raises(SourceError, match="arXiv") as raised:
            list(fetched(client, first.cursor))
        assert raised.value.hint
        assert len(server.requests) <= 2 * MOST_IN_VAIN
        server.forgive()
        rest = ids(fetched(client, first.cursor))
        assert Counter(ids([first]) + rest) == Counter(list(server.papers))


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(1, 400))
def test_every_paper_of_a_harvest_is_given_from_erratic_source(seed, count):
    server = FaultyArxiv(count, seed=seed, harvest_page=20)
    with server, client_of(server) as client:
        found = ids(arxiv_oai.fetch(SourceQuery("arxiv-oai", "cs"), "", client, Task()))
    papers = server.papers.values()
    assert set(found) == {p.id for p in papers if any(c[:3] == "cs." for c in p.categories)}


def test_repeating_harvest_fails():
    server = FaultyArxiv(300, seed=0, fault_rate=0, harvest_page=20)
    with server, client_of(server) as client:
        query = SourceQuery("arxiv-oai", "cs")
        pages = arxiv_oai.fetch(query, "", client, Task())
        next(pages)
        body = server.respond(server.requests[0])
        server.fail(lambda good: body, times=999)
        with pytest.raises(SourceError, match="arXiv"):
            list(pages)
        assert len(server.requests) <= 2 + MOST_IN_VAIN


def test_slice_with_too_small_count_is_requested_again():
    with EutilsServer(700) as server, client_of(server) as client:
        query = SourceQuery("pubmed", "all")
        first = next(pubmed.fetch(query, "", client, Task()))
        few = server.respond(
            server.requests[0]._replace(params={"term": "nothing", "db": "pubmed"})
        )
        server.fail(lambda good: few, when=lambda asked: "esearch" in asked.path)
        rest = ids(pubmed.fetch(query, first.cursor, client, Task()))
        assert Counter(ids([first]) + rest) == Counter(map(str, server.pmids()))


def test_many_pages_need_at_most_twice_the_minimal_requests():
    """Pages and windows are a tenth of arXiv's, so that there are as many as for 50,000 papers."""
    server = FaultyArxiv(5_000, seed=18)
    with server, client_of(server) as client, pages_of(200, 1000):
        assert Counter(ids(fetched(client))) == Counter(list(server.papers))
    assert len(server.requests) <= 2 * math.ceil(5_000 / 200)
