"""Make resources/paper_numbers.json from the list of all cells of the papers' tables.

    python -m tests.support.paper_numbers LIST.json

The list gives the paper, table, setting, model, task and metric of each cell. This module adds
which of our suites, tasks, evaluations and metrics a column is, and which models a row.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

RESOURCE = Path(__file__).parents[2] / "resources" / "paper_numbers.json"

_ABOUT = (
    "What the papers print, in their unit. `ours` is the suite, task, evaluation and metric of a "
    "column (and the split, where it is not the usual one); a column without it is of no "
    "evaluation here. `n` is how many items it is of; `n_about`, where the paper rounds; `drawn`: "
    "papers were drawn, nobody knows which. `method` and `models` say which of our models a row "
    "may stand beside."
)

_RANKING = {"MAP": ("ranking", "map"), "nDCG": ("ranking", "ndcg")}
_SCIDOCS = {
    ("MAG", "F1"): ("mag", "svm", "macro_f1"),
    ("MeSH", "F1"): ("mesh", "svm", "macro_f1"),
    **{
        (task, metric): (task, *ours)
        for task in ("cite", "co-cite", "co-view", "co-read")
        for metric, ours in _RANKING.items()
    },
    ("recomm", "adj-nDCG"): ("recomm", "recommendation", "adj_ndcg"),
    ("recomm", "adj-P@1"): ("recomm", "recommendation", "adj_p@1"),
}
_AVERAGE = {("all", "Avg"): ("average", "average", "average")}
_MULTI_SCIDOCS = {
    ("MAG", "F1"): ("mag", "svm", "macro_f1"),
    **{
        (f"multi.{task}", metric): (task, *ours)
        for task in ("cite", "co-cite")
        for metric, ours in _RANKING.items()
    },
}
_PROBED = {
    "MAG": "mag",
    "MeSH": "mesh",
    "arXiv & PubMed categories": "categories",
    "Unseen journals": "unseen-journals",
}
_FIELDS = {"CS": "cs", "Math": "math", "Phys": "phys", "EESS": "eess", "Econ": "econ"}
_MIREAD = {
    **{(task, "F1"): (ours, "probe", "macro_f1") for task, ours in _PROBED.items()},
    **{(task, "accuracy"): (ours, "probe", "accuracy") for task, ours in _PROBED.items()},
    **{
        (task, f"purity@k={k}"): (f"{task.lower()}-clusters", "purity", f"purity@{k}")
        for task in ("MAG", "MeSH")
        for k in (10, 20, 50, 100)
    },
    **{
        (f"arXiv {field}", "AP"): (ours, "pearson_pairs", "ap")
        for field, ours in {**_FIELDS, "Stat": "stat"}.items()
    },
}
_PHYSBERT = {
    ("citation classification", "cosine accuracy"): (
        "citations",
        "cosine_accuracy",
        "cosine_accuracy",
    ),
    ("category clustering", "V-measure"): ("categories", "v_measure", "v_measure"),
    ("information retrieval", "nDCG@10"): ("questions", "retrieval", "ndcg@10"),
    ("fine-tuned Condensed Matter", "V-measure"): ("sub-condmat", "subdomain", "v_measure"),
    ("fine-tuned Astrophysics", "V-measure"): ("sub-astro", "subdomain", "v_measure"),
    ("fine-tuned HEP", "V-measure"): ("sub-hep", "subdomain", "v_measure"),
}
# MIReAD's script wrote SciDocs' validation papers as its test set.
_SPLITS = {("miread", "MAG"): "validation", ("miread", "MeSH"): "validation"}
# SciDocs: 3,751 test papers of MAG, 15 percent, as of 23,000 of MeSH; 1K queries per ranking task;
# 1K clicks. PhysBERT: 50,000 pairs and questions. By suite and task; the papers do not state the
# others.
_SIZES = {
    ("scidocs", "mag"): {"n": 3_751},
    ("scidocs", "mesh"): {"n_about": 3_450},
    **{("scidocs", task): {"n_about": 1_000} for task in ("cite", "co-cite", "co-view", "co-read")},
    ("scidocs", "recomm"): {"n_about": 1_000},
    **{("miread", f"mag{of}"): {"n_about": 3_750} for of in ("", "-clusters")},
    **{("miread", f"mesh{of}"): {"n_about": 3_450} for of in ("", "-clusters")},
    ("physbert", "citations"): {"n_about": 50_000},
    ("physbert", "questions"): {"n_about": 50_000},
    # It is unknown how many papers of each category and journal MIReAD's authors took, and which.
    ("miread", "categories"): {"drawn": True},
    ("miread", "unseen-journals"): {"drawn": True},
}

# A null means the same.
_EMPTY = "cell not reported"

# By paper and name; "" if the name means the same in all of them.
_METHODS = {
    ("", "SPECTER"): "specter",
    ("specter", "SPECTER (released embeddings)"): "specter",
    ("specter", "SPECTER (HF allenai/specter)"): "specter",
    ("multi2spe", "Multi2SPE (3 CLS, lambda=0.1)"): "multi2spe",
    ("multi2spe", "Multi2SPE (3 CLS, lambda=0.1, SciNCL triples)"): "multi2spe",
    ("miread", "MIReAD"): "miread",
    ("physbert", "PhysBERT"): "physbert",
}
_MODELS = {
    ("", "SciBERT"): ("allenai/scibert_scivocab_uncased",),
    ("specter", "Random"): ("random",),
    ("specter", "SPECTER (HF allenai/specter)"): ("allenai/specter",),
    ("specter", "SciNCL (seed=4, released)"): ("malteos/scincl",),
    ("miread", "SPECTER"): ("allenai/specter",),
    ("miread", "MIReAD"): ("arazd/MIReAD",),
    ("physbert", "PhysBERT"): ("thellert/physbert_uncased",),
    ("physbert", "SPECTER2"): ("allenai/specter2_base",),
    ("physbert", "MiniLM-L6-v2"): ("starter", "sentence-transformers/all-MiniLM-L6-v2"),
    ("physbert", "bge-base-v1.5"): ("BAAI/bge-base-en-v1.5",),
    ("physbert", "bge-large-v1.5"): ("BAAI/bge-large-en-v1.5",),
    ("physbert", "mxbai-large-v1"): ("mixedbread-ai/mxbai-embed-large-v1",),
    ("physbert", "UAE-Large-V1"): ("WhereIsAI/UAE-Large-V1",),
}


def compact(records: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the records as tables: each column described once, one row per model."""
    return {"format": 1, "about": _ABOUT, "tables": [*_tables(records)]}


