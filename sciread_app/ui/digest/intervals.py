"""The choices of an interval."""

from __future__ import annotations

from sciread_app.domain.digest import Frequency, Interval
from sciread_app.language import tr, weekday_name
from sciread_app.ui.widgets.form_rows import ComboBox


class IntervalBox(ComboBox):
    """Never, daily, or weekly on a day."""

    def __init__(self, never: str = tr("Never")) -> None:
        super().__init__()
        self._choices = [
            Interval(),
            Interval(Frequency.daily),
            *(Interval(Frequency.weekly, day) for day in range(7)),
        ]
        # Translators: {day} is the name of a day, such as Monday
        weekly = [tr("Weekly on {day}", day=weekday_name(day)) for day in range(7)]
        self.addItems([never, tr("Daily"), *weekly])

    def interval(self) -> Interval:
        return self._choices[self.currentIndex()]

    def choose(self, interval: Interval) -> None:
        if interval.frequency is not Frequency.weekly:
            interval = Interval(interval.frequency)
        self.setCurrentIndex(self._choices.index(interval))
