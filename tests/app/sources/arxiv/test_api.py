import json
import logging
import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest

from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.paper import Paper
from sciread_app.errors import Cancelled, SourceError
from sciread_app.sources.arxiv import api as arxiv
from sciread_app.sources.http.client import Client
from sciread_app.tasks import Task
from tests.app.sources.arxiv.conftest import HASTE
from tests.support.servers import faults
from tests.support.servers.arxiv_papers import Generated
from tests.support.servers.arxiv_server import ArxivServer, empty_page
from tests.support.servers.local import Answer, LocalServer


@pytest.fixture
def server():
    with ArxivServer(3000) as server:
        yield server


@pytest.fixture
def small_pages(monkeypatch):
    """Pages of 100 papers, ten to a window."""
    monkeypatch.setattr(arxiv, "_PAGE", 100)
    monkeypatch.setattr(arxiv, "_REACH", 1000)


def arxiv_query(text="cat:cs.CL", **values):
    return SourceQuery("arxiv", text, **values)


def fetch_pages(client, query, cursor=""):
    return arxiv.fetch(query, cursor, client, Task())


def ids_of(fetch_pages):
    return [record.source_id for page in fetch_pages for record in page.records]


def expected_ids(server, condition=lambda paper: "cs.CL" in paper.categories):
    return {paper.id for paper in server.papers.values() if condition(paper)}


def is_api(asked):
    return asked.path == "/api/query"


def at(start):
    return lambda asked: asked.params.get("start") == str(start)


def unsorted(good):
    head, *entries = good.body.split(b"<entry>")
    entries[-1], tail = entries[-1].split(b"</feed>")
    entries.sort(key=lambda entry: entry[30:])
    return replace(good, body=b"<entry>".join([head, *entries[::-1]]) + b"</feed>" + tail)


def assert_each_once(found, expected):
    """Assert that everything was fetched, and nothing twice."""
    assert Counter(found) == Counter(expected)


# ---- complete result sets ------------------------------------------------------------------------


def test_query_gives_all_its_papers_oldest_first(server, new_client):
    found = list(
        fetch_pages(new_client(), arxiv_query("all:transformer AND (cat:cs.* OR cat:hep-th)"))
    )
    papers = [paper for page in found for paper in page.records]
    assert_each_once(
        ids_of(found),
        expected_ids(
            server,
            lambda p: (
                "transformer" in p.words and any(c[:3] in ("cs.", "hep") for c in p.categories)
            ),
        ),
    )
    assert [p.published for p in papers] == sorted(p.published for p in papers)
    assert {page.total for page in found} == {len(papers)}


def test_paper_has_the_fields_of_the_feed(server, new_client):
    page = next(fetch_pages(new_client(), arxiv_query(most=1, text="all:kernel")))
    assert [type(record) for record in page.records] == [Paper]
    paper = page.records[0]
    generated = server.papers[paper.source_id]
    assert (paper.title, paper.fields) == (generated.title, generated.categories)


def test_next_page_is_requested_only_when_needed(server, new_client, small_pages):
    found = fetch_pages(new_client(), arxiv_query("all:transformer"))
    assert server.requests == []
    next(found)
    assert len(server.requests) == 1
    next(found)
    assert len(server.requests) == 2


def test_page_size_is_limited_to_requested_papers(server, new_client):
    next(fetch_pages(new_client(), arxiv_query(most=7)))
    assert server.requests[0].params["max_results"] == "7"


def test_empty_result_is_not_an_error(server, new_client):
    (page,) = fetch_pages(new_client(), arxiv_query("all:unicorn"))
    assert (page.records, page.total) == ([], 0)
    assert len(server.requests) == 1


def test_window_includes_first_and_last_day(server, new_client):
    found = ids_of(fetch_pages(new_client(), arxiv_query(since="2008-01-05", until="2008-01-20")))
    assert_each_once(
        found,
        expected_ids(
            server,
            lambda p: (
                "cs.CL" in p.categories
                and "2008-01-05" <= f"{p.submitted:%Y-%m-%d}" <= "2008-01-20"
            ),
        ),
    )
    assert "cs.CL" in server.requests[0].params["search_query"]


def test_list_of_ids_is_fetched_in_one_request(server, new_client):
    some = [*list(server.papers)[:3], *list(server.papers)[-3:]]
    text = f"{some[0]}v1, arXiv:{some[1]} https://arxiv.org/abs/{some[2]} {' '.join(some[3:])}"
    assert arxiv.check(arxiv_query(text)) == ""
    assert_each_once(ids_of(fetch_pages(new_client(), arxiv_query(f"{text} 9912.99999"))), some)
    assert "search_query" not in server.requests[0].params


