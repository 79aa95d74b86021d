"""Citation styles: those of the program, and those added by the user."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path

from sciread_app.domain.clipboard_formats import STYLES, Style
from sciread_app.errors import StyleRefused, UnknownStyle
from sciread_app.formats.csl.style import CslStyle, read_style
from sciread_app.language import tr
from sciread_app.paths import resource
from sciread_app.services.export.citations import try_out

SUFFIX = ".csl"
MOST = 1_000  # styles in the user's folder
_STARTS = 100_000  # bytes at the start of a file that contain its title
_TITLE = re.compile(r"<title>([^<]{1,300})</title>")
_UNSAFE = re.compile(r"[^a-z0-9]+")


class CitationStyles:
    """The styles of the program and those in `folder`, which may be missing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> Sequence[Style]:
        """The program's styles, then the user's by title."""
        own = [Style(file.stem, _title(file)) for file in self._files()]
        own.sort(key=lambda style: (style.title.casefold(), style.key))
        return [*(Style(key, title) for key, title in STYLES.items()), *own]

    def default(self, preferred: str) -> str:
        """The key of the preferred style, if it is installed, else of the first one."""
        keys = [style.key for style in self.all()]
        return preferred if preferred in keys else keys[0]

    def load(self, name: str) -> CslStyle:
        """The style with this key, title or file, with the rules of its parent if it has one.

        Raises StyleRefused if there is no such style, or it cannot be used.
        """
        if name in STYLES:
            return built_in(name)
        path = Path(name).expanduser()
        if path.suffix.lower() == SUFFIX:
            return self._with_rules(read_style(path))
        return self._load_own(self._named(name).key)

    def add(self, file: Path) -> Style:
        """Copy a .csl file into the folder, replacing one with the same id.

        Raises StyleRefused if citations cannot be formatted in it.
        """
        style = read_style(file)
        try_out(self._with_rules(style))
        key = self._key_for(style)
        target = self._folder / f"{key}{SUFFIX}"
        half = target.with_suffix(".new")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, half)
            half.replace(target)
        except OSError as error:
            raise StyleRefused(
                tr("Could not add the style {file}: {why}.", file=file, why=error.strerror)
            ) from error
        return Style(key, style.title)

    def remove(self, name: str) -> Style:
        """Delete a style added by the user. Raises StyleRefused for any other."""
        style = self._named(name)
        if style.key in STYLES:
            raise StyleRefused(
                tr("{style} is a built-in style and cannot be removed.", style=style.title)
            )
        (self._folder / f"{style.key}{SUFFIX}").unlink(missing_ok=True)
        return style

    def _named(self, name: str) -> Style:
        styles = self.all()
        for style in styles:
            if name.casefold() in (style.key.casefold(), style.title.casefold()):
                return style
        raise UnknownStyle(
            tr("The citation style {name!r} does not exist.", name=name),
            tr(
                "Available styles: {names}. You can also specify a .csl file.",
                names=", ".join(style.key for style in styles),
            ),
        )

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{SUFFIX}"))[:MOST]

    def _load_own(self, key: str) -> CslStyle:
        if key in STYLES:
            return built_in(key)
        return self._with_rules(read_style(self._folder / f"{key}{SUFFIX}"))

    def _with_rules(self, style: CslStyle) -> CslStyle:
        """A dependent style becomes its parent with its own title and language."""
        if not style.parent:
            return style
        for other in self._independent():
            if _same(other.id, style.parent):
                language = style.language or other.language
                return replace(other, id=style.id, title=style.title, language=language)
        raise StyleRefused(
            tr(
                "The style “{style}” is based on another style that is not installed.",
                style=style.title,
            ),
            tr("Add the other style first: {address}", address=style.parent),
        )

    def _independent(self) -> Iterator[CslStyle]:
        yield from map(built_in, STYLES)
        for file in self._files():
            try:
                style = read_style(file)
            except StyleRefused:
                continue
            if not style.parent:
                yield style

    def _key_for(self, style: CslStyle) -> str:
        """The file name of a style: that of the file it replaces, or an unused one."""
        preferred = _UNSAFE.sub("-", _last(style.id or style.title).lower()).strip("-")[:80]
        own = {file.stem: _id(file) for file in self._files()}
        replaced = [key for key, id in own.items() if _same(id, style.id)]
        names = (preferred or "style", *(f"{preferred or 'style'}-{n}" for n in range(2, MOST + 9)))
        free = (name for name in names if name not in own and name not in STYLES)
        return replaced[0] if replaced else next(free)


@cache
def built_in(key: str) -> CslStyle:
    """A style of the program."""
    return replace(read_style(resource(f"styles/{key}{SUFFIX}")), title=STYLES[key])


def _title(file: Path) -> str:
    """The title, read from the start of the file only, since the list must appear at once."""
    try:
        with file.open("rb") as stream:
            found = _TITLE.search(stream.read(_STARTS).decode("utf-8", "replace"))
    except OSError:
        return file.stem
    return " ".join(unescape(found[1]).split()) if found else file.stem


def _id(file: Path) -> str:
    try:
        return read_style(file).id
    except StyleRefused:
        return ""


def _same(one: str, other: str) -> bool:
    """Compare ids, which are addresses, some with https and some without."""
    return bool(one) and one.split("://")[-1] == other.split("://")[-1]


def _last(id: str) -> str:
    return id.rstrip("/").rpartition("/")[2]
