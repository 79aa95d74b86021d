"""Papers whose first pages are made: real metadata where the shared data are, else generated."""

from __future__ import annotations

import gzip
import json
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.pdf_metadata.institutes import INSTITUTES, NEVER_TUNED, Institute
from sciread_app.formats.values.author_list import authors as names_in

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
# One line of ten is for measuring; name_statistics.py counts names in the others only.
MEASURED = 0
# Particles, double names, suffixes, initials and short names: given|family|suffix.
VARIED_NAMES = tuple(
    tuple(line.split("|"))
    for line in """
Jan|van der Meer|
Maria|de la Cruz|
José Luis|García Márquez|
María José|Fernández-Álvarez|
Ludwig|van Houten|
Anne-Sophie|Lefèvre|
Jean-François|Le Goff|
Nguyen Van|Minh|
Tran Thi Thu|Ha|
Xiao-Ming|Zhou|
Yi-Fan|Li|
Wei-Chen|Hsu|
Jae-Hyun|Park|
Min Jung|Kim|
Li|Na|
Bo|An|
Yu|Ma|
Martin L.|King|Jr.
William H.|Turner|III
Robert F.|Stone|Sr.
Fatima|al-Hassan|
Omar|Ben Ali|
Åsa|Östlund|
Søren|Kjærgaard|
Jürgen|Weiß|
Zdeněk|Dvořák|
Łukasz|Kowalczyk|
İbrahim|Yılmaz|
Goran|Petrović|
Björn|Jónsdóttir|
S.|Ramaswamy|
K. S.|Krishnan|
A. P. J.|Sundaram|
Siobhán|O'Connell|
Seán|Mac Giolla|
Niamh|Ní Dhomhnaill|
Marie-Claire|de Saint-Exupéry|
Gianluca|della Porta|
Paolo|Dal Bosco|
Carlos Eduardo|dos Santos|
Ana Beatriz|da Silva|
Pedro Henrique|Gomes Neto|
Karl-Heinz|von Stein|
Ute|zu Hohenberg|
Thomas|McAllister|
Fiona|MacGregor|
Hans-Jörg|Müller-Lüdenscheidt|
Mei Ling|Tan|
Chukwuemeka|Okonkwo|
Oluwaseun|Adeyemi|
Thandiwe|Nkosi|
Wanjiku|Kamau|
Aisha|Abdullahi|
Mohammad Reza|Tehrani|
Shahrzad|Moghaddam|
Noa|Ben-David|
Yael|Bar-Lev|
Aikaterini|Papadopoulou|
Georgios|Hatzis|
Dmitri A.|Sokolov|
Oksana|Shevchenko|
Kenji|Yamamoto|
Haruka|Fujiwara|
Pham Quoc|Bao|
Somchai|Wattanapanich|
Budi|Hartono|
Siti Nurhaliza|Binti Rahman|
Elisabeth|Paté-Cornell|
Ingrid|Daubechies|
Rubén|Ortiz y Gasset|
D'Arcy W.|Thompson|
Ngozi A.|Eze|
R.|Priya|
Pieter-Jan|de Vries|
Wouter|van 't Hoff|
Ewa|Nowak-Zielińska|
Jiří|Beneš|
Ágnes|Szabó-Nagy|
Erzsébet|Kéri|
""".strip().splitlines()
)
# Whole names of one word.
SINGLE_NAMES = ("Suharto", "Sunardi", "Kalyanaraman", "Supriyanto", "Thirumalai", "Budiman")
_ODD = set('$\\^_{}<>#&~|\n@`"[]=+*%')
_MOST_PAPERS = 4_000


@dataclass(frozen=True, slots=True)
class Writer:
    """An author as printed, with indices of affiliations, counted from 1."""

    given: str
    family: str
    affiliations: tuple[int, ...]
    email: str
    degree: str = ""
    corresponding: bool = False
    suffix: str = ""

    @property
    def name(self) -> str:
        return f"{self.given} {self.family}".strip()

    @property
    def full(self) -> str:
        return f"{self.name}, {self.suffix}" if self.suffix else self.name

    @property
    def initials(self) -> str:
        words = [part for word in self.given.split() for part in word.split("-")]
        return " ".join(f"{word[0]}." for word in words)

    @property
    def marks(self) -> str:
        return ",".join(map(str, self.affiliations))

    @property
    def letters(self) -> str:
        return ",".join(chr(96 + number) for number in self.affiliations)


