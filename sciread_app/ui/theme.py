"""Colours and letters of the window, light and dark, as the system says or as a person chose."""

from __future__ import annotations

import enum
import logging
from dataclasses import asdict, dataclass
from functools import cache, partial
from string import Template
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from sciread_app.paths import resource
from sciread_app.ui.redressing import Redressing

log = logging.getLogger(__name__)
W = TypeVar("W", bound=QWidget)


@dataclass(frozen=True)
class Theme:
    """Every colour that is used, by what it is for. `quiet` and `faint` are lesser text."""

    dark: bool
    window: str
    surface: str
    raised: str
    border: str
    text: str
    quiet: str
    faint: str
    accent: str
    on_accent: str
    chosen: str  # behind a selected card or row
    hover: str
    track: str  # the empty part of a bar
    mark: str  # behind words that were searched for
    sentence: str  # behind the sentence that fits best
    danger: str
    danger_soft: str
    notice_soft: str


LIGHT = Theme(
    dark=False,
    window="#f4f5f7",
    surface="#ffffff",
    raised="#ffffff",
    border="#dfe2e7",
    text="#1a1d23",
    quiet="#505866",
    faint="#5f6875",
    accent="#3557c9",
    on_accent="#ffffff",
    chosen="#e9eefc",
    hover="#f8f9fb",
    track="#e4e7ec",
    mark="#ffe58f",
    sentence="#e6f4ea",
    danger="#b3261e",
    danger_soft="#fdecea",
    notice_soft="#fff6dd",
)
DARK = Theme(
    dark=True,
    window="#15171b",
    surface="#1d2025",
    raised="#262a31",
    border="#343941",
    text="#e7e9ee",
    quiet="#b0b7c3",
    faint="#9aa2b0",
    accent="#8fa8ff",
    on_accent="#10131a",
    chosen="#2a3350",
    hover="#23272d",
    track="#343a44",
    mark="#6b5511",
    sentence="#1f3d2b",
    danger="#ff9a91",
    danger_soft="#40211f",
    notice_soft="#3a321b",
)


class Choice(enum.Enum):
    """What a person can choose in the menu."""

    system = "system"
    light = "light"
    dark = "dark"


class Appearance(QObject):
    """The theme in use. Whoever paints by hand listens to `changed`, which comes in a moment after
    `choose`."""

    changed = Signal(object)  # Theme

    def __init__(self, app: QApplication, choice: Choice = Choice.system) -> None:
        super().__init__(app)
        self._app = app
        self.choice = choice
        self.theme = LIGHT
        self._wanted: Theme | None = None  # what is in use, or will be in a moment
        self._redressing = Redressing(app, self)
        app.setStyle("Fusion")
        app.setFont(ui_font())
        app.styleHints().colorSchemeChanged.connect(self._apply)
        self.choose(choice)

    def choose(self, choice: Choice) -> None:
        self.choice = choice
        scheme = {
            Choice.system: Qt.ColorScheme.Unknown,  # follows the system again
            Choice.light: Qt.ColorScheme.Light,
            Choice.dark: Qt.ColorScheme.Dark,
        }[choice]
        self._app.styleHints().setColorScheme(scheme)
        self._apply()

    def _apply(self) -> None:
        system_is_dark = self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark
        dark = system_is_dark if self.choice is Choice.system else self.choice is Choice.dark
        theme = DARK if dark else LIGHT
        if theme is self._wanted:
            return  # the system tells of a change that we have made ourselves
        if self._wanted is None:
            self._put_on(theme)
        else:
            self._redressing.change(partial(self._put_on, theme))
        self._wanted = theme

    def _put_on(self, theme: Theme) -> None:
        self.theme = theme
        # From one sheet to another Qt goes with a widget once for each of its ancestors, from none
        # to one once for all.
        self._app.setStyleSheet("")
        self._app.setPalette(palette(self.theme))
        self._app.setStyleSheet(stylesheet(self.theme))
        self.changed.emit(self.theme)


def ui_font() -> QFont:
    """The bundled Inter at the size of the system's font, at least 10 points.

    Letters that Inter lacks, such as Chinese, come from the system's font, then from any other.
    """
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    _load_bundled_fonts()
    font = QFont(["Inter", *system.families()])
    font.setPointSizeF(max(system.pointSizeF(), 10.0))
    font.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    return font


def tabular(font: QFont) -> QFont:
    """A copy of `font` with figures of equal width, for columns of numbers."""
    font = QFont(font)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


@cache
def _load_bundled_fonts() -> None:
    """Make the fonts that come with the program known to Qt, once in a process."""
    for file in sorted(resource("fonts").glob("*.ttf")):
        if QFontDatabase.addApplicationFont(str(file)) == -1:
            log.warning("The font %s cannot be loaded; the system's font is used.", file)


def styled(widget: W, name: str) -> W:
    """`widget`, under the name by which the style sheet knows it."""
    widget.setObjectName(name)
    return widget


def restyled(widget: QWidget, name: str) -> None:
    """Give a widget that is shown already another name; the style is looked up again."""
    if widget.objectName() != name:
        widget.setObjectName(name)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def scaled(font: QFont, factor: float, weight: QFont.Weight | None = None) -> QFont:
    """`font`, larger by `factor`; a copy."""
    font = QFont(font)
    font.setPointSizeF(font.pointSizeF() * factor)
    if weight is not None:
        font.setWeight(weight)
    return font


def palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    colours = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.surface,
        role.AlternateBase: theme.window,
        role.Text: theme.text,
        role.PlaceholderText: theme.faint,
        role.Button: theme.raised,
        role.ButtonText: theme.text,
        role.BrightText: theme.danger,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.on_accent,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.ToolTipBase: theme.raised,
        role.ToolTipText: theme.text,
        role.Light: theme.raised,
        role.Midlight: theme.raised,
        role.Mid: theme.border,
        role.Dark: theme.border,
        role.Shadow: theme.border,
        role.Accent: theme.accent,
    }
    result = QPalette()
    for which, colour in colours.items():
        result.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, which, QColor(theme.faint))
    return result


def stylesheet(theme: Theme) -> str:
    """What a palette cannot say: rounded corners, paddings, and a ring around the focus."""
    sheet = Template(resource("window.qss").read_text("utf-8"))
    tick = "tick-dark" if theme.dark else "tick-light"
    return sheet.substitute(asdict(theme), icons=resource("icons").as_posix(), tick=tick)
