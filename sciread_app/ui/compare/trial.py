"""The random assignment of two models to sides, and whether a blind vote is possible."""

from __future__ import annotations

from collections.abc import Callable
from random import SystemRandom

Pair = tuple[str, str]

LEFT_KEY, RIGHT_KEY, NEITHER_KEY = "F7", "F8", "Shift+F7"  # of the votes

_BY_CHANCE = SystemRandom().random
_ACTIVE = ""  # the active model while none were compared


class BlindTrial:
    """State of blind voting.

    A vote is blind only if nothing has revealed which results belong to which model. So results
    that were shown with a name are remembered until the window closes: those of a comparison, those
    of a search with the active model, and results that stayed while the other model of the pair was
    replaced, since the model in both pairs produced them.
    """

    def __init__(self, chance: Callable[[], float] = _BY_CHANCE) -> None:
        self._chance = chance
        self._asked: tuple[str, Pair, bool] | None = None
        self._named: set[tuple[str, str]] = set()  # query, model
        self._nameless: dict[str, frozenset[str]] = {}  # the pair by query
        self.query = ""
        self.pair: Pair = ("", "")
        self.sides: Pair = ("", "")  # left, right
        self.known = False  # whether earlier results reveal the models
        self.hidden = False  # whether names are hidden
        self.voted = ""  # the confirmation of the vote, if there is one

    def answered_before(self, query: str) -> None:
        """Record that results of the active model were shown for this query."""
        self._named.add((query, _ACTIVE))

    def ask(self, query: str, pair: Pair, *, blind: bool, active: str) -> None:
        """Assign sides at random; they stay for the same request, as after papers have changed."""
        asked = query, pair, blind
        names = {*pair, _ACTIVE} if active in pair else {*pair}
        named = any((query, name) in self._named for name in names)
        if asked == self._asked:
            self.known |= named and self.hidden
            return
        self._asked = asked
        self.query, self.pair, self.voted = query, pair, ""
        beside_others = self._nameless.get(query, frozenset(pair)) != frozenset(pair)
        self.known = beside_others or named
        self.hidden = blind
        turned = blind and self._chance() < 0.5
        self.sides = (pair[1], pair[0]) if turned else pair

    @property
    def veiled(self) -> bool:
        """Whether the models are unknown to the user, so that a vote is possible."""
        return self.hidden and not self.known

    def shown(self) -> None:
        """Record that both lists are shown."""
        if self.veiled:
            self._nameless[self.query] = frozenset(self.pair)
        elif not self.hidden:
            self._named |= {(self.query, name) for name in self.pair}

    def end(self, message: str) -> None:
        """Record the vote; names may be shown."""
        self.hidden, self.voted = False, message
