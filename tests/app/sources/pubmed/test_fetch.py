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


def a_query(text="all[sb]", **parts):
    return SourceQuery("pubmed", text, **parts)


def is_search(asked):
    return "esearch" in asked.path


def is_fetch(asked):
    return "efetch" in asked.path


def by_pmid(asked):
    return "id" in asked.params


@pytest.fixture
def small(monkeypatch):
    """PubMed shows 100 papers of a search, and gives 30 at once."""
    monkeypatch.setattr(pubmed, "MOST", 100)
    monkeypatch.setattr(pubmed_search, "MOST", 100)
    monkeypatch.setattr(pubmed, "_BATCH", 30)


@pytest.fixture
def serve(tmp_path, small):
    """A server with so many papers, which shows 100 of a search, and a client of it."""
    opened = []

    def serve(count, **settings):
        server = EutilsServer(count, **{"reach": 100} | settings)
        opened.append(server.__enter__())
        opened.append(Client(tmp_path, server.endpoints, patience=PATIENCE))
        return server, opened[-1]

    yield serve
    for each in reversed(opened):
        each.__exit__(None, None, None)


def pages(client, query=None, cursor=""):
    return pubmed.fetch(query or a_query(), cursor, client, Task())


def pmids(pages):
    records = [record for page in pages for record in page.records]
    assert all(isinstance(record, Paper) for record in records)
    return [paper.source_id for paper in records]


# ---- whole result sets --------------------------------------------------------------------------


def test_a_result_set_comes_whole_and_each_paper_once(serve):
    server, client = serve(70)
    found = list(pages(client))
    assert [len(page.records) for page in found] == [30, 30, 10]
    assert {page.total for page in found} == {70}
    assert sorted(pmids(found)) == sorted(server.pmids())


def test_only_what_the_query_finds_comes(serve):
    server, client = serve(70)
    assert set(pmids(pages(client, a_query("sepsis")))) == server.pmids("sepsis")


def test_what_is_entered_last_comes_first(serve):
    _, client = serve(350)
    numbers = [int(pmid) for pmid in pmids(pages(client))]
    assert numbers == sorted(numbers, reverse=True)


def test_a_query_that_finds_nothing_says_so(serve):
    _, client = serve(1)
    (page,) = pages(client, a_query("kidney"))
    assert (page.records, page.total) == ([], 0)


def test_large_sets_are_sliced_by_the_day_of_entry(serve):
    server, client = serve(1_000)
    found = list(pages(client))
    assert sorted(pmids(found)) == sorted(server.pmids())
    assert {page.total for page in found} == {1_000}
    searches = [asked for asked in server.requests if is_search(asked)]
    assert {"datetype", "mindate", "maxdate"} <= searches[-1].params.keys()


def test_a_day_with_too_many_papers_is_sliced_by_their_pmids(serve):
    server, client = serve(700, per_day=350)
    assert sorted(pmids(pages(client))) == sorted(server.pmids())


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.integers(1, 50_000))
def test_halves_are_two_parts_that_hold_all_of_the_whole_and_nothing_twice(day, days):
    last = min(day + timedelta(days), date(2100, 12, 31))
    older, newer = pubmed_search.Slice(day.isoformat(), last.isoformat()).halves()
    if day == last:
        assert (older.first, older.last) == (newer.first, newer.last) == (str(day), str(day))
        assert (older.low, older.high + 1, newer.high) == (1, newer.low, 99_999_999)
    else:
        assert (older.first, newer.last) == (str(day), str(last))
        assert date.fromisoformat(older.last) + timedelta(1) == date.fromisoformat(newer.first)
        assert older.first <= older.last and newer.first <= newer.last


@given(st.integers(1, 99_999_998), st.integers(1, 99_999_998))
def test_halves_of_a_day_get_smaller_until_they_hold_a_single_pmid(low, width):
    part = pubmed_search.Slice("2020-01-01", "2020-01-01", low, min(low + width, 99_999_999))
    older, newer = part.halves()
    assert (older.low, older.high + 1, newer.high) == (part.low, newer.low, part.high)
    assert older.low <= older.high and newer.low <= newer.high


def test_a_server_that_ignores_the_bounds_of_slices_is_found_out(serve):
    server, client = serve(500, per_day=500)
    server._found = lambda topics, params: sorted(server.pmids())
    with pytest.raises(SourceError, match="more papers in a range of PMIDs than can be in it"):
        list(pages(client))


def test_nobody_is_asked_for_more_than_is_wanted(serve):
    server, client = serve(1_000)
    assert len(pmids(pages(client, a_query(most=40)))) == 40
    assert [asked.params["retmax"] for asked in server.requests] == ["100", "30", "10"]


