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
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.servers import faults
from tests.support.servers.arxiv_papers import Generated
from tests.support.servers.arxiv_server import ArxivServer, empty_page
from tests.support.servers.local import Answer, LocalServer

HASTE = RetryPolicy(tries=3, first=0.01, longest=0.02)


@pytest.fixture
def server():
    with ArxivServer(3000) as server:
        yield server


@pytest.fixture
def process(server, tmp_path):
    """Each call is a client of its own that remembers nothing."""
    clients = []

    def begin():
        folder = tmp_path / str(len(clients))
        folder.mkdir()
        clients.append(Client(folder, server.endpoints, patience=HASTE))
        return clients[-1]

    yield begin
    for client in clients:
        client.close()


@pytest.fixture
def small_pages(monkeypatch):
    """Pages of 100 papers, ten to a window."""
    monkeypatch.setattr(arxiv, "_PAGE", 100)
    monkeypatch.setattr(arxiv, "_REACH", 1000)


def asked(text="cat:cs.CL", **values):
    return SourceQuery("arxiv", text, **values)


def pages(client, query, cursor=""):
    return arxiv.fetch(query, cursor, client, Task())


def ids(pages):
    return [record.source_id for page in pages for record in page.records]


def wanted(server, condition=lambda paper: "cs.CL" in paper.categories):
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


def once(found, expected):
    """Everything came, and nothing twice."""
    assert Counter(found) == Counter(expected)


# ---- the whole of it -----------------------------------------------------------------------------


def test_everything_that_a_query_finds_comes_oldest_first(server, process):
    found = list(pages(process(), asked("all:transformer AND (cat:cs.* OR cat:hep-th)")))
    papers = [paper for page in found for paper in page.records]
    once(
        ids(found),
        wanted(
            server,
            lambda p: (
                "transformer" in p.words and any(c[:3] in ("cs.", "hep") for c in p.categories)
            ),
        ),
    )
    assert [p.published for p in papers] == sorted(p.published for p in papers)
    assert {page.total for page in found} == {len(papers)}


def test_a_paper_comes_as_the_feed_has_it(server, process):
    page = next(pages(process(), asked(most=1, text="all:kernel")))
    assert [type(record) for record in page.records] == [Paper]
    paper = page.records[0]
    generated = server.papers[paper.source_id]
    assert (paper.title, paper.fields) == (generated.title, generated.categories)


def test_the_next_page_is_asked_for_only_when_the_last_was_taken(server, process, small_pages):
    found = pages(process(), asked("all:transformer"))
    assert server.requests == []
    next(found)
    assert len(server.requests) == 1
    next(found)
    assert len(server.requests) == 2


def test_no_larger_page_is_asked_for_than_is_needed(server, process):
    next(pages(process(), asked(most=7)))
    assert server.requests[0].params["max_results"] == "7"


def test_nothing_found_is_no_error(server, process):
    (page,) = pages(process(), asked("all:unicorn"))
    assert (page.records, page.total) == ([], 0)
    assert len(server.requests) == 1


def test_both_days_of_a_window_are_in_it(server, process):
    found = ids(pages(process(), asked(since="2008-01-05", until="2008-01-20")))
    once(
        found,
        wanted(
            server,
            lambda p: (
                "cs.CL" in p.categories
                and "2008-01-05" <= f"{p.submitted:%Y-%m-%d}" <= "2008-01-20"
            ),
        ),
    )
    assert "cs.CL" in server.requests[0].params["search_query"]


def test_a_list_of_ids_is_fetched_as_one(server, process):
    some = [*list(server.papers)[:3], *list(server.papers)[-3:]]
    text = f"{some[0]}v1, arXiv:{some[1]} https://arxiv.org/abs/{some[2]} {' '.join(some[3:])}"
    assert arxiv.check(asked(text)) == ""
    once(ids(pages(process(), asked(f"{text} 9912.99999"))), some)
    assert "search_query" not in server.requests[0].params


