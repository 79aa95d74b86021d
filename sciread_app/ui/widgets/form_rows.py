"""The rows of the settings page: a name, a help text, controls, and an error below."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLabel,
    QPushButton,
    QSpinBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from sciread_app.ui.style.theme import scaled, styled
from sciread_app.ui.widgets.layout.boxes import column, row
from sciread_app.ui.widgets.rounded_popup import rounded

HIGH = 30  # pixels


class FormSection(QFrame):
    """Rows under a heading."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setObjectName("panel")
        heading = QLabel(title)
        heading.setFont(scaled(self.font(), 1.15, QFont.Weight.DemiBold))
        self._column = column(heading, parent=self, margins=(20, 16, 20, 18), spacing=16)

    def add(self, widget: QWidget) -> None:
        self._column.addWidget(widget)


class FormRow(QWidget):
    """A setting with its name and help on the left, its controls on the right and any error
    below."""

    def __init__(self, title: str, help: str, *controls: QWidget) -> None:
        super().__init__()
        name = QLabel(title)
        plain = Qt.TextFormat.PlainText
        self.help = styled(QLabel(help, wordWrap=True, textFormat=plain), "quiet")
        self.wrong = styled(QLabel(wordWrap=True, textFormat=plain), "wrong")
        self.wrong.hide()
        for control in controls:
            if not control.accessibleName() and not isinstance(control, QPushButton):
                control.setAccessibleName(title)
            control.setAccessibleDescription(help)
        words = column(name, self.help, self.wrong, spacing=2)
        right = ((control, 0, Qt.AlignmentFlag.AlignVCenter) for control in controls)
        row((words, 1), *right, parent=self, margins=0, spacing=16)
        if controls:
            name.setBuddy(controls[0])

    def show_error(self, text: str) -> None:
        self.wrong.setText(text)
        self.wrong.setVisible(bool(text))


class ComboBox(QComboBox):
    """A combo box that the mouse wheel does not change while the page is scrolled, whose list
    looks like a menu, and whose text is elided where there is no room."""

    def __init__(self) -> None:
        super().__init__()
        self._is_prepared = False
        self.setMinimumHeight(HIGH)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # without the wheel
        # The default takes only the items into account that are there when it is first shown.
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        kind, field = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(kind, option, field, self).width()
        text, end = option.currentText, Qt.TextElideMode.ElideRight
        option.currentText = self.fontMetrics().elidedText(text, end, room)
        painter.drawComplexControl(kind, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def showPopup(self) -> None:
        if not self._is_prepared:
            self._is_prepared = True
            # The style sheet does not apply to the items of the default delegate.
            self.setItemDelegate(QStyledItemDelegate(self))
            rounded(self.view().window())
        super().showPopup()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class SpinBox(QSpinBox):
    def __init__(self, least: int, most: int) -> None:
        super().__init__()
        self.setRange(least, most)
        self.setMinimumSize(80, HIGH)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # without the wheel
        self.lineEdit().setTextMargins(5, 0, 0, 0)  # cannot be set by a style sheet

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
