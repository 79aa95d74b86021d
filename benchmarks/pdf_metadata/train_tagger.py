"""Train the tagger of authors' lines: `python -m benchmarks.pdf_metadata.train_tagger [FOLDER]`.

FOLDER (build/pdf_metadata) has the pages of the tuning half, or they are made there, see
generate.py. Prints how many pages are read right, wrong or not at all, in five folds by layout:
by the rules, by the tagger, and by the rules with the tagger for the rest. Then trains on all pages
of the tuning half and writes resources/line_tagger.npz.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pypdfium2 import PdfDocument
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.pdf_metadata import generate
from benchmarks.pdf_metadata.scoring import RIGHT, outcomes
from sciread_app.domain.paper import Author, Paper
from sciread_app.formats.pdf.extraction import extract
from sciread_app.formats.pdf.metadata.byline import tagger
from sciread_app.formats.pdf.metadata.byline.byline import Byline, byline_below
from sciread_app.formats.pdf.metadata.byline.line_features import PageCell, features_of, page_cells
from sciread_app.formats.pdf.metadata.cover_sheet import is_cover
from sciread_app.formats.pdf.metadata.layout import page_layout
from sciread_app.formats.pdf.metadata.rows import rows_of, title_rows
from sciread_app.formats.pdf.metadata.text_cleanup import letters_of

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "resources" / tagger.FILE
SEED, FOLDS = 0, 5
_WORKERS = 2
_PAGES = 3  # of a file, on one of which its title is
_WORD = re.compile(r"[^\W\d_]+")
# Words beside names that do not count against a line, in lower case.
_BESIDE = frozenset(
    (
        *("and", "by", "und", "et", "e", "authors", "author", "jr", "sr", "iii", "ii"),
        *("md", "phd", "msc", "dr", "mb", "bs", "prof", "member", "ieee"),
    )
)
_NAMES_SHARE = 0.6  # of the words of a line that names authors
_SAME_BYLINE = 0.28  # relative difference of font sizes; small capitals are set in two


@dataclass
class _Page:
    truth: dict[str, Any]
    cells: list[PageCell]
    features: list[list[float]]
    labels: list[bool]
    rules: Byline
    probabilities: list[float] = field(default_factory=list)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "pdf_metadata"
    tuned = generate.tuned_layouts()
    generate.make(folder, set(tuned))
    truths = [(path, json.loads(path.read_text())) for path in sorted(folder.glob("*.json"))]
    wanted = [(path.with_suffix(".pdf"), truth) for path, truth in truths
              if truth["layout"] in tuned and not truth["scanned"]]  # fmt: skip
    with ProcessPoolExecutor(_WORKERS) as pool:
        read = pool.map(_read, *zip(*wanted, strict=True), chunksize=20)
        pages = [page for page in read if page is not None]
    layouts = sorted({page.truth["layout"] for page in pages})
    print(f"{len(pages)} pages of {len(layouts)} layouts, seed {SEED}")
    order = np.random.default_rng(SEED).permutation(len(layouts))
    fold_of = {layout: int(order[i]) % FOLDS for i, layout in enumerate(layouts)}
    for fold in range(FOLDS):
        model = _fitted([page for page in pages if fold_of[page.truth["layout"]] != fold])
        for page in pages:
            if fold_of[page.truth["layout"]] == fold:
                page.probabilities = model.predict_proba(_matrix([page]))[:, 1].tolist()
    wrong = sum(
        (p > 0.5) != label
        for page in pages
        for p, label in zip(page.probabilities, page.labels, strict=True)
    )
    print(f"{wrong} of {sum(len(page.labels) for page in pages)} lines are tagged wrong")
    for name, is_drawn in (("written by hand", False), ("drawn at random", True)):
        _report(name, [p for p in pages if p.truth["layout"].startswith("drawn-") == is_drawn])
    model = _fitted(pages)
    np.savez_compressed(TARGET, **_arrays(model))
    _check(model, pages[:50])
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes")


def _read(path: Path, truth: dict[str, Any]) -> _Page | None:
    """The page of a file with its title, if there is one."""
    # The title as it is found, which may be wrong.
    title = extract(path, path.read_bytes()).paper.title
    document = PdfDocument(path)
    found = []
    for number in range(min(_PAGES, len(document))):
        page = document[number]
        text = page.get_textpage()
        found.append((is_cover(text.get_text_bounded()), page_layout(page, text)))
    document.close()
    for _, layout in sorted(found, key=lambda page: page[0]):
        rows = rows_of(layout)
        if place := title_rows(rows, title):
            cells = page_cells(rows)
            features = features_of(cells, rows, place, layout)
            rules = byline_below(rows, place, layout)
            return _Page(truth, cells, features, labels_of(cells, truth["authors"]), rules)
    return None


def labels_of(cells: Sequence[PageCell], authors: Sequence[Sequence[str]]) -> list[bool]:
    """Whether each cell is part of the byline: the largest text with the names of most authors, and
    the lines next to it that name others."""
    words: set[str] = set()
    forms = []  # of each author's whole name
    for given, family, *_ in authors:
        parts = [letters_of(word) for word in _WORD.findall(f"{given} {family}")]
        initials = "".join(letters_of(word)[0] for word in _WORD.findall(given))
        words |= {*parts, *initials, *(_plain(part) for part in parts)}
        first, last = letters_of(given), letters_of(family)
        forms.append({first + last, last + first, initials + last, last + initials})
    named = [_named(cell, words, forms) for cell in cells]
    sizes: dict[float, set[int]] = {}
    for cell, found in zip(cells, named, strict=True):
        if found is not None:
            sizes.setdefault(round(2 * cell.line.size) / 2, set()).update(found)
    if not sizes:
        return [False] * len(cells)
    size = max(sizes, key=lambda size: (len(sizes[size]), size))
    rows = {c.row for c, found in zip(cells, named, strict=True)
            if found and abs(c.line.size - size) < 0.3}  # fmt: skip
    labels, seen = [], set[int]()
    for cell, found in zip(cells, named, strict=True):
        is_near = found is not None and any(abs(cell.row - row) <= 1 for row in rows)
        is_like = abs(cell.line.size - size) < _SAME_BYLINE * size
        is_new = not found or not found <= seen  # else a running head, or the corresponding author
        labels.append(is_near and is_like and is_new)
        if labels[-1]:
            seen |= found or set()
    return labels


def _named(cell: PageCell, words: set[str], forms: Sequence[set[str]]) -> set[int] | None:
    """The indices of the authors with their whole name in a cell; None if it has other words."""
    found_words = _WORD.findall(cell.text.replace(tagger.MARK, " "))
    letters = letters_of("".join(found_words))
    own = [letters_of(word) for word in found_words if letters_of(word) not in _BESIDE]
    found = {
        number for number, names in enumerate(forms)
        if any(name in letters for name in names if len(name) > 3 or not name.isascii())
    }  # fmt: skip
    begins = any(
        letters.startswith(name) for number in found for name in forms[number] if len(name) > 3
    )
    share = sum(word in words for word in own) / len(own) if own else 0.0
    is_han = not letters.isascii() and found and len(letters) <= 4 * len(found)
    return found if begins or is_han or share >= _NAMES_SHARE else None


def _plain(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", word.upper().lower()) if c.isalnum())


def _matrix(pages: Sequence[_Page]) -> np.ndarray:
    return np.array([row for page in pages for row in page.features], dtype=np.float32)


def _fitted(pages: Sequence[_Page]) -> HistGradientBoostingClassifier:
    model = HistGradientBoostingClassifier(
        max_iter=120, max_leaf_nodes=15, min_samples_leaf=20, l2_regularization=1.0,
        random_state=SEED,
    )  # fmt: skip
    return model.fit(_matrix(pages), [label for page in pages for label in page.labels])


def _report(name: str, pages: Sequence[_Page]) -> None:
    print(f"{name}: {len(pages)} pages      all authors               first author")
    _row("rules", pages, [_certain(page.rules) for page in pages])
    found = [tagger.byline_of(page.cells, page.probabilities) for page in pages]
    _row("tagger", pages, [byline.authors for byline in found])
    kept = tagger.CERTAIN
    for certain in (0.5, 0.6, 0.7, 0.8, 0.9):
        tagger.CERTAIN = certain
        found = [tagger.byline_of(page.cells, page.probabilities) for page in pages]
        authors = [_certain(p.rules) or _certain(b) for p, b in zip(pages, found, strict=True)]
        _row(f"rules, tagger from {certain}", pages, authors)
    tagger.CERTAIN = kept


def _certain(byline: Byline) -> tuple[Author, ...]:
    return () if byline.doubt else byline.authors


def _row(name: str, pages: Sequence[_Page], authors: Sequence[Sequence[Author]]) -> None:
    counts: dict[str, Counter[str]] = {"authors": Counter(), "first author": Counter()}
    for page, found in zip(pages, authors, strict=True):
        result = outcomes(page.truth, Paper(title="", authors=tuple(found)))
        for key, count in counts.items():
            count[result[key]] += 1
    cells = (
        f"{word} {100 * counts[key][word] / len(pages):5.1f}%"
        for key in counts
        for word in (RIGHT, "wrong")
    )
    print(f"{name:24}" + "   ".join(cells))


def _arrays(model: HistGradientBoostingClassifier) -> dict[str, np.ndarray]:
    """The trees as the arrays that `tagger.LineTagger` reads."""
    trees = [trees[0].nodes for trees in model._predictors]
    roots = np.cumsum([0, *map(len, trees[:-1])])
    nodes = np.concatenate(trees)
    start = np.repeat(roots, [len(tree) for tree in trees])
    return {
        "roots": roots.astype(np.int32),
        "feature": np.where(nodes["is_leaf"], -1, nodes["feature_idx"]).astype(np.int16),
        "threshold": nodes["num_threshold"].astype(np.float64),
        "left": (nodes["left"] + start).astype(np.int32),
        "right": (nodes["right"] + start).astype(np.int32),
        "value": nodes["value"].astype(np.float32),
        "start": np.float64(model._baseline_prediction.item()),
        "features": np.int32(model.n_features_in_),
    }


def _check(model: HistGradientBoostingClassifier, pages: Sequence[_Page]) -> None:
    """RuntimeError unless the written trees give the probabilities of the trained model."""
    written = tagger.read_tagger(TARGET)
    matrix = _matrix(pages)
    expected = model.predict_proba(matrix)[:, 1]
    if written is None or not np.allclose(written.probabilities(matrix), expected, atol=1e-5):
        raise RuntimeError(f"{TARGET} does not give the probabilities of the trained model.")


if __name__ == "__main__":
    main()
