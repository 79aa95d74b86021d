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

_SEPARATOR = "@"  # between a model's name and its space, in a stored vote

SURE = 0.05  # significance level at which one model is called better


@dataclass(frozen=True, slots=True)
class VoteTally:
    """The number of questions on which each of two models was better, or neither was.

    Of several votes on the same question only the last one counts: asking it again is no new
    evidence.
    """

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
        """The model with more votes; empty if there is none."""
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
    """Blind votes on pairs of models. Safe to use from any thread.

    A vote belongs to the space of a model: it is kept when the model's folder is renamed, and does
    not count for another model that takes the name.
    """

    def __init__(
        self, library: Library, spaces: Callable[[], Mapping[str, str]] = lambda: {}
    ) -> None:
        """`spaces` returns the spaces of the installed models by their names."""
        self._library = library
        self._spaces = spaces

    def cast(self, question: Question, one: str, other: str, better: str = "") -> VoteTally:
        """Add a vote for `better`, one of the two models; empty for neither. Return the new tally.
        Raises LibraryError if the models are the same, or `better` is a third one."""
        first, second = sorted((one, other))
        if first == second or better not in ("", first, second):
            raise LibraryError(
                tr("A vote needs two different models."), tr("Compare two different models.")
            )
        choice = {"": "neither", first: "first", second: "second"}[better]
        query, spaces = " ".join(question.query.split()), self._spaces()
        first, second = _stored_name(first, spaces), _stored_name(second, spaces)
        self._library.votes.add(query, question.paper, first, second, choice)
        return self.between(one, other)

    def between(self, one: str, other: str) -> VoteTally:
        """Return the tally of two models, given by name."""
        spaces = self._spaces()
        first, second = sorted((one, other))
        pair = (spaces.get(first, first), spaces.get(second, second))
        return _counted(self._cast(spaces).get(frozenset(pair), ()), pair, (first, second))

    def all(self) -> list[VoteTally]:
        """Return the tallies of all pairs with votes, sorted by descending number of votes.

        A model that is no longer installed has its former name, followed by its space if another
        model has that name now.
        """
        spaces = self._spaces()
        names = self._names(spaces)
        tallies = []
        for pair, votes in self._cast(spaces).items():
            keys = sorted(pair, key=lambda key: names[key])
            titles = [names[key] for key in keys]
            tallies.append(_counted(votes, (keys[0], keys[1]), (titles[0], titles[1])))
        return sorted(tallies, key=lambda tally: (-tally.questions, tally.first, tally.second))

    def take_back(self, one: str, other: str) -> Question | None:
        """Remove the last vote on two models. Return its question; None if there is no vote."""
        spaces = self._spaces()
        pair = frozenset(spaces.get(name, name) for name in (one, other))
        votes = self._cast(spaces).get(pair, ())
        if not votes:
            return None
        self._library.votes.remove(votes[-1].id)
        return votes[-1].question

    def _cast(self, spaces: Mapping[str, str]) -> dict[frozenset[str], list[_Cast]]:
        """Return all votes by the pair of their keys, the oldest first."""
        votes: dict[frozenset[str], list[_Cast]] = {}
        for vote in self._library.votes.all():
            first, second = _key(vote.first, spaces), _key(vote.second, spaces)
            better = {"first": first, "second": second}.get(vote.choice, "")
            cast = _Cast(vote.id, Question(vote.query, vote.paper), better)
            votes.setdefault(frozenset((first, second)), []).append(cast)
        return votes

    def _names(self, spaces: Mapping[str, str]) -> dict[str, str]:
        """Return the names of all models with votes, by their keys."""
        names = {}
        for vote in self._library.votes.all():
            for stored in (vote.first, vote.second):
                name = stored.rpartition(_SEPARATOR)[0] or stored
                names[_key(stored, spaces)] = stored if name in spaces else name
        return names | {space: name for name, space in spaces.items()}


class _Cast(NamedTuple):
    """A vote. `better` is the key of a model; empty for neither."""

    id: int
    question: Question
    better: str


def tally_text(tally: VoteTally, title_of: Callable[[str], str]) -> str:
    """Return the votes of each model and their statistical significance, in sentences."""
    if not tally.questions:
        return tr("No votes on these models yet.")
    counts = trn(
        "Blind votes on {n:,} search: {a:,} for {first}, {b:,} for {second}, {c:,} for neither.",
        "Blind votes on {n:,} searches: {a:,} for {first}, {b:,} for {second}, {c:,} for neither.",
        tally.questions,
        first=title_of(tally.first),
        second=title_of(tally.second),
        a=tally.for_first,
        b=tally.for_second,
        c=tally.neither,
    )
    return f"{counts} {_significance(tally, title_of)}"


def _significance(tally: VoteTally, title_of: Callable[[str], str]) -> str:
    if not tally.ahead:
        return tr("The votes are tied.")
    title = title_of(tally.ahead)
    if tally.luck >= 0.5:
        return tr("{title} leads, but there are too few votes to rule out chance.", title=title)
    share = max(1, math.ceil(100 * tally.luck))
    if tally.luck > SURE:
        return tr(
            "{title} leads, but not significantly: one of two equally good models would "
            "lead by this much in up to {share}% of blind tests.",
            title=title,
            share=share,
        )
    return tr(
        "{title} is significantly better: one of two equally good models would lead by "
        "this much in at most {share}% of blind tests.",
        title=title,
        share=share,
    )


def _stored_name(name: str, spaces: Mapping[str, str]) -> str:
    return f"{name}{_SEPARATOR}{spaces[name]}" if name in spaces else name


def _key(stored: str, spaces: Mapping[str, str]) -> str:
    """Return the key by which votes on a model are grouped: its space, or its name if it was not
    installed at the time of the vote and is not now."""
    name, _, space = stored.rpartition(_SEPARATOR)
    return space if name else spaces.get(stored, stored)


def _counted(votes: Iterable[_Cast], pair: tuple[str, str], names: tuple[str, str]) -> VoteTally:
    last = {(cast.question.query.casefold(), cast.question.paper): cast.better for cast in votes}
    better = list(last.values())
    return VoteTally(*names, *(better.count(key) for key in (*pair, "")))
