"""Test collections for retrieval: papers, queries, and judgments of their relevance.

NAME.papers.jsonl   one paper per line: {"id": ..., "title": ..., "abstract": ...}
NAME.queries.tsv    query id, tab, query
NAME.qrels.tsv      query id, tab, paper id, tab, relevance (0: judged not relevant)

A folder may contain several collections; each is a task. Files may be gzipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from trainer.contract.errors import TrainerError
from trainer.evaluations.base import EvaluationTask, TextInput
from trainer.suites.files import build_qrels, find_file, read_papers, read_rows, unique_values
from trainer.suites.suite import PlannedTask, Suite, SuiteSettings, bind

WITHOUT_TEXT = "queries without a text"
NOT_THERE = "relevant papers that are not in the collection"

PAPERS, QUERIES, QRELS = ".papers.jsonl", ".queries.tsv", ".qrels.tsv"


def collection_names(folder: Path) -> list[str]:
    """Names of the collections in a folder: all that have queries or qrels."""
    files = [path.name.removesuffix(".gz") for path in folder.glob("*")]
    ends = (QUERIES, QRELS)
    return sorted({name.removesuffix(end) for name in files for end in ends if name.endswith(end)})


def fits(folder: Path) -> bool:
    return bool(collection_names(folder))


def suite(folder: Path, settings: SuiteSettings) -> Suite:
    """Suite with a task for each collection of a folder. Raises TrainerError without any."""
    names = collection_names(folder)
    if not names:
        raise TrainerError(
            f"{folder} contains no queries with relevance judgments.",
            f"Required files: NAME{PAPERS}, NAME{QUERIES} and NAME{QRELS}.",
        )
    tasks = [PlannedTask(name, name, partial(task, folder, name)) for name in names]
    return Suite("judged", tasks, f"Queries with relevance judgments in {folder}")


def task(folder: Path, name: str) -> EvaluationTask:
    """Read one collection. Raises TrainerError if a file is missing or damaged."""
    papers = read_papers(find_file(folder, name + PAPERS))
    qrels = read_qrels(find_file(folder, name + QRELS))
    queries = read_queries(find_file(folder, name + QUERIES))
    return retrieval_task(name, papers, queries, qrels)


def retrieval_task(
    name: str,
    papers: dict[str, TextInput],
    queries: dict[str, str],
    qrels: dict[str, dict[str, int]],
    split: str = "test",
    left_out: Mapping[str, int] | None = None,
) -> EvaluationTask:
    """Create a retrieval task: all papers are searched, only queries with qrels are used.

    Judgements of missing queries and papers are counted as excluded.
    """
    from trainer.evaluations.metrics.retrieval import JudgedQueries

    asked = [TextInput(query, text) for query, text in sorted(queries.items()) if query in qrels]
    if not asked:
        raise TrainerError(
            f"No query of {name} has relevance judgments.", "Check the IDs of the queries."
        )
    judged = {query.id: qrels[query.id] for query in asked}
    relevant = [paper for some in judged.values() for paper, grade in some.items() if grade > 0]
    left_out = {
        **(left_out or {}),
        WITHOUT_TEXT: len(qrels.keys() - queries.keys()),
        NOT_THERE: sum(paper not in papers for paper in relevant),
    }
    documents = sorted(papers)
    measure = JudgedQueries(judged, documents)
    texts = [papers[paper] for paper in documents]
    return bind(
        name, "retrieval", measure, texts, judged, split=split, queries=asked, left_out=left_out
    )


def read_queries(path: Path) -> dict[str, str]:
    """Read queries by id. Raises TrainerError for an id with two texts."""
    return unique_values(((row[0], row[1]) for row in read_rows(path, 2)), path)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read qrels, the relevance by query and paper. A header line is skipped.

    Raises TrainerError for a relevance that is not an integer and for contradicting grades.
    """
    return build_qrels(_judgements(path), path)


def _judgements(path: Path) -> Iterator[tuple[str, str, int]]:
    for number, (query, paper, relevance, *_) in enumerate(read_rows(path, 3)):
        try:
            yield query, paper, int(relevance)
        except ValueError as error:
            if number:
                raise TrainerError(
                    f"{path} contains the invalid relevance {relevance!r}.",
                    "The relevance must be a whole number.",
                ) from error