def test_list_of_ids_is_limited_to_the_dates(server, new_client):
    some = dict(list(server.papers.items())[::250])
    days = sorted(f"{paper.submitted:%Y-%m-%d}" for paper in some.values())
    since, until = days[3], days[-4]
    query = arxiv_query(" ".join(some), since=since, until=until)
    inside = {id for id, p in some.items() if since <= f"{p.submitted:%Y-%m-%d}" <= until}
    assert arxiv.check(query) == "" and 0 < len(inside) < len(some)
    assert_each_once(ids_of(fetch_pages(new_client(), query)), inside)
    preview = arxiv.preview(query, new_client(), Task())
    assert preview.total == len(inside) == len(preview.papers)


def test_dates_of_a_list_of_ids_are_checked():
    assert "2024-13" in arxiv.check(arxiv_query("2101.00027", since="2024-13"))


def test_too_many_ids_are_refused_before_any_request():
    many = " ".join(f"2101.{n:05}" for n in range(1, 400))
    assert arxiv.check(arxiv_query(many)) == "The query lists 399 arXiv IDs; the limit is 300."


# ---- resuming ------------------------------------------------------------------------------------


@pytest.mark.parametrize("together", [1, 7, 250])
def test_query_beyond_its_reach_continues_in_date_windows(tmp_path, small_pages, together):
    with ArxivServer(3333, together=together, reach=1000) as server:
        with Client(tmp_path, server.endpoints, retry_policy=HASTE) as client:
            found = list(fetch_pages(client, arxiv_query("cat:*")))
        assert_each_once(ids_of(found), list(server.papers))
        assert {page.total for page in found} == {3333}
        assert any("submittedDate" in asked.params["search_query"] for asked in server.requests)


def test_fetch_resumes_after_any_page_in_another_process(new_client, server, small_pages):
    query = arxiv_query("cat:*", since="2007")
    whole = list(fetch_pages(new_client(), query))
    for taken in range(0, len(whole), 3):
        cursor = json.loads(json.dumps(whole[taken].cursor))
        rest = ids_of(islice(fetch_pages(new_client(), query, cursor), 12))
        done = ids_of(whole[: taken + 1])
        assert rest == ids_of(whole[taken + 1 : taken + 13])
        assert not set(rest) & set(done)


def test_cursor_is_small(new_client, server, small_pages):
    assert max(len(page.cursor) for page in fetch_pages(new_client(), arxiv_query("cat:*"))) < 300


def test_too_many_papers_of_one_minute_raise_an_error(tmp_path, small_pages):
    crowded = ArxivServer(1500, together=1500, gap=0, reach=1000)
    for id, paper in crowded.papers.items():
        crowded.papers[id] = replace(paper, submitted=paper.submitted.replace(minute=0))
    with crowded, Client(tmp_path, crowded.endpoints, retry_policy=HASTE) as client:
        found = fetch_pages(client, arxiv_query("cat:*"))
        with pytest.raises(SourceError, match="1,500 papers with the same date"):
            list(found)


def test_unsorted_page_is_rejected_when_later_pages_depend_on_it(server, new_client, small_pages):
    server.fail(unsorted, when=at(200))
    assert_each_once(ids_of(fetch_pages(new_client(), arxiv_query("cat:*"))), list(server.papers))
    server.fail(unsorted, times=HASTE.tries, when=at(200))
    found = fetch_pages(new_client(), arxiv_query("cat:*"))
    with pytest.raises(SourceError, match="not sorted by date"):
        list(found)


# ---- changes during a fetch ----------------------------------------------------------------------


@pytest.mark.parametrize("dropped", [1, 30, 150])
def test_papers_removed_between_pages_hide_no_others(server, new_client, small_pages, dropped):
    found = fetch_pages(new_client(), arxiv_query("all:transformer"))
    came = ids_of(islice(found, 3))
    server.drop(came[:dropped])
    rest = ids_of(found)
    assert_each_once(
        came + rest, expected_ids(server, lambda p: "transformer" in p.words) | set(came)
    )


def test_papers_added_between_pages_are_fetched_once(server, new_client, small_pages):
    found = fetch_pages(new_client(), arxiv_query("all:transformer"))
    came = ids_of(islice(found, 3))
    new_year = datetime(2008, 1, 1, tzinfo=UTC)
    early = [Generated(90_000 + n * 8, new_year, new_year) for n in range(20)]
    server.add(*early)
    assert_each_once(came + ids_of(found), expected_ids(server, lambda p: "transformer" in p.words))


