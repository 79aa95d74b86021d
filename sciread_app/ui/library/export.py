"""Exporting papers to files, keeping exports updated, and importing from Zotero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from sciread_app.domain.library_tree import AutoExport
from sciread_app.domain.paper import LibraryChanges, PaperId
from sciread_app.language import tr, trn
from sciread_app.tasks import Task
from sciread_app.ui.add_papers.imports.zotero_dialog import ZoteroDialog
from sciread_app.ui.app_context import AppContext
from sciread_app.ui.jobs.runner import JobError, JobQueue
from sciread_app.ui.view_models import ImportSummary
from sciread_app.ui.widgets.dialogs.file_dialogs import DialogPurpose, save_file
from sciread_app.ui.widgets.dialogs.file_manager import reveal

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from sciread_app.services.ingest.zotero.folders import ZoteroFolder
    from sciread_app.ui.add_papers.imports.controller import ImportController
    from sciread_app.workspace import Workspace

SETTLED_MS = 2000  # after the last change, before automatic exports are updated
# Translators: the default name of an exported file
PAPERS = tr("papers")
FORMATS = "BibTeX (*.bib);;RIS (*.ris);;CSL-JSON (*.json);;JSON lines (*.jsonl)"


class ExportController(QObject):
    """Asks for files, exports in the background, and keeps automatic exports updated."""

    def __init__(
        self,
        context: AppContext,
        workspace: Workspace,
        importer: ImportController,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._messages, self._edits = context.messages, context.edits
        self._workspace = workspace
        self._importer = importer
        self._jobs = context.jobs
        self._settled = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._settled.timeout.connect(self.update_auto_exports)
        context.events.library_changed.connect(self._library_changed)

    def export_papers(self, papers: Sequence[PaperId]) -> None:
        chosen = list(papers)
        self._ask(PAPERS, lambda path: partial(self._workspace.export, chosen, path))

    def export_found(self, what: Sequence[str] | str, name: str) -> None:
        """Export the papers that match a query, or those of collections by their paths: in a query,
        names that differ in case or quotation marks are the same."""
        workspace = self._workspace

        def papers() -> Sequence[PaperId] | str:
            if isinstance(what, str):
                return what
            found = (workspace.library.collections.papers(path).tolist() for path in what)
            return sorted(set(chain.from_iterable(found)))

        self._ask(name, lambda path: lambda task: workspace.export(papers(), path, task))

    def enable_auto_export(self, collection: str) -> None:
        """Ask for the file that is to be kept updated with this collection."""
        path = self._file(collection.rsplit("/", 1)[-1], FORMATS)
        if path:
            self._keep(collection, path)

    def disable_auto_export(self, collection: str) -> None:
        """End the automatic export of this collection; its file stays, and undo resumes it."""
        self._edits.submit(
            tr("Stopping automatic export"),
            lambda _: self._workspace.auto_exports.disable(collection),
        )

    def list_auto_exports(self) -> None:
        """List the collections with automatic exports, and offer to stop each."""
        self._jobs.run(
            tr("Loading automatic exports"),
            lambda task: self._workspace.auto_exports.files(),
            self._list,
        )

    def update_auto_exports(self) -> None:
        self._jobs.run(
            tr("Updating automatic exports"),
            lambda task: self._workspace.auto_exports.write(task),
            self._written,
            replaces="kept files",
        )

    def import_zotero(self) -> None:
        """Import from Zotero, after asking for its library unless there is just one."""
        self._jobs.run(
            tr("Finding Zotero libraries"),
            lambda task: self._workspace.zotero_folders(),
            self._choose_zotero,
            replaces="zotero folders",
        )

    def _choose_zotero(self, folders: Sequence[ZoteroFolder] | None) -> None:
        if folders is None or len(folders) == 1:
            self._bring_zotero(folders[0].path if folders else None, True)
            return
        dialog = ZoteroDialog(folders, self._window)
        dialog.selected.connect(self._bring_zotero)
        dialog.open()

    def _bring_zotero(self, folder: Path | None, groups: bool) -> None:
        self._importer.bring(
            tr("Importing from Zotero"),
            lambda task: ImportSummary.of(
                self._workspace.import_zotero(folder, task, groups=groups)
            ),
        )

    def _library_changed(self, changes: LibraryChanges) -> None:
        if changes.papers:
            self._settled.start()

    def _ask(self, name: str, work: Callable[[Path], Callable[[Task], int]]) -> None:
        bibliography = tr("Formatted bibliography ({pattern})", pattern="*.html")
        formats = f"{FORMATS};;{bibliography}"
        if path := self._file(name, formats):
            self._jobs.run(
                _writing(path),
                work(path),
                partial(self._wrote, path),
                file=path,
                queue=JobQueue.long,
            )

    def _file(self, name: str, formats: str) -> Path | None:
        stem = "".join(letter if letter.isalnum() else "-" for letter in name).strip("-")
        usual = f"{stem or PAPERS}.bib"
        return save_file(self._window, DialogPurpose.export, tr("Export"), usual, formats)

    def _wrote(self, path: Path, count: int) -> None:
        self._messages.show_notice(
            trn(
                "Exported {n:,} paper to {file}.",
                "Exported {n:,} papers to {file}.",
                count,
                file=path.name,
            ),
            str(path.parent),
            (tr("Show file"), partial(reveal, path)),
            passes=True,
        )

    def _keep(self, collection: str, path: Path, format: str = "") -> None:
        """Export a collection to a file from now on; the format is by default that of its name."""

        def enable(task: Task) -> AutoExport:
            from sciread_app.services.export.export import Format, format_of  # not needed at start

            # The file dialog has already confirmed replacing an existing file.
            chosen = Format(format) if format else format_of(path)
            return self._workspace.auto_exports.enable(
                collection, path, chosen, task, may_replace=True
            )

        self._jobs.run(
            _writing(path),
            enable,
            lambda auto_export: self._show_message(
                tr(
                    "“{collection}” is now exported automatically to {file}.",
                    collection=auto_export.collection,
                    file=path.name,
                ),
                tr(
                    "The file is updated whenever the collection changes. Citation keys never "
                    "change."
                ),
            ),
            file=path,
        )

    def _written(self, files: Sequence[AutoExport]) -> None:
        for auto_export in files:
            if auto_export.problem:
                self._messages.show_problem(
                    JobError(_behind(auto_export), auto_export.problem),
                    (
                        tr("Overwrite file"),
                        partial(
                            self._keep,
                            auto_export.collection,
                            Path(auto_export.path),
                            auto_export.format,
                        ),
                    ),
                    (
                        tr("Stop exporting"),
                        partial(self.disable_auto_export, auto_export.collection),
                    ),
                )

    def _list(self, files: Sequence[AutoExport]) -> None:
        if not files:
            self._show_message(
                tr("No collection is exported automatically."),
                tr("In the sidebar, right-click a collection and select “Export automatically…”."),
            )
        for auto_export in files:
            messages = self._messages
            show = messages.show_warning if auto_export.problem else messages.show_notice
            show(
                tr(
                    "“{collection}” is exported automatically to {file}.",
                    collection=auto_export.collection,
                    file=Path(auto_export.path).name,
                ),
                auto_export.problem or auto_export.path,
                (tr("Show file"), partial(reveal, Path(auto_export.path))),
                (tr("Stop exporting"), partial(self.disable_auto_export, auto_export.collection)),
            )

    def _show_message(self, message: str, hint: str) -> None:
        self._messages.show_notice(message, hint, passes=True)


def _writing(path: Path) -> str:
    return tr("Writing {file}", file=path.name)


def _behind(auto_export: AutoExport) -> str:
    return tr(
        "{file} is not up to date with “{collection}”.",
        file=auto_export.path,
        collection=auto_export.collection,
    )
