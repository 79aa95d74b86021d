"""The installed models."""

from __future__ import annotations

import difflib
import enum
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home
from sciread_app.services.models import archive
from sciread_app.services.models.archive_safety import DESCRIPTION
from sciread_app.services.models.model_card import (
    CARD,
    CardScore,
    Origin,
    card_of,
    licence,
    origin_of,
    plain,
    scores_of,
)
from sciread_app.services.models.trash import ARRIVING, ModelTrash, RemovedModel, size_of, title_of
from sciread_app.services.models.verification_cache import VerificationCache, VerificationResult
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused
from trainer.contract.package import STARTER, WEIGHTS, Package, read_package, starter_package
from trainer.contract.run import write_atomically

MOST_TITLE = 120  # letters


class ModelState(enum.Enum):
    """The present use of a model. `earlier`: it was active before."""

    active = "answers"  # the value in JSON output
    pending = "pending"
    earlier = "earlier"
    idle = "idle"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledModel:
    """An installed model. `name` is the name of its folder, which identifies it.

    `size` is in bytes, `speed` in papers per second on this computer, None if unknown. A model with
    a `problem` cannot be used. `checked`: the hashes of its present files were verified.
    """

    name: str
    title: str
    state: ModelState = ModelState.idle
    problem: str = ""
    hint: str = ""
    checked: bool = False
    space: str = ""
    method: str = ""
    base: str = ""
    dim: int = 0
    pooling: str = ""
    max_tokens: int = 0
    template: str = ""
    licence: str = ""
    created: str = ""
    trainer: str = ""
    size: int = 0
    speed: float | None = None

    @property
    def ours(self) -> bool:
        """Whether it is the starter model, which is installed with the program."""
        return self.name == STARTER


@dataclass(frozen=True, slots=True)
class ModelDetails:
    """A model with its origin, scores and Markdown card. `papers` are in the library, of which the
    model has not encoded `unread`."""

    model: InstalledModel
    folder: Path
    origin: Origin
    scores: tuple[CardScore, ...]
    card: str
    papers: int
    unread: int


