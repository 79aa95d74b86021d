"""Diagnosis of a library: caches are repaired, other problems are only reported."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sciread_app.domain.text.tex import readable
from sciread_app.errors import LibraryDamaged
from sciread_app.language import format_moment, tr, trn
from sciread_app.paths import Home
from sciread_app.services.maintenance.backup_rotation import Backups
from sciread_app.services.map.map_service import MapService
from sciread_app.services.models.installer import remove_stale_staging
from sciread_app.services.models.trash import ARRIVING
from sciread_app.services.models.vector_cleanup import remove_unneeded_spaces
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.storage.files.integrity import recovery_advice
from sciread_app.storage.files.sqlite_backup import is_sound
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused
from trainer.contract.package import read_package

_STALE = 3600  # seconds without a change, after which a partial file is abandoned
_CANNOT_MEND = tr("It cannot be rebuilt because the library is read-only.")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The result of one check. `mended`: a problem was found and repaired."""

    about: str
    ok: bool
    detail: str
    mended: bool = False


def examine(
    library: Library, space: EmbeddingIndex | None, home: Home, task: Task
) -> list[Diagnosis]:
    """Check library, full-text index, vectors and nearest-neighbor index against each other.

    The library itself is never changed; the full-text index, the vector file and the index of
    neighbors are caches and are rebuilt if they do not match.
    """
    findings = []
    task.step(0, 5, tr("Checking the library"))
    findings += [_library(library), *_texts(library)]
    task.step(1, 5, tr("Checking the text index"))
    findings.append(_text_index(library))
    task.step(2, 5, tr("Checking the model's index"))
    if space is not None:
        findings.append(_space(library, space, task))
        findings.append(_map(MapService(library, space, home.indexes), library.read_only))
    task.step(3, 5, tr("Checking models"))
    findings.append(_models(library, home))
    task.step(4, 5, tr("Checking files"))
    findings.append(_files(library))
    if not library.read_only:
        findings.append(_leftovers(home))
    task.step(5, 5, tr("Done"))
    return findings


def _library(library: Library) -> Diagnosis:
    problems = library.problems()
    if problems:
        hint = tr("Nothing was changed.")
        return Diagnosis("library", False, f"{'; '.join(problems)}. {hint} {recovery_advice()}")
    whole = trn("{n} paper, file intact", "{n} papers, file intact", library.count())
    return Diagnosis("library", True, whole)


def _texts(library: Library) -> list[Diagnosis]:
    """Papers whose texts differ from what was stored."""
    changed = library.changed_texts()
    if not changed:
        return []
    message = trn(
        "The title or abstract of {n} paper is damaged: {papers}.",
        "The titles or abstracts of {n} papers are damaged: {papers}.",
        len(changed),
        papers="; ".join(
            f"{paper.id} {readable(paper.title)}" for paper in library.get(changed[:5])
        )
        + (", ..." if len(changed) > 5 else ""),
    )
    return [Diagnosis("texts", False, f"{message} {recovery_advice()}")]


def examine_damaged(home: Home, backups: Backups, damage: LibraryDamaged) -> list[Diagnosis]:
    """Report the damage of a library that cannot be opened, and the two ways to recover.

    These are the last undamaged backup, and salvage. Nothing is changed.
    """
    sound = next(
        (copy for copy in backups.all() if copy.path.suffix == ".sqlite3" and is_sound(copy.path)),
        None,
    )
    if sound:
        papers = trn("{n:,} paper", "{n:,} papers", sound.papers or 0)
        message = tr(
            "The latest intact backup is from {made} ({papers}). Run "
            "`sciread restore {name}` to restore it.",
            made=format_moment(sound.created),
            papers=papers,
            name=sound.name,
        )
    else:
        message = tr("{folder} contains no backup that can be restored.", folder=backups.folder)
    saving = tr(
        "`sciread doctor --salvage FOLDER` saves all readable data to a new library "
        "and lists the losses. {file} is not changed.",
        file=home.library,
    )
    return [
        Diagnosis("library", False, damage.message),
        Diagnosis("backups", sound is not None, message),
        Diagnosis("salvage", True, saving),
    ]


def _text_index(library: Library) -> Diagnosis:
    if library.read_only:
        return Diagnosis("text index", True, tr("not checked because the library is read-only"))
    if library.is_text_index_consistent():
        # Translators: the text index
        return Diagnosis("text index", True, tr("matches the library"))
    library.rebuild_text_index()
    fits = library.is_text_index_consistent()
    # Translators: the text index
    return Diagnosis(
        "text index", fits, tr("did not match the library and was rebuilt"), mended=fits
    )


