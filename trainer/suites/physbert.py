"""PhysBERT's evaluation (Hellert et al., 2024), on the data sets of its authors on the hub.

physbert_category_clustering/P2P_*.json      texts of the category in the file name
physbert_citation_classification/citing_pairs.json, non_citing_pairs.json
                                             pairs of titles
physbert_information_retrieval/ir_dataset.json
                                             {"queries": {id: question}, "corpus": {id: passage},
                                             "relevant_docs": {question's id: [passage's id]}}
physbert_subdomain_eval/P2P_*.json           texts of a subcategory, for three fields
physbert_subdomain_training/P2P_*.json       pairs of such texts, for `sciread-trainer subdomain`

All papers are used: clusters are evaluated by V-measure over ten folds, pairs by cosine accuracy at
the best threshold, questions by nDCG@10 among all passages. Subcategories are clustered with the
unchanged model; the scores in the paper are those of models fine-tuned to each field. Each text is
encoded as a title, because it is one segment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from trainer.contract.errors import TrainerError
from trainer.contract.files import UNREADABLE
from trainer.data.corpus.records import InputRecord, content_id
from trainer.data.inputs.json_stream import BadJson, entries
from trainer.data.inputs.pairs import RETRIEVAL, found_in, of_category, two_texts
from trainer.data.inputs.source import Source, unreadable_reason
from trainer.evaluations.base import EvaluationTask, TextInput
from trainer.suites.files import find_file
from trainer.suites.judged_queries import retrieval_task
from trainer.suites.suite import PlannedTask, Suite, SuiteSettings, bind, papers_of

CATEGORIES = "physbert_category_clustering"
CITATIONS = "physbert_citation_classification"
RETRIEVED = "physbert_information_retrieval"
TRAINING = "physbert_subdomain_training"
SUBDOMAINS = "physbert_subdomain_eval"
# Fields whose subcategories are clustered: category prefixes and titles.
FIELDS = {"condmat": "cond-mat", "astro": "astro-ph", "hep": "hep"}
TITLES = {"condmat": "Condensed matter", "astro": "Astrophysics", "hep": "High-energy physics"}

UNREAD = "unreadable entries"
_FILES = "P2P_*.json*"


def fits(folder: Path) -> bool:
    return any((folder / name).is_dir() for name in (CATEGORIES, CITATIONS, RETRIEVED, SUBDOMAINS))


def suite(folder: Path, settings: SuiteSettings) -> Suite:
    """Return the tasks on the data sets in `folder`; each reads its files only when it is
    created."""
    planned = [
        PlannedTask("categories", "Categories", partial(_categories, folder)),
        PlannedTask("citations", "Title pairs linked by citations", partial(_citations, folder)),
        PlannedTask("questions", "Questions", partial(_questions, folder)),
        *(
            PlannedTask(
                f"{field}-clusters",
                f"{title}, not fine-tuned",
                partial(subcategories, folder, field),
            )
            for field, title in TITLES.items()
        ),
    ]
    return Suite("physbert", planned, f"PhysBERT data in {folder}")


def category_files(folder: Path, begin: str = "") -> list[Path]:
    """Files of the categories with a prefix. Raises TrainerError if there are fewer than two."""
    found = sorted(
        path
        for path in folder.glob(_FILES)
        if (category := of_category(path))
        and (not begin or category.split(".")[0].startswith(begin))
    )
    if len(found) < 2:
        files = f"P2P_{begin}*.json" if begin else "P2P_*.json"
        raise TrainerError(
            f"{folder} contains {len(found)} {files}; at least two categories are required.",
            f"Copy the data set thellert/{folder.name} from the Hugging Face Hub to this folder.",
        )
    return found


def subcategories(folder: Path, field: str, *, tuned: bool = False) -> EvaluationTask:
    """Clustering of a field's subcategories; `tuned`: by a model trained on the field."""
    files = category_files(folder / SUBDOMAINS, FIELDS[field])
    if tuned:
        return _clusters(f"sub-{field}", "subdomain", files)
    return _clusters(f"{field}-clusters", "v_measure", files)


def _categories(folder: Path) -> EvaluationTask:
    return _clusters("categories", "v_measure", category_files(folder / CATEGORIES))


def _clusters(name: str, evaluation: str, files: list[Path]) -> EvaluationTask:
    from trainer.evaluations.metrics.clustering import FoldedVMeasure

    labels: dict[str, str] = {}
    papers: list[TextInput] = []
    left_out: Counter[str] = Counter()
    for path in files:
        category = of_category(path)
        for found in (one for key, value in _entries(path) for one in found_in(value, path, key)):
            if isinstance(found, InputRecord):
                name_of_text = f"{category} {len(papers)}"
                papers.append(_paper(name_of_text, found.title, found.abstract))
                labels[name_of_text] = category
            else:
                left_out[UNREAD] += 1
    measure = FoldedVMeasure(labels, per_fold=1)  # keep all published categories
    return bind(name, evaluation, measure, papers, labels, left_out=left_out)


def _paper(name: str, title: str, text: str) -> TextInput:
    return TextInput(name, title, text) if title else TextInput(name, text)


def _citations(folder: Path) -> EvaluationTask:
    from trainer.evaluations.metrics.pairs import CosineAccuracy, LabelledPair

    pairs: list[LabelledPair] = []
    papers: dict[str, TextInput] = {}
    left_out: Counter[str] = Counter()
    for file, belongs in (("citing_pairs.json", True), ("non_citing_pairs.json", False)):
        for _, value in _entries(find_file(folder / CITATIONS, file)):
            both = two_texts(value)
            if not both or not all(map(str.strip, both)):
                left_out[UNREAD] += 1
                continue
            one, other = (TextInput(content_id(title, ""), title) for title in both)
            papers |= {one.id: one, other.id: other}
            pairs.append(LabelledPair(one.id, other.id, belongs))
    measure, texts = CosineAccuracy(pairs), papers_of(papers, papers)
    return bind("citations", "cosine_accuracy", measure, texts, pairs, left_out=left_out)


def _questions(folder: Path) -> EvaluationTask:
    path = find_file(folder / RETRIEVED, "ir_dataset.json")
    parts = {key: value for key, value in _entries(path) if key in RETRIEVAL}
    for name in sorted(RETRIEVAL):
        if not isinstance(parts.get(name), dict):
            raise TrainerError(f"{path} lacks the field {name!r}.", "Copy the original file.")
    passages, queries = _texts(parts["corpus"]), _texts(parts["queries"])
    qrels = {
        query: {str(passage): 1 for passage in (found if isinstance(found, list) else [found])}
        for query, found in parts["relevant_docs"].items()
    }
    asked = queries.keys() & qrels.keys()
    left_out = {
        "passages without a text": len(parts["corpus"]) - len(passages),
        "questions without a text or an answering passage": len(
            parts["queries"].keys() | qrels.keys()
        )
        - len(asked),
    }
    papers = {name: TextInput(name, text) for name, text in passages.items()}
    judged = {query: qrels[query] for query in asked}
    return retrieval_task("questions", papers, queries, judged, left_out=left_out)


def _texts(named: dict[str, Any]) -> dict[str, str]:
    return {name: text for name, text in named.items() if isinstance(text, str) and text.strip()}


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    """Read the entries of a JSON file. Raises TrainerError if it cannot be read to its end."""
    try:
        yield from entries(Source(path).pieces())
    except UNREADABLE as error:
        raise TrainerError(f"{path}: {unreadable_reason(error)}") from error
    except BadJson as error:
        raise TrainerError(f"{path}: {error}", "Copy the file again.") from error