def test_too_many_ids_are_refused_before_anything_is_asked():
    many = " ".join(f"2101.{n:05}" for n in range(1, 400))
    assert arxiv.check(asked(many)) == "These are 399 arXiv ids; ask for at most 300 at once."


# ---- going on ------------------------------------------------------------------------------------


@pytest.mark.parametrize("together", [1, 7, 250])
def test_beyond_the_reach_of_a_query_it_goes_on_in_windows(tmp_path, small_pages, together):
    with ArxivServer(3333, together=together, reach=1000) as server:
        with Client(tmp_path, server.endpoints, patience=HASTE) as client:
            found = list(pages(client, asked("cat:*")))
        once(ids(found), list(server.papers))
        assert {page.total for page in found} == {3333}
        assert any("submittedDate" in asked.params["search_query"] for asked in server.requests)


def test_any_page_is_gone_on_after_in_another_process(process, server, small_pages):
    query = asked("cat:*", since="2007")
    whole = list(pages(process(), query))
    for taken in range(0, len(whole), 3):
        cursor = json.loads(json.dumps(whole[taken].cursor))
        rest = ids(islice(pages(process(), query, cursor), 12))
        done = ids(whole[: taken + 1])
        assert rest == ids(whole[taken + 1 : taken + 13])
        assert not set(rest) & set(done)


def test_a_cursor_is_small(process, server, small_pages):
    assert max(len(page.cursor) for page in pages(process(), asked("cat:*"))) < 300


def test_a_minute_with_more_papers_than_a_query_reaches_is_told(tmp_path, small_pages):
    crowded = ArxivServer(1500, together=1500, gap=0, reach=1000)
    for id, paper in crowded.papers.items():
        crowded.papers[id] = replace(paper, submitted=paper.submitted.replace(minute=0))
    with crowded, Client(tmp_path, crowded.endpoints, patience=HASTE) as client:
        found = pages(client, asked("cat:*"))
        with pytest.raises(SourceError, match="1,500 papers of one date"):
            list(found)


def test_papers_that_are_not_sorted_are_no_page_when_later_ones_need_it(
    server, process, small_pages
):
    server.fail(unsorted, when=at(200))
    once(ids(pages(process(), asked("cat:*"))), list(server.papers))
    server.fail(unsorted, times=HASTE.tries, when=at(200))
    found = pages(process(), asked("cat:*"))
    with pytest.raises(SourceError, match="not sorted by date"):
        list(found)


# ---- what changes meanwhile ----------------------------------------------------------------------


@pytest.mark.parametrize("dropped", [1, 30, 150])
def test_papers_that_vanish_between_pages_take_no_others_with_them(
    server, process, small_pages, dropped
):
    found = pages(process(), asked("all:transformer"))
    came = ids(islice(found, 3))
    server.drop(came[:dropped])
    rest = ids(found)
    once(came + rest, wanted(server, lambda p: "transformer" in p.words) | set(came))


def test_papers_that_appear_between_pages_make_none_come_twice(server, process, small_pages):
    found = pages(process(), asked("all:transformer"))
    came = ids(islice(found, 3))
    new_year = datetime(2008, 1, 1, tzinfo=UTC)
    early = [Generated(90_000 + n * 8, new_year, new_year) for n in range(20)]
    server.add(*early)
    rest = ids(found)
    once(came + rest, wanted(server, lambda p: "transformer" in p.words) - {p.id for p in early})


def test_a_page_with_fewer_papers_than_asked_for_loses_none(server, process, small_pages):
    def short(good):
        entries = good.body.split(b"<entry>")
        return replace(good, body=b"<entry>".join(entries[:40]) + b"</feed>")

    server.fail(short, when=at(100))
    once(ids(pages(process(), asked())), wanted(server))


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
def test_a_fault_in_the_middle_loses_nothing(server, process, small_pages, fault):
    server.fail(PASSING[fault], when=at(200))
    once(ids(pages(process(), asked())), wanted(server))
    assert sum(at(200)(asked) for asked in server.requests) == 2


