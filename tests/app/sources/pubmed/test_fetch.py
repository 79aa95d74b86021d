import json
from datetime import UTC, date, datetime, timedelta
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import SourceError
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.sources.pubmed import fetch as pubmed
from sciread_app.sources.pubmed import search as pubmed_search
from sciread_app.tasks import Task
from tests.support.servers import faults
from tests.support.servers.eutils_server import EutilsServer
from tests.support.servers.local import Answer, LocalServer
from tests.support.servers.pubmed_papers import FIRST_DAY, FIRST_PMID

PATIENCE = RetryPolicy(tries=3, first=0.01, longest=0.02)


def pubmed_query(text="all[sb]", **parts):
    return SourceQuery("pubmed", text, **parts)


def is_search(asked):
    return "esearch" in asked.path


def is_fetch(asked):
    return "efetch" in asked.path


def by_pmid(asked):
    return "id" in asked.params


@pytest.fixture
def small(monkeypatch):
    """PubMed lists 100 papers of a search, and returns 30 at once."""
    monkeypatch.setattr(pubmed, "MOST", 100)
    monkeypatch.setattr(pubmed_search, "MOST", 100)
    monkeypatch.setattr(pubmed, "_BATCH", 30)


@pytest.fixture
def serve(tmp_path, small):
    """Return a function that starts a server of so many papers and a client; a search lists 100."""
    opened = []

    def serve(count, **settings):
        server = EutilsServer(count, **{"reach": 100} | settings)
        opened.append(server.__enter__())
        opened.append(Client(tmp_path, server.endpoints, retry_policy=PATIENCE))
        return server, opened[-1]

    yield serve
    for each in reversed(opened):
        each.__exit__(None, None, None)


def fetch_pages(client, query=None, cursor=""):
    return pubmed.fetch(query or pubmed_query(), cursor, client, Task())


def pmids_of(fetch_pages):
    records = [record for page in fetch_pages for record in page.records]
    assert all(isinstance(record, Paper) for record in records)
    return [paper.source_id for paper in records]


# ---- complete result sets -----------------------------------------------------------------------


def test_result_set_is_fetched_completely_and_once(serve):
    server, client = serve(70)
    found = list(fetch_pages(client))
    assert [len(page.records) for page in found] == [30, 30, 10]
    assert {page.total for page in found} == {70}
    assert sorted(pmids_of(found)) == sorted(server.pmids())


def test_fetch_gives_only_results_of_the_query(serve):
    server, client = serve(70)
    assert set(pmids_of(fetch_pages(client, pubmed_query("sepsis")))) == server.pmids("sepsis")


def test_newest_entries_come_first(serve):
    _, client = serve(350)
    numbers = [int(pmid) for pmid in pmids_of(fetch_pages(client))]
    assert numbers == sorted(numbers, reverse=True)


def test_empty_result_gives_one_empty_page(serve):
    _, client = serve(1)
    (page,) = fetch_pages(client, pubmed_query("kidney"))
    assert (page.records, page.total) == ([], 0)


def test_large_result_is_sliced_by_entry_date(serve):
    server, client = serve(1_000)
    found = list(fetch_pages(client))
    assert sorted(pmids_of(found)) == sorted(server.pmids())
    assert {page.total for page in found} == {1_000}
    searches = [asked for asked in server.requests if is_search(asked)]
    assert {"datetype", "mindate", "maxdate"} <= searches[-1].params.keys()


def test_crowded_day_is_sliced_by_pmid(serve):
    server, client = serve(700, per_day=350)
    assert sorted(pmids_of(fetch_pages(client))) == sorted(server.pmids())


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.integers(1, 50_000))
def test_halves_of_a_slice_partition_it(day, days):
    last = min(day + timedelta(days), date(2100, 12, 31))
    older, newer = pubmed_search.PubmedSlice(day.isoformat(), last.isoformat()).halves()
    if day == last:
        assert (older.first, older.last) == (newer.first, newer.last) == (str(day), str(day))
        assert (older.low, older.high + 1, newer.high) == (1, newer.low, 99_999_999)
    else:
        assert (older.first, newer.last) == (str(day), str(last))
        assert date.fromisoformat(older.last) + timedelta(1) == date.fromisoformat(newer.first)
        assert older.first <= older.last and newer.first <= newer.last


