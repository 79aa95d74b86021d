"""Whole result sets of Europe PMC, Crossref and OpenAlex."""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.paper import Author, Paper
from sciread_app.errors import Cancelled, SourceError
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.sources.progress_guard import MOST_IN_VAIN
from sciread_app.sources.result_sets import crossref, europepmc, openalex
from sciread_app.tasks import Task
from tests.support.servers.list_servers import FAULTS, FIRST_DAY, SERVERS, STALE, OpenAlexServer

NO_WAIT = RetryPolicy(tries=3, first=0.0, longest=0.0)
MODULES = {module.KEY: module for module in (europepmc, crossref, openalex)}

of_each_source = pytest.mark.parametrize("kind", SERVERS, ids=lambda kind: kind.source)
# In Crossref, a whole set of several pages is always divided.
of_cursors = pytest.mark.parametrize(
    "kind", [kind for kind in SERVERS if kind.source != "crossref"], ids=lambda kind: kind.source
)


@contextmanager
def sizes(page=20, reach=100):
    """Small pages and slices; a slice of Crossref has one page."""
    with (
        mock.patch.multiple(crossref.CrossrefResults, page=page, reach=page),
        mock.patch.multiple(europepmc.EuropePmcResults, page=page, reach=reach),
        mock.patch.multiple(openalex.OpenAlexResults, page=page, reach=reach),
    ):
        yield


@contextmanager
def client_of(server):
    with (
        tempfile.TemporaryDirectory() as folder,
        Client(Path(folder), server.endpoints, retry_policy=NO_WAIT) as client,
        sizes(),
    ):
        yield client


def fetched(server, client, cursor="", text="all", **options):
    query = SourceQuery(server.source, text, **options)
    return MODULES[server.source].fetch(query, cursor, client, Task())


def names(pages):
    return [record.identifier("doi") for page in pages for record in page.records]


@of_each_source
@pytest.mark.parametrize("count", [0, 1, 19, 20, 21, 100, 101, 450])
def test_result_set_is_fetched_completely_and_once(kind, count):
    with kind(count) as server, client_of(server) as client:
        pages = list(fetched(server, client))
        assert Counter(names(pages)) == Counter(list(server.names()))
        assert pages[-1].total == count


@of_each_source
def test_fetch_gives_only_results_of_the_query(kind):
    with kind(90) as server, client_of(server) as client:
        assert set(names(fetched(server, client, text="sepsis"))) == server.names("sepsis")


@of_each_source
def test_many_papers_of_one_day_are_fetched(kind):
    with kind(450, per_day=400) as server, client_of(server) as client:
        assert Counter(names(fetched(server, client))) == Counter(list(server.names()))


@of_each_source
def test_since_and_until_are_inclusive_days_of_publication(kind):
    with kind(450) as server, client_of(server) as client:
        found = names(fetched(server, client, since="2021-03-03", until="2021-03-15"))
        days = (datetime(2021, 3, 3), datetime(2021, 3, 15, 23, 59, 59))
        expected = {n for n in server.numbers if days[0] <= server.published(n) <= days[1]}
        assert sorted(found) == sorted(f"10.5555/list.{n}" for n in expected)


@of_each_source
def test_limited_fetch_requests_no_more_papers(kind):
    with kind(450) as server, client_of(server) as client:
        assert len(names(fetched(server, client, most=50))) == 50
        assert len(server.requests) == 3


@of_each_source
def test_next_page_is_requested_only_when_needed(kind):
    with kind(450) as server, client_of(server) as client:
        pages = fetched(server, client, most=100)
        next(pages)
        assert len(server.requests) == 1
        next(pages)
        assert len(server.requests) == 2


@of_each_source
def test_fetch_resumes_after_any_page_in_another_process(kind):
    with kind(170) as server, client_of(server) as client:
        whole = list(fetched(server, client))
        for number, page in enumerate(whole):
            rest = names(fetched(server, client, page.cursor))
            assert Counter(names(whole[: number + 1]) + rest) == Counter(list(server.names()))
            assert len(page.cursor) < 800


@of_each_source
def test_refresh_gives_new_papers(kind):
    with kind(300, per_day=1) as server, client_of(server) as client:
        changed = FIRST_DAY + timedelta(280)
        found = set(names(fetched(server, client, changed_since=f"{changed}T00:00:00Z")))
    new = {f"10.5555/list.{n}" for n in range(280, 300)}
    assert new <= found
    if kind.source != "openalex":  # gives those of a year before as well
        assert found == new