STAYING = {
    "empty page": (empty_page(), "the page is empty, although arXiv announces 7"),
    "truncated": (faults.truncated(), "XML is broken"),
    "malformed": (faults.malformed(), "XML is broken"),
    "entities": (faults.entity_bomb(), "defines entities"),
    "no total": (
        lambda good: replace(good, body=good.body.replace(b"totalResults", b"total")),
        "how many papers there are",
    ),
    "total gone": (
        lambda good: replace(
            good, body=re.sub(rb"(totalResults>)\d+", rb"\g<1>0", empty_page()(good).body)
        ),
        "suddenly finds nothing",
    ),
}


@pytest.mark.parametrize("fault", STAYING)
def test_a_fault_that_stays_is_named_after_what_came_and_can_be_gone_on_from(
    server, process, small_pages, fault
):
    spoil, why = STAYING[fault]
    server.fail(spoil, times=HASTE.tries, when=at(200))
    found = pages(process(), asked())
    came = [next(found), next(found)]
    with pytest.raises(SourceError, match=why) as raised:
        next(found)
    assert "arXiv" in str(raised.value)
    once(ids(came) + ids(pages(process(), asked(), came[-1].cursor)), wanted(server))


def test_what_arxiv_refuses_is_told_in_its_own_words(server, process):
    with pytest.raises(SourceError, match="nothing:x cannot be understood"):
        list(pages(process(), asked("nothing:x")))
    assert len(server.requests) == 1


def test_an_error_that_looks_like_an_answer_is_told(process, server):
    server.fail(lambda good: replace(good, status=200), when=is_api)
    with pytest.raises(SourceError, match="nothing:x cannot be understood"):
        list(pages(process(), asked("nothing:x")))


def test_an_entry_that_cannot_be_read_is_named_and_the_others_come(server, process):
    def spoil(good):
        return replace(good, body=re.sub(rb"<title>(?!arXiv).*?</title>", b"", good.body, count=1))

    server.fail(spoil)
    (page,) = pages(process(), asked())
    (skipped,) = [record for record in page.records if not isinstance(record, Paper)]
    assert skipped.why == "This entry has no title."
    assert skipped.entry in wanted(server)
    assert len(page.records) == len(wanted(server))


# ---- refreshing ----------------------------------------------------------------------------------

LATER = datetime(2020, 5, 4, 12, tzinfo=UTC)


def test_a_refresh_brings_what_is_new_or_has_changed_since(server, process):
    revised = sorted(wanted(server))[::50]
    server.revise(revised, LATER)
    new = Generated(91_000, LATER, LATER)
    server.add(new)
    found = list(pages(process(), asked(changed_since="2020-05-01T00:00:00Z")))
    once(ids(found), {*revised, new.id})
    assert {p.extra["version"] for page in found for p in page.records} >= {"2", "3"}
    assert len(server.requests) == 1


def test_a_refresh_goes_on_from_page_to_page(server, process, monkeypatch):
    monkeypatch.setattr(arxiv, "_PAGE_OF_CHANGES", 50)
    revised = sorted(wanted(server))[:170]
    server.revise(revised, LATER)
    query = asked(changed_since="2020-05-01T00:00:00Z")
    first, *rest = pages(process(), query)
    once(ids([first, *rest]), revised)
    assert len(server.requests) == 4
    once(ids([first]) + ids(pages(process(), query, first.cursor)), revised)


def test_papers_that_vanish_during_a_refresh_take_no_others_with_them(server, process, monkeypatch):
    monkeypatch.setattr(arxiv, "_PAGE_OF_CHANGES", 50)
    revised = sorted(wanted(server))[:170]
    server.revise(revised, LATER)
    found = pages(process(), asked(changed_since="2020-05-01T00:00:00Z"))
    came = ids([next(found), next(found)])
    server.drop(came[:30])
    once(came + ids(found), revised)


