"""Exports and the Zotero import, from an open workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sciread_app.domain.library_tree import AutoExport
from sciread_app.domain.paper import Edit, PaperId
from sciread_app.domain.query.parser import parse
from sciread_app.services.export import clipboard, export
from sciread_app.services.export.citation_styles import CitationStyles
from sciread_app.tasks import Task
from sciread_app.ui.add_papers.gateway import summary_of
from sciread_app.ui.view_models import ImportSummary
from sciread_app.workspace import Workspace

if TYPE_CHECKING:
    from sciread_app.services.ingest.zotero.folders import ZoteroFolder

BIBLIOGRAPHY = ".html"  # the suffix of a formatted bibliography


class ExportGateway:
    """Every method blocks, and may be called from any thread. A failure to write raises
    LibraryError."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def write(self, papers: Sequence[PaperId], path: Path, task: Task) -> int:
        """Export papers in the format of the file's suffix, or as a bibliography in the default
        citation style. Returns the number of papers. Raises also StyleRefused."""
        library, styles = self._workspace.library, CitationStyles(self._workspace.home.styles)
        if path.suffix.lower() == BIBLIOGRAPHY:
            style = styles.default(self._workspace.settings.citation_style)
            text = clipboard.bibliography(library, papers, style, styles, task)
            export.write_text(text, path)
        else:
            export.write_file(library, papers, export.format_of(path), path, task)
        return len(papers)

    def write_found(self, query: str, path: Path, task: Task) -> int:
        found = self._workspace.library.matching(parse(query).conditions)
        return self.write([PaperId(id) for id in found.tolist()], path, task)

    def auto_exports(self) -> Sequence[AutoExport]:
        return self._workspace.auto_exports.files()

    def enable_auto_export(self, collection: str, path: Path, task: Task) -> AutoExport:
        # The file dialog has already confirmed replacing an existing file.
        return self._workspace.auto_exports.enable(
            collection, path, export.format_of(path), task, may_replace=True
        )

    def disable_auto_export(self, collection: str) -> Edit | None:
        return self._workspace.auto_exports.disable(collection)

    def update_auto_exports(self, task: Task) -> Sequence[AutoExport]:
        """Update all automatic exports; returns those written and those with a problem."""
        return self._workspace.auto_exports.write(task)

    def zotero_folders(self) -> Sequence[ZoteroFolder] | None:
        """The data folders of Zotero; None if a running Zotero is to be asked."""
        return self._workspace.zotero_folders()

    def import_zotero(
        self, task: Task, folder: Path | None = None, groups: bool = True
    ) -> ImportSummary:
        """Import from a data folder, or from a running Zotero. Raises SourceError."""
        self._workspace.require_own_library()
        return summary_of(self._workspace.import_zotero(folder, task, groups=groups))