def test_short_page_loses_no_papers(server, new_client, small_pages):
    def short(good):
        entries = good.body.split(b"<entry>")
        return replace(good, body=b"<entry>".join(entries[:40]) + b"</feed>")

    server.fail(short, when=at(100))
    assert_each_once(ids_of(fetch_pages(new_client(), arxiv_query())), expected_ids(server))


# ---- faults --------------------------------------------------------------------------------------

PASSING = {
    "an empty page": empty_page(),
    "a truncated page": faults.truncated(),
    "malformed XML": faults.malformed(),
    "an entity bomb": faults.entity_bomb(),
    "no feed": faults.replaced(b"<html><body>Hello</body></html>"),
    "a connection that breaks": faults.dropped(),
    "too many requests": faults.too_many(0),
    "no service": faults.unavailable(),
}


@pytest.mark.parametrize("fault", PASSING)
def test_passing_fault_in_the_middle_loses_nothing(server, new_client, small_pages, fault):
    server.fail(PASSING[fault], when=at(200))
    assert_each_once(ids_of(fetch_pages(new_client(), arxiv_query())), expected_ids(server))
    assert sum(at(200)(asked) for asked in server.requests) == 2


STAYING = {
    "empty page": (empty_page(), "the page is empty, although arXiv reports 7"),
    "truncated": (faults.truncated(), "XML is not valid"),
    "malformed": (faults.malformed(), "XML is not valid"),
    "entities": (faults.entity_bomb(), "defines entities"),
    "no total": (
        lambda good: replace(good, body=good.body.replace(b"totalResults", b"total")),
        "the number of papers",
    ),
    "total gone": (
        lambda good: replace(
            good, body=re.sub(rb"(totalResults>)\d+", rb"\g<1>0", empty_page()(good).body)
        ),
        "no longer reports any results",
    ),
}


@pytest.mark.parametrize("fault", STAYING)
def test_lasting_fault_is_named_and_fetch_can_resume(server, new_client, small_pages, fault):
    spoil, why = STAYING[fault]
    server.fail(spoil, times=HASTE.tries, when=at(200))
    found = fetch_pages(new_client(), arxiv_query())
    came = [next(found), next(found)]
    with pytest.raises(SourceError, match=why) as raised:
        next(found)
    assert "arXiv" in str(raised.value)
    assert_each_once(
        ids_of(came) + ids_of(fetch_pages(new_client(), arxiv_query(), came[-1].cursor)),
        expected_ids(server),
    )


def test_refusal_gives_message_of_arxiv(server, new_client):
    with pytest.raises(SourceError, match="nothing:x cannot be understood"):
        list(fetch_pages(new_client(), arxiv_query("nothing:x")))
    assert len(server.requests) == 1


def test_error_with_status_200_is_recognised(new_client, server):
    server.fail(lambda good: replace(good, status=200), when=is_api)
    with pytest.raises(SourceError, match="nothing:x cannot be understood"):
        list(fetch_pages(new_client(), arxiv_query("nothing:x")))


def test_unreadable_entry_is_skipped_and_others_fetched(server, new_client):
    def spoil(good):
        return replace(good, body=re.sub(rb"<title>(?!arXiv).*?</title>", b"", good.body, count=1))

    server.fail(spoil)
    (page,) = fetch_pages(new_client(), arxiv_query())
    (skipped,) = [record for record in page.records if not isinstance(record, Paper)]
    assert skipped.reason == "This entry has no title."
    assert skipped.entry in expected_ids(server)
    assert len(page.records) == len(expected_ids(server))


# ---- refreshing ----------------------------------------------------------------------------------

LATER = datetime(2020, 5, 4, 12, tzinfo=UTC)


def test_refresh_gives_new_and_changed_papers(server, new_client):
    revised = sorted(expected_ids(server))[::50]
    server.revise(revised, LATER)
    new = Generated(91_000, LATER, LATER)
    server.add(new)
    found = list(fetch_pages(new_client(), arxiv_query(changed_since="2020-05-01T00:00:00Z")))
    assert_each_once(ids_of(found), {*revised, new.id})
    assert {p.extra["version"] for page in found for p in page.records} >= {"2", "3"}
    assert len(server.requests) == 1


def test_refresh_continues_over_pages(server, new_client, monkeypatch):
    monkeypatch.setattr(arxiv, "_PAGE_OF_CHANGES", 50)
    revised = sorted(expected_ids(server))[:170]
    server.revise(revised, LATER)
    query = arxiv_query(changed_since="2020-05-01T00:00:00Z")
    first, *rest = fetch_pages(new_client(), query)
    assert_each_once(ids_of([first, *rest]), revised)
    assert len(server.requests) == 4
    assert_each_once(
        ids_of([first]) + ids_of(fetch_pages(new_client(), query, first.cursor)), revised
    )


