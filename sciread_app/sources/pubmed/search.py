"""PubMed searches, split into slices within its limit of results."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from lxml import etree

from sciread_app.domain.fetch import SourceQuery
from sciread_app.errors import SourceError
from sciread_app.formats.files.xml_stream import document, text_of
from sciread_app.language import tr, trn
from sciread_app.sources.date_bounds import first_day, last_day
from sciread_app.sources.http.client import Client
from sciread_app.tasks import Task

# PubMed returns no more papers of one search, with or without its history server; a page that
# exceeds this is truncated without notice.
MOST = 9_999
# All dates of entry are between these two.
_FIRST_DAY, _LAST_DAY = date(1900, 1, 1), date(2100, 12, 31)
_HIGHEST_PMID = 99_999_999
# PubMed's days are those of Maryland, which may be the day before.
_A_DAY = timedelta(days=1)
# Temporary failures that PubMed reports within a valid response.
_PASSES = re.compile(r"timed? ?out|backend address|temporar|unavailable|resolve|connect", re.I)
_TAG_HELP = tr("Put fields after the words, such as sepsis[ti], smith j[au], or humans[mh].")
_LONGEST_TRANSLATION = 400


class PubmedSlice(NamedTuple):
    """A part of a query's results: the papers entered in these days, with these PMIDs.

    All bounds are inclusive, days ISO dates; empty and 0 mean unbounded.
    """

    first: str = ""
    last: str = ""
    low: int = 0
    high: int = 0

    def halves(self) -> tuple[PubmedSlice, PubmedSlice]:
        """The older half and the newer one. A single day, which cannot be split, is split by
        PMIDs."""
        first = date.fromisoformat(self.first) if self.first else _FIRST_DAY
        last = date.fromisoformat(self.last) if self.last else _LAST_DAY
        if first < last:
            middle = first + (last - first) // 2
            return (
                PubmedSlice(first.isoformat(), middle.isoformat()),
                PubmedSlice((middle + timedelta(1)).isoformat(), last.isoformat()),
            )
        low, high = self.low or 1, self.high or _HIGHEST_PMID
        pmid = (low + high) // 2
        return self._replace(low=low, high=pmid), self._replace(low=pmid + 1, high=high)


class SearchResult(NamedTuple):
    """The result of a search."""

    total: int
    pmids: Sequence[str]  # as many as requested
    web_env: str  # the list on the history server, for some hours
    query_key: str
    remark: str  # PubMed's remarks on the query; mostly empty
    translation: str  # the query as interpreted by PubMed


def slice_of(query: SourceQuery) -> PubmedSlice:
    """The slice of all results of a query."""
    if not query.since and not query.until:
        return PubmedSlice()
    first = first_day(query.since) or _FIRST_DAY.isoformat()
    return PubmedSlice(first, last_day(query.until) or _LAST_DAY.isoformat())


def search(
    query: SourceQuery,
    part: PubmedSlice,
    most: int,
    client: Client,
    task: Task,
    *,
    doubted: Callable[[int], str] = lambda total: "",
    fresh: bool = True,
) -> SearchResult:
    """Count the papers in a slice of a query's results, and return the first `most` PMIDs.

    A response is not cached if `doubted` returns a reason to doubt its total. Raises SourceError if
    PubMed refuses the query, or ignores the bounds of the slice.
    """
    form = _form(query, part, most)
    root = client.ask(
        "eutils",
        "esearch.fcgi",
        form=form,
        task=task,
        parse=document,
        check=lambda root: _reason(root, most),
        doubted=lambda root: bool(doubted(int(root.findtext("Count") or 0))),
        fresh=fresh,
    )
    found = _found(root)
    if part.high and found.total > part.high - part.low + 1:
        raise SourceError(
            tr("PubMed reports more papers for a range of PMIDs than the range can contain."),
            tr("Narrow the query with dates or more words."),
        )
    return found


def _form(query: SourceQuery, part: PubmedSlice, most: int) -> list[tuple[str, str]]:
    term = query.text
    if query.changed_since:
        day = (date.fromisoformat(query.changed_since[:10]) - _A_DAY).strftime("%Y/%m/%d")
        term = f"({term}) AND ({day}:3000[edat] OR {day}:3000[lr])"
    if part.high:
        term = f"({term}) AND {part.low}:{part.high}[uid]"
    form = [("db", "pubmed"), ("term", term), ("usehistory", "y"), ("retmode", "xml")]
    form += [("retstart", "0"), ("retmax", str(most))]
    if part.first:
        days = (part.first.replace("-", "/"), part.last.replace("-", "/"))
        form += [("datetype", "edat"), ("mindate", days[0]), ("maxdate", days[1])]
    return form


def _reason(root: etree._Element, most: int) -> str:
    """The reason why this is no valid search response; empty if it is one."""
    if root.tag != "eSearchResult":
        name = etree.QName(root).localname
        return tr("it is not a list of papers: its root element is <{element}>", element=name)
    if error := text_of(root.find("ERROR")):
        return _sentence(error) if _PASSES.search(error) else ""
    total = root.findtext("Count", "").strip()
    if not total.isdecimal():
        return tr("it does not contain the number of papers")
    named, expected = len(root.findall("IdList/Id")), min(int(total), most, MOST)
    too_few = trn(
        "it lists only {named:,} of {n:,} paper",
        "it lists only {named:,} of {n:,} papers",
        expected,
        named=named,
    )
    return too_few if named < expected else ""


def _found(root: etree._Element) -> SearchResult:
    if error := text_of(root.find("ERROR")):
        message = tr("PubMed rejected the query: {error}", error=_sentence(error))
        raise SourceError(message, _hint(error))
    if fields := _texts(root, "ErrorList/FieldNotFound"):
        raise SourceError(tr("PubMed has no field {names}.", names=_listed(fields)), _TAG_HELP)
    return SearchResult(
        total=int(root.findtext("Count", "0")),
        pmids=list(dict.fromkeys(_texts(root, "IdList/Id"))),
        web_env=root.findtext("WebEnv", "").strip(),
        query_key=root.findtext("QueryKey", "").strip(),
        remark=_remark(root),
        translation=text_of(root.find("QueryTranslation")),
    )


def _remark(root: etree._Element) -> str:
    remarks = []
    unknown = [
        *_texts(root, "ErrorList/PhraseNotFound"),
        *_texts(root, "WarningList/QuotedPhraseNotFound"),
    ]
    if unknown:
        remarks.append(
            tr("PubMed finds nothing for {words}. Check the spelling.", words=_listed(unknown))
        )
    if ignored := _texts(root, "WarningList/PhraseIgnored"):
        remarks.append(tr("PubMed ignores {words}.", words=_listed(ignored)))
    for message in _texts(root, "WarningList/OutputMessage"):
        # These two messages are known from the counts.
        if not re.match(r"No items found|Restrictions achieved", message):
            remarks.append(tr("Note from PubMed: {message}", message=_sentence(message)))
    return " ".join(remarks)


def understood(found: SearchResult, text: str) -> str:
    """PubMed's interpretation of the query, as a sentence; empty if it is unchanged."""
    if found.translation.casefold() in ("", text.casefold()):
        return ""
    translation = found.translation
    if len(translation) > _LONGEST_TRANSLATION:
        translation = f"{translation[:_LONGEST_TRANSLATION].rsplit(' ', 1)[0]} …"
    return tr("PubMed interprets the query as: {query}", query=translation)


def _hint(error: str) -> str:
    return tr("Enter a query.") if "mpty term" in error else tr("Check the query and try again.")


def _texts(root: etree._Element, path: str) -> list[str]:
    return [text for element in root.iterfind(path) if (text := text_of(element))]


def _listed(words: Sequence[str]) -> str:
    bare = (word.strip('"') for word in words)
    return ", ".join(f"“{word}”" for word in bare)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
