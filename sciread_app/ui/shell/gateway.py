"""An open workspace as the window uses it: a gateway for each page that needs one."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sciread_app.domain.query.builder import fragment
from sciread_app.services.search.paper_finder import FoundPaper, find_papers
from sciread_app.tasks import Task
from sciread_app.ui.add_papers.gateway import AddPapersGateway
from sciread_app.ui.compare.gateway import CompareGateway
from sciread_app.ui.map.gateway import MapGateway
from sciread_app.ui.paper.gateway import PaperGateway
from sciread_app.ui.paper_list.card_loader import CardLoader
from sciread_app.ui.recommendations.gateway import RecommendationsGateway
from sciread_app.ui.search.gateway import SearchGateway
from sciread_app.ui.view_models import PaletteTarget, Status
from sciread_app.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from sciread_app.ui.evaluation.gateway import EvaluationGateway
    from sciread_app.ui.training.gateway import TrainingGateway


class WindowGateway:
    """The services of an open library, with a part for each page.

    Every method blocks, and may be called from any thread.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._library = workspace.library
        self._active_model = workspace.active_model
        self.card_loader = CardLoader(workspace.library)
        self.search = SearchGateway(workspace)
        self.about = PaperGateway(workspace, self.card_loader)
        self.comparisons = CompareGateway(workspace)
        self.map = MapGateway(workspace)
        self.intake = AddPapersGateway(workspace)
        self.recommendations = RecommendationsGateway(workspace)

    @cached_property
    def training(self) -> TrainingGateway:
        from sciread_app.ui.training.gateway import TrainingGateway  # not needed at start

        return TrainingGateway(self.workspace)

    @cached_property
    def dashboard(self) -> EvaluationGateway:
        from sciread_app.ui.evaluation.gateway import EvaluationGateway  # not needed at start

        return EvaluationGateway(self.workspace)

    def load_model(self, task: Task) -> None:
        """Start the model, which takes seconds; until then searches go by words. Raises
        EncoderFailed."""
        with self._active_model.use() as now:
            now.load()

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
        library_tree = self.workspace.editor.library_tree()
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
        self.workspace.close()


def open_gateway(home: Path) -> WindowGateway:
    """Open the library in this folder. Raises LibraryError."""
    return WindowGateway(open_workspace(home))