def test_papers_removed_during_refresh_hide_no_others(server, new_client, monkeypatch):
    monkeypatch.setattr(arxiv, "_PAGE_OF_CHANGES", 50)
    revised = sorted(expected_ids(server))[:170]
    server.revise(revised, LATER)
    found = fetch_pages(new_client(), arxiv_query(changed_since="2020-05-01T00:00:00Z"))
    came = ids_of([next(found), next(found)])
    server.drop(came[:30])
    assert_each_once(came + ids_of(found), revised)


def test_refresh_with_unreachable_changes_reads_everything(tmp_path, small_pages, monkeypatch):
    monkeypatch.setattr(arxiv, "_REACH_OF_CHANGES", 1200)
    with ArxivServer(3000, reach=1200) as server:
        revised = [id for n, id in enumerate(server.papers) if n % 2]
        server.revise(revised, LATER)
        with Client(tmp_path, server.endpoints, retry_policy=HASTE) as client:
            query = arxiv_query("cat:*", changed_since="2020-05-01T00:00:00Z")
            assert_each_once(ids_of(fetch_pages(client, query)), revised)


def test_refresh_does_not_rely_on_unsorted_changes(server, new_client):
    revised = sorted(expected_ids(server))[::40]
    server.revise(revised, LATER)
    server.fail(unsorted, when=lambda asked: asked.params.get("sortBy") == "lastUpdatedDate")
    assert_each_once(
        ids_of(fetch_pages(new_client(), arxiv_query(changed_since="2020-05-01T00:00:00Z"))),
        revised,
    )


def test_fetch_can_be_cancelled(server, new_client, small_pages):
    task = Task()
    found = arxiv.fetch(arxiv_query(), "", new_client(), task)
    next(found)
    task.cancel()
    with pytest.raises(Cancelled):
        next(found)
    assert len(server.requests) == 1


# ---- fallback to OAI-PMH -------------------------------------------------------------------------


def test_busy_api_is_replaced_by_oai_pmh(server, new_client, caplog):
    text = "all:transformer AND (cat:cs.* OR cat:hep-th)"
    expected = list(fetch_pages(new_client(), arxiv_query(text)))
    server.fail(faults.unavailable(), times=99, when=is_api)
    with caplog.at_level(logging.WARNING):
        found = list(fetch_pages(new_client(), arxiv_query(text)))
    assert_each_once(ids_of(found), ids_of(expected))
    papers = {paper.source_id: paper for page in expected for paper in page.records}
    for paper in (paper for page in found for paper in page.records):
        extra = {k: v for k, v in paper.extra.items() if k != "submitter"}
        assert replace(paper, extra=extra) == papers[paper.source_id]
    assert "Continuing with OAI-PMH: cs, physics:hep-th" in caplog.text


def test_oai_pmh_fallback_repeats_no_papers(server, new_client, small_pages):
    found = fetch_pages(
        new_client(), arxiv_query("cat:cs.* AND all:transformer", until="2008-02-10")
    )
    came = [next(found), next(found)]
    server.fail(faults.too_many(0), times=99, when=is_api)
    expected = expected_ids(
        server,
        lambda p: (
            "transformer" in p.words
            and f"{p.submitted:%Y-%m-%d}" <= "2008-02-10"
            and any(c.startswith("cs.") for c in p.categories)
        ),
    )
    assert_each_once(ids_of(came) + ids_of(found), expected)


def test_oai_pmh_fallback_can_be_resumed(server, new_client):
    server._harvest_page = 100
    server.fail(faults.unavailable(), times=HASTE.tries, when=is_api)
    found = fetch_pages(new_client(), arxiv_query("cat:cs.CL OR cat:hep-th"))
    came = [next(found) for _ in range(10)]
    rest = list(fetch_pages(new_client(), arxiv_query("cat:cs.CL OR cat:hep-th"), came[-1].cursor))
    assert not any(is_api(asked) for asked in server.requests[-len(rest) :])
    assert_each_once(
        ids_of(came) + ids_of(rest),
        expected_ids(server, lambda p: {"cs.CL", "hep-th"} & set(p.categories)),
    )


def test_refresh_falls_back_to_oai_pmh(server, new_client):
    revised = sorted(expected_ids(server))[::50]
    server.revise(revised, LATER)
    server.fail(faults.unavailable(), times=99, when=is_api)
    assert_each_once(
        ids_of(fetch_pages(new_client(), arxiv_query(changed_since="2020-05-01T00:00:00Z"))),
        revised,
    )


