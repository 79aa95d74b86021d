"""A killed fetch that is run again stores every paper of the source once.

`python -m tests.app.cli.test_fetch_killed 2500 500` does it with more papers and prints the
results.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest

from sciread_app.storage.library import Library
from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.eutils_server import EutilsServer
from tests.support.servers.list_servers import CrossrefServer, EuropePmcServer
from tests.support.servers.local import Answer, Asked, LocalServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.usefixtures("forked_python")]

ROOT = Path(__file__).parents[3]
MOMENTS = (0.15, 0.45, 0.8)  # fractions of all requests


class NavigationItem(NamedTuple):
    source: str
    query: str
    server: LocalServer
    count: int
    requests: int  # approximate number for a whole fetch


@contextmanager
def pubmed(count: int) -> Iterator[NavigationItem]:
    with EutilsServer(count) as server:
        yield NavigationItem("pubmed", "all", server, count, count // 10 + 2)


@contextmanager
def arxiv(count: int) -> Iterator[NavigationItem]:
    with ArxivServer(count) as server:
        yield NavigationItem("arxiv", "cat:*", server, count, count // 20 + 1)


@contextmanager
def arxiv_oai(count: int) -> Iterator[NavigationItem]:
    with ArxivServer(count, harvest_page=30) as server:
        held = sum(any(c.startswith("cs.") for c in p.categories) for p in server.papers.values())
        yield NavigationItem("arxiv-oai", "cs", server, held, held // 30 + 1)


@contextmanager
def europepmc(count: int) -> Iterator[NavigationItem]:
    with EuropePmcServer(count) as server:
        yield NavigationItem("europepmc", "all", server, count, count // 10 + 1)


@contextmanager
def crossref(count: int) -> Iterator[NavigationItem]:
    with CrossrefServer(count) as server:
        yield NavigationItem("crossref", "all", server, count, count // 5 + 10)


def environment(home: Path, server: LocalServer) -> dict[str, str]:
    addresses = {
        "SCIREAD_ARXIV_URL": f"{server.url}api/query",
        "SCIREAD_ARXIV_OAI_URL": f"{server.url}oai",
        "SCIREAD_EUTILS_URL": server.url,
        "SCIREAD_EUROPEPMC_URL": server.url,
        "SCIREAD_CROSSREF_URL": server.url,
    }
    pauses = {name.replace("_URL", "_PAUSE"): "0" for name in addresses}
    places = {"SCIREAD_HOME": str(home), "SCIREAD_CACHE": str(home / "cache")}
    return os.environ | addresses | pauses | places


def command(place: NavigationItem) -> list[str]:
    python = [sys.executable, "-m", "tests.support.servers.small_pages"]
    return [*python, "fetch", place.source, place.query, "--json"]


def kill_and_resume(place: NavigationItem, home: Path) -> dict[str, object]:
    """Kill the fetch at three moments, run it to its end, and return the answer of the last run."""
    environ = environment(home, place.server)
    run = {"env": environ, "cwd": ROOT, "stdout": subprocess.PIPE, "text": True}
    for moment in MOMENTS:
        enough, killed = ceil(moment * place.requests), threading.Event()
        # The process to be killed waits for another answer, however late this one is.
        place.server.fail(partial(held_until, killed), 99, partial(more_than, place.server, enough))
        process = subprocess.Popen(command(place), **run)
        while len(place.server.requests) < enough and process.poll() is None:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        place.server.forgive()
        killed.set()
    process = subprocess.run(command(place), **run, check=False)
    return json.loads(process.stdout)["fetches"][0]["fetch"]


def held_until(happened: threading.Event, answer: Answer) -> Answer:
    happened.wait()
    return answer


def more_than(server: LocalServer, count: int, _: Asked) -> bool:
    return len(server.requests) > count


def stored_counts(place: NavigationItem, home: Path) -> tuple[int, int]:
    """Return the number of papers in the library, and of their distinct ids."""
    library = Library(home / "library.sqlite3")
    papers = library.get(library.ids())
    library.close()
    return len(papers), len({paper.source_id for paper in papers})


@pytest.mark.parametrize(
    ("made", "count"),
    [(pubmed, 52), (arxiv, 85), (arxiv_oai, 350), (europepmc, 52), (crossref, 26)],
)
def test_fetch_killed_at_three_moments_stores_every_paper_once(made, count, tmp_path):
    with made(count) as place:
        done = kill_and_resume(place, tmp_path)
    assert (done["read"], done["failed"], done["state"]) == (place.count, 0, "done")
    assert done["added"] + done["merged"] == place.count
    assert stored_counts(place, tmp_path) == (place.count, place.count)


def main() -> None:
    counts = [int(text) for text in sys.argv[1:]] or [2_500, 500]
    for made, count in zip((pubmed, arxiv, arxiv_oai), (*counts, counts[-1]), strict=False):
        with TemporaryDirectory() as folder, made(count) as place:
            begun = time.monotonic()
            done = kill_and_resume(place, Path(folder))
            papers, ids = stored_counts(place, Path(folder))
            print(
                f"{place.source}: {place.count:,} at the server; killed at {MOMENTS} of the way; "
                f"{done['read']:,} read = {done['added']:,} added + {done['merged']:,} merged + "
                f"{done['failed']:,} failed; {papers:,} papers, {ids:,} ids in the library; "
                f"{time.monotonic() - begun:.0f} s, {len(place.server.requests)} requests"
            )


if __name__ == "__main__":
    main()