def test_more_than_pubmed_shows_can_be_wanted(serve):
    _, client = serve(1_000)
    assert len(set(pmids(pages(client, a_query(most=250))))) == 250


def test_since_and_until_are_days_of_entry_and_belong_to_it(serve):
    _, client = serve(400)
    first, last = FIRST_DAY + timedelta(2), FIRST_DAY + timedelta(3)
    span = a_query(since=first.isoformat(), until=last.isoformat())
    assert set(pmids(pages(client, span))) == {str(FIRST_PMID + n) for n in range(80, 160)}
    assert len(pmids(pages(client, a_query(since=first.isoformat())))) == 320
    assert len(pmids(pages(client, a_query(until=last.isoformat())))) == 160


def test_a_refresh_brings_what_was_entered_or_revised_since(serve):
    server, client = serve(400)  # the last ones on the tenth day
    server.revised = {3: FIRST_DAY + timedelta(9), 5: FIRST_DAY + timedelta(2)}
    server.retracted = {3}
    since = (FIRST_DAY + timedelta(9)).isoformat() + "T12:00:00Z"
    (*_, last) = found = list(pages(client, a_query(changed_since=since)))
    # A day more than asked for, since PubMed's days are not those of Greenwich.
    changed = {str(FIRST_PMID + n) for n in (3, *range(320, 400))}
    assert set(pmids(found)) == changed
    assert last.records[-1].extra["retraction_in"] == "39999999"


def test_all_is_posted_and_nothing_stands_in_an_address(serve):
    server, client = serve(40)
    list(pages(client))
    assert {asked.method for asked in server.requests} == {"POST"}
    assert not any(asked.url_params for asked in server.requests)


def test_a_page_is_not_asked_for_before_the_one_ahead_was_taken(serve):
    server, client = serve(90)
    next(pages(client))
    assert len([asked for asked in server.requests if is_fetch(asked)]) == 1


def test_the_true_limit_is_kept(tmp_path):
    with EutilsServer(12_000) as server, Client(tmp_path, server.endpoints) as client:
        (page,) = islice(pages(client), 1)
        assert "days when they were entered" in pubmed.preview(a_query(), client, Task()).remark
    assert (len(page.records), page.total) == (500, 12_000)


# ---- going on -----------------------------------------------------------------------------------


def test_every_page_has_a_small_place_to_go_on_from(serve, tmp_path):
    server, client = serve(330)
    whole = list(pages(client))
    for number, page in enumerate(whole):
        assert len(page.cursor) < 500
        json.loads(page.cursor)
        with Client(tmp_path, server.endpoints) as another:
            rest = pmids(pages(another, cursor=page.cursor))
        assert rest == pmids(whole[number + 1 :])


def test_what_is_entered_while_nobody_looks_moves_nothing(serve, tmp_path):
    server, client = serve(75)
    first = next(pages(client))
    server.count = 80
    with Client(tmp_path, server.endpoints) as another:
        rest = pmids(pages(another, cursor=first.cursor))
    assert sorted([*pmids([first]), *rest]) == sorted(server.pmids())


def test_a_list_that_is_not_known_again_is_read_from_its_beginning(serve):
    server, client = serve(75)
    first = next(pages(client))
    server.revised = {72: date(2026, 1, 1)}
    unchanged = server._found
    server._found = lambda topics, params: sorted(unchanged(topics, params))
    assert sorted(pmids(pages(client, cursor=first.cursor))) == sorted(server.pmids())


def test_a_place_that_cannot_be_read_is_an_error_with_a_way_out(serve):
    _, client = serve(1)
    with pytest.raises(SourceError, match="cannot be read") as caught:
        list(pages(client, cursor='{"token": 1}'))
    assert caught.value.hint


# ---- what goes wrong on the way -----------------------------------------------------------------


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
def test_an_answer_that_fails_is_asked_for_again(serve, fault, which):
    server, client = serve(70)
    found = pages(client)
    received = [next(found)] if which is is_fetch else []
    server.fail(fault, when=which)
    assert sorted(pmids([*received, *found])) == sorted(server.pmids())


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (faults.too_many(), ""),
        (faults.unavailable(), ""),
        (faults.truncated(), "broken"),
        (faults.malformed(), "broken"),
        (faults.entity_bomb(), "entities"),
        (faults.replaced(b"<PubmedArticleSet/>"), "none of the 30 papers"),
        (faults.replaced(b"<html/>"), "html"),
    ],
    ids=["429", "503", "truncated", "malformed", "entity bomb", "empty pages", "no papers"],
)
def test_what_fails_for_good_names_pubmed_and_the_cause_and_can_go_on_later(serve, fault, cause):
    server, client = serve(70)
    found = pages(client)
    first = next(found)
    server.fail(fault, times=PATIENCE.tries)
    with pytest.raises(SourceError, match="PubMed") as caught:
        next(found)
    assert cause in caught.value.message
    rest = pages(client, cursor=first.cursor)
    assert sorted(pmids([first, *rest])) == sorted(server.pmids())