@given(st.integers(1, 99_999_998), st.integers(1, 99_999_998))
def test_halves_of_a_day_shrink_to_a_single_pmid(low, width):
    part = pubmed_search.PubmedSlice("2020-01-01", "2020-01-01", low, min(low + width, 99_999_999))
    older, newer = part.halves()
    assert (older.low, older.high + 1, newer.high) == (part.low, newer.low, part.high)
    assert older.low <= older.high and newer.low <= newer.high


def test_server_ignoring_slice_bounds_is_detected(serve):
    server, client = serve(500, per_day=500)
    server._found = lambda topics, params: sorted(server.pmids())
    with pytest.raises(
        SourceError, match="more papers for a range of PMIDs than the range can contain"
    ):
        list(fetch_pages(client))


def test_requests_are_limited_to_wanted_papers(serve):
    server, client = serve(1_000)
    assert len(pmids_of(fetch_pages(client, pubmed_query(most=40)))) == 40
    assert [asked.params["retmax"] for asked in server.requests] == ["100", "30", "10"]


def test_more_papers_than_one_search_lists_can_be_fetched(serve):
    _, client = serve(1_000)
    assert len(set(pmids_of(fetch_pages(client, pubmed_query(most=250))))) == 250


def test_since_and_until_are_inclusive_entry_dates(serve):
    _, client = serve(400)
    first, last = FIRST_DAY + timedelta(2), FIRST_DAY + timedelta(3)
    span = pubmed_query(since=first.isoformat(), until=last.isoformat())
    assert set(pmids_of(fetch_pages(client, span))) == {str(FIRST_PMID + n) for n in range(80, 160)}
    assert len(pmids_of(fetch_pages(client, pubmed_query(since=first.isoformat())))) == 320
    assert len(pmids_of(fetch_pages(client, pubmed_query(until=last.isoformat())))) == 160


def test_refresh_gives_papers_entered_or_revised_since(serve):
    server, client = serve(400)  # the last ones on the tenth day
    server.revised = {3: FIRST_DAY + timedelta(9), 5: FIRST_DAY + timedelta(2)}
    server.retracted = {3}
    since = (FIRST_DAY + timedelta(9)).isoformat() + "T12:00:00Z"
    (*_, last) = found = list(fetch_pages(client, pubmed_query(changed_since=since)))
    # One day earlier than requested, since PubMed's days are not those of UTC.
    changed = {str(FIRST_PMID + n) for n in (3, *range(320, 400))}
    assert set(pmids_of(found)) == changed
    assert last.records[-1].extra["retraction_in"] == "39999999"


def test_requests_are_posted_without_url_parameters(serve):
    server, client = serve(40)
    list(fetch_pages(client))
    assert {asked.method for asked in server.requests} == {"POST"}
    assert not any(asked.url_params for asked in server.requests)


def test_next_page_is_requested_only_when_needed(serve):
    server, client = serve(90)
    next(fetch_pages(client))
    assert len([asked for asked in server.requests if is_fetch(asked)]) == 1


def test_documented_limits_are_used(tmp_path):
    with EutilsServer(12_000) as server, Client(tmp_path, server.endpoints) as client:
        (page,) = islice(fetch_pages(client), 1)
        assert "by date of entry" in pubmed.preview(pubmed_query(), client, Task()).remark
    assert (len(page.records), page.total) == (500, 12_000)


# ---- resuming -----------------------------------------------------------------------------------


def test_every_page_has_a_small_cursor(serve, tmp_path):
    server, client = serve(330)
    whole = list(fetch_pages(client))
    for number, page in enumerate(whole):
        assert len(page.cursor) < 500
        json.loads(page.cursor)
        with Client(tmp_path, server.endpoints) as another:
            rest = pmids_of(fetch_pages(another, cursor=page.cursor))
        assert rest == pmids_of(whole[number + 1 :])


def test_papers_entered_between_runs_shift_nothing(serve, tmp_path):
    server, client = serve(75)
    first = next(fetch_pages(client))
    server.count = 80
    with Client(tmp_path, server.endpoints) as another:
        rest = pmids_of(fetch_pages(another, cursor=first.cursor))
    assert sorted([*pmids_of([first]), *rest]) == sorted(server.pmids())


