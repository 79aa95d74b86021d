"""Each reader of files beside an independent one: how many records both read, and agree on.

Run it with `python -m benchmarks.bench_readers [-v]`. It reads the real files in `shared` beside
the checkout. The other readers are used if they are installed: bibtexparser 1 (BSD or LGPL), pybtex
(MIT), rispy (MIT), nbib (MIT); tables, JSON and XML are read with Python's own modules. `-v` lists
the records that differ.
"""

from __future__ import annotations

import csv
import importlib
import json
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree

from sciread_app import formats
from sciread_app.domain.matching.record_keys import title_key
from sciread_app.domain.paper import Paper
from sciread_app.domain.text.tex import readable
from sciread_app.formats.files.encoding import open_text

FIXTURES = Path(__file__).resolve().parents[1].parent / "shared" / "fixtures"
_MARKUP = re.compile(r"\\[a-zA-Z]+\s*|[{}\\$]|</?[a-z]+>")

_MODS = "{http://www.loc.gov/mods/v3}"


class Entry(NamedTuple):
    """What is compared: the letters of the title and of the first author's last name, the year, and
    the DOI in lower case; empty if there is none."""

    title: str
    author: str
    year: str
    doi: str


Reader = Callable[[Path, Any], Iterable[Entry]]


def entry(title: object, author: object = "", year: object = "", doi: object = "") -> Entry:
    years = re.search(r"\b(1[5-9]|20)\d\d\b", str(year or ""))
    name = re.search(r"10\.\d{4,}/[^\s<>]+", unquote(str(doi or "").lower()))
    return Entry(
        title_key(readable(_MARKUP.sub("", str(title or "")))),
        title_key(_MARKUP.sub("", _last(author))),
        years[0] if years else "",
        name[0] if name else "",
    )


def _last(author: object) -> str:
    """The last name of an author written as "Curie, Marie" or "Marie Curie"."""
    text = str(author or "").strip()
    return text.partition(",")[0] if "," in text else (text.split() or [""])[-1]


def ours(path: Path) -> Iterator[Entry]:
    for paper in formats.read_file(path):
        if isinstance(paper, Paper):
            author = paper.authors[0].last_name if paper.authors else ""
            yield entry(paper.title, f"{author},", paper.year, paper.identifier("doi"))


def by_bibtexparser(path: Path, module: Any) -> Iterator[Entry]:
    parser = module.bparser.BibTexParser(common_strings=True, ignore_nonstandard_types=False)
    with open_text(path) as stream:
        for one in module.load(stream, parser).entries:
            author = re.split(r"\s+and\s+", one.get("author", ""))[0]
            yield entry(
                one.get("title"), author, one.get("year") or one.get("date"), one.get("doi")
            )


def by_pybtex(path: Path, module: Any) -> Iterator[Entry]:
    with open_text(path) as stream:
        parsed = importlib.import_module("pybtex.database").parse_string(stream.read(), "bibtex")
    for one in parsed.entries.values():
        fields, people = one.fields, one.persons.get("author", [])
        author = " ".join(people[0].last_names) + "," if people else ""
        yield entry(fields.get("title"), author, fields.get("year"), fields.get("doi"))


def by_rispy(path: Path, module: Any) -> Iterator[Entry]:
    with open_text(path) as stream:
        for one in module.load(stream):
            title = one.get("title") or one.get("primary_title")
            authors = one.get("authors") or one.get("first_authors") or [""]
            year = one.get("year") or one.get("publication_year") or one.get("date")
            yield entry(title, authors[0], year, one.get("doi"))


def by_rispy_wos(path: Path, module: Any) -> Iterator[Entry]:
    with open_text(path) as stream:
        for one in module.load(stream, implementation=module.WokParser):
            title = one.get("document_title") or one.get("title")
            authors = one.get("authors") or [""]
            yield entry(title, authors[0], one.get("publication_year"), one.get("doi"))


def by_nbib(path: Path, module: Any) -> Iterator[Entry]:
    with open_text(path) as stream:
        for one in module.read(stream.read()):
            authors = one.get("authors") or [{}]
            year = one.get("publication_date")
            yield entry(
                one.get("title"), f"{authors[0].get('last_name', '')},", year, one.get("doi")
            )


