"""Colors for data points in charts and on the map, in the light and the dark theme.

The colors of unordered categories differ in lightness as well as in hue, so that color-blind
readers can tell them apart. Years run from blue to yellow.
"""

from __future__ import annotations

from PySide6.QtGui import QColor

from sciread_app.ui.style.theme import Theme

_LIGHT = (
    *("#2f6fd0", "#d9690b", "#128a5e", "#bf3a8c", "#8c6d00", "#6846c7"),
    *("#0b8fb3", "#b02a24", "#5f8a12", "#8f4a22", "#45567a", "#d0609a"),
)
_DARK = (
    *("#6ea3ff", "#ff9f4a", "#3fcf98", "#f27cc4", "#e6c53d", "#b097ff"),
    *("#4fd2f0", "#ff7d72", "#acd653", "#dd9c70", "#a7b8dc", "#ffb3d4"),
)
# From blue for the oldest to yellow for the newest, in both themes.
_YEARS_LIGHT = ("#123b87", "#285c8c", "#3f7480", "#5f846f", "#84905e", "#a99a48", "#c9a227")
_YEARS_DARK = ("#4a5fae", "#4b79b8", "#5a93b5", "#78ad9f", "#a2c483", "#d0d764", "#ffe75e")


def colours(
    kinds: int, theme: Theme, *, rest: int | None = None, ordered: bool = False
) -> list[QColor]:
    """One color for each category; gray for `rest`, a ramp if they are `ordered`."""
    if ordered:
        ramp = _YEARS_DARK if theme.dark else _YEARS_LIGHT
        steps = kinds - (rest is not None)
        places = [n * (len(ramp) - 1) / max(steps - 1, 1) for n in range(steps)]
        found = [QColor(ramp[round(place)]) for place in places]
    else:
        hues = _DARK if theme.dark else _LIGHT
        found = [QColor(hues[n % len(hues)]) for n in range(kinds)]
    if rest is not None:
        found[rest : rest + 1] = [QColor("#6b7484" if theme.dark else "#9aa3b1")]
    return found


def hue(number: int, theme: Theme) -> QColor:
    """The color of series `number` in any chart; the colors repeat after twelve."""
    hues = _DARK if theme.dark else _LIGHT
    return QColor(hues[number % len(hues)])


def dimmed(theme: Theme) -> QColor:
    """The color of data that is not highlighted."""
    return QColor("#383e48" if theme.dark else "#d3d8e0")
