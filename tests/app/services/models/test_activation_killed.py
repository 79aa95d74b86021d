"""A program killed during the activation of a model leaves one that answers, and loses nothing.

`python -m tests.app.services.models.test_activation_killed HOME` kills one at every possible
moment.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import Engine, event

from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.paths import Home
from sciread_app.services.models.active_model import ActiveModel, LoadedModel
from sciread_app.services.search import embedding_index
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.active_model import ActiveModelStore
from sciread_app.storage.search.vector_file import VectorFile
from sciread_app.storage.search.vector_index import VectorIndex
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.models.fake_models import FakeModel, FakeModels, vector_of

pytestmark = pytest.mark.usefixtures("forked_python")

PAPERS, BATCH = 120, 40
ROOT = Path(__file__).resolve().parents[4]

# The moments of the kill: before or after the n-th call of a function.
MOMENTS: dict[str, tuple[type, str, int, str]] = {
    "wanted, nothing done": (ActiveModelStore, "begin", 1, "after"),
    "before a vector is written": (VectorFile, "write", 2, "before"),
    "written, but nobody's": (VectorFile, "write", 2, "after"),
    "kept, but not in the index": (Library, "put_vectors", 2, "after"),
    "before the index is written": (VectorIndex, "save", 1, "before"),
    "between its files": (Path, "replace", 3, "before"),
    "index written": (VectorIndex, "save", 1, "after"),
    "started": (LoadedModel, "load", 1, "after"),
    "before the switch": (ActiveModelStore, "switch", 1, "before"),
    "switched, not yet in the library": (ActiveModelStore, "switch", 1, "until commit"),
    "switched": (ActiveModelStore, "switch", 1, "after"),
    "in its place": (ActiveModel, "_swap", 1, "after"),
    "before the old one is closed": (FakeModel, "close", 1, "before"),
}
SWITCHED = {"switched", "in its place", "before the old one is closed"}


def open_program(home: Home) -> tuple[Library, ActiveModel, FakeModels]:
    library, models = Library(home.library), FakeModels("a", "b")
    return library, ActiveModel(library, home, "a", models, models.package), models


def die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_at(moment: str) -> None:
    """Make this process kill itself at that moment."""
    where, what, number, when = MOMENTS[moment]
    real: Callable[..., Any] = getattr(where, what)
    calls = iter(range(1, 10_000))

    def call(*given: Any, **named: Any) -> Any:
        mine = next(calls) == number
        if mine and when == "before":
            die()
        result = real(*given, **named)
        if mine and when == "after":
            die()
        return result

    def call_in_transaction(*given: Any) -> Any:
        event.listen(Engine, "commit", die)
        return real(*given)

    setattr(where, what, call_in_transaction if when == "until commit" else call)


def main(folder: Path) -> None:
    embedding_index.FIRST_BATCH = embedding_index.LARGEST_BATCH = BATCH
    library, answering, _ = open_program(Home(folder / "begin"))
    library.put([paper(f"Paper {n}") for n in range(PAPERS)])
    answering.encode_missing(Task())
    answering.close()
    library.close()
    for moment in MOMENTS:
        home = shutil.copytree(folder / "begin", folder / moment)
        if (child := os.fork()) == 0:
            try:
                answering = open_program(Home(home))[1]
                die_at(moment)
                answering.activate("b", Task())
            finally:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        print(moment, os.WIFSIGNALED(status), sep="\t", flush=True)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home for each moment, as the killed program left it."""
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot copy a process")
    folder = tmp_path_factory.mktemp("killed")
    (folder / "begin").mkdir()
    command = [
        sys.executable,
        "-m",
        "tests.app.services.models.test_activation_killed",
        str(folder),
    ]
    output = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True).stdout
    assert output.splitlines() == [f"{moment}\tTrue" for moment in MOMENTS]
    return folder


@pytest.fixture
def home(killed: Path, moment: str) -> Iterator[Home]:
    yield Home(killed / moment)


def found(answering: ActiveModel, query: str) -> int:
    with answering.use() as now:
        return now.search.find(parse(query), mode=SearchMode.meaning, limit=1).hits[0].paper


def vectors(model: str) -> np.ndarray:
    return np.array([vector_of(f"space-{model}", f"Paper {n}") for n in range(PAPERS)])


def best(model: str, query: str) -> int:
    return int((vectors(model) @ vector_of(f"space-{model}", query)).argmax()) + 1


@pytest.mark.parametrize("moment", MOMENTS)
def test_activation_killed_at_any_moment_keeps_a_model_and_resumes(home, moment, monkeypatch):
    monkeypatch.setattr(embedding_index, "FIRST_BATCH", BATCH)
    monkeypatch.setattr(embedding_index, "LARGEST_BATCH", BATCH)
    library, answering, models = open_program(home)
    now, then = ("b", "") if moment in SWITCHED else ("a", "b")
    assert (answering.model, answering.pending()) == (now, then)
    assert found(answering, "bees") == best(now, "bees")
    if then:
        kept = len(library.vector_rows("space-b")[0])
        read = answering.activate(then, Task()).read
        warming_up = ("paper", "a paper on some subject")
        asked = [text for text in models.opened[-1].calls if text not in warming_up]
        written = read - len(asked)  # recovered from the file of a killed program
        assert kept in range(0, PAPERS + 1, BATCH) and written in (0, BATCH)
    assert found(answering, "bees") == best("b", "bees")
    for model in ("a", "b"):
        answering.activate(model, Task())
        with answering.use() as at_work:
            assert at_work.index.problems() == []
            kept, known = at_work.index.vectors(library.ids()[::-1])
            assert known.all() and np.allclose(kept, vectors(model), atol=1e-3)
    assert library.problems() == []
    answering.close()
    library.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
