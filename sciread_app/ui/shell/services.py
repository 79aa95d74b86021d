"""The services of an open library, as the window uses them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from sciread_app.tasks import Task
from sciread_app.ui.add_papers.import_controller import ImportBackend
from sciread_app.ui.search.page import SearchServices
from sciread_app.ui.view_models import PaletteTarget, Status

if TYPE_CHECKING:
    from sciread_app.services.models.activation import ActivationService
    from sciread_app.ui.add_papers.page import AddPapersServices
    from sciread_app.ui.duplicates.comparison import DuplicatesServices
    from sciread_app.ui.evaluation.view_models import EvaluationData
    from sciread_app.ui.library.editor_protocol import LibraryEditing
    from sciread_app.ui.library.export import Exporter
    from sciread_app.ui.map.view_models import MapList
    from sciread_app.ui.models.view_models import ModelsServices
    from sciread_app.ui.reader.view_models import ReaderFiles
    from sciread_app.ui.recommendations.view_models import RecommendationServices
    from sciread_app.ui.settings.view_models import SettingsServices
    from sciread_app.ui.training.view_models import TrainingServices


class WindowServices(SearchServices, ImportBackend, Protocol):
    """Each page has its own part; what is asked for here takes a while, and is asked by jobs."""

    @property
    def intake(self) -> AddPapersServices: ...

    @property
    def reading(self) -> ReaderFiles: ...

    @property
    def organise(self) -> LibraryEditing: ...

    @property
    def map(self) -> MapList: ...

    @property
    def recommendations(self) -> RecommendationServices: ...

    @property
    def activation(self) -> ActivationService: ...

    @property
    def models(self) -> ModelsServices: ...

    @property
    def training(self) -> TrainingServices: ...

    @property
    def duplicates(self) -> DuplicatesServices: ...

    @property
    def settings(self) -> SettingsServices: ...

    @property
    def dashboard(self) -> EvaluationData: ...

    @property
    def exchange(self) -> Exporter: ...

    def status(self) -> Status: ...

    def goals(self) -> Sequence[PaletteTarget]:
        """The parts of the library that have a name."""
        ...

    def load_model(self, task: Task) -> None:
        """Start the model, which takes seconds; until then searches go by words."""
        ...