def _space(library: Library, space: EmbeddingIndex, task: Task) -> Diagnosis:
    problems = space.problems()
    if not problems:
        whole = tr("the model's index matches the library")
        return Diagnosis("vectors", True, f"{whole}. {_to_encode(space)}".strip(" ."))
    if library.read_only:
        return Diagnosis("vectors", False, " ".join([*problems, _CANNOT_MEND]))
    space.rebuild(task)
    left = space.problems()
    last = tr("Rebuilding did not fix the problem.") if left else tr("Rebuilt.")
    message = " ".join(filter(None, [*problems, last, _to_encode(space)]))
    return Diagnosis("vectors", not left, message, mended=not left)


def _to_encode(space: EmbeddingIndex) -> str:
    """Advice for papers without a vector; empty if there are none."""
    if not (left := space.count_missing()):
        return ""
    return trn(
        "{n:,} paper is not indexed for search by meaning. Run `sciread encode` to index it.",
        "{n:,} papers are not indexed for search by meaning. Run `sciread encode` to index them.",
        left,
    )


def _map(map_service: MapService, read_only: bool) -> Diagnosis:
    problems = map_service.problems()
    if not problems:
        # Translators: the map
        return Diagnosis("map", True, tr("matches the library, or has not been drawn yet"))
    if read_only:
        return Diagnosis("map", False, " ".join([*problems, _CANNOT_MEND]))
    map_service.rebuild()
    last = tr("The map is redrawn the next time you open it.")
    return Diagnosis("map", True, " ".join([*problems, last]), mended=True)


def _models(library: Library, home: Home) -> Diagnosis:
    problems = _damaged(home)
    gone = [] if library.read_only else remove_unneeded_spaces(library, home)
    sound = not problems
    if gone:
        removed = trn(
            "Removed the index of {n} deleted model.",
            "Removed the indexes of {n} deleted models.",
            len(gone),
        )
        problems.append(removed)
    standing = library.active_model.state()
    if standing and standing.pending:
        begun = tr(
            "The switch to {model} is not complete. Run `sciread model activate {model}` "
            "to resume it.",
            model=standing.pending,
        )
        problems.append(begun)
    whole = tr("no leftover data from deleted models")
    return Diagnosis("models", sound, " ".join(problems) or whole, mended=bool(gone))


def _damaged(home: Home) -> list[str]:
    """Problems of installed models."""
    problems = []
    for file in sorted(home.models.glob("*/package.json")):
        if file.parent.suffix != ARRIVING:
            try:
                read_package(file.parent)
            except PackageRefused as refused:
                problems.append(f"{refused} {refused.hint}".strip())
    return problems


def _files(library: Library) -> Diagnosis:
    attached = library.attachments.of(library.ids().tolist())
    missing = sorted({a.path for a in attached if not Path(a.path).exists()})
    if not missing:
        whole = trn(
            "found the {n} attached file",
            "found all {n} attached files",
            len(attached),
        )
        return Diagnosis("files", True, whole)
    message = trn(
        "{n} attached file is missing: {files}. If you moved it, add its new folder; "
        "SciRead recognizes the file by its content.",
        "{n} attached files are missing: {files}. If you moved them, add their new "
        "folder; SciRead recognizes the files by their content.",
        len(missing),
        files=", ".join(missing[:5]) + (", ..." if len(missing) > 5 else ""),
    )
    return Diagnosis("files", False, message)


def _leftovers(home: Home) -> Diagnosis:
    """Partial files of interrupted writes. They all end in .new, and are never read. Young ones may
    be those of an open window."""
    halves = 0
    for folder in (home.folder, home.indexes, home.models):
        for path in folder.glob("*.new"):
            with suppress(FileNotFoundError):  # finished meanwhile
                if path.is_file() and time.time() - path.stat().st_mtime > _STALE:
                    path.unlink()
                    halves += 1
    if left := halves + remove_stale_staging(home.models):
        removed = trn("removed {n} incomplete file", "removed {n} incomplete files", left)
        return Diagnosis("leftovers", True, removed, mended=True)
    # Translators: there are no incomplete files
    return Diagnosis("leftovers", True, tr("none"))
