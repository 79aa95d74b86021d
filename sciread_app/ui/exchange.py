"""Papers out of the window, into the files that other programs read, and from a Zotero beside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, QTimer

from sciread_app.domain.kept_files import KeptFile
from sciread_app.domain.paper import Changes, PaperId
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.file_dialogs import Purpose, save_file
from sciread_app.ui.jobs import Jobs, Lane, Problem
from sciread_app.ui.paper.reveal import reveal
from sciread_app.ui.values import Ledger

if TYPE_CHECKING:
    from sciread_app.ui.main_window import MainWindow

SETTLED_MS = 2000  # after the last change, until kept files are written
# Translators: what a file with papers is called before anybody has named it
PAPERS = tr("papers")
FORMATS = "BibTeX (*.bib);;RIS (*.ris);;CSL-JSON (*.json);;JSON lines (*.jsonl)"


class Exporter(Protocol):
    """Each verb may take a while. What cannot be written is raised as LibraryError."""

    def write(self, papers: Sequence[PaperId], path: Path, task: Task) -> int:
        """The format is told by the name of the file. Returns how many papers that were."""
        ...

    def write_found(self, query: str, path: Path, task: Task) -> int: ...

    def kept(self) -> Sequence[KeptFile]: ...

    def keep(self, collection: str, path: Path, task: Task) -> KeptFile: ...

    def stop_keeping(self, collection: str) -> None: ...

    def write_kept(self, task: Task) -> Sequence[KeptFile]:
        """Bring kept files up to date; those that were written, and those with a problem."""
        ...

    def bring_zotero(self, task: Task) -> Ledger:
        """Raises SourceError if no Zotero answers."""
        ...


class Exchange(QObject):
    """Asks for files, writes them in the background, and keeps those that are to be kept."""

    def __init__(self, window: MainWindow, exporter: Exporter, jobs: Jobs) -> None:
        super().__init__(window)
        self._window = window
        self._exporter = exporter
        self._jobs = jobs
        self._settled = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._settled.timeout.connect(self.write_kept)
        window.library_changed.connect(self._look_again)

    def export_papers(self, papers: Sequence[PaperId]) -> None:
        chosen = list(papers)
        self._ask(PAPERS, lambda path: partial(self._exporter.write, chosen, path))

    def export_found(self, query: str, name: str) -> None:
        self._ask(name, lambda path: partial(self._exporter.write_found, query, path))

    def keep(self, collection: str) -> None:
        """Ask for the file that is to follow this collection from now on."""
        path = self._file(collection.rsplit("/", 1)[-1])
        if path:
            self._keep(collection, path)

    def stop_keeping(self, collection: str) -> None:
        self._jobs.run(
            tr("Letting a file be"),
            lambda task: self._exporter.stop_keeping(collection),
            lambda _: self._say(
                tr("“{collection}” is no longer kept as a file.", collection=collection),
                tr("It stays."),
            ),
            lane=Lane.light,
        )

    def list_kept(self) -> None:
        """Tell which collections are kept as files, and offer to let each be."""
        self._jobs.run(
            tr("Looking for kept files"), lambda task: self._exporter.kept(), self._list,
            lane=Lane.light,
        )  # fmt: skip

    def write_kept(self) -> None:
        self._jobs.run(
            tr("Keeping files up to date"),
            self._exporter.write_kept,
            self._written,
            lane=Lane.light,
            instead_of="kept files",
        )

    def bring_zotero(self) -> None:
        if importing := self._window.importing:
            importing.bring(tr("Bringing papers from Zotero"), self._exporter.bring_zotero)

    def _look_again(self, changes: Changes) -> None:
        if changes.papers:
            self._settled.start()

    def _ask(self, name: str, work: Callable[[Path], Callable[[Task], int]]) -> None:
        if path := self._file(name):
            self._jobs.run(_writing(path), work(path), partial(self._wrote, path))

    def _file(self, name: str) -> Path | None:
        stem = "".join(letter if letter.isalnum() else "-" for letter in name).strip("-")
        usual = f"{stem or PAPERS}.bib"
        return save_file(self._window, Purpose.export, tr("Export"), usual, FORMATS)

    def _wrote(self, path: Path, count: int) -> None:
        self._window.banner.show_notice(
            trn(
                "{n:,} paper was written to {file}.",
                "{n:,} papers were written to {file}.",
                count,
                file=path.name,
            ),
            str(path.parent),
            (tr("Show the file"), partial(reveal, path)),
            passes=True,
        )

    def _keep(self, collection: str, path: Path) -> None:
        self._jobs.run(
            _writing(path),
            lambda task: self._exporter.keep(collection, path, task),
            lambda kept: self._say(
                tr(
                    "“{collection}” is kept as {file} from now on.",
                    collection=kept.collection,
                    file=path.name,
                ),
                tr("The file follows the collection, under citation keys that never change."),
            ),
            lane=Lane.light,
        )

    def _written(self, files: Sequence[KeptFile]) -> None:
        for kept in files:
            if kept.problem:
                self._window.banner.show_problem(
                    Problem(_behind(kept), kept.problem),
                    (tr("Write it anew"), partial(self._keep, kept.collection, Path(kept.path))),
                    (tr("Let it be"), partial(self.stop_keeping, kept.collection)),
                )

    def _list(self, files: Sequence[KeptFile]) -> None:
        if not files:
            self._say(
                tr("No collection is kept as a file."),
                tr("Choose “Keep as a file…” from the menu of a collection in the sidebar."),
            )
        for kept in files:
            banner = self._window.banner
            show = banner.show_warning if kept.problem else banner.show_notice
            show(
                tr(
                    "“{collection}” is kept as {file}.",
                    collection=kept.collection,
                    file=Path(kept.path).name,
                ),
                kept.problem or kept.path,
                (tr("Show the file"), partial(reveal, Path(kept.path))),
                (tr("Stop keeping it"), partial(self.stop_keeping, kept.collection)),
            )

    def _say(self, message: str, hint: str) -> None:
        self._window.banner.show_notice(message, hint, passes=True)


def _writing(path: Path) -> str:
    return tr("Writing {file}", file=path.name)


def _behind(kept: KeptFile) -> str:
    return tr("{file} is behind “{collection}”.", file=kept.path, collection=kept.collection)