def test_a_list_that_pubmed_has_forgotten_is_made_anew(serve):
    server, client = serve(70)
    found = pages(client)
    received = [next(found)]
    server.expire()
    assert sorted(pmids([*received, *found])) == sorted(server.pmids())
    assert len([asked for asked in server.requests if is_search(asked)]) == 2
    assert not any(by_pmid(asked) for asked in server.requests)


@pytest.mark.parametrize("status", [200, 400])
def test_where_lists_are_forgotten_at_once_records_come_by_pmid(serve, status):
    server, client = serve(70)
    forgotten = b"<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>"
    server.fail(
        faults.status(status, forgotten, "text/xml"), times=99, when=lambda a: "WebEnv" in a.params
    )
    assert sorted(pmids(pages(client))) == sorted(server.pmids())
    assert any(by_pmid(asked) for asked in server.requests)


def test_what_is_left_out_of_a_page_is_asked_for_by_pmid(serve):
    server, client = serve(60)
    some = server._records(sorted(server.pmids())[55:]).body
    server.fail(faults.replaced(some), when=is_fetch)
    assert sorted(pmids(pages(client))) == sorted(server.pmids())
    asked = [asked.params["id"].split(",") for asked in server.requests if by_pmid(asked)]
    assert [len(ids) for ids in asked] == [25]


def test_records_that_never_come_are_told_by_pmid(serve):
    server, client = serve(40)
    server.lost = {str(FIRST_PMID + 7), str(FIRST_PMID + 39)}
    records = [record for page in pages(client) for record in page.records]
    skipped = [record for record in records if isinstance(record, Skipped)]
    assert {record.entry for record in skipped} == server.lost
    assert all("does not give its record" in record.why for record in skipped)
    assert len(records) == 40


def test_a_paper_that_comes_on_two_pages_counts_once(serve):
    server, client = serve(60)
    newest = sorted(server.pmids(), reverse=True)
    found = pages(client)
    received = [next(found)]
    server.fail(faults.replaced(server._records(newest[25:60]).body), when=is_fetch)
    assert sorted(pmids([*received, *found])) == sorted(newest)


def test_a_list_that_grows_while_it_is_made_anew_loses_nothing(serve):
    server, client = serve(70)
    before = server.pmids()
    found = pages(client)
    received = [next(found)]
    server.expire()
    server.count = 80
    came = pmids([*received, *found])
    assert len(came) == len(set(came))
    assert before <= set(came) <= server.pmids()


def test_stopping_stops(serve):
    _, client = serve(90)
    task = Task()
    found = pubmed.fetch(a_query(), "", client, task)
    next(found)
    task.cancel()
    with pytest.raises(Exception, match="Stopped"):
        next(found)


# ---- what PubMed says of a query ----------------------------------------------------------------


def test_a_preview_counts_shows_some_and_says_how_pubmed_reads_the_query(serve):
    server, client = serve(90)
    preview = pubmed.preview(a_query("sepsis"), client, Task())
    assert (preview.total, len(preview.papers)) == (15, 10)
    assert preview.remark == 'PubMed reads this as: "sepsis"[MeSH Terms]'
    assert len(server.requests) == 2


def test_a_preview_of_many_says_that_they_come_in_parts(serve):
    _, client = serve(300)
    assert "no more than 100 papers" in pubmed.preview(a_query(), client, Task()).remark
    assert "no more" not in pubmed.preview(a_query(most=50), client, Task()).remark


def test_a_preview_of_very_many_says_when_ncbi_would_have_them_fetched(tmp_path):
    ids = b"".join(b"<Id>%d</Id>" % n for n in range(1, 11))
    body = b"<eSearchResult><Count>60000</Count><IdList>%b</IdList></eSearchResult>" % ids
    records = b"<PubmedArticleSet></PubmedArticleSet>"

    def respond(asked):
        return Answer(body if is_search(asked) else records, "text/xml")

    with LocalServer(respond) as server, Client(tmp_path, endpoints(server)) as client:
        assert "weekends" in pubmed.preview(a_query(), client, Task()).remark
        assert "weekends" not in pubmed.preview(a_query(most=500), client, Task()).remark


