"""Generated papers for the fake arXiv."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

CATEGORIES = ("cs.CL", "cs.LG", "hep-th", "math.AG", "stat.ML", "astro-ph.EP", "quant-ph")
WORDS = ("transformer", "lattice", "graph", "galaxy", "kernel", "sheaf", "neutrino", "parser")
_FILL = (
    "We report measurements, proofs and simulations that agree with one another to within the "
    "stated errors, compare them with earlier work, and discuss where $x_{i} < \\alpha$ matters. "
) * 5
_BEGIN = datetime(2007, 12, 20, 9, tzinfo=UTC)
_NAMES = ("Ada Lovelace", "Jan van der Berg", "Émilie du Châtelet", "Li Wei", "Grace B. Hopper")
SUBMITTER = "Ada Lovelace"
_LAST = "Lise Meitner"


@dataclass(frozen=True)
class Generated:
    """A paper that depends only on its number."""

    number: int
    submitted: datetime
    updated: datetime
    version: int = 1

    @property
    def id(self) -> str:
        month = self.submitted.strftime("%y%m")
        if self.submitted.year < 2008:
            archive = ("hep-th", "math", "cs", "quant-ph", "astro-ph")[self.number // 1000 % 5]
            return f"{archive}/{month}{self.number % 1000:03}"
        return f"{month}.{self.number % 100_000:05}"

    @property
    def categories(self) -> tuple[str, ...]:
        first = CATEGORIES[self.number % len(CATEGORIES)]
        second = CATEGORIES[(self.number // 3) % len(CATEGORIES)]
        return tuple(dict.fromkeys((first, second)))

    @property
    def words(self) -> tuple[str, ...]:
        return WORDS[self.number % 8], WORDS[self.number // 8 % 8]

    @property
    def title(self) -> str:
        first, last = _word_of(self.number), _word_of(self.number * 7919 + 13)
        return f"{first.title()} {self.words[0]} and {self.words[1]}: the A & B of {last}"

    @property
    def abstract(self) -> str:
        if self.number % 97 == 5:
            return "This paper has been withdrawn by the author due to an error. " + _FILL[:90]
        return f"Every {self.words[0]} of kind {self.number} has a {self.words[1]}. {_FILL}"

    @property
    def authors(self) -> tuple[str, ...]:
        count = 1 + self.number % 4
        named = (_NAMES[(self.number + n) % len(_NAMES)] for n in range(count))
        return (*named, f"{_LAST} {chr(65 + self.number % 26)}. Frisch")

    @property
    def comment(self) -> str:
        return f"{self.number % 40 + 2} pages" if self.number % 3 else ""

    @property
    def journal(self) -> str:
        return f"Phys. Rev. D {self.number % 90 + 10} (2012) {self.number}" * (self.number % 4 == 0)

    @property
    def doi(self) -> str:
        return f"10.1103/PhysRevD.{self.number}" if self.number % 4 == 0 else ""

    @property
    def datestamp(self) -> str:
        return (self.updated + timedelta(days=1)).strftime("%Y-%m-%d")


def _word_of(number: int) -> str:
    """Return a word that is unique below 10,000,000, so that titles differ like real ones."""
    number = number * 2_654_435_761 % 10_000_019
    syllables = []
    while number:
        number, rest = divmod(number, 60)
        syllables.append("bdfgklmnprst"[rest % 12] + "aeiou"[rest // 12])
    return "".join(syllables) or "nil"


def generate(number: int, together: int, gap: int) -> Generated:
    """Make a paper: every `together` papers share a minute; the next ones follow `gap` minutes
    later."""
    submitted = _BEGIN + timedelta(minutes=number // together * gap, seconds=number % together % 60)
    later = timedelta(days=40) if number % 5 == 0 else timedelta()
    return Generated(number, submitted, submitted + later, 2 if later else 1)