def test_deleted_papers_are_left_out_of_oai_pmh_fallback(server, new_client):
    gone = sorted(expected_ids(server))[:5]
    server.deleted.update(gone)
    server.fail(faults.unavailable(), times=99, when=is_api)
    assert_each_once(
        ids_of(fetch_pages(new_client(), arxiv_query())), expected_ids(server) - set(gone)
    )


@pytest.mark.parametrize("text", ["all:transformer", "https://arxiv.org/abs/2101.00001"])
def test_busy_api_without_category_raises_error_with_hint(server, new_client, text):
    server.fail(faults.unavailable(), times=99, when=is_api)
    with pytest.raises(SourceError) as raised:
        list(fetch_pages(new_client(), arxiv_query(text)))
    assert "arXiv" in str(raised.value)
    assert "cat:cs.CL" in raised.value.hint
    assert all(map(is_api, server.requests))


# ---- before fetching -----------------------------------------------------------------------------


def test_preview_gives_newest_papers_and_total(server, new_client):
    preview = arxiv.preview(arxiv_query(), new_client(), Task())
    assert preview.total == len(expected_ids(server))
    assert len(preview.papers) == 10
    assert preview.papers[0].published == max(
        f"{server.papers[id].submitted:%Y-%m-%d}" for id in expected_ids(server)
    )
    assert len(server.requests) == 1


def test_preview_of_empty_result_is_empty(server, new_client):
    assert arxiv.preview(arxiv_query("all:unicorn"), new_client(), Task())[:2] == (0, [])


def test_preview_announces_a_long_fetch(server, new_client):
    def boast(good):
        return replace(good, body=re.sub(rb"(totalResults>)\d+", rb"\g<1>120000", good.body))

    server.fail(boast)
    assert arxiv.preview(arxiv_query(), new_client(), Task()).remark == (
        "Fetching all papers takes at least 10 minutes."
    )


@pytest.mark.parametrize(
    ("query", "why"),
    [
        (arxiv_query(""), "Enter a query, such as cat:cs.CL AND all:transformer."),
        (arxiv_query("", since="2024"), ""),
        (arxiv_query("ti:a AND"), "A search term is missing after AND."),
        (
            arxiv_query(since="2025", until="2024"),
            "The start date 2025 is after the end date 2024.",
        ),
        (arxiv_query(), ""),
    ],
)
def test_query_is_checked_before_any_request(query, why):
    assert arxiv.check(query) == why


@pytest.mark.parametrize("field", arxiv.FIELDS, ids=lambda field: field.name)
def test_form_fields_make_valid_queries(field):
    assert arxiv.check(arxiv_query(field.pattern.format(field.example))) == ""


def test_weekend_explains_an_empty_refresh():
    saturday = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert "Sunday evening" in arxiv.nothing_found_reason(saturday)
    assert arxiv.nothing_found_reason(saturday + timedelta(days=4)) == ""


# ---- recorded answers of arXiv -------------------------------------------------------------------


@pytest.fixture
def recorded(shared):
    """Recorded pages of a query for "testing", by start and size."""
    found = {}
    for path in (shared / "fixtures" / "json").glob("arxiv_py__fixtures_q_testing_*.json"):
        answer = json.loads(path.read_text(encoding="utf-8"))
        start, size = re.search(r"_s(\d+)_m(\d+)_", path.name).groups()
        found[int(start), int(size)] = answer["body"].encode()
    return found


def test_recorded_pages_are_fetched_in_sequence(recorded, tmp_path, monkeypatch):
    monkeypatch.setattr(arxiv, "_PAGE", 10)
    monkeypatch.setattr(arxiv, "_OVERLAP", 0)  # the recorded pages do not overlap
    monkeypatch.setattr(arxiv, "_REACH", 10_000_000)  # they are sorted by relevance

    def replay(asked):
        key = int(asked.params["start"]), int(asked.params["max_results"])
        return Answer(recorded[key], "application/atom+xml")

    with LocalServer(replay) as server:
        endpoints = ArxivServer.endpoints.fget(server)
        with Client(tmp_path, endpoints, retry_policy=HASTE) as client:
            preview = arxiv.preview(arxiv_query("testing"), client, Task())
            came = list(islice(fetch_pages(client, arxiv_query("testing")), 6))
    assert len(preview.papers) == 10
    assert preview.total == came[0].total > 1000
    assert len(set(ids_of(came))) == 60
    assert all(isinstance(record, Paper) for page in came for record in page.records)
