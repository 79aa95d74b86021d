"""Sections of a view one below the other, in an area that scrolls."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton, QScrollArea, QWidget

from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.widgets.layout.boxes import column

WIDEST = 1200  # pixels


def action_button(text: str, means: str, name: str = "") -> QPushButton:
    found = styled(QPushButton(text), name)
    found.setToolTip(means)
    found.setAccessibleDescription(means)
    return found


def section(title: str, *inside: QWidget) -> QWidget:
    heading = QLabel(title)
    heading.setFont(scaled(heading.font(), 1.08, QFont.Weight.DemiBold))
    return group(heading, *inside)


def group(*inside: QWidget, name: str = "") -> QWidget:
    """Widgets one below the other; `name` styles the frame around them."""
    found = styled(QFrame(), name)
    margins = (14, 12, 12, 12) if name else 0
    column(*inside, parent=found, margins=margins, spacing=4 if name else 8)
    return found


def scrolling(body: QWidget, parent: QWidget) -> QScrollArea:
    """A scroll area in `parent` around `body`, which has the width of the area, within its
    limits."""
    scroll = _Scroll(parent, widgetResizable=True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    scroll.viewport().setAutoFillBackground(False)  # for the background of the panel it is in
    scroll.setWidget(body)
    return scroll


class _Scroll(QScrollArea):
    """Scrolls to the widget that gets the focus by a key, also from outside of the area, which Qt
    itself does not do."""

    def __init__(self, parent: QWidget, *, widgetResizable: bool) -> None:
        super().__init__(parent, widgetResizable=widgetResizable)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._follow)

    def _follow(self, before: QWidget | None, now: QWidget | None) -> None:
        body = self.widget()
        if now and body and body.isAncestorOf(now) and not QApplication.mouseButtons():
            self.ensureWidgetVisible(now)


class ScrollContents(QWidget):
    """The contents of a scroll area: a column as high as its texts need at its width. (A scroll
    area ignores height-for-width.) In a wide window, the names and numbers of a table would
    otherwise be far apart."""

    def __init__(self) -> None:
        super().__init__()
        styled(self, "column").setMaximumWidth(WIDEST)

    def event(self, event: QEvent) -> bool:
        layout = self.layout()
        if layout and event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.setMinimumHeight(layout.totalHeightForWidth(self.width()))
        return super().event(event)
