"""Right, wrong and empty metadata of made first pages: `python -m benchmarks.bench_pdf_metadata`.

    [--folder FOLDER]  where the pages are, or are made (build/pdf_metadata)
    [--half tune|report]
    [--wrong]          list what is not right, of the tune half only

The pages are made by benchmarks/pdf_metadata/generate.py, which names what it needs.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks.pdf_metadata import generate
from benchmarks.pdf_metadata.scoring import FIELDS, RIGHT, outcomes
from sciread_app.domain.paper import Paper
from sciread_app.formats.pdf import problems
from sciread_app.formats.pdf.content import PdfContent
from sciread_app.formats.pdf.extraction import extract

FOLDER = Path(__file__).resolve().parents[1] / "build" / "pdf_metadata"
FIXTURES = Path(__file__).resolve().parents[2] / "shared" / "fixtures" / "pdf"
Counts = dict[str, Counter[str]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--half", choices=("tune", "report"))
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    if not any(options.folder.glob("*.json")):
        if not shutil.which("pdflatex"):
            sys.exit("The pages are made with LaTeX: see benchmarks/pdf_metadata/generate.py.")
        generate.make(options.folder)
    tuned = generate.tuned_layouts()
    truths = [json.loads(path.read_text()) | {"path": path} for path in
              sorted(options.folder.glob("*.json"))]  # fmt: skip
    for half in ("tune", "report"):
        if options.half in (None, half):
            mine = [truth for truth in truths if (truth["layout"] in tuned) == (half == "tune")]
            _measure(half, mine, list_wrong=options.wrong and half == "tune")
    if options.half != "report" and FIXTURES.is_dir():
        text = Path(__file__).with_name("pdf_metadata").joinpath("fixtures.json").read_text()
        real = [truth | {"path": FIXTURES / f"{name}.json", "layout": "real"}
                for name, truth in json.loads(text).items()]  # fmt: skip
        _measure("real files", real, list_wrong=options.wrong)


def _measure(name: str, truths: list[dict[str, Any]], *, list_wrong: bool) -> None:
    by_layout: dict[str, Counts] = defaultdict(lambda: defaultdict(Counter))
    seconds = 0.0
    for truth in truths:
        path = truth["path"].with_suffix(".pdf")
        data = path.read_bytes()
        start = time.process_time()
        content = extract(path, data)
        seconds += time.process_time() - start
        if truth.get("scanned"):
            is_named = content.problem == problems.NO_TEXT
            by_layout[truth["layout"]]["title"]["scan named" if is_named else "scan missed"] += 1
            continue
        found = outcomes(truth, content.paper, _is_file_name(content))
        for field, outcome in found.items():
            by_layout[truth["layout"]][field][outcome] += 1
            if list_wrong and outcome != RIGHT:
                print(f"{path.stem}: {field} {outcome}: {_shown(field, content.paper, truth)}")
    print(f"\n{name}: {len(truths)} files, {len(by_layout)} layouts, "
          f"{len(truths) / max(seconds, 1e-6):.1f} files per second of one core")  # fmt: skip
    total: Counts = defaultdict(Counter)
    print(f"{'':24}" + "".join(f"{field:>14}" for field in FIELDS) + "   right of those there")
    for layout in sorted(by_layout):
        for field, counts in by_layout[layout].items():
            total[field] += counts
        print(f"{layout:24}" + _row(by_layout[layout]))
    print(f"{'all':24}" + _row(total))
    for word in ("right", "wrong", "empty"):
        cells = (total[field][word] / max(1, _there(total[field])) for field in FIELDS)
        print(f"{word + ', %':24}" + "".join(f"{100 * share:14.1f}" for share in cells))


def _is_file_name(content: PdfContent) -> bool:
    return "title: the file's name" in content.paper.extra.get("pdf_evidence", "")


def _there(counts: Counter[str]) -> int:
    return sum(counts[word] for word in ("right", "wrong", "empty"))


def _row(counts: Counts) -> str:
    cells = []
    for field in FIELDS:
        number = _there(counts[field])
        cells.append(f"{counts[field][RIGHT]}/{number}" if number else
                     " ".join(f"{n} {word}" for word, n in counts[field].items()))  # fmt: skip
    return "".join(f"{cell:>14}" for cell in cells)


def _shown(field: str, paper: Paper, truth: dict[str, Any]) -> str:
    if "author" in field:
        wanted = "; ".join(" ".join(pair) for pair in truth["authors"])
        return f"{'; '.join(author.name for author in paper.authors)} <> {wanted}"[:500]
    if field == "identifier":
        return f"{[tuple(i) for i in paper.identifiers]} <> {truth['doi']} {truth['arxiv']}"
    value = getattr(paper, field)
    return f"{value} <> {truth[field]}"[: 300 if field != "abstract" else 2000]


if __name__ == "__main__":
    main()