def test_resumed_slice_that_has_outgrown_a_search_is_fetched_completely(serve):
    server, client = serve(90)
    first = next(fetch_pages(client))
    server.count = 250  # a search lists 100
    rest = pmids_of(fetch_pages(client, cursor=first.cursor))
    assert {*pmids_of([first]), *rest} == server.pmids()


def test_changed_list_is_read_from_its_beginning(serve):
    server, client = serve(75)
    first = next(fetch_pages(client))
    server.revised = {72: date(2026, 1, 1)}
    unchanged = server._found
    server._found = lambda topics, params: sorted(unchanged(topics, params))
    assert sorted(pmids_of(fetch_pages(client, cursor=first.cursor))) == sorted(server.pmids())


def test_invalid_cursor_raises_error_with_hint(serve):
    _, client = serve(1)
    with pytest.raises(SourceError, match="could not be read") as caught:
        list(fetch_pages(client, cursor='{"token": 1}'))
    assert caught.value.hint


# ---- faults -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        faults.too_many(0),
        faults.too_many(),
        faults.unavailable(),
        faults.dropped(),
        faults.truncated(),
        faults.malformed(),
        faults.wrong_type(),
        faults.replaced(b""),
        faults.replaced(b"<PubmedArticleSet></PubmedArticleSet>"),
        faults.replaced(b"<eFetchResult><ERROR>Cannot process</ERROR></eFetchResult>"),
    ],
    ids=["429 at once", "429", "503", "dropped", "truncated", "malformed", "a login page",
         "nothing", "an empty page", "an error"],
)  # fmt: skip
@pytest.mark.parametrize("which", [is_search, is_fetch])
def test_failed_answer_is_retried(serve, fault, which):
    server, client = serve(70)
    found = fetch_pages(client)
    received = [next(found)] if which is is_fetch else []
    server.fail(fault, when=which)
    assert sorted(pmids_of([*received, *found])) == sorted(server.pmids())


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (faults.too_many(), ""),
        (faults.unavailable(), ""),
        (faults.truncated(), "not valid"),
        (faults.malformed(), "not valid"),
        (faults.entity_bomb(), "entities"),
        (faults.replaced(b"<PubmedArticleSet/>"), "none of the 30 requested papers"),
        (faults.replaced(b"<html/>"), "html"),
    ],
    ids=["429", "503", "truncated", "malformed", "entity bomb", "empty pages", "no papers"],
)
def test_lasting_failure_names_pubmed_and_cause_and_can_resume(serve, fault, cause):
    server, client = serve(70)
    found = fetch_pages(client)
    first = next(found)
    server.fail(fault, times=PATIENCE.tries)
    with pytest.raises(SourceError, match="PubMed") as caught:
        next(found)
    assert cause in caught.value.message
    rest = fetch_pages(client, cursor=first.cursor)
    assert sorted(pmids_of([first, *rest])) == sorted(server.pmids())


def test_expired_history_is_searched_again(serve):
    server, client = serve(70)
    found = fetch_pages(client)
    received = [next(found)]
    server.expire()
    assert sorted(pmids_of([*received, *found])) == sorted(server.pmids())
    assert len([asked for asked in server.requests if is_search(asked)]) == 2
    assert not any(by_pmid(asked) for asked in server.requests)


@pytest.mark.parametrize("status", [200, 400])
def test_records_are_fetched_by_pmid_when_history_never_works(serve, status):
    server, client = serve(70)
    forgotten = b"<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>"
    server.fail(
        faults.status(status, forgotten, "text/xml"), times=99, when=lambda a: "WebEnv" in a.params
    )
    assert sorted(pmids_of(fetch_pages(client))) == sorted(server.pmids())
    assert any(by_pmid(asked) for asked in server.requests)


def test_records_missing_in_a_page_are_requested_by_pmid(serve):
    server, client = serve(60)
    some = server._records(sorted(server.pmids())[55:]).body
    server.fail(faults.replaced(some), when=is_fetch)
    assert sorted(pmids_of(fetch_pages(client))) == sorted(server.pmids())
    asked = [asked.params["id"].split(",") for asked in server.requests if by_pmid(asked)]
    assert [len(ids) for ids in asked] == [25]


def test_missing_records_are_skipped_by_pmid(serve):
    server, client = serve(40)
    server.lost = {str(FIRST_PMID + 7), str(FIRST_PMID + 39)}
    records = [record for page in fetch_pages(client) for record in page.records]
    skipped = [record for record in records if isinstance(record, Skipped)]
    assert {record.entry for record in skipped} == server.lost
    assert all("did not send its record" in record.reason for record in skipped)
    assert len(records) == 40


