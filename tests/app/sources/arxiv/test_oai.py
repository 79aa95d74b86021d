from collections import Counter
from datetime import UTC, datetime
from itertools import islice

import pytest

from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import SourceError
from sciread_app.sources.arxiv import oai as arxiv_oai
from sciread_app.sources.http.client import Client
from sciread_app.tasks import Task
from tests.app.sources.arxiv.conftest import HASTE
from tests.support.servers import faults
from tests.support.servers.arxiv_server import ArxivServer

LATER = datetime(2020, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def server():
    with ArxivServer(2000, harvest_page=100) as server:
        yield server


def oai_query(text="cs", **values):
    return SourceQuery("arxiv-oai", text, **values)


def harvest_pages(client, query, cursor=""):
    return arxiv_oai.fetch(query, cursor, client, Task())


def ids_of(harvest_pages):
    return [record.source_id for page in harvest_pages for record in page.records]


def ids_in(server, *archives):
    return {
        paper.id
        for paper in server.papers.values()
        if any(category.startswith(archives) for category in paper.categories)
    }


def assert_each_once(found, expected):
    """Assert that everything was fetched, and nothing twice."""
    assert Counter(found) == Counter(expected)


@pytest.mark.parametrize(
    ("text", "archives"),
    [
        ("cs", ["cs."]),
        ("cs.CL", ["cs.CL"]),
        ("cs:cs:CL", ["cs.CL"]),
        ("hep-th", ["hep-th"]),
        ("physics:astro-ph", ["astro-ph"]),
        ("physics", ["hep-th", "astro-ph", "quant-ph"]),
        ("cs.CL, stat; hep-th", ["cs.CL", "stat.", "hep-th"]),
        ("cs cs.CL cs:cs", ["cs."]),
    ],
)
def test_sets_are_harvested_completely_and_overlaps_once(server, new_client, text, archives):
    assert_each_once(
        ids_of(harvest_pages(new_client(), oai_query(text))), ids_in(server, *archives)
    )


def test_next_page_is_requested_only_when_needed(server, new_client):
    found = harvest_pages(new_client(), oai_query())
    assert server.requests == []
    next(found)
    assert len(server.requests) == 1


def test_date_range_applies_to_first_version(server, new_client):
    server.revise(sorted(ids_in(server, "cs."))[:50], LATER)
    found = ids_of(harvest_pages(new_client(), oai_query(since="2008-01-05", until="2008-01-20")))
    expected = [
        id
        for id in ids_in(server, "cs.")
        if "2008-01-05" <= f"{server.papers[id].submitted:%Y-%m-%d}" <= "2008-01-20"
    ]
    assert_each_once(found, expected)
    assert server.requests[0].params["from"] == "2008-01-05"


def test_refresh_gives_records_changed_since(server, new_client):
    revised = sorted(ids_in(server, "cs."))[::20]
    server.revise(revised, LATER)
    assert_each_once(
        ids_of(harvest_pages(new_client(), oai_query(changed_since="2020-05-01T10:00:00Z"))),
        revised,
    )


def test_empty_harvest_is_not_an_error(server, new_client):
    (page,) = harvest_pages(new_client(), oai_query(changed_since="2030-01-01T00:00:00Z"))
    assert page.records == []


def test_harvest_resumes_after_any_page_in_another_process(server, new_client):
    query = oai_query("cs.CL hep-th")
    whole = list(harvest_pages(new_client(), query))
    for taken, page in enumerate(whole):
        assert ids_of(harvest_pages(new_client(), query, page.cursor)) == ids_of(whole[taken + 1 :])


def test_expired_token_costs_only_one_request(server, new_client):
    found = harvest_pages(new_client(), oai_query("cs hep-th"))
    came = list(islice(found, 4))
    server.expire()
    came += islice(found, 5)
    server.expire()
    came += found
    assert_each_once(ids_of(came), ids_in(server, "cs.", "hep-th"))
    tokens = ["resumptionToken" in asked.params for asked in server.requests]
    assert tokens.count(False) == 4  # two sets, two tokens


def test_token_expired_between_runs_loses_nothing(server, new_client):
    came = list(islice(harvest_pages(new_client(), oai_query()), 3))
    server.expire()
    rest = list(harvest_pages(new_client(), oai_query(), came[-1].cursor))
    assert set(ids_of(came)) | set(ids_of(rest)) == ids_in(server, "cs.")
    # Only records of the last day seen can be repeated.
    twice = set(ids_of(came)) & set(ids_of(rest))
    assert len({server.papers[id].datestamp for id in twice}) <= 1


def expire_tokens_at_once(server):
    """Make tokens expire as soon as they are issued."""

    def spoil(good):
        server.expire()
        return good

    server.fail(spoil, times=99, when=lambda asked: "resumptionToken" not in asked.params)


def test_harvest_without_working_tokens_continues_by_days(server, new_client):
    expire_tokens_at_once(server)
    assert_each_once(ids_of(harvest_pages(new_client(), oai_query())), ids_in(server, "cs."))


def test_harvest_of_crowded_day_without_tokens_raises_error(tmp_path):
    crowded = ArxivServer(300, together=300, harvest_page=50)
    expire_tokens_at_once(crowded)
    with crowded, Client(tmp_path, crowded.endpoints, retry_policy=HASTE) as client:
        found = harvest_pages(client, oai_query())
        with pytest.raises(SourceError, match=r"rejected the request: .* \(badResumptionToken\)"):
            list(found)


def test_record_changed_during_harvest_comes_again_in_new_version(server, new_client):
    found = harvest_pages(new_client(), oai_query())
    first = next(found)
    id = first.records[0].source_id
    server.revise([id], LATER)
    again = [r for page in found for r in page.records if r.source_id == id]
    assert [r.extra["version"] for r in again] == [str(server.papers[id].version)]


def test_records_on_two_pages_are_given_once(server, new_client):
    def overlap(good):
        # The token points back by ten records.
        body = good.body.replace(b"|100<", b"|90<").replace(b"|190<", b"|180<")
        return type(good)(body, good.content_type)

    server.fail(overlap, times=2)
    assert_each_once(ids_of(harvest_pages(new_client(), oai_query())), ids_in(server, "cs."))


def test_deleted_records_are_skipped_by_id(server, new_client):
    gone = sorted(ids_in(server, "cs."))[:3]
    server.deleted.update(gone)
    records = [
        record for page in harvest_pages(new_client(), oai_query()) for record in page.records
    ]
    skipped = [record for record in records if isinstance(record, Skipped)]
    assert sorted(s.entry for s in skipped) == gone
    assert {s.reason for s in skipped} == {"arXiv has deleted this record."}
    assert len(records) == len(ids_in(server, "cs."))


EMPTY = (
    b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords></ListRecords></OAI-PMH>'
)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (faults.truncated(), "XML is not valid"),
        (faults.malformed(), "XML is not valid"),
        (faults.entity_bomb(), "defines entities"),
        (faults.replaced(EMPTY), "neither records nor an error"),
        (faults.replaced(b"<html/>"), "not an OAI-PMH response"),
    ],
)
def test_fault_is_retried_or_named(server, new_client, fault, why):
    def third(asked):
        return asked.params.get("resumptionToken", "").endswith("|200")

    server.fail(fault, when=third)
    assert_each_once(ids_of(harvest_pages(new_client(), oai_query())), ids_in(server, "cs."))
    server.fail(fault, times=HASTE.tries, when=third)
    found = harvest_pages(new_client(), oai_query())
    came = [next(found), next(found)]
    with pytest.raises(SourceError, match=why):
        next(found)
    assert_each_once(
        ids_of(came) + ids_of(harvest_pages(new_client(), oai_query(), came[-1].cursor)),
        ids_in(server, "cs."),
    )


