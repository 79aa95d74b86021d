from collections import Counter
from datetime import UTC, datetime
from itertools import islice

import pytest

from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import SourceError
from sciread_app.sources.arxiv import oai as arxiv_oai
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.servers import faults
from tests.support.servers.arxiv_server import ArxivServer

HASTE = RetryPolicy(tries=3, first=0.01, longest=0.02)
LATER = datetime(2020, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def server():
    with ArxivServer(2000, harvest_page=100) as server:
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


def asked(text="cs", **values):
    return SourceQuery("arxiv-oai", text, **values)


def pages(client, query, cursor=""):
    return arxiv_oai.fetch(query, cursor, client, Task())


def ids(pages):
    return [record.source_id for page in pages for record in page.records]


def of(server, *archives):
    return {
        paper.id
        for paper in server.papers.values()
        if any(category.startswith(archives) for category in paper.categories)
    }


def once(found, expected):
    """Everything came, and nothing twice."""
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
def test_whole_sets_come_and_what_is_in_two_of_them_once(server, process, text, archives):
    once(ids(pages(process(), asked(text))), of(server, *archives))


def test_the_next_page_is_asked_for_only_when_the_last_was_taken(server, process):
    found = pages(process(), asked())
    assert server.requests == []
    next(found)
    assert len(server.requests) == 1


def test_dates_are_those_of_the_first_version(server, process):
    server.revise(sorted(of(server, "cs."))[:50], LATER)
    found = ids(pages(process(), asked(since="2008-01-05", until="2008-01-20")))
    expected = [
        id
        for id in of(server, "cs.")
        if "2008-01-05" <= f"{server.papers[id].submitted:%Y-%m-%d}" <= "2008-01-20"
    ]
    once(found, expected)
    assert server.requests[0].params["from"] == "2008-01-05"


def test_a_refresh_brings_what_arxiv_has_touched_since(server, process):
    revised = sorted(of(server, "cs."))[::20]
    server.revise(revised, LATER)
    once(ids(pages(process(), asked(changed_since="2020-05-01T10:00:00Z"))), revised)


def test_nothing_is_no_error(server, process):
    (page,) = pages(process(), asked(changed_since="2030-01-01T00:00:00Z"))
    assert page.records == []


def test_any_page_is_gone_on_after_in_another_process(server, process):
    query = asked("cs.CL hep-th")
    whole = list(pages(process(), query))
    for taken, page in enumerate(whole):
        assert ids(pages(process(), query, page.cursor)) == ids(whole[taken + 1 :])


def test_a_token_that_expires_costs_nothing_but_a_request(server, process):
    found = pages(process(), asked("cs hep-th"))
    came = list(islice(found, 4))
    server.expire()
    came += islice(found, 5)
    server.expire()
    came += found
    once(ids(came), of(server, "cs.", "hep-th"))
    tokens = ["resumptionToken" in asked.params for asked in server.requests]
    assert tokens.count(False) == 4  # two sets, two tokens


def test_a_token_that_expired_over_night_loses_nothing(server, process):
    came = list(islice(pages(process(), asked()), 3))
    server.expire()
    rest = list(pages(process(), asked(), came[-1].cursor))
    assert set(ids(came)) | set(ids(rest)) == of(server, "cs.")
    # Only what bears the last day that was seen can come again.
    twice = set(ids(came)) & set(ids(rest))
    assert len({server.papers[id].datestamp for id in twice}) <= 1


def never_working(server):
    """Tokens that expire the moment they are given."""

    def spoil(good):
        server.expire()
        return good

    server.fail(spoil, times=99, when=lambda asked: "resumptionToken" not in asked.params)


def test_where_tokens_never_work_it_goes_on_by_days(server, process):
    never_working(server)
    once(ids(pages(process(), asked())), of(server, "cs."))


def test_where_one_day_has_more_than_a_page_tokens_must_work_or_it_says_so(tmp_path):
    crowded = ArxivServer(300, together=300, harvest_page=50)
    never_working(crowded)
    with crowded, Client(tmp_path, crowded.endpoints, patience=HASTE) as client:
        found = pages(client, asked())
        with pytest.raises(SourceError, match=r"refuses the harvest: .* \(badResumptionToken\)"):
            list(found)


def test_a_record_that_changes_meanwhile_comes_again_with_its_new_version(server, process):
    found = pages(process(), asked())
    first = next(found)
    id = first.records[0].source_id
    server.revise([id], LATER)
    again = [r for page in found for r in page.records if r.source_id == id]
    assert [r.extra["version"] for r in again] == [str(server.papers[id].version)]


def test_records_that_come_on_two_pages_come_once(server, process):
    def overlap(good):
        # The token leads back by ten records.
        body = good.body.replace(b"|100<", b"|90<").replace(b"|190<", b"|180<")
        return type(good)(body, good.content_type)

    server.fail(overlap, times=2)
    once(ids(pages(process(), asked())), of(server, "cs."))


def test_deleted_records_are_named(server, process):
    gone = sorted(of(server, "cs."))[:3]
    server.deleted.update(gone)
    records = [record for page in pages(process(), asked()) for record in page.records]
    skipped = [record for record in records if isinstance(record, Skipped)]
    assert sorted(s.entry for s in skipped) == gone
    assert {s.why for s in skipped} == {"arXiv has deleted this record."}
    assert len(records) == len(of(server, "cs."))


EMPTY = (
    b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords></ListRecords></OAI-PMH>'
)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (faults.truncated(), "XML is broken"),
        (faults.malformed(), "XML is broken"),
        (faults.entity_bomb(), "defines entities"),
        (faults.replaced(EMPTY), "neither records nor a reason"),
        (faults.replaced(b"<html/>"), "no answer of OAI-PMH"),
    ],
)
def test_a_fault_is_waited_out_or_named(server, process, fault, why):
    def third(asked):
        return asked.params.get("resumptionToken", "").endswith("|200")

    server.fail(fault, when=third)
    once(ids(pages(process(), asked())), of(server, "cs."))
    server.fail(fault, times=HASTE.tries, when=third)
    found = pages(process(), asked())
    came = [next(found), next(found)]
    with pytest.raises(SourceError, match=why):
        next(found)
    once(ids(came) + ids(pages(process(), asked(), came[-1].cursor)), of(server, "cs."))


