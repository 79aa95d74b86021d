"""The examples of README and docs: each `console` block, in one library, page after page."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from sciread_app.cli import app
from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.eutils_server import EutilsServer
from tests.support.servers.semantic_scholar_server import SemanticScholarServer

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[1]
PAGES = {
    name: (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "docs/user-guide.md", "docs/search.md", "docs/models.md")
}
README = PAGES["README.md"]
EXAMPLES = [
    line.removeprefix("$ ")
    for page in PAGES.values()
    for block in re.findall(r"^```console\n(.*?)^```", page, re.M | re.S)
    for line in block.splitlines()
    if line.startswith("$ ")
]


@pytest.fixture(scope="module")
def sources() -> Iterator[dict[str, str]]:
    """Where the sources are: on this computer, with papers that nobody ever had."""
    arxiv = ArxivServer(3_000, gap=10_000)  # minutes: up to this day
    with arxiv, EutilsServer(9_000, per_day=1) as pubmed, SemanticScholarServer(10) as scholar:
        addresses = {
            "SCIREAD_ARXIV": f"{arxiv.url}api/query",
            "SCIREAD_ARXIV_OAI": f"{arxiv.url}oai",
            "SCIREAD_EUTILS": pubmed.url,
            "SCIREAD_SEMANTIC_SCHOLAR": scholar.endpoints["semantic_scholar"].url,
        }
        yield {f"{name}_URL": url for name, url in addresses.items()} | {
            f"{name}_PAUSE": "0" for name in addresses
        }


@pytest.fixture(scope="module")
def said(tmp_path_factory, sources) -> dict[str, str]:
    """What each example printed, by the example."""
    place = tmp_path_factory.mktemp("readme")
    (place / "resources").symlink_to(ROOT / "resources")
    python_path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    places = {"SCIREAD_HOME": str(place / "home"), "SCIREAD_CACHE": str(place / "cache")}
    environment = os.environ | sources | places | {"PYTHONPATH": python_path}
    answers = {}
    for example in EXAMPLES:
        program, *arguments = shlex.split(example)
        assert program == "sciread", example
        done = subprocess.run(
            [sys.executable, "-m", "sciread_app", *arguments],
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{example}\n{done.stdout}{done.stderr}"
        answers[example] = done.stdout
    answers["thesis.bib"] = (place / "thesis.bib").read_text(encoding="utf-8")
    return answers


def the_answer_to(said: dict[str, str], beginning: str) -> str:
    return next(answer for example, answer in said.items() if example.startswith(beginning))


def test_examples_show_every_command():
    verbs = {shlex.split(example)[1] for example in EXAMPLES}
    assert verbs >= {
        *("add", "find", "similar", "show", "export", "tag", "collect", "encode"),
        *("rate", "trash", "untrash", "undo", "redo", "duplicates"),
        *("doctor", "backup", "restore", "status", "fetch", "fetches", "refresh"),
    }


def test_a_fetch_brings_all_that_looking_has_counted(said):
    looked, fetched = (
        int(re.search(r"([\d,]+) (?:papers|read)", answer)[1].replace(",", ""))
        for example, answer in said.items()
        if example.startswith("sciread fetch pubmed")
    )
    assert looked == fetched > 100


def test_what_was_fetched_once_is_refreshed(said):
    assert the_answer_to(said, "sciread refresh").count("0 added") == 2


def test_the_sample_library_is_added_without_a_failure(said):
    ledger = the_answer_to(said, "sciread add")
    assert re.search(r"\b0 failed\b", ledger), ledger


def test_find_goes_by_meaning(said):
    first = the_answer_to(said, "sciread find").splitlines()[0]
    assert "Mastering the game of Go" in first


def test_show_names_the_other_version_of_a_work(said):
    assert "other version" in the_answer_to(said, "sciread show")


def test_a_tag_finds_what_was_tagged(said):
    answer = json.loads(the_answer_to(said, "sciread find 'tag:"))
    assert {hit["title"][:9] for hit in answer["hits"]} == {"Mastering", "Human-lev"}


def test_a_collection_is_exported_with_what_lies_below_it(said):
    assert said["thesis.bib"].count("\n@") + said["thesis.bib"].startswith("@") == 1
    assert "silver2016mastering" in said["thesis.bib"]


def test_export_writes_only_what_the_query_means(said):
    (turing,) = json.loads(the_answer_to(said, 'sciread export "author:turing"'))
    assert turing["author"][0]["family"] == "Turing"


def test_the_journey_of_a_model_is_one_that_the_command_line_knows():
    """It takes too long to be made here; each command is read, and none is run."""
    journey = PAGES["docs/models.md"].split("## Train a model on your library")[1]
    lines = re.search(r"^```\n(.*?)^```", journey, re.M | re.S)[1].splitlines()
    program = typer.main.get_command(app)
    for line in lines:
        name, *arguments = shlex.split(line)
        command, context = program, None
        while hasattr(command, "commands"):
            context = command.make_context(name, arguments, parent=context)
            name, command, arguments = command.resolve_command(context, context._protected_args
                                                               + context.args)  # fmt: skip
        command.make_context(name, arguments, parent=context)
    assert [line.split()[1:3] for line in lines][-2:] == [["model", "activate"], ["model", "back"]]


@pytest.mark.parametrize("page", sorted(path for path in ROOT.glob("docs/**/*.md")), ids=str)
def test_links_of_a_page_lead_to_files(page: Path):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(((?!https?:|#)[^)#]+)", text):
        assert (page.parent / target).exists(), target


def test_readme_is_short_and_links_to_every_page():
    assert README.count("\n") <= 150
    linked = set(re.findall(r"\]\((docs/[^)#]+)", README))
    assert linked == {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}


def test_the_readme_begins_with_a_picture_that_is_there():
    picture = re.search(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert picture and README.index(picture[0]) < 100
    assert (ROOT / picture[1]).is_file()


def test_the_makefile_has_the_commands_that_the_readme_names():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in set(re.findall(r"^make (\w+)", README, re.M)):
        assert re.search(rf"^{command}:", makefile, re.M), command