def test_refusal_gives_message_of_arxiv(server, new_client):
    with pytest.raises(SourceError, match="Set has no known set structure"):
        list(harvest_pages(new_client(), oai_query("econ.EM")))


def test_preview_gives_first_papers(server, new_client):
    preview = arxiv_oai.preview(oai_query(), new_client(), Task())
    assert (preview.total, len(preview.papers)) == (-1, 10)
    assert preview.remark
    assert all(isinstance(paper, Paper) for paper in preview.papers)
    few = oai_query(changed_since="2008-01-01T00:00:00Z", until="2007-12-21")
    assert arxiv_oai.preview(few, new_client(), Task()).total >= -1


def test_preview_of_short_list_knows_its_length(server, new_client):
    server.revise(sorted(ids_in(server, "cs."))[:12], LATER)
    preview = arxiv_oai.preview(
        oai_query(changed_since="2020-05-01T00:00:00Z"), new_client(), Task()
    )
    assert (preview.total, len(preview.papers), preview.remark) == (12, 10, "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Enter an archive or a category, such as cs or cs.CL."),
        (" , ", "Enter an archive or a category, such as cs or cs.CL."),
        ("cs nosuch", "arXiv has no archive or category nosuch. Examples: cs, cs.CL, hep-th"),
        ("cs, hep-th", ""),
    ],
)
def test_query_is_checked_before_any_request(text, why):
    found = arxiv_oai.check(oai_query(text))
    assert found.startswith(why) if why else found == ""
