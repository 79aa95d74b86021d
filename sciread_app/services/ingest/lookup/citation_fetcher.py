"""Fetching of citations: what the papers of the library cite, and which papers cite them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import ModuleType

import numpy as np

from sciread_app.domain.citations import NAMES, STALE, CitationResponse, Names
from sciread_app.domain.metadata.identifiers import identifiers
from sciread_app.domain.paper import Identifier, Paper, PaperId, Skipped
from sciread_app.errors import SourceError
from sciread_app.language import tr, trn
from sciread_app.sources import semantic_scholar
from sciread_app.sources.http.client import Client
from sciread_app.sources.pubmed import links as pubmed_links
from sciread_app.storage.library import Library
from sciread_app.storage.papers.citations import Pair
from sciread_app.tasks import Task

# Papers stored at a time: a kill at any moment loses no more than these.
BATCH = semantic_scholar.BATCH
# Identifiers in the order in which Semantic Scholar knows them best.
_ASK_BY = ("arxiv", "doi", "pmid", "pmcid")


@dataclass
class CitationFetchReport:
    """Result of a fetch of citations. Each paper is either looked up or in the failures."""

    looked_up: int = 0  # papers that were looked up
    unknown: int = 0  # of these, those unknown to all sources
    references: int = 0
    citations: int = 0
    unanswered: int = 0  # papers that could not be looked up; the next run tries them again
    failed: list[Skipped] = field(default_factory=list)  # the reasons
    remarks: list[str] = field(default_factory=list)  # parts missing from the responses


class CitationFetcher:
    """Fetches citations from Semantic Scholar.

    PubMed is used where Semantic Scholar does not know the paper, withholds its references, or does
    not respond. Each response is stored at once, together with the papers that it completes, so
    that an interrupted run continues with the others.
    """

    def __init__(self, library: Library, client: Client) -> None:
        self._library = library
        self._client = client

    def fetch(self, task: Task, among: Iterable[PaperId] | None = None) -> CitationFetchReport:
        """Look up all papers, or these, that were not looked up within the last 90 days.

        A source that fails is not used again in this run, and the report gives the reason. Raises
        Cancelled; results so far are kept.
        """
        return _CitationFetch(self._library, self._client, task, among).report()


@dataclass(eq=False)
class _Case:
    """A paper whose lookup is not complete, with the responses so far."""

    id: PaperId
    name: Identifier  # identifiers for Semantic Scholar
    pmid: Identifier | None
    references: tuple[Identifier, ...]  # references in its own record
    scholar: CitationResponse | None = None
    pubmed: CitationResponse | None = None


class _CitationFetch:
    def __init__(
        self, library: Library, client: Client, task: Task, among: Iterable[PaperId] | None
    ) -> None:
        self._library = library
        self._client = client
        self._task = task
        self._report = CitationFetchReport()
        self._away: dict[str, SourceError] = {}  # failed sources, with their errors
        self._unanswered: Counter[str] = Counter()  # papers, by source
        self._withheld = self._nameless = 0
        before = time.time() - STALE
        ids = library.citations.papers_to_look_up(semantic_scholar.KEY, before)
        if among is not None:
            ids = np.intersect1d(ids, np.fromiter(among, dtype=np.int64))
        self._ids = ids.tolist()
        self._not_at_pubmed = set(
            library.citations.papers_to_look_up(pubmed_links.KEY, before).tolist()
        )

    def report(self) -> CitationFetchReport:
        for at in range(0, len(self._ids), BATCH):
            cases = list(_cases(self._library.get(self._ids[at : at + BATCH])))
            self._ask_scholar(cases)
            self._ask_pubmed([case for case in cases if self._is_for_pubmed(case)])
        self._sum_up()
        return self._report

    def _ask_scholar(self, cases: Sequence[_Case]) -> None:
        left = _grouped((case.name, case) for case in cases)
        for answers in self._replies(semantic_scholar, list(left)):
            answered = [
                (case, answer) for answer in answers for case in left.pop(answer.identifier, ())
            ]
            for case, answer in answered:
                case.scholar = answer
            settled = [case for case, _ in answered if not self._is_for_pubmed(case)]
            self._settle(semantic_scholar, answers, settled)
        for case in chain.from_iterable(left.values()):
            self._unanswered[semantic_scholar.KEY] += not self._is_for_pubmed(case)

    def _ask_pubmed(self, cases: Sequence[_Case]) -> None:
        left = _grouped((case.pmid, case) for case in cases if case.pmid)
        for answers in self._replies(pubmed_links, list(left)):
            answered = [
                (case, answer) for answer in answers for case in left.pop(answer.identifier, ())
            ]
            for case, answer in answered:
                case.pubmed = answer
            self._settle(pubmed_links, answers, [case for case, _ in answered])
        self._unanswered[pubmed_links.KEY] += sum(map(len, left.values()))

    def _is_for_pubmed(self, case: _Case) -> bool:
        if case.pmid is None or case.id not in self._not_at_pubmed:
            return False
        reply = case.scholar
        if reply is None or reply.problem or not reply.known:
            return True
        return reply.withheld and not case.references

    def _replies(
        self, source: ModuleType, names: Sequence[Identifier]
    ) -> Iterator[list[CitationResponse]]:
        """The responses of a source until it fails; none if it has failed before."""
        if not names or source.KEY in self._away:
            return
        self._notify(tr("Querying {source}", source=source.TITLE))
        try:
            yield from source.ask(names, self._client, self._task)
        except SourceError as error:
            self._away[source.KEY] = error

    def _settle(
        self, source: ModuleType, answers: Sequence[CitationResponse], settled: Sequence[_Case]
    ) -> None:
        """Store the citations of a response, and that these papers were looked up."""
        pairs = self._pairs(answers)
        marks, own = [], []
        for case in settled:
            last = case.pubmed or case.scholar
            assert last
            if last.problem:
                self._fail(source, case, last.problem)
                continue
            replies = [a for a in (case.scholar, case.pubmed) if a and not a.problem]
            if case.scholar in replies:
                marks.append((case.id, semantic_scholar.KEY))
            if case.pubmed in replies:
                marks.append((case.id, pubmed_links.KEY))
            self._report.looked_up += 1
            self._report.unknown += not any(answer.known for answer in replies)
            if not any(answer.cites for answer in replies):
                self._report.references += len(case.references)
                own += [(case.name, cited) for cited in case.references]
                self._withheld += replies[0].withheld and not case.references
        self._library.citations.put(chain(pairs, own), source.KEY, queried=marks)
        self._report.remarks += [f"{_shown(a.identifier)}: {a.remark}" for a in answers if a.remark]
        self._nameless += sum(answer.nameless for answer in answers)
        self._notify(tr("Querying {source}", source=source.TITLE))

    def _pairs(self, answers: Sequence[CitationResponse]) -> list[Pair]:
        """Citing and cited identifiers, in the form that the library uses if it has the paper."""
        others = [names for a in answers for names in (*a.cites, *a.cited_by)]
        held = self._library.citations.known_identifiers(chain.from_iterable(others))

        def known_as(names: Names) -> Identifier:
            return next((name for name in names if name in held), names[0])

        cites = [(a.identifier, known_as(names)) for a in answers for names in a.cites]
        cited_by = [(known_as(names), a.identifier) for a in answers for names in a.cited_by]
        self._report.references += len(cites)
        self._report.citations += len(cited_by)
        return cites + cited_by

    def _fail(self, source: ModuleType, case: _Case, why: str) -> None:
        self._report.unanswered += 1
        self._report.failed.append(Skipped(source.TITLE, _shown(case.name), why))

    def _notify(self, note: str) -> None:
        done = self._report.looked_up + self._report.unanswered + self._unanswered.total()
        self._task.step(done, len(self._ids), note)

    def _sum_up(self) -> None:
        report = self._report
        for source in (semantic_scholar, pubmed_links):
            error, count = self._away.get(source.KEY), self._unanswered[source.KEY]
            if error and count:
                why = f"{error} {error.hint}".strip()
                papers = trn("{n:,} paper", "{n:,} papers", count)
                report.failed.append(Skipped(source.TITLE, papers, why))
                report.unanswered += count
            elif error:
                report.remarks.append(tr("{error} PubMed was used instead.", error=error))
        if self._withheld:
            report.remarks.append(
                trn(
                    "{source} has no references for {n:,} paper because its publisher withholds "
                    "them.",
                    "{source} has no references for {n:,} papers because their publishers withhold "
                    "them.",
                    self._withheld,
                    source=semantic_scholar.TITLE,
                )
            )
        if self._nameless:
            report.remarks.append(
                trn(
                    "{n:,} citation was skipped because the other paper has no DOI, arXiv ID, "
                    "or PMID.",
                    "{n:,} citations were skipped because the other papers have no DOI, arXiv "
                    "ID, or PMID.",
                    self._nameless,
                )
            )


def _cases(papers: Iterable[Paper]) -> Iterator[_Case]:
    for paper in papers:
        names = [Identifier(kind, value) for kind in _ASK_BY if (value := paper.identifier(kind))]
        if names and paper.id is not None:  # the user may have edited it meanwhile
            pmid = next((name for name in names if name.kind == "pmid"), None)
            yield _Case(paper.id, names[0], pmid, _references(paper))


def _references(paper: Paper) -> tuple[Identifier, ...]:
    """The references in a PubMed record: "pmid:123 doi:10.1000/x"."""
    listed = (word.partition(":") for word in paper.extra.get("references", "").split())
    return identifiers(*((kind, value) for kind, _, value in listed if kind in NAMES))


def _grouped(cases: Iterable[tuple[Identifier, _Case]]) -> dict[Identifier, list[_Case]]:
    """Cases by identifier: several papers may share one, such as the DOI of a volume."""
    groups: dict[Identifier, list[_Case]] = {}
    for name, case in cases:
        groups.setdefault(name, []).append(case)
    return groups


def _shown(name: Identifier) -> str:
    return f"{name.kind}:{name.value}"
