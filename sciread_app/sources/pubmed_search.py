"""Asking PubMed which papers a query finds: slices that it can show whole, and what it remarks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from lxml import etree

from sciread_app.domain.fetches import SourceQuery
from sciread_app.errors import SourceError
from sciread_app.formats.xml_stream import document, text_of
from sciread_app.language import tr, trn
from sciread_app.sources.answers import Answer
from sciread_app.sources.days import first_day, last_day
from sciread_app.sources.http import Client
from sciread_app.tasks import Task

# PubMed shows no more papers of one search, whatever is asked and whether through its history
# server or not; a page that goes beyond is cut without a word.
MOST = 9_999
# Every paper has a day of entry between these two.
_FIRST_DAY, _LAST_DAY = date(1900, 1, 1), date(2100, 12, 31)
_HIGHEST_PMID = 99_999_999
# PubMed's days are those of Maryland, which may be the day before.
_A_DAY = timedelta(days=1)
# Failures of its own that PubMed puts into the words of an answer. They pass.
_PASSES = re.compile(r"timed? ?out|backend address|temporar|unavailable|resolve|connect", re.I)
_TAG_HELP = tr(
    "Fields are written behind the words, such as sepsis[ti], smith j[au] or humans[mh]."
)
_LONGEST_TRANSLATION = 400


class Slice(NamedTuple):
    """A part of what a query finds: all that was entered in these days, with these PMIDs.

    All bounds are inclusive, days ISO dates; empty and 0 mean unbounded.
    """

    first: str = ""
    last: str = ""
    low: int = 0
    high: int = 0

    def halves(self) -> tuple[Slice, Slice]:
        """The older half and the newer one. A single day, which has no halves, goes by PMIDs."""
        first = date.fromisoformat(self.first) if self.first else _FIRST_DAY
        last = date.fromisoformat(self.last) if self.last else _LAST_DAY
        if first < last:
            middle = first + (last - first) // 2
            return (
                Slice(first.isoformat(), middle.isoformat()),
                Slice((middle + timedelta(1)).isoformat(), last.isoformat()),
            )
        low, high = self.low or 1, self.high or _HIGHEST_PMID
        pmid = (low + high) // 2
        return self._replace(low=low, high=pmid), self._replace(low=pmid + 1, high=high)


class Found(NamedTuple):
    """What a search has found."""

    total: int
    pmids: Sequence[str]  # as many as were asked for
    web_env: str  # where PubMed remembers the list, for some hours
    query_key: str
    remark: str  # what PubMed says about the query; mostly nothing
    translation: str  # how it has understood the query


def slice_of(query: SourceQuery) -> Slice:
    """All that a query asks for."""
    if not query.since and not query.until:
        return Slice()
    first = first_day(query.since) or _FIRST_DAY.isoformat()
    return Slice(first, last_day(query.until) or _LAST_DAY.isoformat())


def search(
    query: SourceQuery,
    part: Slice,
    most: int,
    client: Client,
    task: Task,
    *,
    doubted: Callable[[int], str] = lambda total: "",
    fresh: bool = True,
) -> Found:
    """Count the papers in a part of what a query finds, and name the first `most`.

    An answer is not cached if its total is `doubted`, for which that gives a reason. Raises
    SourceError if PubMed refuses the query, or does not keep to the bounds of the part.
    """
    answer = Answer(document, lambda root: _why(root, most))
    form = _form(query, part, most)
    body = client.ask(
        "eutils",
        "esearch.fcgi",
        form=form,
        task=task,
        check=answer.check,
        doubted=lambda body: bool(doubted(int(answer.read(body).findtext("Count") or 0))),
        fresh=fresh,
    )
    found = _found(answer.read(body))
    if part.high and found.total > part.high - part.low + 1:
        raise SourceError(
            tr("PubMed finds more papers in a range of PMIDs than can be in it."),
            tr("Narrow the query by dates or words."),
        )
    return found


def _form(query: SourceQuery, part: Slice, most: int) -> list[tuple[str, str]]:
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


def _why(root: etree._Element, most: int) -> str:
    """Why this is no answer to a search that may be believed; empty if it is one."""
    if root.tag != "eSearchResult":
        name = etree.QName(root).localname
        return tr("The answer is no list of papers, but <{element}>.", element=name)
    if error := text_of(root.find("ERROR")):
        return _sentence(error) if _PASSES.search(error) else ""
    total = root.findtext("Count", "").strip()
    if not total.isdecimal():
        return tr("The answer does not say how many papers there are.")
    named, expected = len(root.findall("IdList/Id")), min(int(total), most, MOST)
    too_few = trn(
        "Only {named:,} of {n:,} paper is named.",
        "Only {named:,} of {n:,} papers are named.",
        expected,
        named=named,
    )
    return too_few if named < expected else ""


def _found(root: etree._Element) -> Found:
    if error := text_of(root.find("ERROR")):
        said = tr("PubMed refuses the query: {error}", error=_sentence(error))
        raise SourceError(said, _hint(error))
    if fields := _texts(root, "ErrorList/FieldNotFound"):
        raise SourceError(tr("PubMed knows no field {names}.", names=_listed(fields)), _TAG_HELP)
    return Found(
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
            tr("PubMed finds nothing for {words}: look at the spelling.", words=_listed(unknown))
        )
    if ignored := _texts(root, "WarningList/PhraseIgnored"):
        remarks.append(tr("PubMed leaves out {words}.", words=_listed(ignored)))
    for message in _texts(root, "WarningList/OutputMessage"):
        # That there is nothing, and that not all is shown at once, is known from the numbers.
        if not re.match(r"No items found|Restrictions achieved", message):
            remarks.append(tr("PubMed remarks: {message}", message=_sentence(message)))
    return " ".join(remarks)


def understood(found: Found, text: str) -> str:
    """How PubMed has understood the query, as a sentence; empty if it took it as it stands."""
    if found.translation.casefold() in ("", text.casefold()):
        return ""
    translation = found.translation
    if len(translation) > _LONGEST_TRANSLATION:
        translation = f"{translation[:_LONGEST_TRANSLATION].rsplit(' ', 1)[0]} …"
    return tr("PubMed reads this as: {query}", query=translation)


def _hint(error: str) -> str:
    return tr("Write what to look for.") if "mpty term" in error else tr("Change the query.")


def _texts(root: etree._Element, path: str) -> list[str]:
    return [text for element in root.iterfind(path) if (text := text_of(element))]


def _listed(words: Sequence[str]) -> str:
    bare = (word.strip('"') for word in words)
    return ", ".join(f"“{word}”" for word in bare)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
