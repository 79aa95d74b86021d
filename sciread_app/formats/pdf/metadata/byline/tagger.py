"""A trained tagger of the lines that name the authors, for bylines that the rules do not read.

Gradient-boosted trees over the features of each line, trained by
`benchmarks/pdf_metadata/train_tagger.py` and kept in resources/line_tagger.npz.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from sciread_app.formats.pdf.metadata.byline.byline import Byline, groups_of, joined
from sciread_app.formats.pdf.metadata.byline.line_features import PageCell, features_of, page_cells
from sciread_app.formats.pdf.metadata.byline.names import SegmentKind, has_shape_of_name
from sciread_app.formats.pdf.metadata.byline.parser import (
    ET_AL,
    MARK,
    Pieces,
    authors_of,
    pieces_of,
)
from sciread_app.formats.pdf.metadata.layout import PageLayout
from sciread_app.formats.pdf.metadata.rows import Row
from sciread_app.paths import resource

FILE = "line_tagger.npz"
CERTAIN = 0.7  # least probability of every line's tag; chosen by cross-validation


class LineTagger:
    """Trees as arrays of nodes: a node with the feature -1 is a leaf with a value, any other sends
    lines whose feature is at most `threshold` to `left`, and the rest to `right`."""

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        self.roots = arrays["roots"]  # (trees,) indices of nodes
        self.feature = arrays["feature"]  # (nodes,)
        self.threshold = arrays["threshold"]
        self.left = arrays["left"]
        self.right = arrays["right"]
        self.value = arrays["value"]  # logits
        self.start = float(arrays["start"])  # the logit without any tree
        self.features = int(arrays["features"])  # the number of features of a line

    def probabilities(self, features: Sequence[Sequence[float]]) -> np.ndarray:
        """The probability of each line that it names authors, from (lines, features)."""
        numbers = np.asarray(features, dtype=np.float32)
        lines = np.arange(len(numbers))[:, None]
        nodes = np.repeat(self.roots[None, :], len(numbers), axis=0)
        while (inner := self.feature[nodes] >= 0).any():
            values = numbers[lines, self.feature[nodes]]
            below = np.where(values <= self.threshold[nodes], self.left[nodes], self.right[nodes])
            nodes = np.where(inner, below, nodes)
        logits: np.ndarray = self.start + self.value[nodes].sum(axis=1)
        return np.asarray(1 / (1 + np.exp(-logits)))


@cache
def read_tagger(path: Path) -> LineTagger | None:
    """The tagger in a file; None if the file is missing or damaged, or has other features."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return LineTagger({name: file[name] for name in file.files})
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        return None


def tagged_byline(
    rows: Sequence[Row], title: tuple[int, int], page: PageLayout, *, path: Path | None = None
) -> Byline:
    """The authors named in the lines that the tagger chooses among the page's first rows, with a
    doubt unless all lines and names are certain; empty without a tagger.

    `title` is the first and the last row of the title, `path` the tagger's file if it is not the
    one that comes with the program.
    """
    tagger = read_tagger(path or resource(FILE))
    cells = page_cells(rows)
    features = features_of(cells, rows, title, page)
    if tagger is None or not features or len(features[0]) != tagger.features:
        return Byline()
    return byline_of(cells, tagger.probabilities(features).tolist())


def byline_of(cells: Sequence[PageCell], probabilities: Sequence[float]) -> Byline:
    """The authors in the cells that are more likely than not to name them."""
    chosen = [cell for cell, p in zip(cells, probabilities, strict=True) if p > 0.5]
    is_marked = any(cell.text.rstrip(" ,;").endswith(MARK) for cell in chosen)
    is_certain = all(max(p, 1 - p) >= CERTAIN for p in probabilities)
    authors = []
    for group in groups_of(chosen):
        text = joined(group)
        pieces = pieces_of(text, is_marked=is_marked)
        kinds = tuple(
            SegmentKind.maybe if kind is SegmentKind.other and has_shape_of_name(piece) else kind
            for piece, kind in zip(pieces.texts, pieces.kinds, strict=True)
        )
        pieces = Pieces(pieces.texts, kinds, pieces.cut_at)
        authors += authors_of(pieces)
        is_certain = is_certain and not pieces.others and not ET_AL.search(text)
    unique = tuple(dict.fromkeys(authors))
    is_whole = len(unique) == len(authors) and all(a.given or a.literal for a in unique)
    doubt = "" if is_certain and is_whole else "the lines with the authors' names are uncertain"
    return Byline(unique, doubt if unique else "")