def test_a_refresh_with_more_changes_than_can_be_reached_reads_all(
    tmp_path, small_pages, monkeypatch
):
    monkeypatch.setattr(arxiv, "_REACH_OF_CHANGES", 1200)
    with ArxivServer(3000, reach=1200) as server:
        revised = [id for n, id in enumerate(server.papers) if n % 2]
        server.revise(revised, LATER)
        with Client(tmp_path, server.endpoints, patience=HASTE) as client:
            query = asked("cat:*", changed_since="2020-05-01T00:00:00Z")
            once(ids(pages(client, query)), revised)


def test_a_refresh_does_not_trust_changes_that_are_not_sorted(server, process):
    revised = sorted(wanted(server))[::40]
    server.revise(revised, LATER)
    server.fail(unsorted, when=lambda asked: asked.params.get("sortBy") == "lastUpdatedDate")
    once(ids(pages(process(), asked(changed_since="2020-05-01T00:00:00Z"))), revised)


def test_a_fetch_stops_when_it_is_asked_to(server, process, small_pages):
    task = Task()
    found = arxiv.fetch(asked(), "", process(), task)
    next(found)
    task.cancel()
    with pytest.raises(Cancelled):
        next(found)
    assert len(server.requests) == 1


# ---- the other way -------------------------------------------------------------------------------


def test_when_arxiv_is_too_busy_it_goes_on_by_oai_pmh(server, process, caplog):
    text = "all:transformer AND (cat:cs.* OR cat:hep-th)"
    expected = list(pages(process(), asked(text)))
    server.fail(faults.unavailable(), times=99, when=is_api)
    with caplog.at_level(logging.WARNING):
        found = list(pages(process(), asked(text)))
    once(ids(found), ids(expected))
    papers = {paper.source_id: paper for page in expected for paper in page.records}
    for paper in (paper for page in found for paper in page.records):
        extra = {k: v for k, v in paper.extra.items() if k != "submitter"}
        assert replace(paper, extra=extra) == papers[paper.source_id]
    assert "Going on by OAI-PMH: cs, physics:hep-th" in caplog.text


def test_what_came_before_does_not_come_again_by_oai_pmh(server, process, small_pages):
    found = pages(process(), asked("cat:cs.* AND all:transformer", until="2008-02-10"))
    came = [next(found), next(found)]
    server.fail(faults.too_many(0), times=99, when=is_api)
    expected = wanted(
        server,
        lambda p: (
            "transformer" in p.words
            and f"{p.submitted:%Y-%m-%d}" <= "2008-02-10"
            and any(c.startswith("cs.") for c in p.categories)
        ),
    )
    once(ids(came) + ids(found), expected)


def test_a_harvest_in_place_of_a_query_is_gone_on_with(server, process):
    server._harvest_page = 100
    server.fail(faults.unavailable(), times=HASTE.tries, when=is_api)
    found = pages(process(), asked("cat:cs.CL OR cat:hep-th"))
    came = [next(found) for _ in range(10)]
    rest = list(pages(process(), asked("cat:cs.CL OR cat:hep-th"), came[-1].cursor))
    assert not any(is_api(asked) for asked in server.requests[-len(rest) :])
    once(
        ids(came) + ids(rest),
        wanted(server, lambda p: {"cs.CL", "hep-th"} & set(p.categories)),
    )


def test_a_refresh_goes_on_by_oai_pmh_too(server, process):
    revised = sorted(wanted(server))[::50]
    server.revise(revised, LATER)
    server.fail(faults.unavailable(), times=99, when=is_api)
    once(ids(pages(process(), asked(changed_since="2020-05-01T00:00:00Z"))), revised)


def test_papers_that_arxiv_has_deleted_are_no_part_of_a_query(server, process):
    gone = sorted(wanted(server))[:5]
    server.deleted.update(gone)
    server.fail(faults.unavailable(), times=99, when=is_api)
    once(ids(pages(process(), asked())), wanted(server) - set(gone))