def test_paper_on_two_pages_is_counted_once(serve):
    server, client = serve(60)
    newest = sorted(server.pmids(), reverse=True)
    found = fetch_pages(client)
    received = [next(found)]
    server.fail(faults.replaced(server._records(newest[25:60]).body), when=is_fetch)
    assert sorted(pmids_of([*received, *found])) == sorted(newest)


def test_list_growing_after_expiry_loses_nothing(serve):
    server, client = serve(70)
    before = server.pmids()
    found = fetch_pages(client)
    received = [next(found)]
    server.expire()
    server.count = 80
    came = pmids_of([*received, *found])
    assert len(came) == len(set(came))
    assert before <= set(came) <= server.pmids()


def test_fetch_can_be_cancelled(serve):
    _, client = serve(90)
    task = Task()
    found = pubmed.fetch(pubmed_query(), "", client, task)
    next(found)
    task.cancel()
    with pytest.raises(Exception, match="Stopped"):
        next(found)


# ---- query feedback -----------------------------------------------------------------------------


def test_preview_gives_total_papers_and_query_translation(serve):
    server, client = serve(90)
    preview = pubmed.preview(pubmed_query("sepsis"), client, Task())
    assert (preview.total, len(preview.papers)) == (15, 10)
    assert preview.remark == 'PubMed interprets the query as: "sepsis"[MeSH Terms]'
    assert len(server.requests) == 2


def test_preview_of_large_result_mentions_slices(serve):
    _, client = serve(300)
    assert "at most 100 papers" in pubmed.preview(pubmed_query(), client, Task()).remark
    assert "no more" not in pubmed.preview(pubmed_query(most=50), client, Task()).remark


def test_preview_of_very_large_result_mentions_off_peak_hours(tmp_path):
    ids = b"".join(b"<Id>%d</Id>" % n for n in range(1, 11))
    body = b"<eSearchResult><Count>60000</Count><IdList>%b</IdList></eSearchResult>" % ids
    records = b"<PubmedArticleSet></PubmedArticleSet>"

    def respond(asked):
        return Answer(body if is_search(asked) else records, "text/xml")

    with LocalServer(respond) as server, Client(tmp_path, endpoints(server)) as client:
        assert "weekends" in pubmed.preview(pubmed_query(), client, Task()).remark
        assert "weekends" not in pubmed.preview(pubmed_query(most=500), client, Task()).remark


def test_preview_remarks_unknown_word(serve):
    _, client = serve(5)
    preview = pubmed.preview(pubmed_query("xyzzy"), client, Task())
    assert preview == (0, [], "PubMed finds nothing for “xyzzy”. Check the spelling.")


def test_unknown_field_is_refused(serve):
    _, client = serve(5)
    with pytest.raises(SourceError, match="has no field “foo”") as caught:
        list(fetch_pages(client, pubmed_query("sepsis[foo]")))
    assert "[ti]" in caught.value.hint


def test_temporary_search_error_is_retried(serve):
    server, client = serve(20)
    error = b"<eSearchResult><ERROR>Search Backend failed: read request timed out</ERROR></eSearchResult>"  # noqa: E501
    server.fail(faults.replaced(error), when=is_search)
    assert len(pmids_of(fetch_pages(client))) == 20


def test_search_listing_too_few_papers_is_repeated(serve):
    server, client = serve(20)
    short = b"<eSearchResult><Count>20</Count><IdList><Id>30000001</Id></IdList></eSearchResult>"
    server.fail(faults.replaced(short), when=is_search)
    assert len(pmids_of(fetch_pages(client))) == 20


@pytest.mark.parametrize(
    ("inside", "remark"),
    [
        ("<WarningList><PhraseIgnored>of</PhraseIgnored></WarningList>", "PubMed ignores “of”."),
        ('<WarningList><QuotedPhraseNotFound>"a b"</QuotedPhraseNotFound></WarningList>',
         "PubMed finds nothing for “a b”. Check the spelling."),
        ("<WarningList><OutputMessage>Too many terms</OutputMessage></WarningList>",
         "Note from PubMed: Too many terms."),
        ("<WarningList><OutputMessage>Restrictions achieved. start and count adjusted to 0, 9999"
         "</OutputMessage></WarningList>", ""),
        ("<QueryTranslation>a b</QueryTranslation>", ""),
    ],
)  # fmt: skip
def test_pubmed_warnings_become_remarks(tmp_path, inside, remark):
    body = f"<eSearchResult><Count>0</Count><IdList/>{inside}</eSearchResult>".encode()
    with server_answering(body) as server, Client(tmp_path, endpoints(server)) as client:
        assert pubmed.preview(pubmed_query("A B"), client, Task()).remark == remark


