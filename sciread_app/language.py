"""Translation of user-visible texts.

Texts are written in English in the code, within `tr` or, with a count, `trn`. gettext looks up the
translation; a text without one stays English. `make texts` collects all of them in
build/sciread.pot for translators, and in build/texts.md to read.
"""

from __future__ import annotations

import gettext
import math
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

DOMAIN = "sciread"

_translations: gettext.NullTranslations = gettext.NullTranslations()
_language = "en"
_arguments: tuple[Sequence[str], Path] = ((), Path())


def set_language(languages: Sequence[str], folder: Path) -> str:
    """Translate into the first of these languages that has a translation in `folder`.

    Call it once, before modules with texts are imported: constant texts are translated when their
    module is imported. Returns the language; "en" if none of them has a translation.
    """
    global _translations, _language, _arguments
    _arguments = tuple(languages), folder
    _translations, _language = _first(languages, folder)
    return _language


def _first(languages: Sequence[str], folder: Path) -> tuple[gettext.NullTranslations, str]:
    for language in languages:
        if language.split("_")[0] == "en":
            break
        try:
            return gettext.translation(DOMAIN, folder, [language]), language
        except OSError:
            continue
    return gettext.NullTranslations(), "en"


def current_language() -> str:
    """Return the language of translated texts, such as "de_AT"."""
    return _language


def language_arguments() -> tuple[Sequence[str], Path]:
    """Return the arguments of the last `set_language`, to set the same in another process."""
    return _arguments


def tr(text: str, /, **values: Any) -> str:
    """Translate a whole sentence, with values by name.

    Example: `tr("Nothing is like {title}.", title=title)`.
    """
    translated = _translations.gettext(text)
    return translated.format(**values) if values else translated


def tr_noop(text: str, /) -> str:
    """Return a text unchanged, marked for translators; `tr_marked` translates it later.

    It is for texts that are stored in English and translated when they are shown.
    """
    return text


def tr_marked(text: str, /, **values: Any) -> str:
    """Translate a text marked with `tr_noop`, as `tr` does a literal."""
    return tr(text, **values)


def trc(context: str, text: str, /) -> str:
    """Translate a word with two meanings in English, of which `context` names one.

    Example: `trc("the key", "Space")`.
    """
    return _translations.pgettext(context, text)


def trn(one: str, many: str, n: int, /, **values: Any) -> str:
    """Translate a sentence in the plural form for `n`, which is also a value.

    Example: `trn("{n:,} paper", "{n:,} papers", count)`.
    """
    return _translations.ngettext(one, many, n).format(n=n, **values)


def format_percent(percentile: float) -> str:
    """Format a percentage from 0 to 100: 87%, and with a decimal from 98 on, 99.2%.

    It is rounded down, and at most 99.9%, since percentages are estimated from samples.
    """
    digits = 0 if percentile < 98 else 1
    scale = 10**digits
    return f"{min(99.9, math.floor(percentile * scale) / scale):.{digits}f}%"


def format_list(items: Iterable[str]) -> str:
    """Join items within a sentence: A; A and B; A, B, and C."""
    *others, last = list(items) or [""]
    if not others:
        return last
    if len(others) == 1:
        return tr("{first} and {last}", first=others[0], last=last)
    # Translators: a list of three or more items, whose last one follows "and"
    return tr("{items}, and {last}", items=", ".join(others), last=last)


def format_day(day: date, *, with_year: bool = True) -> str:
    """Format a day: March 5, 2026, or March 5.

    Python's own names of months follow the system's locale, not the current language.
    """
    if with_year:
        return tr("{month} {day}, {year}", day=day.day, month=_month(day), year=day.year)
    # Translators: November 3, or with its year
    return tr("{month} {day}", day=day.day, month=_month(day))


def format_moment(moment: datetime) -> str:
    """Format a day with the time: March 5, 2026, 14:05."""
    return tr("{day}, {clock}", day=format_day(moment), clock=f"{moment:%H:%M}")


def _month(day: date) -> str:
    # Translators: the months are used as in "March 5"
    names = (
        *(tr("January"), tr("February"), tr("March"), tr("April"), tr("May"), tr("June")),
        *(tr("July"), tr("August"), tr("September"), tr("October"), tr("November")),
        tr("December"),
    )
    return names[day.month - 1]


def format_weekday(day: date) -> str:
    """Return the name of the day of the week."""
    return weekday_name(day.weekday())


def weekday_name(number: int) -> str:
    """Return the name of a day of the week, from 0 for Monday."""
    names = (
        *(tr("Monday"), tr("Tuesday"), tr("Wednesday"), tr("Thursday"), tr("Friday")),
        *(tr("Saturday"), tr("Sunday")),
    )
    return names[number]
