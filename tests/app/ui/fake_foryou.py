"""What is new for somebody, without a library: each verb notes what was asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sciread_app.domain.paper import PaperId
from sciread_app.domain.recommend import Among, Next, Subject, SubjectKind, Wishes
from sciread_app.errors import BadQuery
from sciread_app.tasks import Task
from sciread_app.ui.foryou_values import Part, Suggestions
from sciread_app.ui.values import Card, Evidence

BEES = Subject("collection:1", SubjectKind.collection, "bees", 'in:"bees"', 8)
DANCE = Subject("collection:2", SubjectKind.collection, "bees/dance", 'in:"bees/dance"', 3)
HIVES = Subject("search:1", SubjectKind.search, "Hives", "hive")


class FakeForYou:
    """For each subject papers 1 to 6: 1 to 4 are new, 5 and 6 less alike."""

    def __init__(
        self, cards: Callable[[Sequence[int]], list[Card]], subjects: Sequence[Subject] = ()
    ) -> None:
        self.followed = list(subjects)
        self.come = list(range(1, 7))
        self.waved: dict[str, list[PaperId]] = {}
        self.wished: dict[str, Wishes] = {}
        self.asked: list[str] = []
        self.note, self.hint, self.next = "", "", Next.nothing
        self._cards = cards

    def cards(self, ids: Sequence[int]) -> list[Card]:
        return self._cards(ids)

    def subjects(self) -> list[Subject]:
        return self.followed

    def suggest(self, subject: Subject, among: Among, days: int, task: Task) -> Suggestions:
        self.asked.append(f"{subject.name} {among.value} {days}")
        wishes, waved = self.wished.get(subject.key, Wishes()), self.waved.get(subject.key, [])
        left = [PaperId(n) for n in self.come if n not in waved]
        near, far = [n for n in left if n <= 4], [n for n in left if n > 4]
        new = [n for n in near if n > wishes.seen]
        return Suggestions(
            subject,
            {
                Part.new: new,
                Part.seen: [n for n in near if n not in new],
                Part.far: far,
                Part.waved: waved,
            },
            {n: Evidence(None, None, 0.6, 100 - 0.3 * 1.8**n, why="Its words: hive") for n in left},
            {n: f"Like “Paper {n + 10}”" for n in left},
            len(left),
            self.note,
            self.hint,
            self.next,
            wishes,
            newest=max(near, default=0),
        )

    def count_new(self, subject: Subject, task: Task) -> int:
        return len(self.suggest(subject, Among.fetched, 30, task).part(Part.new))

    def like(self, subject: Subject, papers: Sequence[int]) -> None:
        self.asked.append(f"like {subject.name} {list(papers)}")

    def wave_away(self, subject: Subject, papers: Sequence[int]) -> None:
        self.waved.setdefault(subject.key, []).extend(map(PaperId, papers))

    def take_back(self, subject: Subject, papers: Sequence[int]) -> None:
        gone = set(papers)
        self.waved[subject.key] = [n for n in self.waved.get(subject.key, []) if n not in gone]

    def seen(self, subject: Subject, until: float) -> None:
        self.wished[subject.key] = replace(self.wished.get(subject.key, Wishes()), seen=until)

    def wish(self, subject: Subject, wishes: Wishes) -> None:
        if "year:" in wishes.must:
            raise BadQuery("“year:soon” is no year.", "Write year:2015.")
        self.wished[subject.key] = wishes
