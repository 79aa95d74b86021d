"""The language the program speaks, and how it says a thing in it.

A text for a person stands in the code in English, within `tr` or, where it counts something, `trn`.
gettext finds what it is called in another language; where nobody has translated it, English it is.
`make texts` collects all of them in resources/locale/sciread.pot.
"""

from __future__ import annotations

import gettext
from collections.abc import Sequence
from pathlib import Path
from typing import Any

DOMAIN = "sciread"

_spoken: gettext.NullTranslations = gettext.NullTranslations()
_told: tuple[Sequence[str], Path] = ((), Path())


def speak(languages: Sequence[str], folder: Path) -> str:
    """Speak the first of these languages that there is a translation for, from now on.

    Called once, before anything is imported that says something: texts that never change are
    translated when their module is imported. Returns the language, "en" if there is none of them.
    """
    global _spoken, _told
    _told = tuple(languages), folder
    for language in languages:
        if language.split("_")[0] == "en":
            break
        try:
            _spoken = gettext.translation(DOMAIN, folder, [language])
        except OSError:
            continue
        return language
    _spoken = gettext.NullTranslations()
    return "en"


def told() -> tuple[Sequence[str], Path]:
    """What `speak` was told, for another process that is to speak the same."""
    return _told


def tr(text: str, /, **values: Any) -> str:
    """`tr("Nothing is like {title}.", title=title)`: the whole sentence, its values by name."""
    said = _spoken.gettext(text)
    return said.format(**values) if values else said


def trn(one: str, many: str, n: int, /, **values: Any) -> str:
    """`trn("{n:,} paper", "{n:,} papers", count)`: as the language counts; `n` is a value too."""
    return _spoken.ngettext(one, many, n).format(n=n, **values)
