"""Speed and memory of fetching papers from a local server into a library.

`python -m benchmarks.bench_fetch [papers]`. arXiv's Atom, its OAI-PMH, and PubMed's XML, with
limits off. The server is a process of its own; times are wall-clock, asking, reading and storing
together. Peers only parse the same answers: feedparser, which arxiv.py is built on, and Biopython.
"""

from __future__ import annotations

import importlib
import io
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sciread_app.domain.fetch import SourceQuery
from sciread_app.services.ingest.fetcher import Fetcher
from sciread_app.sources.endpoints import Endpoint
from sciread_app.sources.http.client import Client
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

REPEATS = 2


class Way(NamedTuple):
    title: str
    server: str  # the module in tests/servers
    query: SourceQuery
    goal: int  # papers a second


WAYS = (
    Way("arXiv Atom", "arxiv_server", SourceQuery("arxiv", "cat:*"), 1500),
    Way("arXiv OAI-PMH", "arxiv_server", SourceQuery("arxiv-oai", "cs"), 1500),
    Way("PubMed XML", "eutils_server", SourceQuery("pubmed", "all"), 1200),
)


@contextmanager
def served(module: str, count: int) -> Iterator[str]:
    """Address of a running server with this many papers."""
    command = [sys.executable, "-m", f"tests.servers.{module}", str(count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            address = re.search(r"http://[\d.]+:\d+/", server.stdout.readline())
            assert address, "the server did not start"
            yield address[0]
        finally:
            server.terminate()


def endpoints(url: str) -> dict[str, Endpoint]:
    return {
        "arxiv": Endpoint("arxiv", "arXiv", f"{url}api/query", 0.0, "arxiv", alone=True),
        "arxiv_oai": Endpoint("arxiv_oai", "arXiv", f"{url}oai", 0.0, "arxiv", alone=True),
        "eutils": Endpoint("eutils", "PubMed", url, 0.0, "ncbi"),
    }


def fetch(way: Way, url: str, count: int) -> float:
    """Fetch papers; return papers per second."""
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder) / "library.sqlite3")
        with Client(Path(folder), endpoints(url)) as client:
            fetching = Fetcher(library, client)
            begun = time.perf_counter()
            fetched = fetching.run(fetching.start(way.query).id, Task())
            took = time.perf_counter() - begun
        read = fetched.fetch.read
        assert 0 < read == library.count() <= count, fetched.fetch
        library.close()
    return read / took


def peers(url: str) -> Iterator[tuple[str, float]]:
    """Papers per second of other parsers, without storing."""
    page = urllib.request.urlopen(f"{url}api/query?search_query=cat:*&max_results=2000").read()
    if feedparser := _installed("feedparser"):
        yield "feedparser, parsing alone", 2000 / _seconds(lambda: feedparser.parse(page))


def pubmed_peers(url: str) -> Iterator[tuple[str, float]]:
    ids = ",".join(str(30_000_001 + n) for n in range(400))
    page = urllib.request.urlopen(f"{url}efetch.fcgi?db=pubmed&retmode=xml&id={ids}").read()
    if entrez := _installed("Bio.Entrez"):
        read = lambda: entrez.read(io.BytesIO(page), validate=False)  # noqa: E731
        yield "Biopython, parsing alone", 400 / _seconds(read)


def _installed(name: str) -> object | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    slow = []
    for way in WAYS:
        with served(way.server, count) as url:
            rate = max(fetch(way, url, count) for _ in range(REPEATS))
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{way.title:14} {count:,} papers into the library: {rate:7,.0f}/s"
                f"   (goal {way.goal:,})   at most {memory:.0f} MB so far",
                flush=True,
            )
            others = {"arxiv": peers, "pubmed": pubmed_peers}.get(way.query.source)
            for name, theirs in others(url) if others else ():
                print(f"{'':14} {name}: {theirs:,.0f}/s, ours all in all is {rate / theirs:.1f} x")
        if rate < way.goal:
            slow.append(way.title)
    if slow:
        print(f"Slower than they must be: {', '.join(slow)}")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
