"""An opened home folder: the one place where the parts are put together."""

from __future__ import annotations

import logging
import os
from functools import cached_property, partial
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sciread_app.encoder import Encoder
from sciread_app.language import tr
from sciread_app.paths import Home, cache_folder, find_home, open_home, resource
from sciread_app.services.activation import Activation
from sciread_app.services.answering import Answerer, Answering
from sciread_app.services.backups import Backups
from sciread_app.services.comparing import OtherModels
from sciread_app.services.duplicates import Duplicates
from sciread_app.services.intake import Intake, Report
from sciread_app.services.models import Models
from sciread_app.services.organise import Organise
from sciread_app.services.spaces import Spaces
from sciread_app.services.votes import Votes
from sciread_app.settings import Settings, change_settings, read_settings
from sciread_app.storage.copies import revision_of
from sciread_app.storage.library import Library
from sciread_app.storage.migrations import HEAD
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused
from trainer.contract.package import STARTER, Package, read_package, starter_package

if TYPE_CHECKING:
    from sciread_app.services.asking import Asking
    from sciread_app.services.atlas import Atlas
    from sciread_app.services.citing import Citing
    from sciread_app.services.corpora import Corpora
    from sciread_app.services.evaluating import Evaluating
    from sciread_app.services.fetching import Fetching
    from sciread_app.services.kept_files import KeptFiles
    from sciread_app.services.model_arrivals import Arrivals
    from sciread_app.services.reading import Reading
    from sciread_app.services.recommend import Recommender
    from sciread_app.services.run_arrivals import RunArrivals
    from sciread_app.services.scores import Scores
    from sciread_app.services.training import Learning
    from sciread_app.services.verdict import Judge
    from sciread_app.services.zotero import Zotero
    from sciread_app.sources.http import Client

SAMPLE = "Sample library"