def test_a_word_that_pubmed_does_not_know_is_remarked(serve):
    _, client = serve(5)
    preview = pubmed.preview(a_query("xyzzy"), client, Task())
    assert preview == (0, [], "PubMed finds nothing for “xyzzy”: look at the spelling.")


def test_a_field_that_pubmed_does_not_know_is_refused(serve):
    _, client = serve(5)
    with pytest.raises(SourceError, match="knows no field “foo”") as caught:
        list(pages(client, a_query("sepsis[foo]")))
    assert "[ti]" in caught.value.hint


def test_an_error_of_a_search_that_passes_is_waited_for(serve):
    server, client = serve(20)
    error = b"<eSearchResult><ERROR>Search Backend failed: read request timed out</ERROR></eSearchResult>"  # noqa: E501
    server.fail(faults.replaced(error), when=is_search)
    assert len(pmids(pages(client))) == 20


def test_a_search_that_names_too_few_papers_is_repeated(serve):
    server, client = serve(20)
    short = b"<eSearchResult><Count>20</Count><IdList><Id>30000001</Id></IdList></eSearchResult>"
    server.fail(faults.replaced(short), when=is_search)
    assert len(pmids(pages(client))) == 20


@pytest.mark.parametrize(
    ("inside", "remark"),
    [
        ("<WarningList><PhraseIgnored>of</PhraseIgnored></WarningList>", "PubMed leaves out “of”."),
        ('<WarningList><QuotedPhraseNotFound>"a b"</QuotedPhraseNotFound></WarningList>',
         "PubMed finds nothing for “a b”: look at the spelling."),
        ("<WarningList><OutputMessage>Too many terms</OutputMessage></WarningList>",
         "PubMed remarks: Too many terms."),
        ("<WarningList><OutputMessage>Restrictions achieved. start and count adjusted to 0, 9999"
         "</OutputMessage></WarningList>", ""),
        ("<QueryTranslation>a b</QueryTranslation>", ""),
    ],
)  # fmt: skip
def test_warnings_of_pubmed_are_passed_on(tmp_path, inside, remark):
    body = f"<eSearchResult><Count>0</Count><IdList/>{inside}</eSearchResult>".encode()
    with answering(body) as server, Client(tmp_path, endpoints(server)) as client:
        assert pubmed.preview(a_query("A B"), client, Task()).remark == remark


def answering(body):
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
def test_recorded_answers_to_searches_are_understood(tmp_path, shared, name, total, remark):
    body = (shared / "fixtures" / "xml" / f"biopython__Entrez_{name}.xml").read_bytes()
    with answering(body) as server, Client(tmp_path, endpoints(server)) as client:
        found = pubmed_search.search(
            a_query("x"), pubmed_search.Slice(), 5, client, Task(), fresh=False
        )
    assert found.total == total
    assert len(found.pmids) >= 5
    assert remark in pubmed_search.understood(found, "x")


def test_a_recorded_answer_of_another_kind_is_no_search(tmp_path, shared):
    body = (shared / "fixtures" / "xml" / "biopython__Entrez_epost1.xml").read_bytes()
    with (
        answering(body) as server,
        Client(tmp_path, endpoints(server), patience=PATIENCE) as client,
        pytest.raises(SourceError, match="ePostResult"),
    ):
        pubmed.preview(a_query("x"), client, Task())


def test_recorded_records_come_through_a_fetch(tmp_path, shared):
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
        assert pmids(pages(client)) == [id.decode() for id in ids]


# ---- without asking -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("  ", "Write what to look for."),
        ('"sepsis', "A quotation mark is missing."),
        ("(sepsis[ti] OR shock", "A ( is not closed."),
        ("sepsis) AND (shock", "A ) stands without its (."),
        ("sepsis[ti", "A [ is not closed."),
        ("sepsis AND", "Something is missing after AND."),
        ("OR sepsis", "Something is missing before OR."),
        ('"a (b" AND sepsis[mh]', ""),
        ("oregon AND android", ""),
    ],
)
def test_what_is_wrong_with_a_query_shows_before_it_is_asked(text, problem):
    assert pubmed.check(a_query(text)) == problem


def test_dates_may_be_months_and_years_and_wrong_ones_show_before_they_are_asked_for():
    part = pubmed_search.slice_of(a_query(since="2024", until="2024-02"))
    assert (part.first, part.last) == ("2024-01-01", "2024-02-29")
    assert "is no date" in pubmed.check(a_query(since="2024-13"))
    assert "No day is after" in pubmed.check(a_query(since="2025", until="2024"))


def test_weekends_are_a_reason_for_nothing_new():
    saturday = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert "Saturdays" in pubmed.why_nothing(saturday)
    assert pubmed.why_nothing(saturday + timedelta(3)) == ""