class ModelRegistry:
    """The installed models. Safe to use from any thread.

    Listing models hashes nothing; opening one always verifies its hashes.
    """

    def __init__(
        self,
        home: Home,
        library: Library,
        active: Callable[[], str],
        clean: Callable[[], object] = lambda: None,
        close: Callable[[str], object] = lambda name: None,
    ) -> None:
        """`active` returns the name of the active model. `clean` removes vectors of models that
        are gone. `close` closes the files of a model, which not every system moves while they are
        open."""
        self.folder = home.models
        self._trash = ModelTrash(home.trash / "models")
        self._reports = home.reports
        self._library = library
        self._active = active
        self._clean = clean
        self._close = close
        self.facts = VerificationCache(home.models / "facts.json")
        self._moving = threading.Lock()

    def all(self) -> list[InstalledModel]:
        """Return all models, including damaged ones: the starter model, then the others by
        title."""
        names = {STARTER, self._active(), *self._pending()}
        if self.folder.is_dir():
            names |= {path.name for path in self.folder.iterdir() if _is_model(path)}
        return sorted(
            map(self._inspect, names), key=lambda m: (not m.ours, m.title.casefold(), m.name)
        )

    def package(self, name: str, *, hashes: bool = True) -> Package:
        """Return the package of a model by the name of its folder. Without `hashes` it is good for
        listing, not for loading (see `read_package`). Raises PackageRefused."""
        if name == STARTER:
            return starter_package(hashes=hashes)
        folder = self.folder / name
        if Path(name).name != name or not folder.is_dir():
            raise PackageRefused(
                tr("The model {model} is not installed.", model=name),
                tr("Run `sciread model list` to list the models."),
            )
        return read_package(folder, hashes=hashes)

    def find(self, name: str) -> InstalledModel:
        """Return the model with this name; without one, the first with this title. Raises
        LibraryError."""
        models = self.all()
        names = (name, name.replace("/", "--"))
        # A title may be the name of another model.
        by_name = [model for model in models if model.name in names]
        if found := by_name or [model for model in models if model.title in names]:
            return found[0]
        known = [model.name for model in models]
        close = difflib.get_close_matches(name, known, n=1)
        raise LibraryError(
            tr("The model {name} is not installed.", name=name),
            tr("Did you mean {name}?", name=close[0])
            if close
            else tr("Installed models: {names}.", names=", ".join(known)),
        )

    def earlier(self) -> str:
        """Return the name of the previously active model, or of the one before it if that is not
        usable; empty if there is none."""
        state = self._library.active_model.state()
        usable = {model.name for model in self.all() if not model.problem}
        earlier = [ref.model for ref in state.earlier] if state else []
        return next((name for name in earlier if name in usable), "")

    def check(self, name: str, task: Task) -> InstalledModel:
        """Verify the files of a model by hash, unless that was done since they changed."""
        model = self.find(name)
        if model.problem or model.checked:
            return model
        task.step(0, 0, model.title)
        return self.verify(model.name)

    def about(self, name: str) -> ModelDetails:
        """Return the details of a model. Raises LibraryError."""
        model = self.find(name)
        papers = self._library.count()
        try:
            package = self.package(model.name, hashes=False)
        except PackageRefused:
            return ModelDetails(model, self._folder(model.name), Origin(), (), "", papers, papers)
        return ModelDetails(
            model,
            package.folder,
            origin_of(package),
            scores_of(package, self._reports),
            card_of(package.folder),
            papers,
            len(self._library.missing_vectors(package.space)[0]),
        )

    def rename(self, name: str, title: str) -> InstalledModel:
        """Change the title of a model, but not its folder and vectors. Raises LibraryError."""
        model, title = self._find_changeable(name), " ".join(title.split())
        if not title or len(title) > MOST_TITLE or not title.isprintable():
            raise LibraryError(
                tr("The title of the model is not valid."),
                tr("Enter 1 to {most} printable characters.", most=MOST_TITLE),
            )
        if model.problem:
            raise LibraryError(model.problem, model.hint)
        with self._moving:
            file = self.folder / model.name / DESCRIPTION
            description = json.loads(file.read_text("utf-8")) | {"title": title}
            write_atomically(file, json.dumps(description, indent=2) + "\n")
            card = self.folder / model.name / CARD
            with suppress(OSError, UnicodeDecodeError):
                text = card.read_text("utf-8")
                write_atomically(card, text.replace(f"\n# {model.title}\n", f"\n# {title}\n", 1))
        if model.checked:  # neither of the two files is hashed
            self.facts.record_verdict(model.name, self.folder / model.name, VerificationResult())
        return self._inspect(model.name)

    def export(self, name: str, target: Path, task: Task, *, may_replace: bool = False) -> Path:
        """Write a model to a zip file, which `ModelInstaller.add` reads. Raises LibraryError and
        PackageRefused."""
        model = self._find_changeable(name)
        if target.exists() and not may_replace:
            raise LibraryError(
                tr("The file {file} already exists.", file=target), tr("Use another name.")
            )
        package = read_package(self.folder / model.name)
        archive.pack(package.folder, model.name, target, task)
        return target

    def remove(self, name: str) -> RemovedModel:
        """Move a model to the trash. Raises LibraryError for the starter, the active and a pending
        model, and for the base model of an adapter."""
        model = self._find_changeable(name)
        if model.state is ModelState.active:
            raise LibraryError(
                tr("{title} is in use and cannot be removed.", title=model.title),
                tr("Use another model for search first."),
            )
        if model.state is ModelState.pending:
            raise LibraryError(
                tr("{title} is being prepared for use and cannot be removed.", title=model.title),
                tr("Stop indexing first."),
            )
        for other in self._adapters_of(model.name):
            raise LibraryError(
                tr("{title} is the base model of {other}.", title=model.title, other=other.title),
                tr("Remove {other} first: it requires its base model.", other=other.title),
            )
        self.delete_expired()
        self._close(model.name)
        with self._moving:
            return self._trash.put(self.folder / model.name)

    def trashed(self) -> list[RemovedModel]:
        """The models in the trash, the most recently removed first."""
        return self._trash.all()

    def find_removed(self, key: str) -> RemovedModel:
        """Return the model in the trash with this key, name or title; of several, the one removed
        last. Raises LibraryError."""
        return self._trash.find(key)

    def restore(self, key: str) -> InstalledModel:
        """Move a model from the trash back. Raises LibraryError."""
        removed = self._trash.find(key)
        with self._moving:
            return self._inspect(self._trash.take(removed, self.folder))

    def delete(self, key: str) -> RemovedModel:
        """Delete a model in the trash permanently, with its vectors. Raises LibraryError."""
        removed = self._trash.find(key)
        self._trash.delete(removed)
        if not (self.folder / removed.name).exists():  # otherwise another has this name now
            self._library.active_model.forget(removed.name)
        self._clean()
        return removed

    def delete_expired(self) -> None:
        """Delete the models that have been in the trash for a month."""
        if self._trash.delete_old():
            self._clean()

    def discard_damaged(self, name: str) -> None:
        """Move a damaged model to the trash, so that an intact copy can take its place."""
        with self._moving:
            self._trash.put(self.folder / name)

    def verify(self, name: str) -> InstalledModel:
        """Verify the files of a model by hash in any case, and return the model."""
        try:
            self.package(name)
        except PackageRefused as refused:
            verdict = VerificationResult(refused.message, refused.hint)
        else:
            verdict = VerificationResult()
        self.facts.record_verdict(name, self._folder(name), verdict)
        return self._inspect(name)

    def _adapters_of(self, name: str) -> Iterator[InstalledModel]:
        """Iterate over the models that are adapters for this one."""
        with suppress(PackageRefused):
            weights = self.package(name, hashes=False).files.get(WEIGHTS, "")
            for model in self.all():
                if not model.problem and weights:
                    needed = self.package(model.name, hashes=False).base_weights
                    yield from [model] * (needed == weights)

    def _inspect(self, name: str) -> InstalledModel:
        """Return the present state of a model, without hashing its files."""
        state = self._state(name)
        folder = self._folder(name)
        try:
            package = self.package(name, hashes=False)
        except PackageRefused as refused:
            problem, hint = refused.message, refused.hint
            if name != STARTER and not folder.is_dir():
                problem = tr("The folder of the model {name} is missing.", name=name)
                hint = tr("Add the model again, or use another model for search.")
            return InstalledModel(
                name=name,
                title=title_of(folder) or name,
                state=state,
                problem=problem,
                hint=hint,
                size=size_of(folder),
            )
        verdict = self.facts.verdict(name, folder)
        return replace(
            _described(package, name),
            state=state,
            problem=verdict.problem if verdict else "",
            hint=verdict.hint if verdict else "",
            checked=verdict is not None,
            size=size_of(folder),
            speed=self.facts.speed(package.space),
        )

    def _state(self, name: str) -> ModelState:
        state = self._library.active_model.state()
        if name == self._active():
            return ModelState.active
        if state and name == state.pending:
            return ModelState.pending
        if state and name in [ref.model for ref in state.earlier]:
            return ModelState.earlier
        return ModelState.idle

    def _pending(self) -> list[str]:
        state = self._library.active_model.state()
        return [state.pending] if state and state.pending else []

    def _find_changeable(self, name: str) -> InstalledModel:
        """Find a model as `find` does. Raises LibraryError also for the starter model."""
        model = self.find(name)
        if model.ours:
            raise LibraryError(
                tr("{title} is built into SciRead and cannot be changed.", title=model.title),
                tr("Every installation of SciRead includes this model."),
            )
        return model

    def _folder(self, name: str) -> Path:
        return starter_package(hashes=False).folder if name == STARTER else self.folder / name


def _described(package: Package, name: str) -> InstalledModel:
    return InstalledModel(
        name=name,
        title=plain(package.title) or name,
        space=package.space,
        method=plain(package.method),
        base=plain(package.base),
        dim=package.dim,
        pooling=package.pooling,
        max_tokens=package.max_tokens,
        template=plain(package.template),
        licence=licence(package.licence),
        created=plain(package.created),
        trainer=plain(package.trainer),
    )


def _is_model(path: Path) -> bool:
    return path.is_dir() and path.suffix != ARRIVING and not path.name.startswith(".")
