"""Where somebody was in a file before following a link, and the way back."""

from __future__ import annotations

from sciread_app.domain.reading import ReadingPlace

MOST = 200


class History:
    """Like a browser's: whoever goes elsewhere after going back forgets what was forward."""

    def __init__(self) -> None:
        self._back: list[ReadingPlace] = []
        self._forward: list[ReadingPlace] = []

    def leave(self, place: ReadingPlace) -> None:
        """Somebody jumps away from this place."""
        if not self._back or self._back[-1] != place:
            self._back = [*self._back[-MOST:], place]
        self._forward = []

    def back(self, here: ReadingPlace) -> ReadingPlace | None:
        if not self._back:
            return None
        self._forward.append(here)
        return self._back.pop()

    def forward(self, here: ReadingPlace) -> ReadingPlace | None:
        if not self._forward:
            return None
        self._back.append(here)
        return self._forward.pop()

    @property
    def can_go_back(self) -> bool:
        return bool(self._back)

    @property
    def can_go_forward(self) -> bool:
        return bool(self._forward)