def server_answering(body):
    return LocalServer(lambda asked: Answer(body, "text/xml"))


def endpoints(server):
    return EutilsServer.endpoints.fget(server)


@pytest.mark.parametrize(
    ("name", "total", "remark"),
    [
        ("esearch3", 2651, '"proc natl acad sci u s a"[Journal] AND "97"[Volume]'),
        ("esearch5", 5, '("stem cells"[MeSH Terms] OR ("stem"[All Fields] AND'),
    ],
)
def test_recorded_search_answers_are_parsed(tmp_path, shared, name, total, remark):
    body = (shared / "fixtures" / "xml" / f"biopython__Entrez_{name}.xml").read_bytes()
    with server_answering(body) as server, Client(tmp_path, endpoints(server)) as client:
        found = pubmed_search.search(
            pubmed_query("x"), pubmed_search.PubmedSlice(), 5, client, Task(), fresh=False
        )
    assert found.total == total
    assert len(found.pmids) >= 5
    assert remark in pubmed_search.understood(found, "x")


def test_recorded_answer_of_another_kind_is_refused(tmp_path, shared):
    body = (shared / "fixtures" / "xml" / "biopython__Entrez_epost1.xml").read_bytes()
    with (
        server_answering(body) as server,
        Client(tmp_path, endpoints(server), retry_policy=PATIENCE) as client,
        pytest.raises(SourceError, match="ePostResult"),
    ):
        pubmed.preview(pubmed_query("x"), client, Task())


def test_recorded_records_are_fetched(tmp_path, shared):
    name = "PubMedPortable__pancreatic_cancer_example_medline_00000000.xml"
    recorded = (shared / "fixtures" / "xml" / name).read_bytes()
    listed = [line.split(b"<")[0] for line in recorded.split(b"<MedlineCitation ")[1:]]
    assert len(listed) == 100
    ids = [part.split(b"<PMID")[1].split(b">")[1].split(b"<")[0] for part in
           recorded.split(b"<MedlineCitation ")[1:]]  # fmt: skip
    search = b"<eSearchResult><Count>100</Count><WebEnv>M</WebEnv><QueryKey>1</QueryKey><IdList>"
    search += b"".join(b"<Id>" + id + b"</Id>" for id in ids) + b"</IdList></eSearchResult>"

    def respond(asked):
        return Answer(search if is_search(asked) else recorded, "text/xml")

    with LocalServer(respond) as server, Client(tmp_path, endpoints(server)) as client:
        assert pmids_of(fetch_pages(client)) == [id.decode() for id in ids]


# ---- checks without requests --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("  ", "Enter a query."),
        ('"sepsis', "A quotation mark is not closed."),
        ("(sepsis[ti] OR shock", "A ( is not closed."),
        ("sepsis) AND (shock", "A ) has no matching (."),
        ("sepsis[ti", "A [ is not closed."),
        ("sepsis AND", "A search term is missing after AND."),
        ("OR sepsis", "A search term is missing before OR."),
        ('"a (b" AND sepsis[mh]', ""),
        ("oregon AND android", ""),
    ],
)
def test_query_is_checked_without_request(text, problem):
    assert pubmed.check(pubmed_query(text)) == problem


def test_dates_may_be_months_or_years_and_are_checked():
    part = pubmed_search.slice_of(pubmed_query(since="2024", until="2024-02"))
    assert (part.first, part.last) == ("2024-01-01", "2024-02-29")
    assert "is not a valid date" in pubmed.check(pubmed_query(since="2024-13"))
    assert "is after the end date" in pubmed.check(pubmed_query(since="2025", until="2024"))


def test_weekend_explains_an_empty_refresh():
    saturday = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert "Saturdays" in pubmed.nothing_found_reason(saturday)
    assert pubmed.nothing_found_reason(saturday + timedelta(3)) == ""
