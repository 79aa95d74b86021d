"""A fault in the middle of a fetch loses no paper and stores none twice.

`python -m tests.app.cli.test_fetch_faults` prints the result of each fault.
"""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from sciread_app.domain.fetch import Fetch, SourceQuery
from sciread_app.errors import SourceError
from sciread_app.services.ingest.fetcher import Fetcher
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.servers import faults
from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.eutils_server import EutilsServer
from tests.support.servers.list_servers import CrossrefServer, EuropePmcServer, OpenAlexServer
from tests.support.servers.local import Asked, Fault, LocalServer
from tests.support.servers.small_pages import small_pages

pytestmark = pytest.mark.slow

QUICK = RetryPolicy(tries=3, first=0.01, longest=0.3, connect=60.0, read=60.0)
PASSING: dict[str, Callable[[], Fault]] = {
    "429": faults.too_many,
    "429 with Retry-After": lambda: faults.too_many(retry_after=0.1),
    "503": faults.unavailable,
    "connection dropped in the body": faults.dropped,
    "truncated body": faults.truncated,
    "malformed body": faults.malformed,
    "page of a login instead of an answer": faults.wrong_type,
    "entity bomb": faults.entity_bomb,
}
LASTING: dict[str, Callable[[], Fault]] = PASSING | {
    "429 that asks for an hour": lambda: faults.too_many(retry_after=3600),
    "gzip bomb of 1 GB": faults.gzip_bomb,
    "answer of 200 MB": faults.huge,
    "redirect to another host": lambda: faults.redirected("http://localhost:9/elsewhere"),
}


class Case(NamedTuple):
    source: str
    query: str
    serve: Callable[[], LocalServer]
    count: int
    pages: Callable[[Asked], bool]  # selects requests for papers


def _pubmed_page(asked: Asked) -> bool:
    return asked.path.endswith("efetch.fcgi")


CASES = (
    Case("arxiv", "cat:*", lambda: ArxivServer(50), 50, lambda asked: True),
    Case("arxiv-oai", "stat", lambda: ArxivServer(90, harvest_page=9), 0, lambda asked: True),
    Case("pubmed", "all", lambda: EutilsServer(26), 26, _pubmed_page),
    Case("europepmc", "all", lambda: EuropePmcServer(26), 26, lambda asked: True),
    Case("crossref", "all", lambda: CrossrefServer(26), 26, lambda asked: True),
    Case("openalex", "all", lambda: OpenAlexServer(26), 26, lambda asked: True),
)


TITLES = {
    "arxiv": "arXiv",
    "arxiv-oai": "arXiv",
    "pubmed": "PubMed",
    "europepmc": "Europe PMC",
    "crossref": "Crossref",
    "openalex": "OpenAlex",
}


class Outcome(NamedTuple):
    message: str  # that of the run that met the fault; empty if it continued
    fetch: Fetch  # after another run, where one was needed
    papers: int
    ids: int
    requests: int


def run_with_fault(case: Case, fault: Fault, times: int, folder: Path) -> tuple[Outcome, int]:
    """Fetch while the second answer and later ones are spoiled; if that fails, run again.

    Return the outcome and the number of papers on the server.
    """
    with case.serve() as server, small_pages():
        seen: list[Asked] = []

        def in_the_middle(asked: Asked) -> bool:
            seen.extend([asked] * case.pages(asked))
            return case.pages(asked) and len(seen) > 1

        server.fail(fault, times=times, when=in_the_middle)
        library = Library(folder / "library.sqlite3")
        with Client(folder, server.endpoints, retry_policy=QUICK) as client:
            fetching = Fetcher(library, client)
            id = fetching.start(SourceQuery(case.source, case.query)).id
            result = ""
            try:
                fetching.run(id, Task())
            except SourceError as error:
                result = f"{error} {error.hint}"
                server.forgive()
                fetching.run(id, Task())
            found = library.get(library.ids())
            fetch = library.fetches.get(id)
        library.close()
        ids = {paper.source_id for paper in found}
        outcome = Outcome(result, fetch, len(found), len(ids), len(server.requests))
        return outcome, count_of(case, server)


def count_of(case: Case, server: LocalServer) -> int:
    if case.source != "arxiv-oai":
        return case.count
    assert isinstance(server, ArxivServer)
    papers = server.papers.values()
    return sum(any(c.startswith("stat.") for c in paper.categories) for paper in papers)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.source)
@pytest.mark.parametrize("name", PASSING)
def test_temporary_fault_is_retried(case, name, tmp_path):
    outcome, held = run_with_fault(case, PASSING[name](), 1, tmp_path)
    assert outcome.message == "" or name == "entity bomb"
    assert (outcome.papers, outcome.ids, outcome.fetch.failed) == (held, held, 0)
    assert outcome.fetch.read == held


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.source)
@pytest.mark.parametrize("name", LASTING)
def test_lasting_fault_is_named_and_next_run_resumes(case, name, tmp_path):
    outcome, held = run_with_fault(case, LASTING[name](), 99, tmp_path)
    assert TITLES[case.source] in outcome.message
    assert (outcome.papers, outcome.ids, outcome.fetch.failed) == (held, held, 0)
    assert outcome.fetch.read == held


def main() -> None:
    print(f"{'source':10} {'fault':38} {'requests':>8} {'papers':>7}  message")
    for case in CASES:
        for times, table in ((1, PASSING), (99, LASTING)):
            for name, fault in table.items():
                with tempfile.TemporaryDirectory() as folder:
                    outcome, held = run_with_fault(case, fault(), times, Path(folder))
                whole = "all" if outcome.papers == outcome.ids == held else f"{outcome.papers}!"
                what = name if times == 1 else f"{name}, lasting"
                result = outcome.message or "(waited, and went on)"
                print(f"{case.source:10} {what:38} {outcome.requests:8} {whole:>7}  {result}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory of client and servers together: at most {memory:.0f} MB")


if __name__ == "__main__":
    main()
