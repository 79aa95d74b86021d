"""The whole loop from papers to a better model, by command line and by window."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchmarks.loop_measures import HeldBack
from benchmarks.loop_window import Windowed, numbers_of
from sciread_app.paths import Home
from sciread_app.services.evaluation.model_comparison import ComparisonOutcome
from sciread_app.settings import Settings, write_settings
from sciread_app.ui.shell.gateway import open_gateway
from sciread_app.ui.shell.main_window import MainWindow
from tests.support.models.tiny_model import SPECIAL, tiny_package
from tests.support.servers.citation_lists import CitationLists
from tests.support.shell import Shell

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PAPERS, TOPICS = 200, 5
# The words of a text do not show which two halves form a topic; the citations do.
WORDS = [[f"{half}{topic}{n}" for n in "abcd"] for topic in "vwxyz" for half in "pq"]
SETTINGS = {
    "base": "tiny", "max_tokens": 16, "read_tokens": 0, "batch_size": 32, "max_steps": 60,
    "learning_rate": 3e-3, "start_share": 0.0,
}  # fmt: skip
RUN = "loop"


class LoopResults(NamedTuple):
    """The outputs of the command line at each step of the loop."""

    shell: Shell
    papers: Path
    cited: list[tuple[str, str]]
    trained: dict[str, Any]
    model: dict[str, Any]
    measured: dict[str, Any]
    found: list[int]


def name(number: int) -> str:
    return f"arxiv:2101.{number:05}"


def write_papers(file: Path) -> list[tuple[str, str]]:
    """Write papers in the words of half a topic; return their citations to the other half."""
    rng = random.Random(1)
    halves = [number % (2 * TOPICS) for number in range(PAPERS)]
    with file.open("w") as lines:
        for number, half in enumerate(halves):
            title, abstract = (" ".join(rng.choices(WORDS[half], k=k)) for k in (3, 6))
            paper = {"id": name(number), "title": f"{number} {title}", "abstract": abstract}
            lines.write(json.dumps(paper) + "\n")
    return [
        (name(citing), name(cited))
        for citing, half in enumerate(halves)
        for cited in rng.sample([n for n, other in enumerate(halves) if other == half ^ 1], 4)
    ]


QUERY = " ".join(WORDS[0])
HALF = PAPERS // (2 * TOPICS)


def find(shell: Shell, mode: str, *more: str) -> list[int]:
    """Return as many papers as a topic has, found by the words of one half of it."""
    found = shell.json("find", QUERY, "--mode", mode, "--limit", str(2 * HALF), *more)
    return [hit["id"] for hit in found["hits"]]


def in_other_half(papers: list[int]) -> int:
    return sum((paper - 1) % (2 * TOPICS) == 1 for paper in papers)


def new_home(folder: Path) -> Home:
    """Make a home in which a tiny model is active."""
    home = Home(folder)
    words = [word for half in WORDS for word in half]
    tiny_package(home.models / "tiny", vocabulary=[*SPECIAL, *words])
    shutil.rmtree(home.models / "tiny-source")
    write_settings(home.settings, Settings(model="tiny"))
    return home


@pytest.fixture(scope="module", autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")  # more threads slow down so small a model
        patch.setenv("SCIREAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield patch


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, environment) -> Iterator[tuple[Path, list]]:
    """Yield a file of papers and their citations, which a local server returns as well."""
    papers = tmp_path_factory.mktemp("source") / "papers.jsonl"
    cited = write_papers(papers)
    with CitationLists(cited) as server:
        for variable, value in server.environment.items():
            environment.setenv(variable, value)
        yield papers, cited


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, source) -> LoopResults:
    """Run the whole loop by the command line."""
    papers, cited = source
    home = new_home(tmp_path_factory.mktemp("headless"))
    shell = Shell(home.folder)
    shell.run("add", str(papers))
    shell.run("fetch", "citations")
    shell.run("encode")
    settings = [part for key, value in SETTINGS.items() for part in ("--set", f"{key}={value}")]
    shell.run("train", "start", "specter-small", "--name", RUN, *settings, "--follow")
    trained = shell.json("train", "follow", RUN)
    model = shell.json("model", "add", str(home.runs / RUN))
    measured = shell.json("model", "evaluate", "tiny", model["name"])
    shell.run("model", "activate", model["name"])
    return LoopResults(shell, papers, cited, trained, model, measured, find(shell, "meaning"))


@pytest.fixture
def open_window(qtbot, jobs, appearance, source) -> Iterator[Any]:
    gateways = []

    def open_window(home: Home) -> Windowed:
        window, gateway = MainWindow(home.folder, jobs, appearance), open_gateway(home.folder)
        gateways.append(gateway)
        qtbot.addWidget(window)
        window.show()
        window.open(gateway)
        qtbot.waitUntil(lambda: window.is_open)
        return Windowed(gateway, window, jobs, lambda done: qtbot.waitUntil(done, timeout=250_000))

    yield open_window
    jobs.shut_down()
    for gateway in gateways:
        gateway.close()


def test_trained_model_ranks_held_out_citations_better(done):
    (verdict,) = done.measured["verdicts"]
    assert verdict["answer"] == "yes", verdict["sentence"]
    ranked = {(one["task"], one["metric"]): one for one in verdict["evidence"]}["Citations", "map"]
    assert ranked["real"] and ranked["second"] > ranked["first"] + 0.1
    home = Home(done.shell.home)
    (corpus,) = home.corpora.glob("library-*")
    held = HeldBack(corpus)
    assert held.counts()["citations"] == len(done.cited)
    learned = held.learned(home.runs / RUN)
    assert learned["triplets"] and list(learned.values())[1:] == [0, 0]


def test_trained_model_finds_papers_without_common_words(done):
    assert in_other_half(find(done.shell, "text")) == 0
    # So small a model places every text near every other: these are weaker matches.
    assert in_other_half(find(done.shell, "meaning", "--weaker")) > 0.75 * HALF


def test_window_reproduces_the_results_of_the_command_line(done, open_window, tmp_path):
    windowed = open_window(new_home(tmp_path / "home"))
    windowed.add(done.papers)
    trained = windowed.train(SETTINGS, "mine", citations=True)
    assert (trained.space, trained.loss) == (done.trained["space"], done.trained["loss"])

    elsewhere = tmp_path / "elsewhere" / RUN
    shutil.copytree(Home(done.shell.home).runs / RUN, elsewhere)
    opened = windowed.open_run(elsewhere)
    assert (opened.name, opened.space) == (RUN, trained.space)
    assert windowed.activate() == done.model["name"]
    assert windowed.answers == done.model["title"]
    verdict = windowed.measure(["tiny", done.model["name"]])
    assert verdict.answer is ComparisonOutcome.yes
    assert numbers_of(verdict) == done.measured["verdicts"][0]["evidence"]
    assert windowed.find(QUERY)[: 2 * HALF] == done.found
