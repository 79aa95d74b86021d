"""Eight threads search continuously while models are swapped and processes are killed.

`python -m tests.support.models.swap_load HOME SWAPS SEED` is a program that does so until it is
killed itself. It prints a line per swap, and one per wrong or missing answer.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.encoder import EncoderProcess
from sciread_app.errors import EncoderFailed
from sciread_app.paths import Home
from sciread_app.services.models.active_model import LoadedModel
from sciread_app.services.search.results import SearchResults
from sciread_app.services.search.search import UNRELATED
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from sciread_app.workspace import Workspace
from tests.support.distributed.directions import DIM
from tests.support.generate.papers import paper
from tests.support.models.fake_models import vector_of
from tests.support.models.tiny_model import tiny_package

ROOT = Path(__file__).resolve().parents[3]
NAMES = ("one", "two", "three")
PAPERS, THREADS = 200, 8
# A fake model in a separate process, which gets its space as an argument.
CHILD = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from array import array
from tests.support.distributed.directions import DIM, direction
from trainer.contract import wire
space, requests, answers = sys.argv[1], sys.stdin.buffer, sys.stdout.buffer
unrelated = {UNRELATED!r}
wire.send(answers, {{"ready": True}})
while request := wire.receive(requests):
    texts = request.header["texts"]
    vectors = [
        [0.0] * DIM if a in unrelated else direction(space, f"{{a}} {{b}}".strip())
        for a, b in texts
    ]
    header = {{"id": request.header["id"], "rows": len(texts), "dim": DIM}}
    wire.send(answers, header, array("f", sum(vectors, [])).tobytes())
    open(sys.argv[2], "a").write(f"{{space}}\\n")
"""


def make_home(folder: Path) -> Home:
    """Make a home with papers and three models, of which the first is active."""
    home = Home(folder)
    for number, name in enumerate(NAMES):
        tiny_package(home.models / name, title=name, dim=DIM, max_tokens=40 + number)
    home.settings.write_text(f'model = "{NAMES[0]}"')
    (folder / "child.py").write_text(CHILD)
    library = Library(home.library)
    library.put([paper(f"Paper {n}") for n in range(PAPERS)])
    library.close()
    return home


class QuickModels(Workspace):
    """A workspace with model processes that start immediately."""

    def _open_encoder(self, model: str) -> EncoderProcess:
        package = self.models.package(model)
        child, answered = self.home.folder / "child.py", self.home.folder / "answered"
        return EncoderProcess(package, [sys.executable, str(child), package.space, str(answered)])


def opened(home: Home) -> Workspace:
    return QuickModels(home)


