"""Which of two models answers better, by the votes of somebody who saw no names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from sciread_app.domain.votes import Question
from sciread_app.errors import LibraryError
from sciread_app.language import tr, trn
from sciread_app.storage.library import Library
from sciread_app.storage.votes import Vote

SURE = 0.05  # so likely may luck be where one model is called better


@dataclass(frozen=True, slots=True)
class Tally:
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
        """Of two models that are equally good, one will be as far ahead as this at some time in at
        most this share of cases.

        A sign test that may be looked at after each vote. The usual one asks how often that
        happens after so many votes; but who sees the count while he votes stops when he likes it,
        and finds some difference sooner or later. So votes are weighed against all chances of
        winning, each as likely as the other, whose odds grow twentyfold in at most 1 of 20 cases.
        """
        decided = self.for_first + self.for_second
        ways = math.comb(decided, self.for_first)
        return min(1.0, (decided + 1) * ways / (1 << decided))


class Votes:
    """Safe from any thread."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def cast(self, question: Question, one: str, other: str, better: str = "") -> Tally:
        """Note that `better`, the one or the other, has answered better; empty: neither has.
        Raises LibraryError for a vote that cannot be meant."""
        first, second = sorted((one, other))
        if first == second or better not in ("", first, second):
            raise LibraryError(
                tr("That is no vote on two models."), tr("Compare two that are not the same.")
            )
        choice = {"": "neither", first: "first", second: "second"}[better]
        query = " ".join(question.query.split())
        self._library.votes.add(query, question.paper, first, second, choice)
        return self.between(one, other)

    def between(self, one: str, other: str) -> Tally:
        first, second = sorted((one, other))
        return _counted(self._of(first, second), Tally(first, second))

    def all(self) -> list[Tally]:
        """Of all pairs that were ever voted on, the one with most votes first."""
        pairs = {(vote.first, vote.second) for vote in self._library.votes.all()}
        tallies = [self.between(*pair) for pair in sorted(pairs)]
        return sorted(tallies, key=lambda tally: -tally.questions)

    def take_back(self, one: str, other: str) -> Question | None:
        """Forget the last vote on these two; returns on what it was, None if there was none."""
        votes = self._of(*sorted((one, other)))
        if not votes:
            return None
        self._library.votes.remove(votes[-1].id)
        return Question(votes[-1].query, votes[-1].paper)

    def _of(self, first: str, second: str) -> list[Vote]:
        votes = self._library.votes.all()
        return [vote for vote in votes if (vote.first, vote.second) == (first, second)]


def said(tally: Tally, title_of: Callable[[str], str]) -> str:
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


def _how_sure(tally: Tally, title_of: Callable[[str], str]) -> str:
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


def _counted(votes: Iterable[Vote], tally: Tally) -> Tally:
    last = {(vote.query.casefold(), vote.paper): vote.choice for vote in votes}
    choices = list(last.values())
    return replace(
        tally,
        for_first=choices.count("first"),
        for_second=choices.count("second"),
        neither=choices.count("neither"),
    )
