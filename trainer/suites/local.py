"""The local suite: what any corpus of one's own can tell of a model, by the papers set aside.

Papers that are asked about are of the test part of the split, which no training reads; but for
unseen journals, of which no training may have read. Which of them, and what they are held against,
depends on the corpus alone. Sizes, at the most:

fields            40 fields with 50 papers or more, 100 papers each; by primary field. Clusters of
                  so few agree with any labels by chance: look at `random` beside it
field-pairs       3,000 papers
journals          100 journals with 10 papers or more, 100 papers each
unseen-journals   all papers of the journals named, of whatever part. A model whose run lists one
                  of them among the journals that it learned has no part in it
citations         1,000 papers, 5 that each cites among 25 others. These may be of any part:
                  the citations of a test paper are unseen, whatever it cites. All of a list have
                  an abstract, or none has
co-citations      the same, of papers that a test paper cites together with a test paper
cited-pairs       2,000 pairs, half of them a paper and one that it cites
labels            30 labels; learned from 3,000 papers of the training part, told of 2,000
questions         1,000 questions among 10,000 papers; titles that are the question are left out
same-field, same-journal   5,000 papers
cited-neighbours  1,000 papers; what they cite, among 5,000 in all or more
health            2,000 papers, and their titles alone

Whoever wants but a look names a number of papers (`Settings.papers`): no task has more of the test
part then; a tenth of them are asked for what they cite, among others of them, and half as many of
the training part teach labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.data.chance import chosen, shuffled
from trainer.data.corpus import DESCRIPTION, Corpus, Split
from trainer.evaluations.base import Paper, Task
from trainer.suites import judged
from trainer.suites.files import lines_of
from trainer.suites.suite import LeavingOut, Planned, Settings, Suite, bind

Rows = NDArray[np.int64]

FIELDS, JOURNALS, PER_GROUP, PER_GROUP_AT_LEAST, PER_FIELD_AT_LEAST = 40, 100, 100, 10, 50
PAIRED, NEIGHBOURS = 3_000, 5_000
QUERIES, CITED, OTHERS, PAIRS = 1_000, 5, 25, 1_000
LABELS, LEARNED, TOLD = 30, 3_000, 2_000
QUESTIONS, DOCUMENTS = 1_000, 10_000
HEALTH = 2_000


def fits(folder: Path) -> bool:
    return (folder / DESCRIPTION).is_file()


def suite(
    folder: Path,
    settings: Settings,
    *,
    unseen: Path | None = None,
    queries: Path | None = None,
) -> Suite:
    """`unseen` is a file that names journals, one a line; `queries` a folder of judged ones.

    Raises TrainerError where there is no corpus.
    """
    local = Local(Corpus.open(folder), settings)
    planned = [Planned(name, title, make) for name, (title, make) in local.tasks.items()]
    if unseen:
        names = _lines(unseen)
        planned += [
            Planned(name, title, partial(make, names))
            for name, (title, make) in local.unseen.items()
        ]
    if queries:
        planned += judged.suite(queries, settings).planned
    return Suite("local", planned, f"{local.corpus.papers:,} papers in {folder}")


class Local:
    """The tasks of one corpus."""

    def __init__(self, corpus: Corpus, settings: Settings) -> None:
        self.corpus, self._settings = corpus, settings

    @property
    def tasks(self) -> Mapping[str, tuple[str, Callable[[], Task]]]:
        """By name: a title, and what makes the task or raises TrainerError."""
        return {
            "fields": ("Fields", self.fields),
            "field-pairs": ("Pairs that share a field", self.field_pairs),
            "journals": ("Journals", self.journals),
            "journal-clusters": ("Clusters of journals", self.journal_clusters),
            "citations": ("Citations", self.citations),
            "co-citations": ("Co-citations", self.co_citations),
            "cited-pairs": ("Pairs by citation", self.cited_pairs),
            "labels": ("Labels", self.labels),
            "questions": ("Questions", self.questions),
            "same-field": ("Neighbours of the same field", self.same_field),
            "same-journal": ("Neighbours in the same journal", self.same_journal),
            "cited-neighbours": ("Neighbours that are cited", self.cited_neighbours),
            "health": ("Health of the space", self.health),
        }

    @property
    def unseen(self) -> Mapping[str, tuple[str, Callable[[Collection[str]], Task]]]:
        """Tasks of journals that no training knew, which are to be named."""
        return {
            "unseen-journals": ("Unseen journals", self.unseen_journals),
            "unseen-journal-clusters": ("Clusters of unseen journals", self.unseen_clusters),
        }

    def fields(self) -> Task:
        from trainer.evaluations.clustering import FoldedVMeasure

        labels = self._named(self._fields, self.corpus.field_names)
        return bind("fields", "v_measure", FoldedVMeasure(labels), self._papers(labels), labels)

    def field_pairs(self) -> Task:
        from trainer.evaluations.pearson import PearsonPairs

        sets = self._field_sets("field-pairs", PAIRED)
        measure = PearsonPairs(sets)
        return bind("field-pairs", "pearson_pairs", measure, self._papers(sets), sets)

    def journals(self) -> Task:
        return self._probe("journals", self._journals)

    def journal_clusters(self) -> Task:
        return self._purity("journal-clusters", self._journals)

    def unseen_journals(self, names: Collection[str]) -> Task:
        return self._of_unseen(self._probe, "unseen-journals", names)

    def unseen_clusters(self, names: Collection[str]) -> Task:
        return self._of_unseen(self._purity, "unseen-journal-clusters", names)

    def citations(self) -> Task:
        near = {row: self._cited_alike(row).tolist() for row in self._citing.tolist()}
        return self._ranking("citations", near)

    def co_citations(self) -> Task:
        near: dict[int, list[int]] = {}
        test = set(self._test.tolist())
        for row in self._citing.tolist():
            cited = self._mixed(self._cited_alike(row), "co-citations", row)
            # The paper that stands for it is one that stands for no other yet.
            first = next((paper for paper in cited if paper in test and paper not in near), None)
            if len(cited) > 1 and first is not None:
                near[first] = [paper for paper in cited if paper != first]
        return self._ranking("co-citations", near)

    def cited_pairs(self) -> Task:
        from trainer.evaluations.pairs import CosineAccuracy, Pair

        pairs = []
        for row in self._citing[:PAIRS].tolist():
            cited, name = self.corpus.cites[row], self.corpus.id(row)
            near = self._mixed(self._cited_alike(row), "cited-pairs", row)[:1]
            far = self._others("cited-pairs", row, cited, 1)
            pairs += [Pair(name, self.corpus.id(at), True) for at in near]
            pairs += [Pair(name, self.corpus.id(at), False) for at in far]
        _need(pairs, "citations of test papers")
        papers = self._papers({name for pair in pairs for name in pair[:2]})
        return bind("cited-pairs", "cosine_accuracy", CosineAccuracy(pairs), papers, pairs)

    def labels(self) -> Task:
        from trainer.evaluations.svm import SvmProbe

        most = min(LEARNED, self._settings.papers // 2 or LEARNED)
        train = self.corpus.rows(Split.train)
        learn = self._labelled(train, most, self._usual_labels())
        sizes = Counter(learn.values())
        kept = {label for label, count in sizes.items() if count >= PER_GROUP_AT_LEAST}
        learn = {paper: label for paper, label in learn.items() if label in kept}
        codes = {self.corpus.label_names.index(label) for label in kept}
        tell = self._labelled(self._test, TOLD, codes)
        _need(learn, f"label that {PER_GROUP_AT_LEAST} papers of the training part bear alone")
        _need(tell, "test papers with one of its usual labels")
        papers = self._papers({**learn, **tell})
        return bind("labels", "svm", SvmProbe(learn, tell), papers, [learn, tell])

    def questions(self) -> Task:
        corpus, test = self.corpus, self._test
        asked = np.flatnonzero(np.isin(corpus.question_papers, test))
        asked = asked[shuffled(len(asked), "local", "questions")][:QUESTIONS]
        _need(asked, "questions that test papers answer")
        answers = corpus.question_papers[asked]
        rest = np.setdiff1d(test, answers)
        rest = rest[shuffled(len(rest), "local", "documents")][:DOCUMENTS]
        texts = self._texts([*answers.tolist(), *rest.tolist()])
        # Where a title is the question itself, as in PubMedQA, to find it would be no art.
        told = {corpus.questions[number] for number in asked.tolist()}
        papers = {p.id: p._replace(title="") if p.title in told else p for p in texts}
        queries = {f"question {number}": corpus.questions[number] for number in asked.tolist()}
        qrels = {
            query: {corpus.id(row): 1} for query, row in zip(queries, answers.tolist(), strict=True)
        }
        return judged.of_queries("questions", papers, queries, qrels)

    def same_field(self) -> Task:
        return self._neighbours("same-field", self._field_sets("same-field", NEIGHBOURS), "group")

    def same_journal(self) -> Task:
        rows = self._test[self.corpus.venues[self._test] >= 0]
        rows = rows[shuffled(len(rows), "local", "same-journal")][:NEIGHBOURS]
        _need(rows, "test papers with a journal")
        names = {self.corpus.id(row): [self._venue(row)] for row in rows.tolist()}
        return self._neighbours("same-journal", names, "group")

    def cited_neighbours(self) -> Task:
        cited = {row: self.corpus.cites[row].tolist() for row in self._citing.tolist()}
        there = {*cited, *(paper for some in cited.values() for paper in some)}
        rest = np.setdiff1d(self._test, np.array(sorted(there), np.int64))
        rest = rest[shuffled(len(rest), "local", "cited")][: max(0, NEIGHBOURS - len(there))]
        links: dict[str, Sequence[str]] = {}
        for row in sorted({*there, *rest.tolist()}):
            links[self.corpus.id(row)] = [self.corpus.id(at) for at in cited.get(row, ())]
        _need(cited, "citations of test papers")
        return self._neighbours("cited-neighbours", links, "links")

    def health(self) -> Task:
        from trainer.evaluations.health import Health

        rows = self._test[shuffled(len(self._test), "local", "health")][:HEALTH]
        _need(rows, "test papers")
        papers = self._texts(np.sort(rows).tolist())
        # Without an abstract a title is all there is, and finds itself.
        titles = [Paper(p.id, p.title) for p in papers if p.title and p.abstract.strip()]
        return bind("health", "health", Health(len(papers)), papers, [], queries=titles)

    def _probe(self, name: str, labels: Mapping[str, str], split: str = "test") -> Task:
        from trainer.evaluations.classification import LinearProbe

        measure = LinearProbe(labels, runs=self._settings.runs or LinearProbe.runs)
        return bind(name, "probe", measure, self._papers(labels), labels, split=split)

    def _purity(self, name: str, labels: Mapping[str, str], split: str = "test") -> Task:
        from trainer.evaluations.clustering import Purity

        measure = Purity(labels, runs=self._settings.runs or Purity.runs)
        return bind(name, "purity", measure, self._papers(labels), labels, split=split)

    def _ranking(self, name: str, near: Mapping[int, Sequence[int]]) -> Task:
        from trainer.evaluations.ranking import RankedLists

        lists = {}
        for row, cited in near.items():
            wanted = self._mixed(cited, name, row)[:CITED]
            others = self._others(name, row, cited, OTHERS)
            lists[self.corpus.id(row)] = [
                *((self.corpus.id(at), 1) for at in wanted),
                *((self.corpus.id(at), 0) for at in others),
            ]
        _need(lists, f"{name} of test papers")
        papers = self._papers({*lists, *(at for some in lists.values() for at, _ in some)})
        return bind(name, "ranking", RankedLists(lists), papers, lists)

    def _neighbours(
        self, name: str, akin: Mapping[str, Collection[str]], among: Literal["group", "links"]
    ) -> Task:
        from trainer.evaluations.neighbours import Neighbours

        measure = Neighbours(akin, among)
        return bind(name, "neighbours", measure, self._papers(akin), akin)

    @cached_property
    def _test(self) -> Rows:
        rows = self.corpus.rows(Split.test)
        most = self._settings.papers
        return np.sort(rows[shuffled(len(rows), "local", "papers")[:most]]) if most else rows

    @cached_property
    def _citing(self) -> Rows:
        """Test papers that cite some like them, in an order of chance; those with an abstract
        first."""
        rows = self._test[self.corpus.cites.counts[self._test] > 0]
        rows = np.array([row for row in rows if len(self._cited_alike(row))], np.int64)
        rows = rows[shuffled(len(rows), "local", "citing")]
        most = min(QUERIES, self._settings.papers // 10 or QUERIES)
        return rows[np.argsort(self._bare[rows], kind="stable")][:most]

    @cached_property
    def _bare(self) -> NDArray[np.bool_]:
        """Of each paper of the corpus, whether it has no abstract.

        A vector of a title alone may be several times as long as one of both, and lie elsewhere:
        in a list of both kinds a model would be ranked by how it tells these apart.
        """
        found: NDArray[np.bool_] = self.corpus.abstracts.lengths == 0
        return found

    def _cited_alike(self, row: int) -> Rows:
        """What a paper cites of those that, as it does, have an abstract, or have none."""
        cited = self.corpus.cites[row]
        alike: Rows = cited[self._bare[cited] == self._bare[row]]
        return alike

    @cached_property
    def _journals(self) -> dict[str, str]:
        codes = self.corpus.venues[self._test]
        kept = self._biggest(self._test, codes, JOURNALS, PER_GROUP_AT_LEAST, "journals")
        return {self.corpus.id(row): self._venue(row) for row in kept}

    @cached_property
    def _fields(self) -> dict[int, int]:
        codes = self.corpus.primary[self._test]
        return self._biggest(self._test, codes, FIELDS, PER_FIELD_AT_LEAST, "fields")

    def _of_unseen(
        self, make: Callable[[str, Mapping[str, str], str], Task], name: str, names: Collection[str]
    ) -> Task:
        wanted = {at: venue for at, venue in enumerate(self.corpus.venue_names) if venue in names}
        rows = np.flatnonzero(np.isin(self.corpus.venues, list(wanted)))
        _need(rows, "papers of the unseen journals")
        labels = {self.corpus.id(row): self._venue(row) for row in rows.tolist()}
        task = replace(make(name, labels, "unseen"), unseen=frozenset(labels.values()))
        missing = len(set(names) - set(labels.values()))
        if not missing:
            return task
        left_out = {"journals of which there is no paper": missing}
        return replace(task, measure=LeavingOut(task.measure, left_out))

    def _biggest(
        self, rows: Rows, codes: NDArray[np.integer[Any]], groups: int, at_least: int, what: str
    ) -> dict[int, int]:
        """The code of each paper that is kept: some of each of the biggest groups."""
        sizes = Counter(codes[codes >= 0].tolist())
        kept = {code for code, n in sizes.most_common(groups) if n >= at_least}
        if len(kept) < 2:
            raise TrainerError(
                f"Fewer than two {what} have {at_least} test papers or more.",
                "A larger corpus, or one that knows them, can tell.",
            )
        taken: Counter[int] = Counter()
        found = {}
        for at in shuffled(len(rows), "local", what).tolist():
            code = int(codes[at])
            if code in kept and taken[code] < PER_GROUP:
                taken[code] += 1
                found[int(rows[at])] = code
        return found

    def _field_sets(self, name: str, most: int) -> dict[str, list[str]]:
        rows = self._test[self.corpus.fields.counts[self._test] > 0]
        rows = rows[shuffled(len(rows), "local", name)][:most]
        _need(rows, "test papers with fields")
        names = self.corpus.field_names
        return {
            self.corpus.id(row): [names[code] for code in self.corpus.fields[row].tolist()]
            for row in rows.tolist()
        }

    def _usual_labels(self) -> set[int]:
        """The commonest labels, less those that half of the papers bear."""
        half = np.count_nonzero(self.corpus.labels.counts) / 2
        sizes = Counter(self.corpus.labels.indices.tolist())
        return set([code for code, n in sizes.most_common() if n <= half][:LABELS])

    def _labelled(self, rows: Rows, most: int, usual: Collection[int]) -> dict[str, str]:
        """Papers that bear exactly one of the usual labels, and which."""
        found: dict[str, str] = {}
        for row in rows[shuffled(len(rows), "local", "labels")].tolist():
            own = [code for code in self.corpus.labels[row].tolist() if code in usual]
            if len(own) == 1 and len(found) < most:
                found[self.corpus.id(row)] = self.corpus.label_names[own[0]]
        return found

    def _others(self, name: str, row: int, near: Collection[int], count: int) -> list[int]:
        """Papers that are none of `near`, nor the paper itself; with an abstract if it has one."""
        known = {row, *map(int, near)}
        among = self._test if self._settings.papers else np.arange(self.corpus.papers)
        among = among[self._bare[among] == self._bare[row]]
        drawn = among[chosen(count + len(known), len(among), "local", name, "others", row)]
        found = [at for at in self._mixed(drawn, name, "order", row) if at not in known]
        return found[:count]

    def _mixed(self, rows: Iterable[int], *key: str | int) -> list[int]:
        some = np.asarray(rows, np.int64)
        mixed: list[int] = some[shuffled(len(some), "local", *key)].tolist()
        return mixed

    def _venue(self, row: int) -> str:
        name: str = self.corpus.venue_names[int(self.corpus.venues[row])]
        return name

    def _named(self, codes: Mapping[int, int], names: Sequence[str]) -> dict[str, str]:
        return {self.corpus.id(row): names[code] for row, code in codes.items()}

    def _papers(self, ids: Iterable[str]) -> list[Paper]:
        rows = (self.corpus.row(name) for name in sorted(ids))
        return self._texts(row for row in rows if row is not None)

    def _texts(self, rows: Iterable[int]) -> list[Paper]:
        corpus = self.corpus
        return [Paper(corpus.id(row), corpus.title(row), corpus.abstract(row)) for row in rows]


def _need(found: Collection[Any] | Rows, what: str) -> None:
    if not len(found):
        raise TrainerError(f"The corpus has no {what}.")


def _lines(path: Path) -> set[str]:
    with lines_of(path) as lines:
        return {line.strip() for line in lines if line.strip()}
