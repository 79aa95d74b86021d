"""An opened home folder: the composition root of the services."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sciread_app.domain.library_tree import SAMPLE_COLLECTION
from sciread_app.domain.paper import PaperId, Skipped
from sciread_app.domain.watched_folders import WatchedFolder
from sciread_app.encoder import EncoderProcess
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home, cache_folder, find_home, open_home, resource
from sciread_app.services.ingest.importer import Importer, ImportReport, is_short
from sciread_app.services.ingest.watched_folders import (
    Changes,
    FolderScan,
    ScanReport,
    WatchedFolders,
)
from sciread_app.services.library.duplicates import Duplicates
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.services.library.pdf_folder import PdfFolder
from sciread_app.services.maintenance.backup_rotation import Backups
from sciread_app.services.models.active_model import ActiveModel, LoadedModel
from sciread_app.services.models.blind_votes import BlindVotes
from sciread_app.services.models.comparison import ModelComparison
from sciread_app.services.models.registry import ModelRegistry
from sciread_app.services.models.vector_cleanup import remove_unneeded_spaces
from sciread_app.settings import Settings, change_settings, read_settings
from sciread_app.storage.files.sqlite_backup import revision_of
from sciread_app.storage.library import Library
from sciread_app.storage.migrations import HEAD
from sciread_app.tasks import Task
from trainer.contract.package import read_package

if TYPE_CHECKING:
    from sciread_app.services.digest.digest_service import DigestService
    from sciread_app.services.evaluation.evaluation_service import EvaluationService
    from sciread_app.services.evaluation.leaderboard import Scores
    from sciread_app.services.evaluation.model_comparison import ModelComparer
    from sciread_app.services.export.auto_export import AutoExportService
    from sciread_app.services.ingest.fetcher import Fetcher
    from sciread_app.services.ingest.folder_events import FolderEvents
    from sciread_app.services.ingest.lookup.citation_fetcher import CitationFetcher
    from sciread_app.services.ingest.lookup.identifier_import import IdentifierImport
    from sciread_app.services.ingest.lookup.metadata_lookup import MetadataLookup
    from sciread_app.services.ingest.lookup.missing_papers import MissingPapers
    from sciread_app.services.ingest.lookup.paper_lookup import OnlineLookup
    from sciread_app.services.ingest.lookup.pdf_finder import PdfFinder
    from sciread_app.services.ingest.zotero.folders import ZoteroFolder
    from sciread_app.services.ingest.zotero.importer import ZoteroImporter
    from sciread_app.services.library.reader import ReaderService
    from sciread_app.services.map.map_service import MapService
    from sciread_app.services.models.installer import ModelInstaller
    from sciread_app.services.recommend.recommender import Recommender
    from sciread_app.services.training.corpora import Corpora
    from sciread_app.services.training.run_import import RunImporter
    from sciread_app.services.training.training_service import TrainingService
    from sciread_app.sources.http.client import Client


class Workspace:
    """The services of an opened home folder.

    Opens the library at once and everything else at first use: the model's process takes seconds
    to start, and reading the library need not wait for it.
    """

    def __init__(self, home: Home) -> None:
        self.home = home
        self.settings: Settings
        self.settings, self.warnings = read_settings(home.settings)
        self._risk = home.risk
        self.library = Library(home.library)
        self.library.citekeys.pattern = self.settings.citekey
        self.lacks_sample = home.is_sample and self.library.is_untouched()
        self._folder_events: FolderEvents | None = None
        self.importer = self.new_importer()
        self.editor = LibraryEditor(self.library)
        self.duplicates = Duplicates(self.library, self.editor)
        # Each request holds the active model only while it runs.
        self.active_model = ActiveModel(
            self.library,
            home,
            self.settings.model,
            self._open_encoder,
            lambda model: self.models.package(model, hashes=False),
            lambda model: self.comparison.close_one(model),
        )

    @property
    def risk(self) -> str:
        """Why the home folder is a risky place; empty if it is not, or the user accepts that."""
        return "" if self._risk == self.settings.accepted_risk else self._risk

    @property
    def pdf_folder(self) -> PdfFolder:
        folder = self.settings.pdf_folder
        return PdfFolder(self.library, Path(folder) if folder else None, self.settings.pdf_name)

    def new_importer(self, pdfs: str = "") -> Importer:
        """An importer that leaves, copies or moves PDFs ("leave", "copy", "move"), by default as
        in the settings."""
        return Importer(
            self.library,
            pdf_workers=self.settings.pdf_workers,
            pdf_seconds=self.settings.pdf_seconds,
            file_pdfs=partial(self.file_pdfs, pdfs=pdfs),
        )

    def file_pdfs(self, paths: Sequence[Path], task: Task, *, pdfs: str = "") -> list[Skipped]:
        """Copy or move new PDFs of papers to the PDF folder, by default as in the settings. Returns
        those that stay where they are, with the reasons."""
        if not pdfs and self.settings.pdf_folder:
            pdfs = self.settings.pdf_import
        if pdfs not in ("copy", "move") or not paths:
            return []
        try:
            return self.pdf_folder.take_in(paths, task, copy=pdfs == "copy").failures
        except LibraryError as error:
            return [Skipped(str(path), "", f"{error} {error.hint}") for path in paths[:1]]

    @property
    def backups(self) -> Backups:
        return _backups(self.home, self.settings)

    def require_own_library(self) -> None:
        """Raise LibraryError if this is the sample library, which takes no papers of the user."""
        if self.home.is_sample:
            raise LibraryError(
                tr("Papers cannot be added to the sample library."),
                tr("Close the sample library, then add the papers to your own library."),
            )

    def change(self, **changes: Any) -> Settings:
        """Save these settings and apply them. Raises ValueError for an invalid one."""
        self.settings = change_settings(self.home.settings, **changes)
        self.importer = self.new_importer()
        self.library.citekeys.pattern = self.settings.citekey
        # Rebuilt at the next fetch; one that is running keeps its settings.
        built = ("_client", "fetcher", "citation_fetcher", "lookup", "metadata", "identifiers")
        for name in built:
            self.__dict__.pop(name, None)
        return self.settings

    def key_location(self, name: str) -> str:
        """The place of the key of a source, "environment" or "keyring"; empty if there is none."""
        from sciread_app.sources import api_keys

        return api_keys.location(name)

    def set_key(self, name: str, value: str) -> None:
        """Store a key in the keyring, or delete it if `value` is empty. Raises SourceError."""
        from sciread_app.sources import api_keys

        if value:
            api_keys.set_key(name, value)
        else:
            api_keys.drop_key(name)

    @cached_property
    def comparison(self) -> ModelComparison:
        """The models that can be compared with the active one."""
        return ModelComparison(self.library, self.home.indexes, self._open_encoder)

    @cached_property
    def votes(self) -> BlindVotes:
        models = self.models
        return BlindVotes(
            self.library, lambda: {one.name: one.space for one in models.all() if one.space}
        )

    @cached_property
    def models(self) -> ModelRegistry:
        return ModelRegistry(
            self.home,
            self.library,
            lambda: self.active_model.model,
            lambda: remove_unneeded_spaces(self.library, self.home),
            lambda model: self.comparison.close_one(model),
        )

    @cached_property
    def installer(self) -> ModelInstaller:
        from sciread_app.services.models.installer import ModelInstaller

        return ModelInstaller(self.home, self.models)

    @cached_property
    def corpora(self) -> Corpora:
        from sciread_app.services.training.corpora import Corpora

        return Corpora(self.home, self.library)

    @cached_property
    def training(self) -> TrainingService:
        from sciread_app.services.training.runs import Runs
        from sciread_app.services.training.training_service import TrainingService

        return TrainingService(self.home, self.corpora, Runs(self.home))

    @cached_property
    def run_importer(self) -> RunImporter:
        from sciread_app.services.training.run_import import RunImporter

        return RunImporter(self.home, self.training.runs, self.corpora, self._take_model)

    @cached_property
    def scores(self) -> Scores:
        from sciread_app.services.evaluation.leaderboard import Scores

        models = self.models

        def titles() -> dict[str, str]:
            return {model.space: model.title for model in models.all() if model.space}

        return Scores(self.home.reports, titles)

    @cached_property
    def comparer(self) -> ModelComparer:
        from sciread_app.services.evaluation.model_comparison import ModelComparer

        return ModelComparer(self.home.folder)

    @cached_property
    def evaluation(self) -> EvaluationService:
        from sciread_app.services.evaluation.evaluation_service import EvaluationService

        return EvaluationService(self.home, self.models, self.corpora, self.scores)

    def map(self, now: LoadedModel) -> MapService | None:
        """The map of the active model; None if it has no embedding index."""
        from sciread_app.services.map.map_service import MapService
        from sciread_app.services.subprocess.worker import run_in_subprocess

        if (space := now.index) is None:
            return None
        return now.get_or_create(
            MapService,
            lambda: MapService(self.library, space, self.home.indexes, run_in_subprocess),
        )

    @cached_property
    def zotero(self) -> ZoteroImporter:
        from sciread_app.services.ingest.zotero.importer import ZoteroImporter

        return ZoteroImporter(self.library, self.importer, lambda: self._local_client)

    def zotero_folders(self) -> list[ZoteroFolder] | None:
        """The data folders of Zotero on this computer; None if the address of a running Zotero is
        set, which is asked instead."""
        from sciread_app.services.ingest.zotero.folders import find_folders

        if self.settings.zotero_url or os.environ.get("SCIREAD_ZOTERO_URL"):
            return None
        return find_folders()

    def import_zotero(
        self, folder: Path | None, task: Task, *, groups: bool = True
    ) -> ImportReport:
        """Import from a data folder as `zotero.import_folder` does, but in a process of its own, or
        from a running Zotero. Raises SourceError, and LibraryError for the sample library."""
        self.require_own_library()
        if folder is None:
            return self.zotero.import_all(task)
        from sciread_app.services.ingest.zotero.folders import folder_at
        from sciread_app.services.subprocess.worker import run_in_subprocess

        found = folder_at(folder, self.zotero_folders() or [])
        return run_in_subprocess(_import_zotero, self.home, found, groups, task=task)

    @cached_property
    def auto_exports(self) -> AutoExportService:
        from sciread_app.services.export.auto_export import AutoExportService

        return AutoExportService(self.library)

    def export(self, papers: Sequence[PaperId] | str, path: Path, task: Task) -> int:
        """Write papers, or those that match a query, to a file: in the format of its suffix, or as
        a bibliography (.html) in the citation style of the settings. Returns the number of papers.
        Raises LibraryError and StyleRefused, and BadQuery for a query by example."""
        from sciread_app.services.export import clipboard, export
        from sciread_app.services.export.citation_styles import CitationStyles

        if isinstance(papers, str):
            papers = export.selected_by(self.library, papers)
        if path.suffix.lower() == ".html":
            styles = CitationStyles(self.home.styles)
            style = styles.default(self.settings.citation_style)
            text = clipboard.bibliography(self.library, papers, style, styles, task)
            export.write_text(text, path)
        else:
            export.write_file(self.library, papers, export.format_of(path), path, task)
        return len(papers)

    # Fetching is imported at first use: the import takes 0.2 s, too long at start-up.

    @cached_property
    def fetcher(self) -> Fetcher:
        from sciread_app.services.ingest.fetcher import Fetcher

        return Fetcher(self.library, self._client)

    @cached_property
    def citation_fetcher(self) -> CitationFetcher:
        from sciread_app.services.ingest.lookup.citation_fetcher import CitationFetcher

        return CitationFetcher(self.library, self._client)

    @cached_property
    def reader(self) -> ReaderService:
        from sciread_app.services.library.reader import ReaderService

        return ReaderService(self.library)

    # Imported at first use, since it imports scipy.

    def recommender(self, now: LoadedModel) -> Recommender:
        from sciread_app.services.recommend.recommender import Recommender

        return now.get_or_create(Recommender, lambda: Recommender(self.library, now.index))

    @cached_property
    def digests(self) -> DigestService:
        from sciread_app.services.digest.digest_service import DigestService

        @contextmanager
        def recommending() -> Iterator[Recommender]:
            with self.active_model.use() as now:
                yield self.recommender(now)

        return DigestService(
            self.library,
            self.home,
            recommending,
            lambda: self.fetcher,
            self.active_model.encode_missing,
        )

    @cached_property
    def lookup(self) -> OnlineLookup:
        from sciread_app.services.ingest.lookup.paper_lookup import OnlineLookup

        return OnlineLookup(self.library, self.citation_fetcher, self._client)

    @cached_property
    def metadata(self) -> MetadataLookup:
        from sciread_app.services.ingest.lookup.metadata_lookup import MetadataLookup

        return MetadataLookup(self.library, self._client, self.home.lookups)

    @cached_property
    def identifiers(self) -> IdentifierImport:
        from sciread_app.services.ingest.lookup.identifier_import import IdentifierImport

        return IdentifierImport(self.library, self._client)

    @property
    def pdf_finder(self) -> PdfFinder:
        """Raises LibraryError if no PDF folder is set."""
        from sciread_app.services.ingest.lookup.pdf_finder import PdfFinder

        folder = self.pdf_folder.existing()
        return PdfFinder(self.library, self._client, folder, self.settings.pdf_name)

    @property
    def missing(self) -> MissingPapers:
        from sciread_app.services.ingest.lookup.missing_papers import MissingPapers

        return MissingPapers(self.library, self._client, self.identifiers)

    @cached_property
    def _client(self) -> Client:
        return self._new_client(contact=self.settings.contact)

    @cached_property
    def _local_client(self) -> Client:
        """A client for programs on this computer, with few retries: they respond at once or not at
        all."""
        from sciread_app.sources.http.client import RetryPolicy

        return self._new_client(retry_policy=RetryPolicy(tries=2, first=0.5))

    def _new_client(self, **options: Any) -> Client:
        from sciread_app.sources.endpoints import endpoints
        from sciread_app.sources.http.client import Client

        known = endpoints(os.environ, self.settings)
        return Client(cache_folder(), known, proxy=self.settings.proxy, **options)

    def import_files(self, paths: Sequence[Path], task: Task) -> ImportReport:
        """Import files and folders as `importer.add` does, but in a process of its own unless they
        are few: a thread that reads and compares records keeps the window's thread waiting for the
        interpreter lock. If canceled, reports the finished part. Raises LibraryError for the sample
        library, and Cancelled if nothing was begun."""
        from sciread_app.services.subprocess.worker import run_in_subprocess

        self.require_own_library()
        log = self.library.import_log
        earlier = {known.id for known in log.imports()}
        try:
            if is_short(paths):
                return self.importer.add(paths, task)
            return run_in_subprocess(_import_files, self.home, list(paths), task=task)
        except Cancelled:
            begun = next((one for one in log.imports() if one.id not in earlier), None)
            if begun is None:
                raise
            return ImportReport(
                added=begun.added,
                merged=begun.merged,
                new=log.added_by(begun.id),
                skips=log.failures(begun.id),
                stopped=True,
            )

    @property
    def watched_folders(self) -> WatchedFolders:
        return WatchedFolders(self.library, self.importer)

    def watch_folder(
        self, path: Path, *, subfolders: bool = True, collection: str = ""
    ) -> WatchedFolder:
        """Watch a folder, or change these options of one. Raises LibraryError, also for the sample
        library."""
        self.require_own_library()
        return self.watched_folders.add(path, subfolders=subfolders, collection=collection)

    def scan_folders(
        self, ids: Collection[int] | None, changed: Callable[[int], object], task: Task
    ) -> FolderScan:
        """Scan the watched folders with these ids, or all of them, except those that are paused.
        From then on, `changed` is called on some thread with the id of a folder that has changed.
        Called by one thread at a time."""
        folders = [one for one in self.watched_folders.all() if not one.paused]
        if self.home.is_sample or not (folders or self._folder_events):
            return FolderScan()
        if self._folder_events is None:
            # Not needed at start, nor by those who watch no folder.
            from sciread_app.services.ingest.folder_events import FolderEvents

            self._folder_events = FolderEvents(changed)
        # First, so that nothing that happens during the scan is missed.
        scan = FolderScan(polled=self._folder_events.follow(folders))
        for folder in folders:
            if ids is None or folder.id in ids:
                try:
                    scan.reports.append(self._scan_folder(folder, task))
                except LibraryError as error:  # the other folders are scanned all the same
                    scan.reports.append(ScanReport(folder, problem=error.message))
        return scan

    def _scan_folder(self, folder: WatchedFolder, task: Task) -> ScanReport:
        """Scan a watched folder as `watched_folders.scan` does, but read new files in a process of
        its own."""
        from sciread_app.services.subprocess.worker import run_in_subprocess

        found = self.watched_folders.look(folder, task)
        if isinstance(found, ScanReport):
            return found
        return run_in_subprocess(_import_new_files, self.home, found, task=task)

    def add_sample(self, task: Task) -> ImportReport:
        """Import the sample papers that come with the program, into a collection of their own."""
        report = self.importer.add([resource("sample_library.bib")], task)
        self.library.collections.add(self.library.ids(), SAMPLE_COLLECTION)
        return report

    def close(self) -> None:
        if self._folder_events:
            self._folder_events.close()
        if reader := self.__dict__.get("reader"):
            reader.close()
        self.active_model.close()
        if comparison := self.__dict__.get("comparison"):
            comparison.close()
        for name in ("_client", "_local_client"):
            if client := self.__dict__.get(name):
                client.close()
        self.library.close()

    def _take_model(self, run: Path, task: Task) -> str:
        """The name of the model that a training has made, installed if it is not yet. Raises
        PackageRefused and LibraryError."""
        space = read_package(run / "package", hashes=False).space
        for model in self.models.all():
            if model.space == space and not model.problem:
                return model.name
        return self.installer.add(run, task).name

    def _open_encoder(self, model: str) -> EncoderProcess:
        """Verify the files of a model. Its process starts later. Raises PackageRefused."""
        package = self.models.package(model)
        encoder = EncoderProcess(package)
        encoder.on_timed = partial(self.models.facts.record_speed, package.space)
        return encoder


def open_workspace(folder: Path | None = None) -> Workspace:
    """Open the home folder (see paths.open_home) and start its log. Raises LibraryError."""
    home = open_home(folder)
    start_log(home.log)
    return Workspace(home)


def needs_update(home: Home) -> bool:
    """Whether opening the library migrates it to a newer format, which takes minutes for many
    papers."""
    revision = revision_of(home.library) if home.library.exists() else None
    return revision is not None and 0 < revision < HEAD


def backups_of(folder: Path | None = None) -> tuple[Home, Backups]:
    """The home folder and its backups, without opening the library, which may be damaged."""
    home = find_home(folder)
    return home, _backups(home, read_settings(home.settings)[0])


def _backups(home: Home, settings: Settings) -> Backups:
    # A folder chosen for backups holds those of the user's own library only.
    chosen = settings.backups and not home.is_sample
    return Backups(home, Path(settings.backups) if chosen else None)


class _Log(RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """Ignore a full disk, which is reported by what fails because of it."""


def start_log(path: Path) -> None:
    """Write the log to this file. If that is impossible there is none: nothing depends on it."""
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
    """The file that the log is written to; None if it cannot be written, or is not started."""
    for handler in logging.getLogger("sciread_app").handlers:
        if isinstance(handler, _Log):
            return Path(handler.baseFilename)
    return None


def _import_new_files(home: Home, changes: Changes, task: Task) -> ScanReport:
    """Import the new files of a watched folder. Runs in a child process."""
    workspace = Workspace(home)
    try:
        return workspace.watched_folders.apply(changes, task)
    finally:
        workspace.close()


def _import_zotero(home: Home, folder: ZoteroFolder, groups: bool, task: Task) -> ImportReport:
    workspace = Workspace(home)
    try:
        return workspace.zotero.import_folder(folder, task, groups=groups)
    finally:
        workspace.close()


def _import_files(home: Home, paths: Sequence[Path], task: Task) -> ImportReport:
    """Import files into the library of a home folder, by its settings, in a process of its own."""
    workspace = Workspace(home)
    try:
        return workspace.importer.add(paths, task)
    finally:
        workspace.close()
