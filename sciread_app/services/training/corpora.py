"""Training corpora: papers of the library, or of files, frozen in a folder."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from sciread_app.domain.citations import STALE
from sciread_app.domain.training import TrainingData, TrainingDataKind
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.services.subprocess import trainer
from sciread_app.storage.id_sets import Ids
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from trainer.contract.corpus_stats import CorpusStats

DESCRIPTION = "corpus.json"
# File suffixes that `prepare` reads; it detects the type of the content.
SUFFIXES = (
    ".jsonl", ".json", ".xml", ".csv", ".tsv", ".parquet", ".sqlite3",
    ".jsonl.gz", ".json.gz", ".xml.gz", ".csv.gz", ".tsv.gz",
)  # fmt: skip
_TEMPORARY = ".arriving-"
_ABANDONED_AFTER = 86_400  # seconds after which an unfinished corpus was certainly abandoned
_LOCK_TIMEOUT = 0.2  # seconds between two attempts to begin, in which a task can be canceled
_INVALID_CHARACTERS = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class SavedCorpus:
    """A corpus stored in a folder. `what` is the source of its papers; `made` is local time."""

    id: str
    folder: Path
    what: TrainingData
    papers: int
    sha256: str
    made: datetime


@dataclass(frozen=True)
class AvailableData:
    """Statistics of the training data.

    `estimated`: the numbers of citations are estimates. `unasked` are the papers of the library
    whose citations have not been fetched yet, and `unread` the PDFs that have no text, if full
    texts are requested.
    """

    stats: CorpusStats
    estimated: bool = False
    unasked: tuple[int, ...] = ()
    unread: tuple[str, ...] = ()


class Corpora:
    """The corpora of a home folder.

    The name of a corpus ends with its hash, so that the same papers are stored once, together with
    the files derived from them.
    """

    def __init__(self, home: Home, library: Library) -> None:
        self._home = home
        self._library = library
        self._stats: dict[Path, CorpusStats] = {}
        self._making = threading.Lock()

    def all(self) -> list[SavedCorpus]:
        """Return all corpora, the most recent first, without damaged ones."""
        folders = self._home.corpora.iterdir() if self._home.corpora.is_dir() else ()
        found = [known for folder in folders if (known := _described(folder))]
        return sorted(found, key=lambda corpus: corpus.made, reverse=True)

    def find(self, id: str) -> SavedCorpus:
        """Return the corpus with this id, or in this folder. Raises LibraryError."""
        for folder in (self._home.corpora / id, Path(id).expanduser()):
            if found := _described(folder):
                return found
        raise LibraryError(
            tr("The saved dataset {name} does not exist.", name=id),
            tr("Select other training data, or specify the folder of a saved dataset."),
        )

    def with_hash(self, sha256: str) -> SavedCorpus | None:
        """Return the corpus with this hash, if any."""
        return next((corpus for corpus in self.all() if corpus.sha256 == sha256), None)

    def inspect(self, data: TrainingData, task: Task) -> AvailableData:
        """Return the statistics that training methods have requirements for.

        Files are made into a corpus first. Raises LibraryError, TrainerFailed and Cancelled.
        """
        if data.kind in (TrainingDataKind.library, TrainingDataKind.collection):
            ids = self._ids(data)
            stats, estimated = self._library.corpus_stats.of(ids)
            unread: tuple[str, ...] = ()
            if data.full_text:
                unread = tuple(self._library.corpus_stats.pdfs_without_text(ids))
            else:
                stats = replace(stats, full_texts=0)
            return AvailableData(stats, estimated, self._unasked(ids), unread)
        return AvailableData(self._of_corpus(self.make(data, task), task))

    def make(self, data: TrainingData, task: Task) -> Path:
        """Freeze these papers in a corpus and return its folder, that of an equal one if it exists.

        Raises LibraryError, TrainerFailed and Cancelled.
        """
        if data.kind is TrainingDataKind.corpus:
            return self.find(data.name).folder
        with self._arriving() as folder, self._exclusive(task):
            return self._keep(*self._prepare(data, folder, task), data)

    @contextmanager
    def temporary(self, data: TrainingData, task: Task) -> Iterator[Path]:
        """The folder of a corpus of these papers that is not kept, unless it is a saved one.
        Raises as `make` does."""
        if data.kind is TrainingDataKind.corpus:
            yield self.find(data.name).folder
        else:
            with self._arriving() as folder:
                with self._exclusive(task):
                    made, _ = self._prepare(data, folder, task)
                yield made

    def remove(self, id: str) -> None:
        """Delete a corpus. Raises LibraryError if there is none with this id."""
        folder = self._home.corpora / id
        if Path(id).name != id or not _described(folder):
            raise LibraryError(tr("The saved dataset {name} does not exist.", name=id))
        shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def _arriving(self) -> Iterator[Path]:
        """A temporary folder among the corpora."""
        self._home.corpora.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=self._home.corpora))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def _exclusive(self, task: Task) -> Iterator[None]:
        """Prepare no other corpus in this block. Raises Cancelled while it waits for one."""
        while not self._making.acquire(timeout=_LOCK_TIMEOUT):
            task.step(0, 0, tr("Waiting for another dataset to be prepared"))
        try:
            yield
        finally:
            self._making.release()

    def _prepare(self, data: TrainingData, folder: Path, task: Task) -> tuple[Path, str]:
        """Write a new corpus into the folder, and return its own folder and its hash."""
        self._tidy()
        made = folder / "corpus"
        arguments = ["prepare", *self._sources(data), f"--output={made}"]
        arguments += ["--full-text"] if data.full_text else []
        return made, str(trainer.ask(arguments, self._home.folder, task)["sha256"])

    def _keep(self, made: Path, sha256: str, data: TrainingData) -> Path:
        if known := self.with_hash(sha256):
            return known.folder
        name = _INVALID_CHARACTERS.sub("-", Path(data.name).name or data.kind.value).strip("-.")[
            :60
        ]
        target = self._home.corpora / f"{name or data.kind.value}-{sha256[:8]}"
        if target.exists():  # a damaged corpus, else its hash would be known
            shutil.rmtree(target)
        made.rename(target)
        return target

    def _sources(self, data: TrainingData) -> list[str]:
        """Return the inputs for `trainer prepare`. Raises LibraryError if there are no papers."""
        if data.kind is TrainingDataKind.files:
            return [str(file) for file in files_in(Path(data.name))]
        self._ids(data)  # raises if there are none
        library = f"library={self._library.path.absolute()}"
        collection = (
            [f"--collection={data.name}"] if data.kind is TrainingDataKind.collection else []
        )
        return [library, *collection]

    def _ids(self, data: TrainingData) -> Ids:
        if data.kind is TrainingDataKind.collection:
            ids = self._library.collections.papers(data.name)
        else:
            ids = np.sort(self._library.ids())
        if not len(ids):
            raise LibraryError(
                tr("The library contains no papers.")
                if data.kind is TrainingDataKind.library
                else tr("The collection “{name}” contains no papers.", name=data.name),
                tr("Add papers first."),
            )
        return ids

    def _unasked(self, ids: Ids) -> tuple[int, ...]:
        from sciread_app.sources.semantic_scholar import KEY  # imports the network code

        before = time.time() - STALE
        unasked = self._library.citations.papers_to_look_up(KEY, before)
        return tuple(np.intersect1d(unasked, ids).tolist())

    def _of_corpus(self, folder: Path, task: Task) -> CorpusStats:
        if folder not in self._stats:
            task.step(0, 0, tr("Counting papers and citations"))
            answer = trainer.ask(["corpus", str(folder)], self._home.folder, task)
            self._stats[folder] = CorpusStats.read(answer["holds"])
        return self._stats[folder]

    def _tidy(self) -> None:
        """Delete leftovers of a killed process."""
        for left in self._home.corpora.glob(f"{_TEMPORARY}*"):
            if time.time() - left.stat().st_mtime > _ABANDONED_AFTER:
                shutil.rmtree(left, ignore_errors=True)


def files_in(folder: Path) -> list[Path]:
    """Return the files in a folder that `prepare` reads. Raises LibraryError if there are none."""
    folder = folder.expanduser().absolute()
    found = [folder] if folder.is_file() else sorted(folder.glob("*"))
    files = [path for path in found if path.is_file() and path.name.lower().endswith(SUFFIXES)]
    if not files:
        raise LibraryError(
            tr("{folder} contains no training data.", folder=folder),
            tr("Supported files are JSON Lines, PubMed XML, tables (CSV, TSV, Parquet), and "
               "the JSON files of SPECTER, SciDocs, and PhysBERT. Import other files into the "
               "library first."),
        )  # fmt: skip
    return files


def _described(folder: Path) -> SavedCorpus | None:
    """Return the corpus in a folder; None if there is none, or its description is damaged."""
    file = folder / DESCRIPTION
    try:
        description = json.loads(file.read_text("utf-8"))
        return SavedCorpus(
            folder.name,
            folder,
            _origin(description["counts"]["files"]),
            int(description["papers"]),
            str(description["sha256"]),
            datetime.fromtimestamp(file.stat().st_mtime),
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def _origin(files: list[Mapping[str, Any]]) -> TrainingData:
    full_text = any(file.get("full_texts") for file in files)
    if len(files) == 1 and files[0]["kind"] == "library":
        part = str(files[0].get("part", ""))
        kind = TrainingDataKind.collection if part else TrainingDataKind.library
        return TrainingData(kind, part, full_text)
    names = ", ".join(str(file["name"]) for file in files)
    return TrainingData(TrainingDataKind.files, names, full_text)