@dataclass(frozen=True, slots=True)
class Record:
    title: str
    abstract: str
    writers: tuple[Writer, ...]
    institutes: tuple[Institute, ...]
    year: int
    month: int
    doi: str
    arxiv: str
    category: str
    sentences: tuple[str, ...] = field(repr=False, default=())  # of other papers, for the text
    others: tuple[str, ...] = ()  # references with names and DOIs of other papers


def is_measured(line: str) -> bool:
    return zlib.crc32(line[:60].encode()) % 10 == MEASURED


def raw_papers() -> list[dict[str, Any]]:
    """Titles, abstracts and authors; from arXiv, the ACL Anthology and a review's records."""
    found = []
    for name, most in (
        ("arxiv/papers", _MOST_PAPERS),
        ("venues/acl_anthology", 1_000),
        ("duplicates/copper", 400),
    ):
        path = DATA / f"{name}.jsonl.gz"
        if path.is_file():
            found += _sample(path, most)
    return found or list(_generated())


def _sample(path: Path, most: int) -> list[dict[str, Any]]:
    papers = []
    every = 3 if "arxiv" in path.name or path.parent.name == "arxiv" else 1
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            is_read = path.parent.name == "duplicates" or (
                number % every == 0 and is_measured(line)
            )
            if is_read and (paper := _usable(json.loads(line))):
                papers.append(paper)
    random.Random(7).shuffle(papers)
    return papers[:most]


def _usable(fields: dict[str, Any]) -> dict[str, Any] | None:
    title, abstract = fields.get("title", "").strip(" ."), fields.get("abstract", "")
    if not 15 <= len(title) <= 180 or not 300 <= len(abstract) <= 1800 or " " not in title:
        return None
    if title.isupper() or title.startswith("[") or _ODD & set(title + abstract):
        return None
    if any(ord(c) > 0x17F for c in title + abstract):
        return None
    authors = names_in(fields.get("authors", ()))
    names = [(author.given, author.last_name) for author in authors]
    is_whole = all(
        given and len(family) > 1 and not author.literal and not author.suffix
        and all(c.isalpha() or c in " .-'" for c in given + family)
        and all(ord(c) <= 0x17F for c in given + family)
        and (given + family).lower() != given + family
        for author, (given, family) in zip(authors, names, strict=True)
    )  # fmt: skip
    if not authors or not is_whole or len(authors) > 60:
        return None
    return {
        "title": title,
        "abstract": " ".join(abstract.split()),
        "authors": names,
        "year": int(fields.get("year") or 2011),
        "doi": fields.get("doi") or "",
        "arxiv": fields["id"].removeprefix("arxiv:") if fields["id"].startswith("arxiv:") else "",
        "category": fields.get("primary", ""),
        "created": fields.get("created", ""),
        "is_medical": fields["id"].startswith("endnote"),
    }


def _generated() -> Iterator[dict[str, Any]]:
    """Papers with made-up names, for a checkout without the shared data."""
    dice = random.Random(3)
    given = ("Ana", "Boris", "Chen", "Dana", "Emil", "Fatima", "Georg", "Hiro", "Ines", "Jan")
    family = ("Abe", "Braun", "Costa", "Dubois", "Evans", "Fischer", "García", "Huang", "Ito")
    nouns = ("networks", "graphs", "proteins", "galaxies", "markets", "grammars", "lattices")
    for number in range(600):
        words = dice.sample(nouns, 3)
        yield {
            "title": f"On the stability of {words[0]} and {words[1]} under noise",
            "abstract": f"We study how {words[0]} behave when {words[2]} are observed. " * 8,
            "authors": [
                (dice.choice(given), dice.choice(family)) for _ in range(dice.randint(1, 6))
            ],
            "year": 2000 + number % 24,
            "doi": "",
            "arxiv": "",
            "category": "cs.LG",
            "created": "",
            "is_medical": number % 5 == 0,
        }


