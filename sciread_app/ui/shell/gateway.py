"""An open workspace as the window uses it: one gateway for each page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sciread_app.domain.query.builder import fragment
from sciread_app.services.library.reader import ReaderService
from sciread_app.services.search.paper_finder import FoundPaper, find_papers
from sciread_app.tasks import Task
from sciread_app.ui.add_papers.gateway import AddPapersGateway
from sciread_app.ui.recommendations.gateway import RecommendationsGateway
from sciread_app.ui.search.gateway import SearchGateway
from sciread_app.ui.settings.gateway import SettingsGateway
from sciread_app.ui.view_models import ImportSummary, PaletteTarget, Status
from sciread_app.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from sciread_app.services.models.installer import ModelInstaller
    from sciread_app.ui.evaluation.gateway import EvaluationGateway
    from sciread_app.ui.training.gateway import TrainingGateway


class WindowGateway(SearchGateway):
    """The services of an open library, with a part for each page.

    Every method blocks, and may be called from any thread.
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self.workspace = workspace
        self.lacks_sample = workspace.lacks_sample
        self.intake = AddPapersGateway(workspace)
        self.settings = SettingsGateway(workspace)
        self.editor = workspace.editor
        self.duplicates = workspace.duplicates
        self.activation = workspace.active_model
        self.models = workspace.models
        self.recommendations = RecommendationsGateway(workspace, self.cards)

    @cached_property
    def training(self) -> TrainingGateway:
        from sciread_app.ui.training.gateway import TrainingGateway  # not needed at start

        return TrainingGateway(self._workspace)

    @cached_property
    def dashboard(self) -> EvaluationGateway:
        from sciread_app.ui.evaluation.gateway import EvaluationGateway  # not needed at start

        return EvaluationGateway(self._workspace)

    @property
    def installer(self) -> ModelInstaller:
        return self._workspace.installer

    @property
    def reader(self) -> ReaderService:
        return self._workspace.reader

    @property
    def warnings(self) -> list[str]:
        return self._workspace.warnings

    def load_model(self, task: Task) -> None:
        """Start the model, which takes seconds; until then searches go by words. Raises
        EncoderFailed."""
        with self._active_model.use() as now:
            now.load()

    def add(self, paths: Sequence[Path], task: Task) -> ImportSummary:
        """Import these files and folders. If canceled, summarize the finished part."""
        summary = ImportSummary.of(self._workspace.import_files(paths, task))
        return summary if summary.stopped else replace(summary, folder=self._unwatched(paths))

    def _unwatched(self, paths: Sequence[Path]) -> Path | None:
        """The folder in `paths`, if that is all and it is not watched."""
        watched = {folder.path for folder in self._workspace.watched_folders.all()}
        if len(paths) != 1 or not paths[0].is_dir() or str(paths[0].absolute()) in watched:
            return None
        return paths[0]

    def add_sample(self, task: Task) -> ImportSummary:
        return ImportSummary.of(self._workspace.add_sample(task))

    def encode_missing(self, task: Task) -> int:
        return self._active_model.encode_missing(task)

    def status(self) -> Status:
        papers = self._library.count()
        if not self._active_model.is_loaded:
            return Status(papers)
        with self._active_model.use() as now:
            if now.index is None:
                return Status(papers)
            # Papers in Trash have vectors too, but are not counted.
            lacking = now.index.count_without_vector(self._library.ids())
        return Status(papers, lacking, by_meaning=True)

    def goals(self) -> list[PaletteTarget]:
        """The parts of the library that have a name."""
        library_tree = self.editor.library_tree()
        return [
            *(
                PaletteTarget("Collection", c.path, fragment("in", [c.path]))
                for c in library_tree.collections
            ),
            *(
                PaletteTarget("Tag", tag.name, fragment("tag", [tag.name]))
                for tag in library_tree.tags
            ),
            *(
                PaletteTarget("Saved search", saved.name, saved.query)
                for saved in library_tree.searches
            ),
        ]

    def find_papers(self, typed: str, task: Task) -> list[FoundPaper]:
        """The papers whose titles, authors and years match the beginnings of words."""
        return find_papers(self._library, typed, task)

    def close(self) -> None:
        self._workspace.close()


def open_gateway(home: Path) -> WindowGateway:
    """Open the library in this folder. Raises LibraryError."""
    return WindowGateway(open_workspace(home))