def by_elements(path: Path, module: Any) -> Iterator[Entry]:
    """The XML of PubMed, EndNote and MODS, by paths that their documentations name."""
    root = ElementTree.parse(path).getroot()

    def text(one: ElementTree.Element, *paths: str) -> str:
        found = (one.find(path) for path in paths)
        return next(("".join(node.itertext()) for node in found if node is not None), "")

    for one in root.iter("PubmedArticle"):
        year = text(one, ".//JournalIssue/PubDate/Year", ".//JournalIssue/PubDate/MedlineDate")
        author = text(one, ".//AuthorList/Author/LastName")
        doi = text(one, ".//PubmedData/ArticleIdList/ArticleId[@IdType='doi']")
        yield entry(text(one, ".//ArticleTitle"), f"{author},", year, doi)
    for one in root.iterfind(".//records/record"):
        author = text(one, "contributors/authors/author")
        doi = text(one, "electronic-resource-num")
        yield entry(text(one, "titles/title"), author, text(one, "dates/year"), doi)
    for one in root.iter(f"{_MODS}mods"):
        paths = ("originInfo/dateIssued", "relatedItem/originInfo/dateIssued", "part/date")
        year = text(one, *(_MODS + path.replace("/", f"/{_MODS}") for path in paths))
        family = f"{_MODS}name/{_MODS}namePart[@type='family']"
        doi = text(one, f"{_MODS}identifier[@type='doi']")
        title = text(one, f"{_MODS}titleInfo/{_MODS}title")
        yield entry(title, f"{text(one, family)},", year, doi)


def by_json(path: Path, module: Any) -> Iterator[Entry]:
    items = json.loads(path.read_text("utf-8"))
    for one in items if isinstance(items, list) else items.get("items", []):
        author = (one.get("author") or [{}])[0]
        parts = (one.get("issued") or {}).get("date-parts") or [[""]]
        name = f"{author.get('family') or author.get('literal', '')},"
        yield entry(one.get("title"), name, parts[0][0], one.get("DOI"))


def by_csv(path: Path, module: Any) -> Iterator[Entry]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        for row in csv.DictReader(stream):
            author = (row.get("Author") or row.get("Authors") or "").split(";")[0]
            year = row.get("Publication Year") or row.get("Year")
            yield entry(row.get("Title"), author, year, row.get("DOI"))


READERS: tuple[tuple[str, str, str, Reader], ...] = (
    ("BibTeX", "bib/*.bib", "bibtexparser", by_bibtexparser),
    ("BibTeX", "bib/*.bib", "pybtex", by_pybtex),
    ("RIS", "ris/*.ris", "rispy", by_rispy),
    ("MEDLINE", "nbib/*.nbib", "nbib", by_nbib),
    ("Web of Science", "isi/*.isi", "rispy", by_rispy_wos),
    ("PubMed XML", "xml/*pubmed*.xml", "xml", by_elements),
    ("EndNote XML", "xml/*[eE]nd[nN]ote*.xml", "xml", by_elements),
    ("MODS", "xml/*M[Oo][Dd]*.xml", "xml", by_elements),
    ("CSL-JSON", "json/*csl*.json", "json", by_json),
    ("Zotero CSV", "csv/*asreview*.csv", "csv", by_csv),
)


def compare(pattern: str, module: Any, read: Reader, verbose: bool) -> tuple[int, ...] | None:
    """Files that the other reader can read, its records with a title, those of them that we read,
    and of these the equal authors, years and DOIs; None without files."""
    files = records = found = authors = years = dois = 0
    for path in sorted(FIXTURES.glob(pattern)):
        try:
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                theirs = [one for one in read(path, module) if one.title]
        except Exception as error:  # any: it is foreign code on damaged files
            if verbose:
                print(f"   {path.name}: {type(error).__name__} of the other reader")
            continue
        mine: dict[str, list[Entry]] = defaultdict(list)
        for one in ours(path):
            mine[one.title].append(one)
        files += 1
        records += len(theirs)
        for one in theirs:
            # Of several records with one title, the most similar one.
            equal = max((_equal(one, own) for own in mine[one.title]), key=sum, default=None)
            if equal:
                found += 1
                authors, years, dois = authors + equal[0], years + equal[1], dois + equal[2]
            if verbose and (not equal or not all(equal)):
                print(f"   {path.name}: {one} is {mine[one.title]}")
    return (files, records, found, authors, years, dois) if files else None


def _equal(one: Entry, other: Entry) -> tuple[bool, bool, bool]:
    """Whether author, year and DOI are equal; an author also without the particle of the name."""
    names = sorted((one.author, other.author), key=len)
    is_author = names[1].endswith(names[0]) and bool(names[0] or not names[1])
    return is_author, one.year == other.year, one.doi == other.doi


def main() -> int:
    if not FIXTURES.is_dir():
        print(f"There are no real files to read: {FIXTURES} is missing.")
        return 0
    verbose = "-v" in sys.argv
    heads = ("files", "records", "titles", "authors", "years", "DOIs")
    print(f"{'Format':16}{'Other reader':14}" + "".join(f"{head:>9}" for head in heads))
    for name, pattern, library, read in READERS:
        try:
            module = importlib.import_module(library)
        except ImportError:
            print(f"{name:16}{library:14}  is not installed")
            continue
        if counts := compare(pattern, module, read, verbose):
            print(f"{name:16}{library:14}" + "".join(f"{count:9,}" for count in counts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
