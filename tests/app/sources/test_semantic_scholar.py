"""Semantic Scholar: every requested paper has an answer, whatever happens to the replies."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.domain.metadata.identifiers import identifier
from sciread_app.errors import Busy, Cancelled, SourceError
from sciread_app.sources import semantic_scholar
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.tasks import Task
from tests.support.servers import faults
from tests.support.servers.local import Answer
from tests.support.servers.semantic_scholar_server import SemanticScholarServer

KEY = "s3cret-key"
QUICK = RetryPolicy(tries=3, first=0.01, longest=0.05)


@pytest.fixture
def server():
    with SemanticScholarServer(30) as server:
        yield server


@pytest.fixture
def ask(tmp_path):
    """Return all answers to these names in one list."""

    def ask(server, names, task=None):
        with Client(tmp_path, server.endpoints, retry_policy=QUICK) as client:
            result = semantic_scholar.ask(names, client, task or Task())
            return [answer for reply in result for answer in reply]

    return ask


def doi(number):
    return identifier("doi", f"10.5555/paper.{number}")


def dois(numbers):
    return [doi(number) for number in numbers]


def numbers_of(papers):
    return [int(names[0].value.split(".")[-1]) for names in papers]


def batches(server):
    """Return the number of papers in each request for citations."""
    return [
        len(json.loads(asked.body)["ids"])
        for asked in server.requests
        if "references" in asked.params["fields"]
    ]


def replaced(rows):
    return faults.replaced(json.dumps(rows).encode())


def full(asked):
    return "citations" in asked.params["fields"]


def test_references_and_citing_papers_are_parsed(server, ask):
    [answer] = ask(server, [doi(10)])
    assert answer.identifier == doi(10) and answer.known
    assert numbers_of(answer.cites) == [6, 7, 8, 9]
    assert numbers_of(answer.cited_by) == [11, 12, 13, 14]


def test_neighbour_has_all_its_identifiers(server, ask):
    [answer] = ask(server, [doi(14)])
    assert answer.cited_by[0] == (
        doi(15),
        identifier("arxiv", "1001.00015"),
        identifier("pmid", "10000015"),
    )


@pytest.mark.parametrize(("kind", "value"), [("arxiv", "1001.00015"), ("pmid", "10000015")])
def test_paper_is_found_by_other_identifiers(server, ask, kind, value):
    [answer] = ask(server, [identifier(kind, value)])
    assert numbers_of(answer.cites) == [11, 12, 13, 14]


def test_repeated_earlier_answer_is_retried(tmp_path):
    with SemanticScholarServer(800) as server:
        bodies = []

        def repeats_once(good):
            bodies.append(good.body)
            return Answer(bodies[0], "application/json")

        server.fail(repeats_once, times=2, when=full)
        with Client(tmp_path, server.endpoints, retry_policy=QUICK) as client:
            batches = (dois(range(100)), dois(range(400, 500)))
            result = [
                answer
                for batch in batches
                for reply in semantic_scholar.ask(batch, client, Task())
                for answer in reply
            ]
    assert [answer.identifier for answer in result] == [name for batch in batches for name in batch]
    assert {answer.identifier: numbers_of(answer.cites) for answer in result}[doi(410)] == [
        *range(406, 410)
    ]


def test_answer_with_identifier_of_another_version_is_accepted(server, ask):
    rows = [{"externalIds": {"DOI": "10.1000/article"}, "citationCount": 1, "referenceCount": 0,
             "citations": [{"externalIds": {"DOI": "10.1000/later"}}], "references": []},
            {"externalIds": {"DOI": "10.5555/paper.4"}, "citationCount": 0, "referenceCount": 0,
             "citations": [], "references": []}]  # fmt: skip
    server.fail(replaced(rows), when=full)
    preprint, other = ask(server, [doi(3), doi(4)])
    assert preprint.cited_by == [(identifier("doi", "10.1000/later"),)] and other.known


def test_paper_listed_twice_has_one_answer(server, ask):
    answers = ask(server, [doi(3), doi(4), doi(3)])
    assert [answer.identifier for answer in answers] == [doi(3), doi(4)]


def test_unknown_papers_are_distinguished_from_known_ones(server, ask):
    answers = {a.identifier: a.known for a in ask(server, [doi(3), doi(99), doi(4)])}
    assert answers == {doi(3): True, doi(99): False, doi(4): True}


def test_unknown_papers_are_identified_with_few_requests(server, ask):
    answers = ask(server, dois(range(1000, 1500)))
    assert len(answers) == 500 and not any(answer.known for answer in answers)
    assert len(server.requests) < 70


def test_unreadable_identifier_does_not_spoil_others(server, ask):
    server.unreadable = {"DOI:10.5555/paper.7"}
    answers = ask(server, dois(range(30)))
    assert len(answers) == 30
    lost = {answer.identifier for answer in answers if not answer.known}
    assert doi(7) in lost and len(lost) < 25


def test_batches_respect_the_size_limit(ask):
    with SemanticScholarServer(1200, cited_by=1) as server:
        assert len(ask(server, dois(range(1200)))) == 1200
        assert max(batches(server)) <= 500


def test_citations_are_not_truncated_by_neighbours_in_batch(server, ask):
    server.celebrated = {3: 6000, 4: 6000, 5: 6000}
    answers = {a.identifier: a for a in ask(server, dois(range(30)))}
    assert [len(answers[doi(n)].cited_by) for n in (3, 4, 5, 6)] == [6004, 6004, 6004, 4]
    assert not any(answer.remark for answer in answers.values())


def test_truncated_citations_are_remarked(server, ask):
    server.celebrated = {3: 12_000}
    [answer] = ask(server, [doi(3)])
    assert len(answer.cited_by) == 9_999
    assert "9,999 of the 12,004" in answer.remark


def test_paper_without_citation_reply_still_has_references(server, ask):
    server.celebrated = {3: 130_000}
    server.fail(faults.unavailable(), times=3, when=full)
    [answer] = ask(server, [doi(3)])
    assert numbers_of(answer.cites) == [0, 1, 2] and "0 of the 130,004" in answer.remark


def test_too_large_reply_is_requested_in_halves(ask):
    with SemanticScholarServer(64, most_bytes=10_000) as server:
        answers = ask(server, dois(range(64)))
        assert len({answer.identifier for answer in answers}) == 64
        assert all(answer.known and not answer.problem for answer in answers)
        assert len(batches(server)) > 2


def test_refusal_for_one_paper_is_its_problem(ask):
    with SemanticScholarServer(8, most_bytes=900) as server:
        answers = ask(server, dois(range(8)))
        assert len(answers) == 8
        problems = [answer.problem for answer in answers if answer.problem]
        assert problems and all("maximum size" in problem for problem in problems)


def test_withheld_references_are_distinguished_from_none(server, ask):
    server.withheld = {9}
    first, ninth = ask(server, [doi(0), doi(9)])
    assert first.cites == [] and not first.withheld
    assert ninth.cites == [] and ninth.withheld and numbers_of(ninth.cited_by) == [10, 11, 12, 13]


@pytest.mark.parametrize(
    "fault",
    [
        faults.too_many(),
        faults.too_many(retry_after=0),
        faults.unavailable(),
        faults.dropped(),
        faults.truncated(),
        faults.wrong_type(),
        faults.replaced(b"{"),
        faults.replaced(b'"\xff"'),
        faults.replaced(b"[" * 100_000),
        faults.replaced(b'{"message": "Internal Server Error"}'),
        faults.replaced(b"[null]"),
        faults.replaced(b"null"),
    ],
    ids=[
        *("429", "429 with Retry-After", "503", "dropped", "truncated", "a web page"),
        *("no JSON", "no text", "deep JSON", "an object", "too short a list", "null"),
    ],
)
@pytest.mark.parametrize("when", [full, lambda asked: not full(asked)], ids=["all", "counts"])
def test_bad_reply_is_retried(server, ask, fault, when):
    server.fail(fault, when=when)
    answers = ask(server, dois(range(12)))
    assert len(answers) == 12 and all(answer.known for answer in answers)
    assert numbers_of(answers[10].cites) == [6, 7, 8, 9]


@pytest.mark.parametrize("fault", [faults.too_many(), faults.unavailable()])
def test_busy_source_raises_busy(server, ask, fault):
    server.fail(fault, times=100)
    with pytest.raises(Busy, match="Semantic Scholar"):
        ask(server, dois(range(12)))


def test_lasting_wrong_answer_names_source_and_cause(server, ask):
    server.fail(faults.replaced(b"{}"), times=100)
    with pytest.raises(SourceError, match="Semantic Scholar") as caught:
        ask(server, dois(range(12)))
    assert "not a list of papers" in str(caught.value)


def test_endless_reply_is_not_read_completely(server, ask):
    server.fail(faults.huge(), times=100)
    with pytest.raises(SourceError, match="Semantic Scholar"):
        ask(server, [doi(3)])


def test_api_key_is_sent_and_never_shown(server, ask, monkeypatch):
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", KEY)
    server.fail(faults.status(403, b'{"message": "Forbidden: ' + KEY.encode() + b'"}'), times=100)
    with pytest.raises(SourceError) as caught:
        ask(server, [doi(3)])
    assert server.requests[0].headers["x-api-key"] == KEY
    assert KEY not in repr(caught.value) and KEY not in str(caught.value.__cause__)


def test_null_entries_and_invalid_identifiers_are_left_out(server, ask):
    row = {
        "externalIds": None,
        "referenceCount": "many",
        "citationCount": None,
        "references": [
            None,
            7,
            {"externalIds": None},
            {"externalIds": {"DOI": None, "PubMed": ["1"], "ArXiv": "not an id"}},
            {"externalIds": {"DOI": "10.1000/half\ud800", "PubMed": "12"}},
            {"externalIds": {"DOI": "10.1000/" + "x" * 10_000}},
            {"externalIds": {"PubMed": 13}},
            {"externalIds": {"PubMed": 13}},
        ],
        "citations": "none",
    }
    server.fail(replaced([row]), when=full)
    [answer] = ask(server, [doi(3)])
    assert answer.cites == [(identifier("pmid", "12"),), (identifier("pmid", "13"),)]
    assert answer.cited_by == [] and answer.known and not answer.problem
    assert answer.nameless == 5


@pytest.mark.parametrize("row", [7, "paper", [], True])
def test_invalid_row_is_the_problem_of_its_paper(server, ask, row):
    good = {"externalIds": {}, "references": [], "citations": []}
    server.fail(replaced([good, row, good]), when=full)
    answers = ask(server, dois((3, 4, 5)))
    assert [bool(answer.problem) for answer in answers] == [False, True, False]


def test_paper_does_not_cite_itself(server, ask):
    own = {"DOI": "10.5555/Paper.3", "ArXiv": "1001.00003"}
    row = {"externalIds": own, "references": [{"externalIds": {"ArXiv": "1001.00003"}}]}
    server.fail(replaced([row]), when=full)
    [answer] = ask(server, [doi(3)])
    assert answer.cites == []


def test_next_reply_is_requested_only_when_needed(tmp_path):
    with (
        SemanticScholarServer(600) as server,
        Client(tmp_path, server.endpoints, retry_policy=QUICK) as client,
    ):
        replies = semantic_scholar.ask(dois(range(600)), client, Task())
        next(replies)
        assert sum(batches(server)) < 600 and len(server.requests) == 2


def test_asking_can_be_cancelled(server, ask):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        ask(server, [doi(3)], task)


class FixedClient:
    """A client that always answers with this row."""

    def __init__(self, row):
        self._body = json.dumps([row]).encode()

    def ask(self, *_, parse, check, **__):
        parsed = parse(self._body)
        assert not check(parsed)
        return parsed


names = st.sampled_from(["DOI", "ArXiv", "PubMed", "PubMedCentral"])
keys = st.sampled_from(["externalIds", "references", "citations", "referenceCount", "DOI"])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys | names, inner, max_size=4),
)
shaped = st.fixed_dictionaries(
    {},
    optional={
        "externalIds": anything | st.dictionaries(names, anything),
        "referenceCount": anything,
        "citationCount": anything,
        "references": st.lists(st.fixed_dictionaries({"externalIds": anything}) | anything),
        "citations": anything,
    },
)


@given(anything | shaped)
def test_any_row_gives_an_answer(row):
    [[answer]] = semantic_scholar.ask([doi(3)], FixedClient(row), Task())
    assert answer.identifier == doi(3)
    for others in (*answer.cites, *answer.cited_by):
        assert others and all(name.value.encode() for name in others)
