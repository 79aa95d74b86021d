"""Is everything as it should be? What can be made again is mended; what cannot is only reported."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sciread_app.domain.tex import readable
from sciread_app.errors import LibraryDamaged
from sciread_app.language import tr, trn
from sciread_app.paths import Home
from sciread_app.services.atlas import Atlas
from sciread_app.services.backups import Backups
from sciread_app.services.model_arrivals import drop_halves
from sciread_app.services.model_trash import ARRIVING
from sciread_app.services.space import Space
from sciread_app.services.spaces import Spaces
from sciread_app.storage.copies import is_sound
from sciread_app.storage.library import Library
from sciread_app.storage.soundness import way_out
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused
from trainer.contract.package import read_package

_CANNOT_MEND = tr("It cannot be rebuilt, since the library is read-only.")


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
    findings += [_library(library), *_texts(library)]
    task.step(1, 5, tr("The text index"))
    findings.append(_text_index(library))
    task.step(2, 5, tr("Vectors and neighbours"))
    if space is not None:
        findings.append(_space(library, space, task))
        findings.append(_map(Atlas(library, space, home.indexes), library.read_only))
    task.step(3, 5, tr("Models"))
    findings.append(_models(library, home))
    task.step(4, 5, tr("Files"))
    findings.append(_files(library))
    if not library.read_only:
        findings.append(_leftovers(home))
    task.step(5, 5, tr("Done"))
    return findings


def _library(library: Library) -> Finding:
    problems = library.problems()
    if problems:
        hint = tr("Nothing was changed.")
        return Finding("library", False, f"{'; '.join(problems)}. {hint} {way_out()}")
    whole = trn("{n} paper, the file is whole", "{n} papers, the file is whole", library.count())
    return Finding("library", True, whole)


def _texts(library: Library) -> list[Finding]:
    """Papers with texts that have changed without anybody changing them."""
    changed = library.changed_texts()
    if not changed:
        return []
    said = trn(
        "The title or abstract of {n} paper is not what was stored: {papers}.",
        "The titles or abstracts of {n} papers are not what was stored: {papers}.",
        len(changed),
        papers="; ".join(
            f"{paper.id} {readable(paper.title)}" for paper in library.get(changed[:5])
        )
        + (", ..." if len(changed) > 5 else ""),
    )
    return [Finding("texts", False, f"{said} {way_out()}")]


def examine_damaged(home: Home, backups: Backups, damage: LibraryDamaged) -> list[Finding]:
    """What is wrong with a library that cannot be opened, and the two ways out: the last backup
    that is sound, and saving what can be read. Nothing is changed."""
    sound = next(
        (copy for copy in backups.all() if copy.path.suffix == ".sqlite3" and is_sound(copy.path)),
        None,
    )
    if sound:
        papers = trn("{n:,} paper", "{n:,} papers", sound.papers or 0)
        said = tr(
            "The last one that is sound is of {made:%Y-%m-%d %H:%M}, with {papers}: "
            "`sciread restore {name}`.",
            made=sound.made,
            papers=papers,
            name=sound.name,
        )
    else:
        said = tr("None in {folder} can be restored.", folder=backups.folder)
    saving = tr(
        "`sciread doctor --salvage FOLDER` writes all that can still be read to a new library, and "
        "lists what is lost. {file} is not changed by that.",
        file=home.library,
    )
    return [
        Finding("library", False, damage.message),
        Finding("backups", sound is not None, said),
        Finding("salvage", True, saving),
    ]


def _text_index(library: Library) -> Finding:
    if library.read_only:
        return Finding("text index", True, tr("not checked, since the library is read-only"))
    if library.text_index_fits():
        # Translators: the text index
        return Finding("text index", True, tr("says what the library says"))
    library.rebuild_text_index()
    fits = library.text_index_fits()
    # Translators: the text index
    return Finding("text index", fits, tr("did not fit the library and was rebuilt"), mended=fits)


def _space(library: Library, space: Space, task: Task) -> Finding:
    problems = space.problems()
    if not problems:
        whole = tr("vectors and neighbours fit the library")
        return Finding("vectors", True, f"{whole}. {_to_encode(space)}".strip(" ."))
    if library.read_only:
        return Finding("vectors", False, " ".join([*problems, _CANNOT_MEND]))
    space.rebuild(task)
    left = space.problems()
    last = tr("Rebuilding did not mend that.") if left else tr("Rebuilt.")
    said = " ".join(filter(None, [*problems, last, _to_encode(space)]))
    return Finding("vectors", not left, said, mended=not left)


def _to_encode(space: Space) -> str:
    """What is left to do for papers without a vector; empty if there are none."""
    if not (left := space.left()):
        return ""
    return trn(
        "{n:,} paper is not found by meaning: `sciread encode` makes its vector.",
        "{n:,} papers are not found by meaning: `sciread encode` makes their vectors.",
        left,
    )


def _map(atlas: Atlas, read_only: bool) -> Finding:
    problems = atlas.problems()
    if not problems:
        # Translators: the map
        return Finding("map", True, tr("fits, or is not drawn yet"))
    if read_only:
        return Finding("map", False, " ".join([*problems, _CANNOT_MEND]))
    atlas.rebuild()
    last = tr("It is drawn anew when it is next looked at.")
    return Finding("map", True, " ".join([*problems, last]), mended=True)


def _models(library: Library, home: Home) -> Finding:
    spaces = Spaces(library, home)
    said, gone = _damaged(home), [] if library.read_only else spaces.clean()
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
