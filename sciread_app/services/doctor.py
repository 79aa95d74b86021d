"""Is everything as it should be? What can be made again is mended; what cannot is only reported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sciread_app.language import tr, trn
from sciread_app.paths import Home
from sciread_app.services.atlas import Atlas
from sciread_app.services.model_arrivals import drop_halves
from sciread_app.services.model_trash import ARRIVING
from sciread_app.services.space import Space
from sciread_app.services.spaces import Spaces
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused
from trainer.contract.package import read_package


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. `mended`: it was wrong, and is right now."""

    about: str
    ok: bool
    detail: str
    mended: bool = False


def examine(library: Library, space: Space | None, home: Home, task: Task) -> list[Finding]:
    """Hold library, text index, vectors and nearest-neighbour index against each other.

    The library itself is never changed; the text index, the vectors' file and the index of
    neighbours are caches of it and are made again where they do not fit.
    """
    findings = []
    task.step(0, 5, tr("The library"))
    findings.append(_library(library))
    task.step(1, 5, tr("The text index"))
    findings.append(_text_index(library))
    task.step(2, 5, tr("Vectors and neighbours"))
    if space is not None:
        findings.append(_space(space, task))
        findings.append(_map(Atlas(library, space, home.indexes)))
    task.step(3, 5, tr("Models"))
    findings.append(_models(library, home))
    task.step(4, 5, tr("Files"))
    findings += [_files(library), _leftovers(home)]
    task.step(5, 5, tr("Done"))
    return findings


def _library(library: Library) -> Finding:
    problems = library.problems()
    if problems:
        hint = tr("Nothing was changed. Bring back a backup with `sciread restore FILE`.")
        return Finding("library", False, f"{'; '.join(problems)}. {hint}")
    whole = trn("{n} paper, the file is whole", "{n} papers, the file is whole", library.count())
    return Finding("library", True, whole)


def _text_index(library: Library) -> Finding:
    if library.text_index_fits():
        # Translators: the text index
        return Finding("text index", True, tr("says what the library says"))
    library.rebuild_text_index()
    fits = library.text_index_fits()
    # Translators: the text index
    return Finding("text index", fits, tr("did not fit the library and was rebuilt"), mended=fits)


def _space(space: Space, task: Task) -> Finding:
    problems = space.problems()
    if not problems:
        return Finding("vectors", True, tr("vectors and neighbours fit the library"))
    space.rebuild(task)
    left = space.problems()
    last = tr("Rebuilding did not mend that.") if left else tr("Rebuilt.")
    return Finding("vectors", not left, " ".join([*problems, last]), mended=not left)


def _map(atlas: Atlas) -> Finding:
    problems = atlas.problems()
    if not problems:
        # Translators: the map
        return Finding("map", True, tr("fits, or is not drawn yet"))
    atlas.rebuild()
    last = tr("It is drawn anew when it is next looked at.")
    return Finding("map", True, " ".join([*problems, last]), mended=True)


def _models(library: Library, home: Home) -> Finding:
    said, gone = _damaged(home), Spaces(library, home).clean()
    sound = not said
    if gone:
        removed = trn(
            "{n} model is gone, and so is now what it had read.",
            "{n} models are gone, and so is now what they had read.",
            len(gone),
        )
        said.append(removed)
    standing = library.active.now()
    if standing and standing.pending:
        begun = tr(
            "{model} is being prepared, or was: `sciread model activate {model}` goes on with it.",
            model=standing.pending,
        )
        said.append(begun)
    whole = tr("nothing is left of models that are gone")
    return Finding("models", sound, " ".join(said) or whole, mended=bool(gone))


def _damaged(home: Home) -> list[str]:
    """What is wrong with models that are installed."""
    said = []
    for file in sorted(home.models.glob("*/package.json")):
        if file.parent.suffix != ARRIVING:
            try:
                read_package(file.parent)
            except PackageRefused as refused:
                said.append(f"{refused} {refused.hint}".strip())
    return said


def _files(library: Library) -> Finding:
    attached = library.attachments.of(library.ids().tolist())
    missing = sorted({a.path for a in attached if not Path(a.path).exists()})
    if not missing:
        return Finding("files", True, _all_there(len(attached)))
    said = trn(
        "{n} file is not there any more: {files}. Add the folder where it is now: it is known by "
        "its content.",
        "{n} files are not there any more: {files}. Add the folder where they are now: they are "
        "known by their content.",
        len(missing),
        files=", ".join(missing[:5]) + (", ..." if len(missing) > 5 else ""),
    )
    return Finding("files", False, said)


def _all_there(files: int) -> str:
    return trn(
        "the {n} attached file is where it was",
        "all {n} attached files are where they were",
        files,
    )


def _leftovers(home: Home) -> Finding:
    """Halves of files whose writing was cut off. Ours all end in .new, and none of them counts."""
    halves = [
        path
        for folder in (home.folder, home.indexes, home.models)
        if folder.is_dir()
        for path in folder.glob("*.new")
        if path.is_file()
    ]
    for path in halves:
        path.unlink()
    if left := len(halves) + drop_halves(home.models):
        removed = trn("{n} half-written file removed", "{n} half-written files removed", left)
        return Finding("leftovers", True, removed, mended=True)
    # Translators: there are no half-written files
    return Finding("leftovers", True, tr("none"))