class RecordMaker:
    """Makes records from raw papers; the same seed gives the same record."""

    def __init__(self, papers: list[dict[str, Any]]) -> None:
        self._papers = papers
        self._medical = [paper for paper in papers if paper["is_medical"]] or papers

    def record(
        self, seed: str, *, tuned: bool, fewest: int = 1, most: int = 9, medical: bool = False,
        ascii_only: bool = False,
    ) -> Record:  # fmt: skip
        """A record for one page. Institutes of `NEVER_TUNED` occur in the report half only."""
        dice = random.Random(seed)
        wanted = min(most, max(fewest, dice.choice((1, 2, 2, 3, 3, 4, 4, 5, 6, 8, 11, 16, 34))))
        pool = self._medical if medical else self._papers
        for _ in range(3_000):
            paper = dice.choice(pool)
            text = f"{paper['title']} {paper['abstract']} {paper['authors']}"
            if abs(len(paper["authors"]) - wanted) > wanted // 4 or not fewest <= len(
                paper["authors"]
            ) <= max(most, fewest + 3):
                continue
            if not ascii_only or text.isascii():
                break
        places = [i for i in INSTITUTES if not tuned or i.name not in NEVER_TUNED]
        institutes = tuple(
            dice.sample(places, min(len(places), max(1, wanted // 2 + dice.randint(0, 1))))
        )
        writers = tuple(_writers(paper["authors"], len(institutes), dice))
        year, month = paper["year"], dice.randint(1, 12)
        if paper["created"]:
            year, month = int(paper["created"][:4]), int(paper["created"][5:7])
        arxiv = (
            paper["arxiv"]
            or f"{year % 100 if year >= 2008 else 12:02}{month:02}.{dice.randint(1000, 9999):04}"
        )
        if not paper["arxiv"]:
            year = max(year, 2012) if year >= 2008 else 2012
        sentences, others = self._surroundings(dice)
        return Record(
            paper["title"], paper["abstract"], writers, institutes, year, month,
            (paper["doi"] or "").lower(), arxiv, paper["category"] or "cs.CL", sentences, others,
        )  # fmt: skip

    def _surroundings(self, dice: random.Random) -> tuple[tuple[str, ...], tuple[str, ...]]:
        sentences: list[str] = []
        references = []
        for paper in dice.sample(self._papers, 12):
            sentences += [s for s in paper["abstract"].split(". ") if 30 < len(s) < 300]
            first = paper["authors"][0]
            registrant, journal = dice.randint(1000, 1199), dice.randint(100, 999)
            doi = f"10.{registrant}/j.{journal}.{dice.randint(10**5, 10**6)}"
            issue = f"J. Results {dice.randint(1, 90)}, {dice.randint(1, 900)} ({paper['year']})"
            references.append(
                f"{first[0][0]}. {first[1]} et al., “{paper['title']},” {issue}. doi:{doi}"
            )
        return tuple(sentences), tuple(references)


def _writers(names: list[tuple[str, str]], places: int, dice: random.Random) -> Iterator[Writer]:
    corresponding = dice.randrange(len(names))
    for number, (given, family) in enumerate(names):
        first = 1 + (number * places // len(names))
        second = dice.randint(1, places)
        both = tuple(sorted({first, second})) if dice.random() < 0.25 else (first,)
        yield Writer(
            given, family, both, _email(given, family, dice),
            dice.choice(("MD", "PhD", "MD, PhD", "MSc", "Dr")), number == corresponding,
        )  # fmt: skip


def _email(given: str, family: str, dice: random.Random | None = None) -> str:
    letters = "".join(c for c in (given[0] + family).lower() if c.isascii() and c.isalpha())
    hosts = ("uni-example.edu", "lab.example.org")
    return f"{letters}@{dice.choice(hosts) if dice else hosts[0]}"


def varied(record: Record, seed: str) -> Record:
    """The record with names of many countries and forms."""
    names = random.Random(seed).sample(VARIED_NAMES, min(len(record.writers), len(VARIED_NAMES)))
    writers = (
        replace(writer, given=given, family=family, suffix=suffix, email=_email(given, family))
        for writer, (given, family, suffix) in zip(record.writers, names, strict=False)
    )
    return replace(record, writers=tuple(writers))


def with_single_names(record: Record) -> Record:
    """The record with a name of one word as every second name, beginning with the second."""
    writers = (
        replace(writer, given="", family=SINGLE_NAMES[number // 2 % len(SINGLE_NAMES)])
        if number % 2
        else writer
        for number, writer in enumerate(record.writers)
    )
    return replace(record, writers=tuple(writers))
