"""The navigation history of a document."""

from __future__ import annotations

from sciread_app.domain.annotations.annotations import ReadingPlace

MAX_PLACES = 200


class NavigationHistory:
    """Works like a browser's: jumping after going back clears the forward list."""

    def __init__(self) -> None:
        self._back: list[ReadingPlace] = []
        self._forward: list[ReadingPlace] = []

    def leave(self, place: ReadingPlace) -> None:
        """Record the place before a jump."""
        if not self._back or self._back[-1] != place:
            self._back = [*self._back[-MAX_PLACES:], place]
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