@of_cursors
def test_papers_added_and_removed_between_pages_hide_no_others(kind):
    with kind(90) as server, client_of(server) as client:
        pages = fetched(server, client)
        found = names([next(pages)])
        server.numbers |= set(range(90, 120))
        server.numbers -= set(range(80, 85))
        found += names(pages)
        expected = {f"10.5555/list.{n}" for n in range(85)} - {
            f"10.5555/list.{n}" for n in range(80, 85)
        }
        assert expected <= set(found)


@of_cursors
def test_expired_token_of_an_earlier_run_loses_nothing(kind):
    with kind(90) as server, client_of(server) as client:
        first = next(fetched(server, client))
        for value in ("AoI=", "Ils"):
            server.expired |= {f"{value}{n}" for n in server.numbers}
        pages = fetched(server, client, first.cursor)
        with suppress(SourceError):  # the new tokens have expired as well
            next(pages)
        server.expired.clear()
        assert set(names(fetched(server, client, first.cursor))) | set(names([first])) == (
            server.names()
        )


@of_each_source
def test_invalid_cursor_raises_error_with_hint(kind):
    with kind(30) as server, client_of(server) as client:
        for cursor in ("[1]", "{", '{"never": 1}'):
            with pytest.raises(SourceError) as raised:
                list(fetched(server, client, cursor))
            assert raised.value.hint


@of_each_source
def test_fetch_can_be_cancelled(kind):
    with kind(90) as server, client_of(server) as client:
        task = Task()
        query = SourceQuery(kind.source, "all", most=60)
        pages = MODULES[kind.source].fetch(query, "", client, task)
        next(pages)
        task.cancel()
        with pytest.raises(Cancelled):
            next(pages)


@of_each_source
def test_preview_gives_total_and_first_papers(kind):
    with kind(450) as server, client_of(server) as client:
        query = SourceQuery(kind.source, "all")
        shown = MODULES[kind.source].preview(query, client, Task())
        assert (shown.total, len(shown.papers), len(server.requests)) == (450, 10, 1)
        MODULES[kind.source].preview(query, client, Task())
        assert len(server.requests) == 1  # kept for the day


@of_each_source
def test_paper_has_the_fields_of_the_record(kind):
    with kind(1) as server, client_of(server) as client:
        (paper,) = next(fetched(server, client)).records
    assert isinstance(paper, Paper)
    assert paper.title == "Cohort 0 of patients with sepsis"
    assert paper.authors == (Author("Lovelace", "Ada"),)
    assert (paper.venue, paper.published, paper.kind) == (
        "Annals of Tests",
        "2021-03" if kind.source == "europepmc" else "2021-03-01",
        "article-journal",
    )
    assert paper.abstract.endswith("Little was known of group 0.")
    assert paper.source == kind.source


# ---- wrong answers ------------------------------------------------------------------------------


@pytest.mark.slow
@of_each_source
@settings(max_examples=15, deadline=None)
@given(
    kinds=st.sampled_from([FAULTS, *((fault,) for fault in FAULTS if fault != STALE)]),
    seed=st.integers(0, 2**32),
    count=st.integers(1, 300),
)
def test_resumed_runs_fetch_everything_from_erratic_source(kind, kinds, seed, count):
    server = kind(count, seed=seed, fault_rate=0.3, kinds=kinds)
    found, cursor, is_complete = set(), "", False
    with server, client_of(server) as client:
        while not is_complete:
            run = []
            # Ten wrong answers in a row end a run with an error; the next one resumes it.
            with suppress(SourceError):
                for page in fetched(server, client, cursor):
                    run += names([page])
                    cursor = page.cursor
                is_complete = True
            assert len(run) == len(set(run))
            found.update(run)
    assert found == server.names()


@pytest.mark.slow
@of_each_source
@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_wrong_answers_cost_few_requests(kind, seed):
    faulty = kind(400, seed=seed, fault_rate=0.3, kinds=("some half", "an earlier page"))
    with kind(400) as server, client_of(server) as client:
        needed = len(list(fetched(server, client))) and len(server.requests)
    with faulty, client_of(faulty) as client:
        assert len(names(fetched(faulty, client))) == 400
    # A wrong answer that looks right costs a second reading of its slice.
    assert len(faulty.requests) <= 2 * needed + 3 * faulty.wrong


