"""Translation of user-visible texts.

Texts are written in English in the code, within `tr` or, with a count, `trn`. gettext looks up the
translation; a text without one stays English. `make texts` collects all of them in
resources/locale/sciread.pot.
"""

from __future__ import annotations

import gettext
import math
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

DOMAIN = "sciread"

_spoken: gettext.NullTranslations = gettext.NullTranslations()
_name = "en"
_told: tuple[Sequence[str], Path] = ((), Path())


def speak(languages: Sequence[str], folder: Path) -> str:
    """Speak the first of these languages that there is a translation for, from now on.

    Called once, before anything is imported that says something: texts that never change are
    translated when their module is imported. Returns the language, "en" if there is none of them.
    """
    global _spoken, _name, _told
    _told = tuple(languages), folder
    _spoken, _name = _first(languages, folder)
    return _name


def _first(languages: Sequence[str], folder: Path) -> tuple[gettext.NullTranslations, str]:
    for language in languages:
        if language.split("_")[0] == "en":
            break
        try:
            return gettext.translation(DOMAIN, folder, [language]), language
        except OSError:
            continue
    return gettext.NullTranslations(), "en"


def spoken() -> str:
    """The language that is spoken now, such as "de_AT"."""
    return _name


def told() -> tuple[Sequence[str], Path]:
    """The arguments of the last `speak`, for another process that uses the same language."""
    return _told


def tr(text: str, /, **values: Any) -> str:
    """`tr("Nothing is like {title}.", title=title)`: the whole sentence, its values by name."""
    said = _spoken.gettext(text)
    return said.format(**values) if values else said


def trc(context: str, text: str, /) -> str:
    """`trc("the key", "Space")`: a word that English has for two things, and others have not."""
    return _spoken.pgettext(context, text)


def trn(one: str, many: str, n: int, /, **values: Any) -> str:
    """`trn("{n:,} paper", "{n:,} papers", count)`: as the language counts; `n` is a value too."""
    return _spoken.ngettext(one, many, n).format(n=n, **values)


def say_percent(percentile: float) -> str:
    """A share of 0 to 100 with as many digits as tell near-100 apart: 87 %, 99.2 %. Never rounded
    up; 99.9 % is the most, since shares are estimated from samples."""
    digits = 0 if percentile < 98 else 1
    scale = 10**digits
    return f"{min(99.9, math.floor(percentile * scale) / scale):.{digits}f} %"


def say_day(day: date, *, with_year: bool = False) -> str:
    """5 March, 5 March 2026. Python's own names are the system's, whatever is spoken here."""
    if with_year:
        return tr("{day} {month} {year}", day=day.day, month=_month(day), year=day.year)
    # Translators: 3 November, or with its year
    return tr("{day} {month}", day=day.day, month=_month(day))


def _month(day: date) -> str:
    # Translators: the months stand as in "5 March"
    names = (
        *(tr("January"), tr("February"), tr("March"), tr("April"), tr("May"), tr("June")),
        *(tr("July"), tr("August"), tr("September"), tr("October"), tr("November")),
        tr("December"),
    )
    return names[day.month - 1]


def say_weekday(day: date) -> str:
    names = (
        *(tr("Monday"), tr("Tuesday"), tr("Wednesday"), tr("Thursday"), tr("Friday")),
        *(tr("Saturday"), tr("Sunday")),
    )
    return names[day.weekday()]