class Workspace:
    """Opens the library at once, and the rest when it is first asked for: the model's process
    takes seconds to start, and what only looks at the library should not wait for it."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.settings: Settings
        self.settings, self.warnings = read_settings(home.settings)
        self._risk = home.risk
        self.library = Library(home.library)
        self.is_new = self.library.is_untouched()
        self.intake = self._new_intake()
        self.organise = Organise(self.library)
        self.duplicates = Duplicates(self.library, self.organise)
        # Whoever asks by meaning takes what answers for as long as he asks, and no longer.
        self.answering = Answering(self.library, home.indexes, self.settings.model, self._encoder)
        self.activation = Activation(self.library, self.answering, home)

    @property
    def risk(self) -> str:
        """Why the home is no good place, unless a person leaves the library there knowingly."""
        return "" if self._risk == self.settings.accepted_risk else self._risk

    @property
    def backups(self) -> Backups:
        return _backups(self.home, self.settings)

    def change(self, **changes: Any) -> Settings:
        """Write these settings, and go by them from now on. Raises ValueError for a wrong one."""
        self.settings = change_settings(self.home.settings, **changes)
        self.intake = self._new_intake()
        # Built anew with the next fetch; one that is at work goes on as it began.
        for name in ("_client", "fetching", "citing", "asking"):
            self.__dict__.pop(name, None)
        return self.settings

    def key_place(self, name: str) -> str:
        """Where the key of a source is kept, "environment" or "keyring"; empty if there is none."""
        from sciread_app.sources import keys

        return keys.place(name)

    def set_key(self, name: str, value: str) -> None:
        """Keep a key in the keyring, or with an empty one forget it. Raises SourceError."""
        from sciread_app.sources import keys

        if value:
            keys.set_key(name, value)
        else:
            keys.drop_key(name)

    @cached_property
    def others(self) -> OtherModels:
        """The models that can be compared with the active one."""
        return OtherModels(self.library, self.home.indexes, self._encoder)

    @cached_property
    def votes(self) -> Votes:
        models = self.models
        return Votes(
            self.library, lambda: {one.name: one.space for one in models.all() if one.space}
        )

    @cached_property
    def models(self) -> Models:
        home, answering, spaces = self.home, self.answering, Spaces(self.library, self.home)
        return Models(home, self.library, lambda: answering.model, spaces.clean)

    @cached_property
    def arrivals(self) -> Arrivals:
        from sciread_app.services.model_arrivals import Arrivals

        return Arrivals(self.home, self.models)

    @cached_property
    def corpora(self) -> Corpora:
        from sciread_app.services.corpora import Corpora

        return Corpora(self.home, self.library)

    @cached_property
    def learning(self) -> Learning:
        from sciread_app.services.runs import Runs
        from sciread_app.services.training import Learning

        return Learning(self.home, self.corpora, Runs(self.home))

    @cached_property
    def run_arrivals(self) -> RunArrivals:
        from sciread_app.services.run_arrivals import RunArrivals

        return RunArrivals(self.home, self.learning.runs, self.corpora, self._take_model)

    @cached_property
    def scores(self) -> Scores:
        from sciread_app.services.scores import Scores

        models = self.models

        def titles() -> dict[str, str]:
            return {model.space: model.title for model in models.all() if model.space}

        return Scores(self.home.reports, titles)

    @cached_property
    def judge(self) -> Judge:
        from sciread_app.services.verdict import Judge

        return Judge(self.home.folder)

    @cached_property
    def evaluating(self) -> Evaluating:
        from sciread_app.services.evaluating import Evaluating

        return Evaluating(self.home, self.models, self.corpora, self.scores)

    def atlas(self, now: Answerer) -> Atlas | None:
        """The map of what answers; None where nothing does."""
        from sciread_app.services.apart import apart
        from sciread_app.services.atlas import Atlas

        if (space := now.space) is None:
            return None
        return now.part(Atlas, lambda: Atlas(self.library, space, self.home.indexes, apart))

    @cached_property
    def zotero(self) -> Zotero:
        from sciread_app.services.zotero import Zotero

        return Zotero(self.library, self.intake, self._neighbour)

    @cached_property
    def kept_files(self) -> KeptFiles:
        from sciread_app.services.kept_files import KeptFiles

        return KeptFiles(self.library)

    # What fetches is imported when somebody fetches: it takes 0.2 s, which the window has not.

    @cached_property
    def fetching(self) -> Fetching:
        from sciread_app.services.fetching import Fetching

        return Fetching(self.library, self._client)

    @cached_property
    def citing(self) -> Citing:
        from sciread_app.services.citing import Citing

        return Citing(self.library, self._client)

    @cached_property
    def reading(self) -> Reading:
        from sciread_app.services.reading import Reading

        return Reading(self.library)

    # What learns brings scipy.

    def recommender(self, now: Answerer) -> Recommender:
        from sciread_app.services.recommend import Recommender

        return now.part(Recommender, lambda: Recommender(self.library, now.space))

    @cached_property
    def asking(self) -> Asking:
        from sciread_app.services.asking import Asking

        return Asking(self.library, self.citing, self._client)

    @cached_property
    def _client(self) -> Client:
        from sciread_app.sources.endpoints import endpoints
        from sciread_app.sources.http import Client

        addresses = endpoints(os.environ, self.settings)
        return Client(cache_folder(), addresses, contact=self.settings.contact)

    @cached_property
    def _neighbour(self) -> Client:
        """Asks programs on this computer: who does not answer at once is not there."""
        from sciread_app.sources.endpoints import endpoints
        from sciread_app.sources.http import Client, Patience

        patience = Patience(tries=2, first=0.5)
        return Client(cache_folder(), endpoints(os.environ, self.settings), patience=patience)

    def add_sample(self, task: Task) -> Report:
        """Take in the papers that come with the program, into a collection of their own."""
        report = self.intake.add([resource("sample_library.bib")], task)
        self.library.shelves.collect(self.library.ids(), SAMPLE)
        return report

    def close(self) -> None:
        reading = self.__dict__.get("reading")
        if reading is not None:
            reading.close()
        self.answering.close()
        if others := self.__dict__.get("others"):
            others.close()
        for name in ("_client", "_neighbour"):
            if client := self.__dict__.get(name):
                client.close()
        self.library.close()

    def _take_model(self, run: Path, task: Task) -> str:
        """The name of the model that a training has made, taken in unless it is here. Raises
        PackageRefused and LibraryError."""
        space = read_package(run / "package", hashes=False).space
        for model in self.models.all():
            if model.space == space and not model.problem:
                return model.name
        return self.arrivals.add(run, task).name

    def _new_intake(self) -> Intake:
        return Intake(
            self.library,
            pdf_workers=self.settings.pdf_workers,
            pdf_seconds=self.settings.pdf_seconds,
        )

    def _encoder(self, model: str) -> Encoder:
        """Raises PackageRefused."""
        if model == STARTER:
            return self._timed(starter_package())
        folder = self.home.models / model
        if Path(model).name != model or not folder.is_dir():
            raise PackageRefused(
                tr("There is no model {model} in this library.", model=model),
                tr("`sciread model list` says which there are."),
            )
        return self._timed(read_package(folder))

    def _timed(self, package: Package) -> Encoder:
        encoder = Encoder(package)
        encoder.told = partial(self.models.facts.has_read, package.space)
        return encoder


def open_workspace(folder: Path | None = None) -> Workspace:
    """Open the home folder (see paths.open_home) and start its log. Raises LibraryError."""
    home = open_home(folder)
    start_log(home.log)
    return Workspace(home)


def needs_update(home: Home) -> bool:
    """Whether opening the library brings it to a newer format, which takes minutes for many
    papers."""
    revision = revision_of(home.library) if home.library.exists() else None
    return revision is not None and 0 < revision < HEAD


def backups_of(folder: Path | None = None) -> tuple[Home, Backups]:
    """The backups of a home folder whose library need not be one that can be opened."""
    home = find_home(folder)
    return home, _backups(home, read_settings(home.settings)[0])


def _backups(home: Home, settings: Settings) -> Backups:
    return Backups(home, Path(settings.backups) if settings.backups else None)


class _Log(RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """A full disk is told by what fails because of it, not by a traceback of the log."""


def start_log(path: Path) -> None:
    """Write the log there. Where that is impossible there is none: nobody's work depends on it."""
    handler: logging.Handler
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _Log(path, maxBytes=1_000_000, backupCount=2, encoding="utf-8")
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("sciread_app")
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)


def log_file() -> Path | None:
    """The file that the log is written to; None where it cannot be written, or is not started."""
    for handler in logging.getLogger("sciread_app").handlers:
        if isinstance(handler, _Log):
            return Path(handler.baseFilename)
    return None
