"""The tagger of the lines that name the authors, and its place beside the rules."""

from pathlib import Path

import numpy as np
import pypdfium2
import pytest

from sciread_app.domain.metadata.guesses import guessed_authors
from sciread_app.formats.pdf.extraction import extract
from sciread_app.formats.pdf.metadata.byline.byline import Byline, byline_below
from sciread_app.formats.pdf.metadata.byline.line_features import features_of, page_cells
from sciread_app.formats.pdf.metadata.byline.tagger import FILE, read_tagger, tagged_byline
from sciread_app.formats.pdf.metadata.layout import page_layout
from sciread_app.formats.pdf.metadata.rows import rows_of, title_rows
from sciread_app.paths import resource
from tests.support.generate.pdf import At, body, make_pdf

TITLE = At("On the Flight of Honey Bees over Water", 18, 60, 720)
# Below the abstract, where the rules expect no names.
LATE = [TITLE, At("Abstract", 10, 60, 690, bold=True), *body(676, 6),
        At("Alice Martin", 11, 60, 590), At("Robert Weber", 11, 60, 570),
        At("Introduction", 12, 60, 540, bold=True), *body(520, 20)]  # fmt: skip


def laid_out(texts: list[At]):
    document = pypdfium2.PdfDocument(make_pdf(texts))
    page = document[0]
    layout = page_layout(page, page.get_textpage())
    rows = rows_of(layout)
    place = title_rows(rows, TITLE.text)
    assert place
    return rows, place, layout


def write_tagger(path: Path, logit: float, **changes) -> Path:
    """A tagger with one tree: `logit` for lines that contain names, `-logit` for others."""
    rows, place, layout = laid_out(LATE)
    arrays = {
        "roots": np.array([0]), "feature": np.array([0, -1, -1]),
        "threshold": np.array([0.5, 0, 0]),
        "left": np.array([1, 0, 0]), "right": np.array([2, 0, 0]),
        "value": np.array([0, -logit, logit]), "start": np.array(0.0),
        "features": np.array(len(features_of(page_cells(rows), rows, place, layout)[0])),
    }  # fmt: skip
    np.savez(path, **arrays | changes)
    return path


def names(byline: Byline) -> list[str]:
    return [author.name for author in byline.authors]


def test_tagger_gives_the_probability_of_the_leaf_of_each_line(tmp_path):
    tagger = read_tagger(write_tagger(tmp_path / "tagger.npz", 2.0))
    assert tagger is not None
    lines = np.zeros((2, tagger.features))
    lines[1, 0] = 1
    assert tagger.probabilities(lines) == pytest.approx([1 / (1 + np.exp(2)), 1 / (1 + np.exp(-2))])


def test_tagged_lines_below_an_abstract_name_the_authors(tmp_path):
    path = write_tagger(tmp_path / "tagger.npz", 4.0)
    found = tagged_byline(*laid_out(LATE), path=path)
    assert (names(found), found.doubt) == (["Alice Martin", "Robert Weber"], "")
    assert not byline_below(*laid_out(LATE)).authors


def test_tagged_lines_that_are_not_certain_have_a_doubt(tmp_path):
    found = tagged_byline(*laid_out(LATE), path=write_tagger(tmp_path / "tagger.npz", 0.2))
    assert names(found) == ["Alice Martin", "Robert Weber"]
    assert found.doubt


def test_tagged_line_with_more_than_names_has_a_doubt(tmp_path):
    path = write_tagger(tmp_path / "tagger.npz", 4.0)
    mixed = [TITLE, At("Alice Martin, Robert Weber, learning of features", 11, 60, 690), *body()]
    found = tagged_byline(*laid_out(mixed), path=path)
    assert names(found) == ["Alice Martin", "Robert Weber"]
    assert found.doubt


def test_missing_damaged_or_older_tagger_finds_nothing(tmp_path):
    page = laid_out(LATE)
    whole = write_tagger(tmp_path / "whole.npz", 4.0).read_bytes()
    quarter = len(whole) // 4
    damaged = whole[:quarter] + b"?" * quarter + whole[2 * quarter :]
    files = {"empty": b"", "text": b"no arrays", "cut": whole[:-40], "damaged": damaged}
    for name, data in files.items():
        (tmp_path / f"{name}.npz").write_bytes(data)
    write_tagger(tmp_path / "older.npz", 4.0, features=np.array(3))
    np.savez(tmp_path / "incomplete.npz", roots=np.array([0]))
    for name in ("missing", *files, "older", "incomplete"):
        assert tagged_byline(*page, path=tmp_path / f"{name}.npz") == Byline(), name


def test_names_that_only_the_shipped_tagger_finds_are_authors():
    content = extract(Path("/papers/file_name.pdf"), make_pdf(LATE))
    assert [author.name for author in content.paper.authors] == ["Alice Martin", "Robert Weber"]
    assert "tagger" in content.paper.extra["pdf_evidence"]
    assert not content.remark


def test_names_that_the_shipped_tagger_doubts_are_a_guess():
    doubtful = At("Alice Martin and the bees of Oslo, Robert Weber", 11, 60, 690)
    page = [TITLE, doubtful, At("Abstract", 10, 60, 560, bold=True), *body(540, 20)]
    assert not byline_below(*laid_out(page)).authors
    content = extract(Path("/papers/file_name.pdf"), make_pdf(page))
    assert not content.paper.authors
    guess = [author.name for author in guessed_authors(content.paper)]
    assert guess == ["Alice Martin", "Robert Weber"]
    assert "Robert Weber" in content.remark


def test_shipped_tagger_is_small():
    assert resource(FILE).stat().st_size < 300_000