def test_what_arxiv_refuses_is_told_in_its_own_words(server, process):
    with pytest.raises(SourceError, match="Set has no known set structure"):
        list(pages(process(), asked("econ.EM")))


def test_a_preview_shows_the_first_papers(server, process):
    preview = arxiv_oai.preview(asked(), process(), Task())
    assert (preview.total, len(preview.papers)) == (-1, 10)
    assert preview.remark
    assert all(isinstance(paper, Paper) for paper in preview.papers)
    few = asked(changed_since="2008-01-01T00:00:00Z", until="2007-12-21")
    assert arxiv_oai.preview(few, process(), Task()).total >= -1


def test_a_preview_of_a_short_list_knows_its_length(server, process):
    server.revise(sorted(of(server, "cs."))[:12], LATER)
    preview = arxiv_oai.preview(asked(changed_since="2020-05-01T00:00:00Z"), process(), Task())
    assert (preview.total, len(preview.papers), preview.remark) == (12, 10, "")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Name an archive or a category, such as cs or cs.CL."),
        (" , ", "Name an archive or a category, such as cs or cs.CL."),
        ("cs nosuch", "arXiv has no archive or category nosuch; there are cs, cs.CL, hep-th"),
        ("cs, hep-th", ""),
    ],
)
def test_a_query_is_checked_before_anything_is_asked(text, why):
    found = arxiv_oai.check(asked(text))
    assert found.startswith(why) if why else found == ""
