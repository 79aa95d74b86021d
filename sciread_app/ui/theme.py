"""Colours and letters of the window, light and dark, as the system says or as a person chose."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

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
    """The theme in use. Whoever paints by hand listens to `changed`."""

    changed = Signal(object)  # Theme

    def __init__(self, app: QApplication, choice: Choice = Choice.system) -> None:
        super().__init__(app)
        self._app = app
        self.choice = choice
        self.theme = LIGHT
        app.setStyle("Fusion")
        app.setFont(reading_font())
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
        self.theme = DARK if dark else LIGHT
        self._app.setPalette(palette(self.theme))
        self._app.setStyleSheet(stylesheet(self.theme))
        self.changed.emit(self.theme)


def reading_font() -> QFont:
    """The system's own font; where it has none to speak of, a good one that is installed."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if font.family() in ("Sans Serif", "Sans", "DejaVu Sans", ""):
        font.setFamilies(["Inter", "Noto Sans", "Cantarell", "Ubuntu", "DejaVu Sans"])
    font.setPointSizeF(max(font.pointSizeF(), 10.0))
    font.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    return font


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
    return _SHEET.format(**{name: getattr(theme, name) for name in Theme.__dataclass_fields__})


_SHEET = """
QMainWindow, QDialog {{ background: {window}; }}
QMenuBar {{ background: {window}; padding: 2px 8px; }}
QMenuBar::item {{ padding: 5px 10px; border-radius: 6px; background: transparent; }}
QMenuBar::item:selected {{ background: {chosen}; color: {text}; }}
QMenu {{ background: {raised}; border: 1px solid {border}; padding: 5px; }}
QMenu::item {{ padding: 6px 26px 6px 24px; border-radius: 5px; }}
QMenu::item:selected {{ background: {chosen}; color: {text}; }}
QMenu::item:disabled {{ color: {faint}; }}
QMenu::separator {{ height: 1px; background: {border}; margin: 5px 8px; }}
QMenu::indicator {{ width: 14px; height: 14px; margin-left: 5px; }}
QToolTip {{ background: {raised}; color: {text}; border: 1px solid {border}; padding: 5px; }}

QLineEdit#query {{
    background: {surface}; border: 1px solid {border}; border-radius: 10px;
    padding: 9px 6px; selection-background-color: {accent};
}}
QLineEdit#query:focus {{ border: 2px solid {accent}; padding: 8px 5px; }}

QLineEdit#field {{
    background: {surface}; border: 1px solid {border}; border-radius: 7px; padding: 5px 7px;
    selection-background-color: {accent};
}}
QLineEdit#field:focus {{ border: 1px solid {accent}; }}

QPushButton, QToolButton#plain {{
    background: {raised}; border: 1px solid {border}; border-radius: 7px;
    padding: 6px 13px; color: {text};
}}
QPushButton:hover, QToolButton#plain:hover {{ background: {hover}; border-color: {faint}; }}
QPushButton:pressed, QToolButton#plain:pressed {{ background: {chosen}; }}
QPushButton:disabled {{ color: {faint}; }}
QPushButton:focus, QToolButton#plain:focus {{ border: 1px solid {accent}; }}
QPushButton#primary {{ background: {accent}; border-color: {accent}; color: {on_accent}; }}
QPushButton#primary:focus {{ border: 2px solid {text}; }}
QPushButton#link, QToolButton#link {{
    background: transparent; border: 1px solid transparent; color: {accent};
    padding: 4px 6px; border-radius: 6px;
}}
QPushButton#link:hover, QToolButton#link:hover {{ background: {chosen}; }}
QPushButton#link:focus, QToolButton#link:focus {{ border-color: {accent}; }}
QToolButton#link:checked {{ background: {chosen}; }}
QToolButton#link::menu-indicator, QToolButton#plain::menu-indicator {{ image: none; }}
QTabBar#files::tab {{
    background: transparent; border: none; border-bottom: 2px solid transparent; color: {quiet};
    padding: 7px 6px 6px 12px; margin-right: 2px;
}}
QTabBar#files::tab:hover {{ color: {text}; background: {hover}; }}
QTabBar#files::tab:selected {{ color: {text}; border-bottom: 2px solid {accent}; }}

QToolButton#plain[popupMode="1"] {{ padding-right: 30px; }}
QToolButton#plain::menu-button {{
    border: none; border-left: 1px solid {border}; width: 22px; margin: 4px 1px 4px 0;
}}
QPushButton#flush {{
    background: transparent; border: 1px solid transparent; color: {accent};
    padding: 3px 2px; border-radius: 5px; text-align: left;
}}
QPushButton#flush:hover {{ background: {chosen}; }}
QPushButton#flush:focus {{ border-color: {accent}; }}
QPushButton#flush:disabled {{ color: {faint}; }}
QFrame#note {{ background: {hover}; border: 1px solid {border}; border-radius: 8px; }}
QPlainTextEdit#notebox {{
    background: {surface}; border: 1px solid {border}; border-radius: 6px; padding: 4px;
    selection-background-color: {accent}; selection-color: {on_accent};
}}
QPlainTextEdit#notebox:focus {{ border-color: {accent}; }}

QPushButton#chip {{
    background: {track}; border: 1px solid transparent; border-radius: 7px; color: {quiet};
    padding: 3px 9px;
}}
QPushButton#chip:hover {{ background: {chosen}; color: {text}; }}
QPushButton#chip:focus {{ border-color: {accent}; }}

QPushButton#chosen {{
    background: {chosen}; border: 1px solid {accent}; border-radius: 7px; color: {text};
    padding: 3px 9px; outline: none;
}}
QPushButton#chosen:focus {{ border: 2px solid {accent}; padding: 2px 8px; }}
QFrame#popover {{ background: {raised}; border: 1px solid {faint}; }}
QTreeView#outline {{ background: transparent; border: none; outline: none; }}
QTreeView#outline::item {{ padding: 3px 2px; border: none; }}
QTreeView#outline::item:hover {{ background: {hover}; color: {text}; }}
QTreeView#outline::item:selected {{ background: {chosen}; color: {text}; }}
QListView#suggestions {{
    background: {raised}; border: 1px solid {faint}; padding: 4px; outline: none;
}}
QListView#suggestions::item {{ padding: 5px 8px; border: none; border-radius: 5px; }}
QListView#suggestions::item:selected {{ background: {chosen}; color: {text}; }}
QTreeView#values {{ background: transparent; border: none; outline: none; }}
QTreeView#values::item {{ background: transparent; }}
QTreeView#values::item:selected {{ background: {chosen}; color: {text}; }}
QTreeView#values::indicator {{ width: 15px; height: 15px; }}

QCheckBox, QRadioButton {{
    border: 1px solid transparent; border-radius: 5px; padding: 2px 4px;
}}
QCheckBox:focus, QRadioButton:focus {{ border-color: {accent}; }}

QFrame#rail QToolButton {{
    background: transparent; border: 1px solid transparent; border-radius: 10px;
    padding: 7px 2px 5px 2px; color: {quiet};
}}
QFrame#rail QToolButton:hover {{ color: {text}; background: {track}; }}
QFrame#rail QToolButton:checked {{ background: {chosen}; color: {accent}; }}
QFrame#rail QToolButton:focus {{ border-color: {accent}; }}
QFrame#rail QToolButton:disabled {{ color: {faint}; }}

QFrame#segments {{ background: {track}; border-radius: 9px; }}
QFrame#segments QPushButton {{
    background: transparent; border: 1px solid transparent; border-radius: 7px;
    padding: 5px 13px; color: {quiet};
}}
QFrame#segments QPushButton:hover {{ color: {text}; }}
QFrame#segments QPushButton:checked {{ background: {surface}; color: {text}; }}
QFrame#segments QPushButton:focus {{ border-color: {accent}; }}

QFrame#panel {{ background: {surface}; border: 1px solid {border}; border-radius: 10px; }}
QTextBrowser {{ background: transparent; border: none; selection-background-color: {accent};
    selection-color: {on_accent}; }}
QFrame#banner[kind="problem"] {{ background: {danger_soft}; border-radius: 8px; }}
QFrame#banner[kind="notice"] {{ background: {notice_soft}; border-radius: 8px; }}
QLabel#quiet {{ color: {quiet}; }}
QLabel#faint {{ color: {faint}; }}
QLabel#wrong {{ color: {danger}; }}
QLabel#notice {{ background: {notice_soft}; border-radius: 7px; padding: 7px 10px; }}
QLabel#tag {{
    background: {track}; border-radius: 6px; color: {quiet}; padding: 1px 7px;
}}
QScrollArea, QWidget#column {{ background: transparent; border: none; }}
QFrame#cell {{ background: transparent; border: 1px solid transparent; border-radius: 7px; }}
QFrame#choice {{ background: transparent; border: 1px solid {border}; border-radius: 7px; }}
QFrame#winner {{ background: {chosen}; border: 1px solid {accent}; border-radius: 7px; }}
QRadioButton#side {{ spacing: 0; padding: 0; margin: 0; }}
QRadioButton#side::indicator {{
    width: 12px; height: 12px; border: 1px solid {faint}; border-radius: 7px; background: {surface};
}}
QRadioButton#side::indicator:checked {{ border: 4px solid {accent}; width: 6px; height: 6px; }}
QRadioButton#side::indicator:focus {{ border-color: {text}; }}
QListView#pairs {{ background: transparent; border: none; outline: none; }}
QFrame#foot {{ background: {window}; border-top: 1px solid {border}; }}
QFrame#dropzone {{
    background: {chosen}; border: 2px dashed {accent}; border-radius: 16px; color: {text};
}}

QFrame#palette {{ background: {raised}; border: 1px solid {border}; border-radius: 12px; }}
QListView#results {{ background: transparent; border: none; outline: none; }}

QProgressBar {{ background: {track}; border: none; border-radius: 3px; }}
QProgressBar::chunk {{ background: {accent}; border-radius: 3px; }}

QTableView {{
    background: {surface}; border: 1px solid {border}; border-radius: 8px; gridline-color: {border};
    selection-background-color: {chosen}; selection-color: {text}; outline: none;
}}
QTableView::item, QTableView::item:focus, QTableView::item:hover {{
    padding: 0 8px; border: none; background: transparent;
}}
QTableView::item:selected {{ background: {chosen}; color: {text}; }}
QTableView#papers {{
    background: transparent; border: none; outline: none;
    selection-background-color: transparent;
}}
QTableView#papers::item, QTableView#papers::item:selected {{
    padding: 0; background: transparent;
}}
QHeaderView::section {{
    background: {surface}; color: {quiet}; border: none; border-bottom: 1px solid {border};
    padding: 6px 8px;
}}
QSplitter::handle {{ background: transparent; }}

QFrame#sidebar {{ background: {window}; border: none; border-right: 1px solid {border}; }}
QTreeView#shelf {{
    background: transparent; border: none; outline: none; show-decoration-selected: 0;
    selection-background-color: transparent;
}}
QTreeView#shelf::item, QTreeView#shelf::item:selected, QTreeView#shelf::item:hover,
QTreeView#shelf::branch, QTreeView#shelf::branch:selected {{
    background: transparent; border: none;
}}
QFrame#chooser {{ background: {raised}; border: 1px solid {faint}; }}
QListView#choices {{ background: transparent; border: none; outline: none; }}
QListView#choices::item, QListView#choices::item:selected {{ background: transparent; }}
QLineEdit#rename {{
    background: {surface}; border: 1px solid {accent}; border-radius: 5px; padding: 0 4px;
    selection-background-color: {accent};
}}
QPlainTextEdit#field {{
    background: {surface}; border: 1px solid {border}; border-radius: 7px; padding: 2px 4px;
    selection-background-color: {accent}; selection-color: {on_accent};
}}
QPlainTextEdit#field:focus {{ border: 1px solid {accent}; }}
QLabel#byhand {{ color: {accent}; }}
QFrame#toast {{ background: {raised}; border: 1px solid {faint}; border-radius: 10px; }}
QFrame#chosenbar {{ background: {chosen}; border: none; border-radius: 10px; }}

QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar::handle:vertical {{
    background: {border}; min-height: 36px; border-radius: 4px; margin: 2px;
}}
QScrollBar::handle:vertical:hover {{ background: {faint}; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
QScrollBar::handle:horizontal {{
    background: {border}; min-width: 36px; border-radius: 4px; margin: 2px;
}}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}
"""
