"""Make the measurement set: `python -m benchmarks.pdf_metadata.generate FOLDER [layout ...]`.

Needs pdflatex with the publishers' classes (Debian: texlive-latex-base, texlive-latex-recommended,
texlive-latex-extra, texlive-publishers, texlive-science, texlive-plain-generic,
texlive-fonts-recommended, lmodern, cm-super), and fonts-droid-fallback for Chinese.
Writes FOLDER/<layout>-<n>.pdf and FOLDER/<layout>-<n>.json, the truth. Existing files are kept.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.pdf_metadata import latex, word
from benchmarks.pdf_metadata.records import (
    Record,
    RecordMaker,
    raw_papers,
    varied,
    with_single_names,
)

PAGES = 5  # of each layout
# The half for reporting, drawn by a hash of the names before anything was measured. Its files are
# not looked at, only its table. Layouts added later are for tuning.
REPORTED = frozenset((
    "acm-sigconf", "amsart", "article-authblk", "article-line", "astrophysics-letter",
    "cell-like", "chinese", "clinical-like", "cover-hal", "cover-taylor", "cover-university",
    "elsevier-final", "elsevier-preprint", "emulateapj", "french-article", "frontiers-like",
    "icml-like", "iop-like", "jacow-like", "jhep-like", "lipics-like", "llncs", "medrxiv-like",
    "mnras", "nature-like", "pnas-like", "revtex-prl", "russian", "siam-like", "springer-new",
    "thesis-us", "usenix-like", "word-marks", "word-same-size", "word-separate",
    "working-paper",
))  # fmt: skip


def layouts() -> list[str]:
    return sorted([*latex.templates(), *word.LAYOUTS])


def tuned_layouts() -> frozenset[str]:
    """The layouts that rules and weights may be fitted to."""
    return frozenset(layouts()) - REPORTED


def options(layout: str) -> dict[str, str]:
    template = latex.templates().get(layout)
    return template.options if template else word.LAYOUTS[layout].options


def make(folder: Path, only: set[str] | None = None, workers: int = 2) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    papers = RecordMaker(raw_papers())
    tuned = tuned_layouts()
    wanted = []
    for layout in layouts():
        for number in range(PAGES):
            target = folder / f"{layout}-{number}.pdf"
            if (only is None or layout in only) and not target.is_file():
                record = _record(papers, layout, number, layout in tuned)
                wanted.append((layout, record, target))
    failed = 0
    with ProcessPoolExecutor(workers) as pool:
        tasks = [pool.submit(_make_one, *arguments) for arguments in wanted]
        for task in as_completed(tasks):
            if problem := task.result():
                failed += 1
                print(problem, file=sys.stderr)
    print(f"{len(wanted) - failed} pages made, {failed} failed, in {folder}")


def _record(papers: RecordMaker, layout: str, number: int, tuned: bool) -> Record:
    chosen = options(layout)
    record = papers.record(
        f"{layout} {number}",
        tuned=tuned,
        fewest=int(chosen.get("fewest", 1)),
        most=int(chosen.get("most", 36)),
        medical="medical" in chosen,
    )
    if chosen.get("names") == "varied":
        record = varied(record, f"{layout} {number}")
    elif chosen.get("names") == "single":
        record = with_single_names(record)
    if chosen.get("year", "").isdecimal():
        record = replace(record, year=int(chosen["year"]))
    if pattern := chosen.get("doi"):
        record = replace(record, doi=_doi(pattern, record, f"{layout} {number}"))
    return record


def _doi(pattern: str, record: Record, seed: str) -> str:
    dice = random.Random(seed)
    return pattern.format(
        a=dice.randint(100_000, 999_999), b=dice.randint(100_000, 999_999),
        c=dice.randint(100, 999), d=dice.randint(10_000, 99_999), year=record.year,
        yy=f"{record.year % 100:02}",
        m=1 + dice.randrange(8),
    ).lower()  # fmt: skip


def _make_one(layout: str, record: Record, target: Path) -> str:
    """Make one file; returns the problem, empty if there was none."""
    try:
        if template := latex.templates().get(layout):
            latex.typeset(template, record, target)
        else:
            word.LAYOUTS[layout].make(record, target)
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        return f"{target.stem}: {error}"
    truth = json.dumps(truth_of(layout, record), ensure_ascii=False, indent=1)
    target.with_suffix(".json").write_text(truth, encoding="utf-8")
    return ""


def truth_of(layout: str, record: Record) -> dict[str, Any]:
    chosen = options(layout)
    initials = chosen.get("given") == "initials"
    title = record.title
    authors = [[w.initials if initials else w.given, w.family, w.suffix] for w in record.writers]
    if language := chosen.get("language"):
        title, authors = word.foreign_truth(language, len(authors))
    venue = chosen.get("venue", "no").format(year=record.year, yy=f"{record.year % 100:02}")
    return {
        "layout": layout,
        "title": title,
        "authors": authors,
        "year": None if chosen.get("year") == "no" else record.year,
        "venue": "" if venue == "no" else venue,
        "doi": record.doi if "doi" in chosen else "",
        "arxiv": record.arxiv if chosen.get("id") == "arxiv" else "",
        "abstract": "" if chosen.get("abstract") == "no" else record.abstract,
        "scanned": "scanned" in chosen,
    }


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    make(Path(sys.argv[1]), set(sys.argv[2:]) or None)
