"""The local suite: evaluation on any corpus of your own.

Papers, queries and labels are those of the test split, which is never trained on. Only the papers
of unseen journals come from all splits; no training may have used these journals. The sample of
papers depends on the corpus alone. Maximum sizes:

fields            40 fields with 50 papers or more, 100 papers each; by primary field. Clusters of
                  so few papers agree with any labels by chance: compare with `random`
field-pairs       3,000 papers
journals          100 journals with 10 papers or more, 100 papers each
unseen-journals   all papers of the given journals, of any split. The task is skipped for a model
                  whose run was trained on one of these journals
citations         1,000 papers; 5 papers that each cites, ranked among 25 others. Candidates may be
                  of any split: the citations of a test paper are unseen in any case. Either all
                  candidates of a list have an abstract, or none has
co-citations      the same, for papers that a test paper cites together with a test paper
cited-pairs       2,000 pairs, half of them a paper and a paper that it cites
labels            30 labels; trained on 3,000 papers of the training split, tested on 2,000
questions         1,000 questions among 10,000 papers, without papers whose title is the question
typed-queries     1,000 papers among 10,000, sought by their title, a sentence or a question; the
                  text of the query is taken out of the paper
same-field, same-journal   5,000 papers
cited-neighbours  1,000 papers; the papers that they cite, among at least 5,000 papers
health            2,000 papers, and their titles alone

For a quick estimate, `Settings.papers` limits the papers of the test split in each task; then
citations are ranked for a tenth of this number, and labels are trained on half of it.
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
from trainer.data.corpus.corpus import DESCRIPTION, Corpus, Split
from trainer.data.rng import random_permutation, random_sample
from trainer.data.typed_queries import typed_queries
from trainer.evaluations.base import EvaluationTask, TextInput
from trainer.suites import judged_queries
from trainer.suites.files import open_text
from trainer.suites.suite import PlannedTask, Suite, SuiteSettings, bind

FIELDS, JOURNALS, PER_GROUP, PER_GROUP_AT_LEAST, PER_FIELD_AT_LEAST = 40, 100, 100, 10, 50
PAIRED, NEIGHBOURS = 3_000, 5_000
QUERIES, CITED, OTHERS, PAIRS = 1_000, 5, 25, 1_000
LABELS, TRAIN_PAPERS, TEST_PAPERS = 30, 3_000, 2_000
QUESTIONS, DOCUMENTS = 1_000, 10_000
HEALTH = 2_000


def fits(folder: Path) -> bool:
    return (folder / DESCRIPTION).is_file()


def suite(
    folder: Path,
    settings: SuiteSettings,
    *,
    unseen: Path | None = None,
    queries: Path | None = None,
) -> Suite:
    """Suite of a corpus. `unseen` is a file of journals, one per line; `queries` a folder of qrels.

    Raises TrainerError if there is no corpus, or if nothing of it can be measured.
    """
    local = Local(Corpus.open(folder), settings)
    if not len(local.corpus.rows(Split.test)) and not (unseen or queries):
        raise TrainerError(
            f"The corpus {folder} has no test papers (split {local.corpus.split_by}).",
            "Evaluate the model on another corpus, or prepare the corpus with a test split: "
            "sciread-trainer prepare ... --test-ids FILE",
        )
    planned = local.planned()
    if unseen:
        planned += local.planned_unseen(_lines(unseen))
    if queries:
        planned += judged_queries.suite(queries, settings).planned
    return Suite("local", planned, f"{local.corpus.papers:,} papers in {folder}")


class Local:
    """Tasks built from one corpus."""

    def __init__(self, corpus: Corpus, settings: SuiteSettings) -> None:
        self.corpus, self._settings = corpus, settings
        self._drawn = PaperSample(corpus, settings.papers)

    def planned(self) -> list[PlannedTask]:
        """Return the tasks of the test part."""
        tasks: dict[str, tuple[str, Callable[[], EvaluationTask]]] = {
            "fields": ("Fields", self.fields),
            "field-pairs": ("Same-field pairs", self.field_pairs),
            "journals": ("Journals", lambda: self._probe("journals", self._journals)),
            "journal-clusters": (
                "Clusters of journals",
                lambda: self._purity("journal-clusters", self._journals),
            ),
            "citations": ("Citations", self.citations),
            "co-citations": ("Co-citations", self.co_citations),
            "cited-pairs": ("Citation pairs", self.cited_pairs),
            "labels": ("Labels", self.labels),
            "questions": ("Questions", self.questions),
            "typed-queries": ("Typed queries", self.typed_queries),
            "same-field": ("Nearest neighbors in the same field", self.same_field),
            "same-journal": ("Nearest neighbors in the same journal", self.same_journal),
            "cited-neighbours": ("Nearest neighbors cited by the paper", self.cited_neighbours),
            "health": ("Model diagnostics", self.health),
        }
        corpus = self.corpus.sha256, self.corpus.split_by

        def of_tests(make: Callable[[], EvaluationTask]) -> EvaluationTask:
            return replace(make(), corpus=corpus)

        return [
            PlannedTask(name, title, partial(of_tests, make))
            for name, (title, make) in tasks.items()
        ]

    def planned_unseen(self, names: Collection[str]) -> list[PlannedTask]:
        """Return the tasks of unseen journals, which the user must name."""
        tasks = {
            "unseen-journals": ("Unseen journals", self._probe),
            "unseen-journal-clusters": ("Clusters of unseen journals", self._purity),
        }
        return [
            PlannedTask(name, title, partial(self._of_unseen, make, name, names))
            for name, (title, make) in tasks.items()
        ]

    def fields(self) -> EvaluationTask:
        from trainer.evaluations.metrics.clustering import FoldedVMeasure

        found = self._drawn.biggest(
            self.corpus.primary, FIELDS, at_least=PER_FIELD_AT_LEAST, each=PER_GROUP, what="fields"
        )
        labels = self._named(found, self.corpus.field_names)
        return bind("fields", "v_measure", FoldedVMeasure(labels), self._papers(labels), labels)

    def field_pairs(self) -> EvaluationTask:
        from trainer.evaluations.metrics.pearson import PearsonPairs

        sets = self._field_sets("field-pairs", PAIRED)
        measure = PearsonPairs(sets)
        return bind("field-pairs", "pearson_pairs", measure, self._papers(sets), sets)

    def citations(self) -> EvaluationTask:
        near = {row: self._drawn.cited_alike(row).tolist() for row in self._citing.tolist()}
        return self._ranking("citations", near)

    def co_citations(self) -> EvaluationTask:
        """Ranking, where the relevant papers are cited by the same test paper as the query, itself
        a test paper."""
        near: dict[int, list[int]] = {}
        test = set(self._drawn.test.tolist())
        for row in self._citing.tolist():
            cited = self._drawn.mixed(self._drawn.cited_alike(row), "co-citations", row).tolist()
            # The query is a cited test paper that is not a query yet.
            first = next((paper for paper in cited if paper in test and paper not in near), None)
            if len(cited) > 1 and first is not None:
                near[first] = [paper for paper in cited if paper != first]
        return self._ranking("co-citations", near)

    def cited_pairs(self) -> EvaluationTask:
        """Pairs of a test paper with one paper that it cites and one that it does not."""
        from trainer.evaluations.metrics.pairs import CosineAccuracy, LabelledPair

        pairs = []
        for row in self._citing[:PAIRS].tolist():
            cited, name = self.corpus.cites[row], self.corpus.id(row)
            near = self._drawn.mixed(self._drawn.cited_alike(row), "cited-pairs", row)[:1]
            far = self._drawn.others("cited-pairs", row, cited, 1)
            pairs += [LabelledPair(name, self.corpus.id(at), True) for at in near.tolist()]
            pairs += [LabelledPair(name, self.corpus.id(at), False) for at in far]
        _need(pairs, "citations of test papers")
        papers = self._papers({name for pair in pairs for name in pair[:2]})
        return bind("cited-pairs", "cosine_accuracy", CosineAccuracy(pairs), papers, pairs)

    def labels(self) -> EvaluationTask:
        """Classification by labels: an SVM is trained on training papers and scored on test papers.
        Only papers with exactly one of the frequent labels are used."""
        from trainer.evaluations.svm_probe import SvmProbe

        drawn, names = self._drawn, self.corpus.label_names
        train, most = self.corpus.rows(Split.train), drawn.at_most(TRAIN_PAPERS, 2)
        learned = drawn.labelled(train, most, drawn.usual_labels(LABELS))
        sizes = Counter(learned.values())
        kept = {code for code, count in sizes.items() if count >= PER_GROUP_AT_LEAST}
        train_labels = self._named(
            {row: code for row, code in learned.items() if code in kept}, names
        )
        test = self._named(drawn.labelled(drawn.test, TEST_PAPERS, kept), names)
        _need(
            train_labels, f"labels that are the only label of {PER_GROUP_AT_LEAST} training papers"
        )
        _need(test, "test papers with one of the frequent labels")
        papers = self._papers({**train_labels, **test})
        return bind("labels", "svm", SvmProbe(train_labels, test), papers, [train_labels, test])

    def questions(self) -> EvaluationTask:
        """Retrieval of the test paper that answers a question, among other test papers."""
        corpus, test = self.corpus, self._drawn.test
        asked = np.flatnonzero(np.isin(corpus.question_papers, test))
        asked = self._drawn.mixed(asked, "questions")[:QUESTIONS]
        _need(asked, "questions answered by test papers")
        answers = corpus.question_papers[asked]
        rest = np.setdiff1d(test, answers)
        rest = self._drawn.mixed(rest, "documents")[:DOCUMENTS]
        texts = self._texts([*answers.tolist(), *rest.tolist()])
        # In PubMedQA the title is the question itself: finding it would be trivial.
        own_titles = {corpus.questions[number] for number in asked.tolist()}
        papers = {p.id: p._replace(title="") if p.title in own_titles else p for p in texts}
        queries = {f"question {number}": corpus.questions[number] for number in asked.tolist()}
        qrels = {
            query: {corpus.id(row): 1} for query, row in zip(queries, answers.tolist(), strict=True)
        }
        return judged_queries.retrieval_task("questions", papers, queries, qrels)

    def typed_queries(self) -> EvaluationTask:
        """Retrieval of a test paper by its title, its question or a sentence of its abstract, among
        other test papers."""
        corpus, test = self.corpus, self._drawn.test
        asked = self._drawn.mixed(test, "typed-queries")[:QUERIES]
        others = self._drawn.mixed(np.setdiff1d(test, asked), "typed documents")
        typed = typed_queries(corpus, np.sort(asked), others[:DOCUMENTS], QUERIES, 0)
        _need(typed.queries, "test papers with a title and an abstract")
        ids = [corpus.id(row) for row in typed.documents]
        papers = {
            paper: TextInput(paper, *texts)
            for paper, texts in zip(ids, typed.documents.values(), strict=True)
        }
        queries = {f"query {number}": text for number, text in enumerate(typed.queries)}
        answers = zip(queries, typed.answers.tolist(), strict=True)
        qrels = {query: {ids[place]: 1} for query, place in answers}
        return judged_queries.retrieval_task("typed-queries", papers, queries, qrels)

    def same_field(self) -> EvaluationTask:
        return self._neighbours("same-field", self._field_sets("same-field", NEIGHBOURS), "group")

    def same_journal(self) -> EvaluationTask:
        rows = self._drawn.test[self.corpus.venues[self._drawn.test] >= 0]
        rows = self._drawn.mixed(rows, "same-journal")[:NEIGHBOURS]
        _need(rows, "test papers with a journal")
        names = {self.corpus.id(row): [self._venue(row)] for row in rows.tolist()}
        return self._neighbours("same-journal", names, "group")

    def cited_neighbours(self) -> EvaluationTask:
        """Nearest neighbors, which should be papers that the test paper cites; other test papers
        fill up the collection."""
        cited = {row: self.corpus.cites[row].tolist() for row in self._citing.tolist()}
        there = {*cited, *(paper for some in cited.values() for paper in some)}
        rest = np.setdiff1d(self._drawn.test, np.array(sorted(there), np.int64))
        rest = self._drawn.mixed(rest, "cited")[: max(0, NEIGHBOURS - len(there))]
        links: dict[str, Sequence[str]] = {}
        for row in sorted({*there, *rest.tolist()}):
            links[self.corpus.id(row)] = [self.corpus.id(at) for at in cited.get(row, ())]
        _need(cited, "citations of test papers")
        return self._neighbours("cited-neighbours", links, "links")

    def health(self) -> EvaluationTask:
        from trainer.evaluations.health import Health

        rows = self._drawn.mixed(self._drawn.test, "health")[:HEALTH]
        _need(rows, "test papers")
        papers = self._texts(np.sort(rows).tolist())
        # The title of a paper without abstract is its full text and would find itself.
        titles = [TextInput(p.id, p.title) for p in papers if p.title and p.abstract.strip()]
        return bind("health", "health", Health(len(papers)), papers, [], queries=titles)

    def _probe(self, name: str, labels: Mapping[str, str], split: str = "test") -> EvaluationTask:
        from trainer.evaluations.metrics.classification import LinearProbe

        measure = LinearProbe(labels, runs=self._settings.runs or LinearProbe.runs)
        return bind(name, "probe", measure, self._papers(labels), labels, split=split)

    def _purity(self, name: str, labels: Mapping[str, str], split: str = "test") -> EvaluationTask:
        from trainer.evaluations.metrics.clustering import Purity

        measure = Purity(labels, runs=self._settings.runs or Purity.runs)
        return bind(name, "purity", measure, self._papers(labels), labels, split=split)

    def _ranking(self, name: str, near: Mapping[int, Sequence[int]]) -> EvaluationTask:
        from trainer.evaluations.metrics.ranking import RankedLists

        lists = {}
        for row, cited in near.items():
            wanted = self._drawn.mixed(cited, name, row)[:CITED].tolist()
            others = self._drawn.others(name, row, cited, OTHERS)
            lists[self.corpus.id(row)] = [
                *((self.corpus.id(at), 1) for at in wanted),
                *((self.corpus.id(at), 0) for at in others),
            ]
        _need(lists, f"{name} of test papers")
        papers = self._papers({*lists, *(at for some in lists.values() for at, _ in some)})
        return bind(name, "ranking", RankedLists(lists), papers, lists)

    def _neighbours(
        self, name: str, related: Mapping[str, Collection[str]], relation: Literal["group", "links"]
    ) -> EvaluationTask:
        from trainer.evaluations.neighbours import NeighbourPrecision

        measure = NeighbourPrecision(related, relation)
        return bind(name, "neighbours", measure, self._papers(related), related)

    @property
    def _citing(self) -> Rows:
        return self._drawn.citing[: self._drawn.at_most(QUERIES, 10)]

    @cached_property
    def _journals(self) -> dict[str, str]:
        venues, least = self.corpus.venues, PER_GROUP_AT_LEAST
        found = self._drawn.biggest(
            venues, JOURNALS, at_least=least, each=PER_GROUP, what="journals"
        )
        return self._named(found, self.corpus.venue_names)

    def _of_unseen(
        self,
        make: Callable[[str, Mapping[str, str], str], EvaluationTask],
        name: str,
        names: Collection[str],
    ) -> EvaluationTask:
        wanted = {at: venue for at, venue in enumerate(self.corpus.venue_names) if venue in names}
        rows = np.flatnonzero(np.isin(self.corpus.venues, list(wanted)))
        _need(rows, "papers of the unseen journals")
        labels = {self.corpus.id(row): self._venue(row) for row in rows.tolist()}
        task = make(name, labels, "unseen")
        missing = len(set(names) - set(labels.values()))
        left_out = {"journals without papers in the corpus": missing} if missing else {}
        return replace(task, unseen=frozenset(labels.values()), left_out=left_out)

    def _field_sets(self, name: str, most: int) -> dict[str, list[str]]:
        rows = self._drawn.test[self.corpus.fields.counts[self._drawn.test] > 0]
        rows = self._drawn.mixed(rows, name)[:most]
        _need(rows, "test papers with fields")
        names = self.corpus.field_names
        return {
            self.corpus.id(row): [names[code] for code in self.corpus.fields[row].tolist()]
            for row in rows.tolist()
        }

    def _venue(self, row: int) -> str:
        name: str = self.corpus.venue_names[int(self.corpus.venues[row])]
        return name

    def _named(self, codes: Mapping[int, int], names: Sequence[str]) -> dict[str, str]:
        return {self.corpus.id(row): names[code] for row, code in codes.items()}

    def _papers(self, ids: Iterable[str]) -> list[TextInput]:
        rows = (self.corpus.row(name) for name in sorted(ids))
        return self._texts(row for row in rows if row is not None)

    def _texts(self, rows: Iterable[int]) -> list[TextInput]:
        corpus = self.corpus
        return [TextInput(corpus.id(row), corpus.title(row), corpus.abstract(row)) for row in rows]


def _need(found: Collection[Any] | Rows, what: str) -> None:
    if not len(found):
        raise TrainerError(f"The corpus has no {what}.")


def _lines(path: Path) -> set[str]:
    with open_text(path) as lines:
        return {line.strip() for line in lines if line.strip()}


Rows = NDArray[np.int64]


class PaperSample:
    """Reproducible samples of a corpus; samples under different names are independent."""

    def __init__(self, corpus: Corpus, look: int = 0) -> None:
        """`look` limits the test papers; negatives are then drawn from these alone. 0: no limit."""
        self.corpus, self._look = corpus, look

    @cached_property
    def test(self) -> Rows:
        rows = self.corpus.rows(Split.test)
        return np.sort(self.mixed(rows, "papers")[: self._look]) if self._look else rows

    @cached_property
    def citing(self) -> Rows:
        """Test papers with comparable citations in random order, those with an abstract first."""
        rows = self.test[self.corpus.cites.counts[self.test] > 0]
        rows = np.array([row for row in rows if len(self.cited_alike(row))], np.int64)
        rows = self.mixed(rows, "citing")
        return rows[np.argsort(self._bare[rows], kind="stable")]

    def at_most(self, usual: int, share: int) -> int:
        """The usual limit, or one in `share` of the test papers if their number is limited."""
        return min(usual, self._look // share or usual)

    def mixed(self, rows: Iterable[int], *name: str | int) -> Rows:
        some = np.asarray(rows, np.int64)
        mixed: Rows = some[random_permutation(len(some), "local", *name)]
        return mixed

    def cited_alike(self, row: int) -> Rows:
        """Cited papers that have an abstract exactly if the citing paper has one."""
        cited = self.corpus.cites[row]
        alike: Rows = cited[self._bare[cited] == self._bare[row]]
        return alike

    def others(self, name: str, row: int, near: Collection[int], count: int) -> list[int]:
        """Draw negatives: papers not in `near`, with an abstract exactly if `row` has one."""
        known = {row, *map(int, near)}
        among = self.test if self._look else np.arange(self.corpus.papers)
        among = among[self._bare[among] == self._bare[row]]
        drawn = among[random_sample(count + len(known), len(among), "local", name, "others", row)]
        mixed = self.mixed(drawn, name, "order", row).tolist()
        return [at for at in mixed if at not in known][:count]

    def biggest(
        self, codes: NDArray[np.integer[Any]], groups: int, *, at_least: int, each: int, what: str
    ) -> dict[int, int]:
        """Test papers of the largest groups with their group, at most `each` per group.

        `codes` holds the group of each paper of the corpus, or -1. Raises TrainerError if fewer
        than two groups have `at_least` test papers.
        """
        tested = codes[self.test]
        sizes = Counter(tested[tested >= 0].tolist())
        kept = {code for code, n in sizes.most_common(groups) if n >= at_least}
        if len(kept) < 2:
            raise TrainerError(
                f"The corpus has fewer than two {what} with at least {at_least} test papers.",
                "Use a larger corpus, or one with more metadata.",
            )
        taken: Counter[int] = Counter()
        found = {}
        for row in self.mixed(self.test, what).tolist():
            code = int(codes[row])
            if code in kept and taken[code] < each:
                taken[code] += 1
                found[row] = code
        return found

    def usual_labels(self, count: int) -> set[int]:
        """The most frequent labels, without those on more than half of the labeled papers."""
        half = np.count_nonzero(self.corpus.labels.counts) / 2
        sizes = Counter(self.corpus.labels.indices.tolist())
        return set([code for code, n in sizes.most_common() if n <= half][:count])

    def labelled(self, rows: Rows, most: int, usual: Collection[int]) -> dict[int, int]:
        """Papers with exactly one of the usual labels, and that label."""
        found: dict[int, int] = {}
        for row in self.mixed(rows, "labels").tolist():
            own = [code for code in self.corpus.labels[row].tolist() if code in usual]
            if len(own) == 1 and len(found) < most:
                found[row] = own[0]
        return found

    @cached_property
    def _bare(self) -> NDArray[np.bool_]:
        """Whether each paper of the corpus lacks an abstract.

        The vector of a title alone may be several times as long as one of title and abstract, and
        in another region: mixed candidate lists would measure that difference.
        """
        found: NDArray[np.bool_] = self.corpus.abstracts.lengths == 0
        return found
