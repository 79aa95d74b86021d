"""Comparison of two models by blind votes, given without seeing their names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sciread_app.domain.votes import Question
from sciread_app.errors import LibraryError
from sciread_app.language import tr, trn
from sciread_app.storage.library import Library

_OF = "@"  # between a model's name and its space, as they are kept

SURE = 0.05  # so likely may luck be where one model is called better


@dataclass(frozen=True, slots=True)
class VoteTally:
    """On how many questions each of two models was better, and on how many neither was. Of
    several votes on the same question the last one counts: the same asked again is no new
    evidence."""

    first: str
    second: str
    for_first: int = 0
    for_second: int = 0
    neither: int = 0

    @property
    def questions(self) -> int:
        return self.for_first + self.for_second + self.neither

    @property
    def ahead(self) -> str:
        """The model that is; empty where none is."""
        if self.for_first == self.for_second:
            return ""
        return self.first if self.for_first > self.for_second else self.second

    @property
    def luck(self) -> float:
        """The probability that, of two equally good models, one is ever as far ahead as this.

        An anytime-valid sign test, which may be read after each vote. The usual sign test is valid
        for a fixed number of votes; a person who sees the count can stop when it suits, and finds
        some difference sooner or later. So the votes are tested against a uniform prior over all
        win probabilities, whose likelihood ratio exceeds 20 in at most 1 of 20 cases.
        """
        decided = self.for_first + self.for_second
        ways = math.comb(decided, self.for_first)
        return min(1.0, (decided + 1) * ways / (1 << decided))


class BlindVotes:
    """A vote is on what a model makes of papers, its space: it goes along when the model's folder
    gets another name, and stays behind when another model comes in its place. Safe from any
    thread."""

    def __init__(
        self, library: Library, spaces: Callable[[], Mapping[str, str]] = lambda: {}
    ) -> None:
        """`spaces` says which space is whose, of the models that are installed."""
        self._library = library
        self._spaces = spaces

    def cast(self, question: Question, one: str, other: str, better: str = "") -> VoteTally:
        """Note that `better`, the one or the other, has answered better; empty: neither has.
        Raises LibraryError for a vote that cannot be meant."""
        first, second = sorted((one, other))
        if first == second or better not in ("", first, second):
            raise LibraryError(
                tr("That is no vote on two models."), tr("Compare two that are not the same.")
            )
        choice = {"": "neither", first: "first", second: "second"}[better]
        query, spaces = " ".join(question.query.split()), self._spaces()
        one_is, other_is = (_written(name, spaces) for name in (first, second))
        self._library.votes.add(query, question.paper, one_is, other_is, choice)
        return self.between(one, other)

    def between(self, one: str, other: str) -> VoteTally:
        spaces = self._spaces()
        first, second = sorted((one, other))
        pair = (spaces.get(first, first), spaces.get(second, second))
        return _counted(self._cast(spaces).get(frozenset(pair), ()), pair, (first, second))

    def all(self) -> list[VoteTally]:
        """Of all pairs that were ever voted on, the one with most votes first. A model that is gone
        has the name that it had, and its space behind that where it is another one's by now."""
        spaces = self._spaces()
        names = self._names(spaces)
        tallies = []
        for pair, votes in self._cast(spaces).items():
            keys = sorted(pair, key=lambda key: names[key])
            called = [names[key] for key in keys]
            tallies.append(_counted(votes, (keys[0], keys[1]), (called[0], called[1])))
        return sorted(tallies, key=lambda tally: (-tally.questions, tally.first, tally.second))

    def take_back(self, one: str, other: str) -> Question | None:
        """Forget the last vote on these two; returns on what it was, None if there was none."""
        spaces = self._spaces()
        pair = frozenset(spaces.get(name, name) for name in (one, other))
        votes = self._cast(spaces).get(pair, ())
        if not votes:
            return None
        self._library.votes.remove(votes[-1].id)
        return votes[-1].question

    def _cast(self, spaces: Mapping[str, str]) -> dict[frozenset[str], list[_Cast]]:
        """All votes, the oldest first, by the two whom they are on."""
        found: dict[frozenset[str], list[_Cast]] = {}
        for vote in self._library.votes.all():
            first, second = _key(vote.first, spaces), _key(vote.second, spaces)
            better = {"first": first, "second": second}.get(vote.choice, "")
            cast = _Cast(vote.id, Question(vote.query, vote.paper), better)
            found.setdefault(frozenset((first, second)), []).append(cast)
        return found

    def _names(self, spaces: Mapping[str, str]) -> dict[str, str]:
        """The titles of all models that were ever voted on."""
        names = {}
        for vote in self._library.votes.all():
            for written in (vote.first, vote.second):
                name = written.rpartition(_OF)[0] or written
                names[_key(written, spaces)] = written if name in spaces else name
        return names | {space: name for name, space in spaces.items()}


class _Cast(NamedTuple):
    """A vote. `better` is a key of one of the two; empty: of neither."""

    id: int
    question: Question
    better: str


def said(tally: VoteTally, title_of: Callable[[str], str]) -> str:
    """How many votes each has, and how sure that is, in sentences."""
    if not tally.questions:
        return tr("Nobody has voted on these two yet.")
    counts = trn(
        "Blind votes on {n:,} question: {a:,} for {first}, {b:,} for {second}, {c:,} for neither.",
        "Blind votes on {n:,} questions: {a:,} for {first}, {b:,} for {second}, {c:,} for neither.",
        tally.questions,
        first=title_of(tally.first),
        second=title_of(tally.second),
        a=tally.for_first,
        b=tally.for_second,
        c=tally.neither,
    )
    return f"{counts} {_how_sure(tally, title_of)}"


def _how_sure(tally: VoteTally, title_of: Callable[[str], str]) -> str:
    if not tally.ahead:
        return tr("Neither is ahead.")
    title = title_of(tally.ahead)
    if tally.luck >= 0.5:
        return tr("That {title} is ahead may well be luck: so few votes say little.", title=title)
    share = f"{100 * tally.luck:.0f}" if tally.luck >= 0.01 else tr("less than 1")
    if tally.luck > SURE:
        return tr(
            "That {title} is ahead may be luck: of two equally good models, one would come to be "
            "so far ahead in up to {share} of 100 cases.",
            title=title,
            share=share,
        )
    return tr(
        "{title} is better: of two equally good models, one would come to be so far ahead in at "
        "most {share} of 100 cases.",
        title=title,
        share=share,
    )


def _written(name: str, spaces: Mapping[str, str]) -> str:
    return f"{name}{_OF}{spaces[name]}" if name in spaces else name


def _key(written: str, spaces: Mapping[str, str]) -> str:
    """By what votes belong together: the space; of a model that was not installed, its name."""
    name, _, space = written.rpartition(_OF)
    return space if name else spaces.get(written, written)


def _counted(votes: Iterable[_Cast], pair: tuple[str, str], names: tuple[str, str]) -> VoteTally:
    last = {(cast.question.query.casefold(), cast.question.paper): cast.better for cast in votes}
    better = list(last.values())
    return VoteTally(*names, *(better.count(key) for key in (*pair, "")))
