"""What was measured in a workspace, as its page sees it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from sciread_app.domain.order import Order
from sciread_app.domain.paper import PaperId
from sciread_app.domain.query import parse
from sciread_app.domain.training import LIBRARY, Data, Kind
from sciread_app.language import tr, trn
from sciread_app.services import trainer_process
from sciread_app.services.atlas import Atlas, Drawing
from sciread_app.services.corpora import Corpus as KeptCorpus
from sciread_app.services.evaluating import Candidate, Evaluated
from sciread_app.services.following import Follower, Story
from sciread_app.services.model_cards import Scored
from sciread_app.services.runs import Training
from sciread_app.services.score_files import write_csv
from sciread_app.services.scores import Board, Kept
from sciread_app.services.search import Mode, Search
from sciread_app.services.verdict import Verdict
from sciread_app.tasks import Task
from sciread_app.ui.dashboard.values import Corpus, Found
from sciread_app.workspace import Workspace
from trainer.contract.pictures import Picture, read_pictures

KNOWN = 60  # papers that are offered as known
# In this order: who has written about a paper knows it better than who has only read it.
_KNOWN_BY = ("has:highlights", "has:notes", "rating:>=4", "is:read")
_HTML = "report.html"


class WorkspaceDashboard:
    """Every verb blocks, and may be called from any thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._followers: dict[str, Follower] = {}
        self._following = threading.Lock()

    def look(self) -> Found:
        boards = self._workspace.scores.boards()
        corpora = {corpus.folder.name: corpus for corpus in self._workspace.corpora.all()}
        called = {
            board.key: corpus_words(corpora[board.data]) if board.data in corpora else board.data
            for board in boards
        }
        return Found(boards, called)

    def compare(self, first: Kept, second: Kept, task: Task) -> Verdict:
        return self._workspace.judge.compare(first, second, task)

    def pictures(self, kept: Kept) -> Mapping[str, Mapping[str, Picture]]:
        return read_pictures(kept.folder)

    def trainings(self) -> Sequence[Training]:
        return self._workspace.learning.runs.all()

    def story(self, training: str, task: Task) -> Story:
        with self._following:
            follower = self._followers.get(training)
            if follower is None:
                follower = Follower(self._workspace.learning.runs.find(training).folder)
                self._followers[training] = follower
            return follower.look(task)

    def after(self, training: str) -> Sequence[Scored]:
        return self._workspace.learning.runs.scores(training)

    def candidates(self) -> Sequence[Candidate]:
        return self._workspace.evaluating.candidates()

    def corpora(self) -> Sequence[Corpus]:
        papers = self._workspace.library.count()
        shelf = self._workspace.organise.shelf()
        library = trn("The library, {n:,} paper", "The library, {n:,} papers", papers)
        return [
            *([Corpus(library, LIBRARY)] if papers else []),
            *(
                Corpus(tr("Collection {name}", name=c.path), Data(Kind.collection, c.path))
                for c in shelf.collections
            ),
            *(
                Corpus(
                    tr("Put aside: {what}", what=corpus_words(kept)),
                    Data(Kind.corpus, kept.id),
                )
                for kept in self._workspace.corpora.all()
            ),
        ]

    def evaluate(
        self, names: Sequence[str], suite: str, data: Data | Path, task: Task
    ) -> Evaluated:
        return self._workspace.evaluating.evaluate(names, suite, data, task)

    def write_csv(self, boards: Sequence[Board], file: Path) -> int:
        with file.open("w", encoding="utf-8", newline="") as stream:
            return write_csv(boards, stream)

    def write_page(self, boards: Sequence[Board], file: Path, task: Task) -> None:
        folders = [str(kept.folder.absolute()) for board in boards for kept in board.reports]
        unfinished = file.with_name(f".{file.name}.new")
        arguments = ["page", *folders, f"--output={unfinished}"]
        try:
            trainer_process.ask(arguments, self._workspace.home.folder, task)
            (unfinished / _HTML).replace(file)
        finally:
            for left in unfinished.glob("*"):
                left.unlink()
            if unfinished.is_dir():
                unfinished.rmdir()

    def known_papers(self) -> Sequence[PaperId]:
        library, found = self._workspace.library, list[int]()
        for query in _KNOWN_BY:
            if len(found) < KNOWN:
                ids = library.matching(parse(query).conditions)
                found += library.ordered(ids, Order.added)[:KNOWN].tolist()
        found = found or library.ids(Order.added)[:KNOWN].tolist()
        return [PaperId(id) for id in list(dict.fromkeys(found))[:KNOWN]]

    def find(self, words: str, task: Task) -> Sequence[PaperId]:
        search = Search(self._workspace.library, None)
        found = search.find(words, limit=KNOWN, mode=Mode.text, task=task)
        return [hit.paper for hit in found.hits] or [
            PaperId(int(id)) for id in found.ids[:KNOWN].tolist()
        ]

    def drawing(self, model: str) -> Drawing | None:
        with self._atlas(model) as atlas:
            return atlas.read() if atlas else None

    def draw(self, model: str, task: Task) -> Drawing | None:
        with self._atlas(model) as atlas:
            return atlas.draw(task) if atlas else None

    @contextmanager
    def _atlas(self, model: str) -> Iterator[Atlas | None]:
        """The map of a model: of what answers, the very one that the page of the map has."""
        workspace = self._workspace
        if model == workspace.answering.model:
            with workspace.answering.use() as now:
                if now.name == model:
                    yield workspace.atlas(now)
                    return
        space = workspace.others.space(model)
        yield Atlas(workspace.library, space, workspace.home.indexes)


def corpus_words(corpus: KeptCorpus) -> str:
    """Papers that were put aside, by where they come from and what is in them."""
    papers = trn("{n:,} paper", "{n:,} papers", corpus.papers)
    day = corpus.made.strftime("%Y-%m-%d")
    what = {
        Kind.library: tr("the library of {day}", day=day),
        Kind.collection: tr("collection {name} of {day}", name=corpus.what.name, day=day),
    }.get(corpus.what.kind, corpus.what.name or corpus.id)
    return f"{what}, {papers}"