@pytest.mark.parametrize("text", ["all:transformer", "https://arxiv.org/abs/2101.00001"])
def test_without_a_category_somebody_must_wait_and_is_told_why(server, process, text):
    server.fail(faults.unavailable(), times=99, when=is_api)
    with pytest.raises(SourceError) as raised:
        list(pages(process(), asked(text)))
    assert "arXiv" in str(raised.value)
    assert "cat:cs.CL" in raised.value.hint
    assert all(map(is_api, server.requests))


# ---- before fetching -----------------------------------------------------------------------------


def test_a_preview_shows_the_newest_and_how_many_there_are(server, process):
    preview = arxiv.preview(asked(), process(), Task())
    assert preview.total == len(wanted(server))
    assert len(preview.papers) == 10
    assert preview.papers[0].published == max(
        f"{server.papers[id].submitted:%Y-%m-%d}" for id in wanted(server)
    )
    assert len(server.requests) == 1


def test_a_preview_of_nothing_is_nothing(server, process):
    assert arxiv.preview(asked("all:unicorn"), process(), Task())[:2] == (0, [])


def test_a_long_fetch_is_announced(server, process):
    def boast(good):
        return replace(good, body=re.sub(rb"(totalResults>)\d+", rb"\g<1>120000", good.body))

    server.fail(boast)
    assert arxiv.preview(asked(), process(), Task()).remark == (
        "Fetching all of them takes 10 minutes or more."
    )


@pytest.mark.parametrize(
    ("query", "why"),
    [
        (asked(""), "Say what to look for, such as cat:cs.CL AND all:transformer."),
        (asked("", since="2024"), ""),
        (asked("ti:a AND"), "Something is missing after AND."),
        (asked(since="2025", until="2024"), "No day is after 2025 and before 2024."),
        (asked(), ""),
    ],
)
def test_a_query_is_checked_before_anything_is_asked(query, why):
    assert arxiv.check(query) == why


@pytest.mark.parametrize("field", arxiv.FIELDS, ids=lambda field: field.name)
def test_the_fields_of_the_form_make_queries(field):
    assert arxiv.check(asked(field.pattern.format(field.example))) == ""


def test_a_weekend_explains_why_nothing_came():
    saturday = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert "Sunday evening" in arxiv.why_nothing(saturday)
    assert arxiv.why_nothing(saturday + timedelta(days=4)) == ""


# ---- what arXiv has really answered --------------------------------------------------------------


@pytest.fixture
def recorded(shared):
    """Pages of a query for "testing", by where they start and how long they are."""
    found = {}
    for path in (shared / "fixtures" / "json").glob("arxiv_py__fixtures_q_testing_*.json"):
        answer = json.loads(path.read_text(encoding="utf-8"))
        start, size = re.search(r"_s(\d+)_m(\d+)_", path.name).groups()
        found[int(start), int(size)] = answer["body"].encode()
    return found


def test_recorded_pages_are_fetched_one_after_another(recorded, tmp_path, monkeypatch):
    monkeypatch.setattr(arxiv, "_PAGE", 10)
    monkeypatch.setattr(arxiv, "_OVERLAP", 0)  # it was asked for pages that follow one another
    monkeypatch.setattr(arxiv, "_REACH", 10_000_000)  # these are sorted by relevance

    def replay(asked):
        key = int(asked.params["start"]), int(asked.params["max_results"])
        return Answer(recorded[key], "application/atom+xml")

    with LocalServer(replay) as server:
        endpoints = ArxivServer.endpoints.fget(server)
        with Client(tmp_path, endpoints, patience=HASTE) as client:
            preview = arxiv.preview(asked("testing"), client, Task())
            came = list(islice(pages(client, asked("testing")), 6))
    assert len(preview.papers) == 10
    assert preview.total == came[0].total > 1000
    assert len(set(ids(came))) == 60
    assert all(isinstance(record, Paper) for page in came for record in page.records)
