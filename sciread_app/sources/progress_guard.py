"""Consistency of responses: ensures that a fetch makes progress or ends."""

from __future__ import annotations

from collections.abc import Hashable

from sciread_app.errors import SourceError
from sciread_app.language import tr

MOST_IN_VAIN = 10  # consecutive requests without a new paper or position


class ProgressGuard:
    """Counts requests without progress, and decides when a contradictory response is accepted.

    One guard belongs to one run of a fetch.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._in_vain = 0
        self._doubted: Hashable = None
        self._reason = ""

    def ask(self) -> None:
        """Count a request.

        Raises SourceError after MOST_IN_VAIN requests without progress.
        """
        if self._in_vain >= MOST_IN_VAIN:
            why = self._reason or tr("the same papers are sent repeatedly")
            raise SourceError(
                tr(
                    "{source} sent nothing new in {n} consecutive responses: {why}.",
                    source=self._source,
                    n=MOST_IN_VAIN,
                    why=why,
                ),
                tr("Try again later; the fetch resumes where it stopped."),
            )
        self._in_vain += 1

    def moved(self) -> None:
        """Note that new papers arrived, or that the position has changed."""
        self._in_vain = 0
        self._reason = ""

    def believes(self, answer: Hashable, doubt: str) -> bool:
        """Whether to use a response. A doubtful one is used if it comes twice in a row.

        `answer` is equal for equal responses; `doubt` is the contradiction, or empty.
        """
        if not doubt:
            self._doubted = None
            return True
        twice = self._doubted == answer
        self._doubted, self._reason = (None if twice else answer), doubt
        return twice
