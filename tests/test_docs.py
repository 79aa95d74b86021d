"""The examples of README and docs: each `console` block, run in one library, page after page."""

from __future__ import annotations

import io
import json
import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
import typer

from sciread_app.cli import app, main
from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.eutils_server import EutilsServer
from tests.support.servers.list_servers import EuropePmcServer
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
    """Environment variables of local servers with generated papers."""
    arxiv = ArxivServer(3_000, gap=10_000)  # minutes: up to today
    with (
        arxiv,
        EutilsServer(9_000, per_day=1) as pubmed,
        EuropePmcServer(2_000, per_day=1) as europe_pmc,
        SemanticScholarServer(10) as scholar,
    ):
        addresses = {
            "SCIREAD_ARXIV": f"{arxiv.url}api/query",
            "SCIREAD_ARXIV_OAI": f"{arxiv.url}oai",
            "SCIREAD_EUTILS": pubmed.url,
            "SCIREAD_EUROPEPMC": europe_pmc.url,
            "SCIREAD_SEMANTIC_SCHOLAR": scholar.endpoints["semantic_scholar"].url,
        }
        yield {f"{name}_URL": url for name, url in addresses.items()} | {
            f"{name}_PAUSE": "0" for name in addresses
        }


@pytest.fixture(scope="module")
def outputs(tmp_path_factory, sources) -> dict[str, str]:
    """The output of each example."""
    place = tmp_path_factory.mktemp("readme")
    (place / "resources").symlink_to(ROOT / "resources")
    places = {"SCIREAD_HOME": str(place / "home"), "SCIREAD_CACHE": str(place / "cache")}
    answers = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        for name, value in (sources | places).items():
            patch.setenv(name, value)
        for example in EXAMPLES:
            program, *arguments = shlex.split(example)
            assert program == "sciread", example
            code, answers[example], errors = run(arguments)
            assert code == 0, f"{example}\n{answers[example]}{errors}"
    answers["thesis.bib"] = (place / "thesis.bib").read_text(encoding="utf-8")
    return answers


def run(arguments: list[str]) -> tuple[object, str, str]:
    """Run a command in this process, since a process of its own needs a second to start. Return its
    exit code, output and errors."""
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors), pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code, output.getvalue(), errors.getvalue()


def output_of(outputs: dict[str, str], beginning: str) -> str:
    return next(answer for example, answer in outputs.items() if example.startswith(beginning))


def test_examples_show_every_command():
    verbs = {shlex.split(example)[1] for example in EXAMPLES}
    assert verbs >= {
        *("add", "find", "similar", "show", "export", "tag", "collect", "encode"),
        *("rate", "trash", "untrash", "undo", "redo", "duplicates"),
        *("doctor", "backup", "restore", "status", "fetch", "fetches", "refresh"),
    }


def test_fetch_stores_as_many_papers_as_look_counts(outputs):
    looked, fetched = (
        int(re.search(r"([\d,]+) (?:papers|read)", answer)[1].replace(",", ""))
        for example, answer in outputs.items()
        if example.startswith("sciread fetch pubmed")
    )
    assert looked == fetched > 100


def test_refresh_after_a_fetch_adds_nothing(outputs):
    assert output_of(outputs, "sciread refresh").count("0 added") == 3


def test_sample_library_is_added_without_failures(outputs):
    text = output_of(outputs, "sciread add")
    assert re.search(r"\b0 failed\b", text), text


def test_find_searches_by_meaning(outputs):
    first = output_of(outputs, "sciread find").splitlines()[0]
    assert "Mastering the game of Go" in first


def test_show_names_the_other_version_of_a_work(outputs):
    assert "other version" in output_of(outputs, "sciread show")


def test_find_by_tag_gives_tagged_papers(outputs):
    answer = json.loads(output_of(outputs, "sciread find 'tag:"))
    assert {hit["title"][:9] for hit in answer["hits"]} == {"Mastering", "Human-lev"}


def test_export_of_a_collection_includes_subcollections(outputs):
    assert outputs["thesis.bib"].count("\n@") + outputs["thesis.bib"].startswith("@") == 1
    assert "silver2016mastering" in outputs["thesis.bib"]


def test_export_writes_only_matching_papers(outputs):
    (turing,) = json.loads(output_of(outputs, 'sciread export "author:turing"'))
    assert turing["author"][0]["family"] == "Turing"


def test_documented_model_commands_can_be_parsed():
    """The commands are only parsed, since running them would take too long."""
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


def test_readme_begins_with_an_existing_picture():
    picture = re.search(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert picture and README.index(picture[0]) < 100
    assert (ROOT / picture[1]).is_file()


def test_makefile_has_the_commands_of_the_readme():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in set(re.findall(r"^make (\w+)", README, re.M)):
        assert re.search(rf"^{command}:", makefile, re.M), command