class Judge:
    """Knows the expected answers of each model, computed independently."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._known: dict[tuple[str, str], np.ndarray] = {}

    def vector(self, space: str, text: str) -> np.ndarray:
        key = space, text
        if key not in self._known:
            self._known[key] = vector_of(space, text)
        return self._known[key]

    def wrong(self, space: str, query: str, results: SearchResults) -> str:
        """Return the error in an answer; empty if there is none."""
        if results.note or not results.hits:
            return results.note or "nothing found"
        wanted = vector_of(space, query)
        best = max(float(self.vector(space, f"Paper {n}") @ wanted) for n in range(PAPERS))
        for hit, (title, _) in zip(
            results.hits, self._library.texts([hit.paper for hit in results.hits]), strict=True
        ):
            right = float(self.vector(space, title) @ wanted)
            if hit.similarity is not None and abs(hit.similarity - right) > 0.01:
                return f"{title}: {hit.similarity:.3f} where it should be {right:.3f}"
        found = max(hit.similarity or -1 for hit in results.hits)
        return "" if found > best - 0.01 else f"the best is {found:.3f} where there is {best:.3f}"


@dataclass
class Story:
    """The counts and errors of a run."""

    searches: int = 0
    failed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    calls: set[str] = field(default_factory=set)
    swaps: int = 0
    killed: int = 0


class Load:
    """The searches, and the swaps and kills during them."""

    def __init__(self, workspace: Workspace, seed: int) -> None:
        self._workspace = workspace
        self._judge = Judge(workspace.library)
        self._random = random.Random(seed)
        self._stop = threading.Event()
        self._counting = threading.Lock()
        self.story = Story()

    @contextmanager
    def searching(self, *, killing: bool = False) -> Iterator[Story]:
        threads = [threading.Thread(target=self._search, args=(n,)) for n in range(THREADS)]
        threads.append(threading.Thread(target=self._import))
        if killing:
            threads.append(threading.Thread(target=self._kill_models))
        for thread in threads:
            thread.start()
        try:
            yield self.story
        finally:
            self._stop.set()
            for thread in threads:
                thread.join()

    def swap(self) -> str:
        """Swap to another model, and wait until it has answered some queries."""
        others = [name for name in NAMES if name != self._workspace.active_model.model]
        done = self._workspace.active_model.activate(self._random.choice(others), Task())
        self.story.swaps += 1
        enough = self.story.searches + 2 * THREADS
        while self.story.searches < enough and not self.story.failed:
            time.sleep(0.002)
        return done.model

    def _import(self) -> None:
        """Import and encode papers, and trash some of them."""
        library, draw = self._workspace.library, random.Random(self._random.random())
        while not self._stop.wait(draw.uniform(0.05, 0.5)):
            # Their words do not occur in queries: a match by words would precede the nearest.
            came = library.put([paper(f"New n{draw.getrandbits(40):x}") for _ in range(3)]).ids
            try:
                self._workspace.active_model.encode_missing(Task())
            except EncoderFailed as failure:
                self._note(self.story.failed, f"reading: {failure!r}")
            library.trash(came[:1])

    def _search(self, thread: int) -> None:
        number = 0
        while not self._stop.is_set():
            number += 1
            self._ask(
                f"alpha {thread} {number}", SearchMode.meaning if number % 2 else SearchMode.hybrid
            )

    def _ask(self, query: str, mode: SearchMode) -> None:
        space = ""
        try:
            with self._workspace.active_model.use() as now:
                space = _space(now)
                results = now.search.find(parse(query), mode=mode, limit=20)
        except Exception as error:
            self._note(self.story.failed, f"{query}: {error!r} {getattr(error, 'hint', '')}")
            return
        if problem := self._judge.wrong(space, query, results):
            self._note(self.story.wrong, f"{space} {query}: {problem}")
        with self._counting:
            self.story.searches += 1
            self.story.calls.add(space)

    def _note(self, where: list[str], what: str) -> None:
        where.append(what)
        print("wrong", what, flush=True)

    def _kill_models(self) -> None:
        """Kill model processes at random moments, mostly after some answers, sometimes before, but
        never so often that none could start in between."""
        answered = self._workspace.home.folder / "answered"
        early: dict[str, int] = {}
        while not self._stop.wait(self._random.uniform(0.05, 1.5)):
            before = answered.read_text().count("\n") if answered.exists() else 0
            children = model_processes()
            if not children:
                continue
            pid, space = self._random.choice(sorted(children.items()))
            if early.get(space, 0) > 1:
                early[space] = 0
                self._until_answered(answered, before, space)
                continue
            early[space] = early.get(space, 0) + 1
            with suppress(psutil.NoSuchProcess):
                psutil.Process(pid).kill()
                self.story.killed += 1

    def _until_answered(self, answered: Path, before: int, space: str) -> None:
        while not self._stop.wait(0.01):
            if space not in model_processes().values():
                return
            if space in answered.read_text().splitlines()[before:]:
                return


def model_processes() -> dict[int, str]:
    """Return the model processes of this process: pid and space."""
    found = {}
    for child in psutil.Process().children():
        with suppress(psutil.Error, IndexError):
            command = child.cmdline()
            if Path(command[1]).name == "child.py":
                found[child.pid] = command[2]
    return found


def _space(now: LoadedModel) -> str:
    assert now.index
    return now.index.key


def lost(workspace: Workspace) -> list[str]:
    """Return papers without vector, or with that of another model, after each model has encoded
    all."""
    found, library = [], workspace.library
    ids = np.sort(library.ids())
    texts = [title for title, _ in library.texts(ids.tolist())]
    for name in NAMES:
        workspace.active_model.activate(name, Task())
        with workspace.active_model.use() as now:
            assert now.index
            now.index.sync()
            vectors, known = now.index.vectors(ids)
            right = np.array([vector_of(now.index.key, text) for text in texts])
            off = ~known | (np.abs(vectors - right).max(1) > 0.01)
            found += [f"{name}: {texts[n]}" for n in np.flatnonzero(off)]
            found += now.index.problems()
    return found


def main(folder: Path, swaps: int, seed: int) -> None:
    workspace = opened(Home(folder))
    load = Load(workspace, seed)
    print("opened", workspace.active_model.model, workspace.active_model.pending(), flush=True)
    if pending := workspace.active_model.pending():
        workspace.active_model.activate(pending, Task())
    workspace.active_model.encode_missing(Task())
    with load.searching(killing=True) as story:
        while story.swaps < swaps:
            print("swap", load.swap(), flush=True)
    print("done", story.searches, story.killed, flush=True)
    workspace.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
