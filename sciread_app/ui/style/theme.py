"""Colors and fonts of the window: light or dark, as set by the system or by the user."""

from __future__ import annotations

import enum
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from string import Template
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from sciread_app.paths import resource
from sciread_app.ui.style.theme_switcher import ThemeSwitcher

log = logging.getLogger(__name__)
W = TypeVar("W", bound=QWidget)


@dataclass(frozen=True)
class Theme:
    """Every color in use, named by its purpose. `quiet` and `faint` are for secondary text."""

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
    selected: str  # behind a selected card or row
    hover: str
    track: str  # the empty part of a bar
    segment: str  # the selected part of a segmented control, on a track
    mark: str  # behind words that match the search
    sentence: str  # behind the best-matching sentence
    danger: str
    danger_soft: str
    notice_soft: str
    good: str  # icons of success
    caution: str  # icons of warnings
    chips: str = ""  # the fill of all chips, whatever their color

    def on_selected(self) -> Theme:
        """The colors on a selected card or row, into which chips and bars would fade."""
        return replace(self, track=self.surface, chips=self.surface)


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
    selected="#e9eefc",
    hover="#f8f9fb",
    track="#e4e7ec",
    segment="#ffffff",
    mark="#ffe58f",
    sentence="#e6f4ea",
    danger="#b3261e",
    danger_soft="#fdecea",
    notice_soft="#fff6dd",
    good="#1b7a3d",
    caution="#8a5a00",
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
    selected="#2a3350",
    hover="#23272d",
    track="#343a44",
    segment="#505867",
    mark="#6b5511",
    sentence="#1f3d2b",
    danger="#ff9a91",
    danger_soft="#40211f",
    notice_soft="#3a321b",
    good="#7fd39a",
    caution="#f0c65c",
)


class ThemeChoice(enum.Enum):
    """The choices in the menu."""

    system = "system"
    light = "light"
    dark = "dark"


class Appearance(QObject):
    """The theme in use, and the size of the text in lists of papers, in percent. `changed` is
    emitted shortly after `choose`."""

    changed = Signal(object)  # Theme
    list_text_changed = Signal()

    def __init__(
        self,
        app: QApplication,
        choice: ThemeChoice = ThemeChoice.system,
        list_text: int = 100,
    ) -> None:
        super().__init__(app)
        self._app = app
        self._list_text = list_text
        self.choice = choice
        self.theme = LIGHT
        self._target: Theme | None = None  # in use, or about to be
        self._switcher = ThemeSwitcher(app, self)
        app.setStyle("Fusion")
        app.setFont(ui_font())
        app.styleHints().colorSchemeChanged.connect(self._apply)
        self.choose(choice)

    def follow(self, paint: Callable[[Theme], object]) -> None:
        """Call `paint` with the theme, now and after each change."""
        self.changed.connect(paint)
        paint(self.theme)

    @property
    def list_text(self) -> int:
        return self._list_text

    def resize_list_text(self, percent: int) -> None:
        self._list_text = percent
        self.list_text_changed.emit()

    def choose(self, choice: ThemeChoice) -> None:
        self.choice = choice
        scheme = {
            ThemeChoice.system: Qt.ColorScheme.Unknown,  # follows the system again
            ThemeChoice.light: Qt.ColorScheme.Light,
            ThemeChoice.dark: Qt.ColorScheme.Dark,
        }[choice]
        self._app.styleHints().setColorScheme(scheme)
        self._apply()

    def _apply(self) -> None:
        system_is_dark = self._app.styleHints().colorScheme() is Qt.ColorScheme.Dark
        dark = (
            system_is_dark if self.choice is ThemeChoice.system else self.choice is ThemeChoice.dark
        )
        theme = DARK if dark else LIGHT
        if theme is self._target:
            return  # the change that the system reports is our own
        if self._target is None:
            self._set_sheet(theme)
            self.changed.emit(theme)
        else:
            emit = partial(self.changed.emit, theme)
            self._switcher.change(partial(self._set_sheet, theme), emit)
        self._target = theme

    def _set_sheet(self, theme: Theme) -> None:
        self.theme = theme
        # Replacing one sheet by another, Qt visits a widget once for each of its ancestors; setting
        # one where there is none visits each widget once.
        self._app.setStyleSheet("")
        self._app.setPalette(palette(self.theme))
        self._app.setStyleSheet(stylesheet(self.theme))


def ui_font() -> QFont:
    """The bundled Inter at the size of the system's font, at least 10 points.

    Characters that Inter lacks, such as Chinese, come from the system's font, then from any other.
    """
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    _load_bundled_fonts()
    font = QFont(["Inter", *system.families()])
    font.setPointSizeF(max(system.pointSizeF(), 10.0))
    font.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    return font


def tabular(font: QFont) -> QFont:
    """A copy of `font` with tabular figures, for columns of numbers."""
    font = QFont(font)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


@cache
def _load_bundled_fonts() -> None:
    """Register the bundled fonts with Qt, once per process."""
    for file in sorted(resource("fonts").glob("*.ttf")):
        if QFontDatabase.addApplicationFont(str(file)) == -1:
            log.warning("The font %s cannot be loaded; the system's font is used.", file)


def styled(widget: W, name: str) -> W:
    """`widget`, with the object name that the style sheet refers to."""
    widget.setObjectName(name)
    return widget


def restyled(widget: QWidget, name: str) -> None:
    """Change the object name of a widget that may be shown already, and apply the style again."""
    if widget.objectName() != name:
        widget.setObjectName(name)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def scaled(font: QFont, factor: float, weight: QFont.Weight | None = None) -> QFont:
    """A copy of `font`, scaled by `factor`."""
    font = QFont(font)
    font.setPointSizeF(font.pointSizeF() * factor)
    if weight is not None:
        font.setWeight(weight)
    return font


def palette(theme: Theme) -> QPalette:
    """The colors of a theme by their roles in Qt; disabled texts are faint."""
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
    """The style sheet for what a palette cannot express: rounded corners, padding and a focus
    ring."""
    sheet = Template(resource("window.qss").read_text("utf-8"))
    ink = "dark" if theme.dark else "light"  # of marks on the accent color
    return sheet.substitute(asdict(theme), icons=resource("icons").as_posix(), ink=ink)
