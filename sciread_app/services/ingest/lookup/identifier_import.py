"""Adding papers by their identifiers, web addresses or titles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from sciread_app.domain.matching.record_keys import NAMING, block_keys
from sciread_app.domain.matching.record_linkage import share_name
from sciread_app.domain.matching.titles import TitleMatch, is_generic, match
from sciread_app.domain.metadata.identifiers import (
    DOI_IN_TEXT,
    closed_up,
    identifier,
    pasted_identifier,
)
from sciread_app.domain.paper import Identifier, Paper, PaperId
from sciread_app.errors import SourceError
from sciread_app.language import tr
from sciread_app.services.ingest.lookup.record_requests import (
    ARXIV,
    CROSSREF,
    DATACITE,
    ISBN,
    OPENALEX,
    PMCID,
    PMID,
    RecordRequests,
    Route,
)
from sciread_app.sources import semantic_scholar, web_page
from sciread_app.sources.http.client import Client
from sciread_app.sources.http.errors import RequestRejected
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

LOOKED_UP = (*sorted(NAMING), "isbn")  # kinds of identifiers
_ROUTES = (CROSSREF, DATACITE, ARXIV, PMID, PMCID, ISBN)
_BATCH = 50
_SHOWN_CANDIDATES = 5
_LONGEST_TEXT = 2_000  # characters
_LONGEST_NAME = 120  # characters, of an import
_TITLE_WORDS = 3  # at least
_PAGE_AT_SEMANTIC_SCHOLAR = re.compile(r"semanticscholar\.org/(?:.*/)?([0-9a-f]{40})\b", re.I)


class EntryState(StrEnum):
    found = "found"
    in_library = "in library"
    offered = "offered"  # several papers may be meant, or the title differs
    not_found = "not found"
    failed = "failed"  # a source did not answer


@dataclass(frozen=True)
class Entry:
    """A text of the user, and what it names.

    `paper` is the record that was found, or the paper in the library, which has an id. Of
    `candidates`, the user may choose one. `why` is the reason why there is no paper, as a sentence.
    """

    text: str
    state: EntryState
    paper: Paper | None = None
    candidates: tuple[Paper, ...] = ()
    reason: str = ""


@dataclass
class _Wanted:
    """An entry that is being looked up."""

    text: str
    name: Identifier | None = None
    address: str = ""
    page: Paper | None = None  # the record in a web page
    entry: Entry | None = None


class IdentifierImport:
    """Every method blocks and may be called from any thread."""

    def __init__(self, library: Library, client: Client) -> None:
        self._library = library
        self._client = client

    def find(self, texts: Sequence[str], task: Task) -> list[Entry]:
        """Look up the paper of each text, without adding any. Raises Cancelled."""
        wanted = [_wanted(text) for text in texts]
        requests = RecordRequests(self._client, task)
        note = tr("Looking up papers")
        task.step(0, len(wanted), note)
        for done, one in enumerate(wanted):
            if one.entry is None and one.address:
                self._read_page(one, task)
                task.step(done, len(wanted), note)
        for one in wanted:
            if one.entry is None and one.name:
                one.entry = self._known(one.text, one.name)
        self._ask_by_identifier([one for one in wanted if one.entry is None and one.name], requests)
        entries = []
        for done, one in enumerate(wanted, start=1):
            entries.append(one.entry or self._by_title(one.text, requests))
            task.step(done, len(wanted), note)
        return entries

    def add(self, papers: Sequence[Paper], name: str) -> list[PaperId]:
        """Add these records to the library as an import of this name."""
        if not papers:
            return []
        if len(name) > _LONGEST_NAME:
            name = f"{name[:_LONGEST_NAME]}…"
        log = self._library.import_log
        number = log.open(name)
        stored = self._library.put(papers, import_id=number)
        log.close(number)
        return stored.ids

    def add_all(self, texts: Sequence[str], task: Task) -> Iterator[tuple[Entry, PaperId | None]]:
        """Add what each text names, if that is certain, in batches: at most one is lost if the
        program is killed. Yields each entry, and the paper that was added for it."""
        for start in range(0, len(texts), _BATCH):
            entries = self.find(texts[start : start + _BATCH], task.part(start, len(texts)))
            found = [one for one in entries if one.state == EntryState.found]
            name = "; ".join(one.text for one in found)
            ids = iter(self.add([one.paper for one in found if one.paper], name))
            seen: set[PaperId] = set()
            for entry in entries:
                id = next(ids) if entry.state == EntryState.found else None
                if id in seen:  # named twice
                    [paper] = self._library.get([id] if id else [])
                    entry, id = replace(entry, state=EntryState.in_library, paper=paper), None
                seen |= {id} if id else set()
                yield entry, id

    def _known(self, text: str, *names: Identifier) -> Entry | None:
        """The entry of a paper in the library with one of these identifiers."""
        for name in names:
            if name.kind in LOOKED_UP:
                for paper in self._library.get(self._library.with_identifier(name)):
                    if name.kind != "isbn" or _is_whole(paper):
                        return Entry(text, EntryState.in_library, paper)
        return None

    def _found(self, text: str, record: Paper) -> Entry:
        names = [name for name in record.identifiers if name.kind in NAMING]
        return self._known(text, *names) or Entry(text, EntryState.found, record)

    def _read_page(self, one: _Wanted, task: Task) -> None:
        """Look for an identifier of the paper, or its record, in a web page."""
        try:
            if match := _PAGE_AT_SEMANTIC_SCHOLAR.search(one.address):
                sha = match[1].lower()
                names = semantic_scholar.identifiers_of(sha, self._client, task)
            else:
                one.page = web_page.paper_at(one.address, self._client, task)
                names = one.page.identifiers if one.page else ()
        except RequestRejected as error:
            one.entry = Entry(one.text, EntryState.not_found, reason=error.message)
            return
        except SourceError as error:
            why = f"{error.message} {error.hint}".strip()
            one.entry = Entry(one.text, EntryState.failed, reason=why)
            return
        one.name = next((name for name in names if name.kind in LOOKED_UP), None)
        if one.name is None and one.page:
            one.entry = self._found(one.text, one.page)
        elif one.name is None:
            why = tr("The page does not name a paper.")
            one.entry = Entry(one.text, EntryState.not_found, reason=why)

    def _ask_by_identifier(self, wanted: Sequence[_Wanted], requests: RecordRequests) -> None:
        names = [one.name for one in wanted if one.name]
        parts = [requests.by_doi(names)]
        parts += [requests.by_identifiers(route, names) for route in (ARXIV, PMID, PMCID, ISBN)]
        for one in wanted:
            assert one.name
            record = next((part.found[one.name] for part in parts if one.name in part.found), None)
            if record := record or (one.page if one.page and one.page.title else None):
                one.entry = self._found(one.text, record)
            elif any(one.name in part.unasked for part in parts):
                reason = _reason(
                    requests, [route for route in _ROUTES if route.kind == one.name.kind]
                )
                one.entry = Entry(one.text, EntryState.failed, reason=reason)
            else:
                why = tr("No online source lists this identifier.")
                one.entry = Entry(one.text, EntryState.not_found, reason=why)

    def _by_title(self, title: str, requests: RecordRequests) -> Entry:
        for paper in self._library.get(self._library.titled_like([block_keys(title)[0]])):
            if match(title, paper.title) == TitleMatch.equal and not is_generic(title):
                return Entry(title, EntryState.in_library, paper)
        similar: list[Paper] = []
        failed = False
        for source in (CROSSREF, OPENALEX):
            records = requests.by_title(source, title)
            failed = failed or records is None
            for record in records or ():
                known = any(share_name(record, other) for other in similar)
                if not known and match(title, record.title) >= TitleMatch.near:
                    similar.append(record)
            equal = [one for one in similar if match(title, one.title) == TitleMatch.equal]
            if len(equal) == 1 and not is_generic(title):
                return self._found(title, equal[0])
            if equal:
                break
        if similar:
            candidates = tuple(similar[:_SHOWN_CANDIDATES])
            why = tr("Several papers have this title, or a similar one.")
            return Entry(title, EntryState.offered, candidates=candidates, reason=why)
        if failed:
            return Entry(title, EntryState.failed, reason=_reason(requests, (CROSSREF, OPENALEX)))
        why = tr("No online source lists this title.")
        return Entry(title, EntryState.not_found, reason=why)


def split_texts(text: str) -> list[str]:
    """The entries in a text, one in a line; several identifiers in a line are entries too.

    Commas and semicolons after identifiers are not part of them.
    """
    entries: list[str] = []
    for line in text.splitlines():
        line = line.strip().removeprefix("- ").strip()
        parts = [part for word in line.split() for part in _parts(word)]
        if all(map(named, parts)):
            entries += parts
        else:
            bare = line.rstrip(",; ")
            entries.append(bare if named(bare) else line)
    return list(dict.fromkeys(entries))


def _parts(word: str) -> list[str]:
    """The identifiers in a word: DOIs may contain commas and semicolons, after which there is no
    identifier."""
    parts = [part for part in re.split("[,;]", word) if part]
    return parts if all(map(_name, parts)) else [word.strip(",;")]


def is_title(text: str) -> bool:
    """Whether a text may be the title of a paper rather than a word."""
    return len(text.split()) >= _TITLE_WORDS


def named(text: str) -> bool:
    """Whether a text is an identifier that can be looked up, or the address of a web page."""
    return bool(_name(text)) or web_page.is_address(text)


def _name(text: str) -> Identifier | None:
    found = pasted_identifier(text)
    return found if found and found.kind in LOOKED_UP else None


def _wanted(text: str) -> _Wanted:
    text = text.strip()
    if len(text) > _LONGEST_TEXT:
        why = tr("The text is too long. Enter an identifier, an address, or a title.")
        return _Wanted(text, entry=Entry(text, EntryState.not_found, reason=why))
    if name := _name(text):
        return _Wanted(text, name)
    address = f"https://{text}" if text.startswith("www.") else text
    if web_page.is_address(address):
        return _Wanted(text, address=address)
    # A reference that ends with its DOI.
    dois = {identifier("doi", found) for found in DOI_IN_TEXT.findall(closed_up(text))} - {None}
    if len(dois) == 1:
        return _Wanted(text, dois.pop())
    if not is_title(text):
        why = tr(
            "This is no identifier and no address, and too short for a title. Enter a DOI, an "
            "arXiv ID, a PMID, a PMCID, an ISBN, an address, or a whole title."
        )
        return _Wanted(text, entry=Entry(text, EntryState.not_found, reason=why))
    return _Wanted(text)


def _is_whole(paper: Paper) -> bool:
    """Whether the ISBN of a paper is its own, and not that of the book which it is a part of."""
    if paper.kind in ("chapter", "paper-conference"):
        return False
    return paper.kind == "book" or not any(name.kind in NAMING for name in paper.identifiers)


def _reason(requests: RecordRequests, routes: Iterable[Route]) -> str:
    """Why the first of these sources that failed did not answer."""
    failed = requests.failed
    error = next(failed[route.title] for route in routes if route.title in failed)
    return f"{error.message} {error.hint}".strip()
