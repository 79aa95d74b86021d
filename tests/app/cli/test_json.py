"""docs/json.md: each example is run, and its answer has the keys of the table below it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from sciread_app import cli, workspace
from sciread_app.paths import resource
from tests.support.models.fake_encoder import FakeEncoder
from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.works_server import Work, WorksServer

DOCUMENT = Path(__file__).parents[3] / "docs" / "json.md"
REFS = """
@article{turing1936computable, author = {Turing, Alan}, title = {On computable numbers},
  year = 1936, file = {:turing.pdf:PDF}}
@article{broken, title = {never ends
"""
# Examples whose exit code is not 0.
FAILS = {
    "sciread show no-such-paper",
    "sciread add refs.bib",
    'sciread add 10.1038/nature14539 "On the electrodynamics of moving bees"',
}


class Example(NamedTuple):
    command: str
    keys: frozenset[str]  # empty: the answer is an array of strings


def examples() -> Iterator[Example]:
    """Each command of the document with the keys in the table after it."""
    text = DOCUMENT.read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```\n\n?((?:\|[^\n]*\n)*)", text, re.M | re.S)
    for block, after in blocks:
        rows = after.splitlines()[2:]
        keys = {key for row in rows for key in re.findall(r"`([^`]+)`", row.split("|")[1])}
        for line in block.splitlines():
            yield Example(line.removeprefix("$ "), frozenset(keys))


EXAMPLES = list(examples())


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> Iterator[dict[str, Any]]:
    """The answers of all examples, run in order in one library."""
    place = tmp_path_factory.mktemp("json")
    (place / "resources").mkdir()
    sample = resource("sample_library.bib").read_bytes()
    (place / "resources" / "sample_library.bib").write_bytes(sample)
    (place / "refs.bib").write_text(REFS, encoding="utf-8")
    (place / "turing.pdf").write_bytes(b"%PDF-1.4\n%%EOF\n")
    deep = Work("10.1038/nature14539", "Deep learning", ("LeCun, Yann",), abstract="Layers learn.")
    with (
        pytest.MonkeyPatch.context() as patch,
        ArxivServer(20, gap=10_000) as arxiv,
        WorksServer([deep, *_candidates()]) as works,
    ):
        patch.chdir(place)
        patch.setattr(workspace, "EncoderProcess", lambda package: FakeEncoder())
        patch.setattr(typer, "launch", lambda file: 0)
        patch.setenv("SCIREAD_HOME", str(place / "home"))
        patch.setenv("SCIREAD_CACHE", str(place / "cache"))
        patch.setenv("SCIREAD_ARXIV_URL", f"{arxiv.url}api/query")
        patch.setenv("SCIREAD_ARXIV_OAI_URL", f"{arxiv.url}oai")
        patch.setenv("SCIREAD_ARXIV_PAUSE", "0")
        patch.setenv("SCIREAD_ARXIV_OAI_PAUSE", "0")
        for name, value in works.environ.items():
            patch.setenv(name, value)
        yield {example.command: answer(example.command) for example in EXAMPLES}


def _candidates() -> list[Work]:
    """Records that may be meant by the examples, and one that certainly is."""
    bees = "On the electrodynamics of moving bees"
    mnih = "Human-level control through deep reinforcement learning"
    return [
        Work("10.5555/bees.1", bees, year=1905),
        Work("10.5555/bees.2", bees, year=1906),
        Work("10.1038/nature14236", mnih, ("Mnih, Volodymyr",), abstract="An agent learns."),
        Work("10.5555/turing", "On computable numbers", ("Somebody, Else",), year=1936),
    ]


def answer(command: str) -> Any:
    _, *arguments = shlex.split(command)
    result = CliRunner().invoke(cli.app, [*arguments, "--json"])
    assert result.exit_code == (command in FAILS), (command, result.output, result.exception)
    return json.loads(result.stdout)


def paths(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each key within a value, as the document writes it, with its value."""
    if isinstance(value, dict):
        for key, part in value.items():
            path = f"{at}.{key}" if at else key
            yield path, part
            yield from paths(part, path)
    elif isinstance(value, list):
        for part in value:
            yield from paths(part, f"{at}[]")


def matches(path: str, documented: str) -> bool:
    """Whether a key is the documented one, in which a final "*" stands for any."""
    if documented.endswith(".*"):
        return path.startswith(documented[:-1])
    return path == documented


def parents(path: str) -> Iterator[str]:
    """Yield the keys that contain this one."""
    while match := re.fullmatch(r"(.+?)(?:\[\])?\.[^.]+", path):
        path = match[1]
        yield path


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.command)
def test_answer_has_exactly_the_documented_keys(answers, example):
    given = answers[example.command]
    if not example.keys:
        assert given and all(isinstance(one, str) for one in given)
        return
    found = list(paths(given))
    undocumented = {
        path for path, _ in found if not any(matches(path, key) for key in example.keys)
    }
    assert not undocumented
    # The content of an empty array or object, or of null, cannot be checked.
    empty = {path for path, value in found if value in (None, [], {})}
    absent = {
        key
        for key in example.keys
        if not any(matches(path, key) for path, _ in found) and not empty.intersection(parents(key))
    }
    assert not absent