@of_each_source
def test_repeating_source_fails_and_fetch_can_resume(kind):
    with kind(90) as server, client_of(server) as client:
        first = next(fetched(server, client, most=90))
        body = server.respond(server.requests[0])
        server.fail(lambda good: body, times=999)
        with pytest.raises(SourceError, match=server.endpoint.title) as raised:
            list(fetched(server, client, first.cursor, most=70))
        assert raised.value.hint
        assert len(server.requests) <= 2 * MOST_IN_VAIN
        server.forgive()
        rest = names(fetched(server, client, first.cursor, most=70))
        assert Counter(names([first]) + rest) == Counter(list(server.names()))


@of_each_source
@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"[" * 100_000, b'{"message": 3}', b"3"])
def test_body_of_another_kind_is_named_as_invalid(kind, body):
    with kind(90) as server, client_of(server) as client:
        server.fail(lambda good: type(good)(body, good.content_type), times=99)
        with pytest.raises(SourceError, match=server.endpoint.title):
            list(fetched(server, client))


# ---- queries ------------------------------------------------------------------------------------


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_form_fields_make_valid_queries(module):
    for field in module.FIELDS:
        text = field.pattern.replace("{}", field.example)
        assert module.check(SourceQuery(module.KEY, text)) == ""


@pytest.mark.parametrize(
    ("module", "text", "problem"),
    [
        (europepmc, " ", "Enter"),
        (europepmc, '"gut', "quotation"),
        (europepmc, "(gut", "("),
        (europepmc, "gut AND", "AND"),
        (crossref, "", "Enter"),
        (crossref, 'title:"gut', "quotation"),
        (crossref, "gut OR skin", "OR"),
        (crossref, "subject:gut", "subject"),
        (crossref, "author:", "author:"),
        (openalex, "venue:nature", "venue"),
        (openalex, "gut)", ")"),
    ],
)
def test_query_is_checked_before_any_request(module, text, problem):
    assert problem in module.check(SourceQuery(module.KEY, text))
    assert module.check(SourceQuery(module.KEY, "gut", since="2024-13"))


@pytest.mark.parametrize(
    "text",
    [
        'gut AND (skin OR hair) NOT mouse author:"Grace Hopper" type:article',
        'author:hopper "gut OR skin" type:article',
        'title:"gut OR skin" hair',
        "author:hopper",
    ],
)
def test_openalex_query_with_operators_between_words_is_valid(text):
    assert openalex.check(SourceQuery("openalex", text)) == ""


@pytest.mark.parametrize(
    "text",
    [
        'gut OR author:"Grace Hopper"',
        "gut NOT author:hopper",
        "NOT author:hopper gut",
        "author:hopper OR author:lovelace",
        "author:hopper NOT gut",
        "gut AND (author:hopper)",
        "gut (skin OR (author:hopper OR title:skin))",
        "(gut author:hopper)",
    ],
)
def test_openalex_query_with_joined_fields_is_refused(text):
    assert "fields" in openalex.check(SourceQuery("openalex", text))


def test_rejected_query_gives_message_of_europe_pmc():
    with SERVERS[0](9) as server, client_of(server) as client:
        pages = fetched(server, client, text="BROKEN")
        with pytest.raises(SourceError, match="The query is broken"):
            next(pages)


def test_openalex_without_key_explains_how_to_get_one():
    with OpenAlexServer(9) as server, client_of(server) as client:
        server.free = False
        query = SourceQuery("openalex", "all")
        assert openalex.preview(query, client, Task()).total == 9
        with pytest.raises(SourceError, match="key") as raised:
            list(fetched(server, client))
        assert "sciread key openalex" in raised.value.hint


def test_crossref_query_is_sent_as_words_fields_and_filters():
    with SERVERS[1](9) as server, client_of(server) as client:
        text = 'all the gut title:"Deep learning" author:hopper type:journal-article issn:1-2'
        list(fetched(server, client, text=text, since="2021-03-01"))
        sent = server.requests[0].params
    assert sent["query"] == "all the gut"
    assert (sent["query.title"], sent["query.author"]) == ("Deep learning", "hopper")
    assert sent["filter"] == "type:journal-article,issn:1-2,from-pub-date:2021-03-01"