def text(found: dict[str, Any]) -> str:
    """Format as JSON with a line per row and column, so that diffs are readable."""
    tables = []
    for table in found["tables"]:
        parts = [f'   "{name}": {_json(table[name])}' for name in table if name not in _LISTS]
        parts += [
            f'   "{name}": [\n    ' + ",\n    ".join(map(_json, table[name])) + "\n   ]"
            for name in _LISTS
        ]
        tables.append("  {\n" + ",\n".join(parts) + "\n  }")
    head = f'{{\n "format": {found["format"]},\n "about": {_json(found["about"])},\n "tables": [\n'
    return head + ",\n".join(tables) + "\n ]\n}\n"


_LISTS = ("columns", "rows")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _tables(records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    def place(record: dict[str, Any]) -> tuple[str, ...]:
        return tuple(record[name] for name in ("paper", "source", "table", "setting"))

    for (paper, source, table, setting), cells in groupby(sorted(records, key=place), place):
        found = list(cells)
        columns = list(dict.fromkeys((cell["task"], cell["metric"]) for cell in found))
        rows: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
        for cell in found:
            rows.setdefault(cell["model"], {})[cell["task"], cell["metric"]] = cell
        yield {
            "paper": paper,
            "source": source,
            "table": table,
            "setting": setting,
            "columns": [_column(paper, table, *column) for column in columns],
            "rows": [_row(paper, model, row, columns) for model, row in rows.items()],
        }


def _column(paper: str, table: str, task: str, metric: str) -> dict[str, Any]:
    column: dict[str, Any] = {"task": task, "metric": metric}
    # Two tables use this name for the mean of other numbers.
    whole = {} if table in ("Table 2", "Table 3") else _AVERAGE
    scidocs, multi_scidocs = {**_SCIDOCS, **whole}, {**_MULTI_SCIDOCS, **whole}
    multi = paper == "multi2spe" and not table.startswith("Table 4")
    suite, known = {
        "specter": ("scidocs", scidocs),
        "multi2spe": ("multi-scidocs", multi_scidocs) if multi else ("scidocs", scidocs),
        "miread": ("miread", _MIREAD),
        "physbert": ("physbert", _PHYSBERT),
    }[paper]
    if ours := known.get((task, metric)):
        column["ours"] = [suite, *ours]
        if split := _SPLITS.get((paper, task)):
            column["split"] = split
        column |= _SIZES.get((suite, ours[0]), {})
    return column


def _row(
    paper: str,
    model: str,
    cells: dict[tuple[str, str], dict[str, Any]],
    columns: list[tuple[str, str]],
) -> dict[str, Any]:
    row: dict[str, Any] = {"model": model}
    if method := _METHODS.get((paper, model), _METHODS.get(("", model))):
        row["method"] = method
    if models := _MODELS.get((paper, model), _MODELS.get(("", model))):
        row["models"] = list(models)
    found = [cells.get(column, {}) for column in columns]
    row["values"] = [cell.get("value") for cell in found]
    if any(cell.get("std") is not None for cell in found):
        row["spread"] = [cell.get("std") for cell in found]
    notes = dict.fromkeys(part for cell in found for part in (cell.get("note") or "").split("; "))
    if remark := "; ".join(note for note in notes if note and not note.startswith(_EMPTY)):
        row["note"] = remark
    return row


if __name__ == "__main__":
    listed = json.loads(Path(sys.argv[1]).read_text("utf-8"))["records"]
    RESOURCE.write_text(text(compact(listed)), "utf-8")
