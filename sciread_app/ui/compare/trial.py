"""Which of two models stands on which side, and whether somebody can still vote on them blindly."""

from __future__ import annotations

from collections.abc import Callable
from random import SystemRandom

Pair = tuple[str, str]

_BY_CHANCE = SystemRandom().random
_ACTIVE = ""  # whichever model answered when no two were compared


class Trial:
    """A vote is blind only if nothing gave away which answer is whose. So what was once seen with
    its name is remembered until the window closes: the answers of a comparison, and the list that
    stood on the page before; also an answer that was seen beside two others, as it is the one that
    stayed."""

    def __init__(self, chance: Callable[[], float] = _BY_CHANCE) -> None:
        self._chance = chance
        self._asked: tuple[str, Pair, bool] | None = None
        self._named: set[tuple[str, str]] = set()  # query, model
        self._nameless: dict[str, frozenset[str]] = {}  # query: the pair
        self.query = ""
        self.pair: Pair = ("", "")
        self.sides: Pair = ("", "")  # as they stand
        self.known = False  # whether something was seen before that gives the models away
        self.hidden = False  # whether names are not to be seen
        self.voted = ""  # what was said of the vote, once there is one

    def answered_before(self, query: str) -> None:
        """The model that answers all searches was seen to answer this one."""
        self._named.add((query, _ACTIVE))

    def ask(self, query: str, pair: Pair, *, blind: bool, active: str) -> None:
        """Draw the sides; if it is the same again, because papers have changed, they stay."""
        asked = query, pair, blind
        if asked == self._asked:
            return
        self._asked = asked
        self.query, self.pair, self.voted = query, pair, ""
        names = {*pair, _ACTIVE} if active in pair else {*pair}
        beside_others = self._nameless.get(query, frozenset(pair)) != frozenset(pair)
        self.known = beside_others or any((query, name) in self._named for name in names)
        self.hidden = blind
        turned = blind and self._chance() < 0.5
        self.sides = (pair[1], pair[0]) if turned else pair

    @property
    def veiled(self) -> bool:
        """Whether nothing has given the models away, so that one can vote."""
        return self.hidden and not self.known

    def shown(self) -> None:
        """Both answers are on the screen."""
        if self.veiled:
            self._nameless[self.query] = frozenset(self.pair)
        elif not self.hidden:
            self._named |= {(self.query, name) for name in self.pair}

    def end(self, said: str) -> None:
        """Somebody has voted, and may see the names."""
        self.hidden, self.voted = False, said
