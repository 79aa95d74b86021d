"""Bibliographies written by people and programs, with all their quirks."""

import io
import re
from itertools import islice

import pytest

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.formats.bibtex import reader as bibtex
from sciread_app.formats.csl import reader as csl_json
from sciread_app.formats.files.encoding import open_text
from sciread_app.formats.ris import reader as ris

ENTRY = re.compile(
    r"@\s*(?!(?:comment|string|preamble)\b)(?:[a-z]+\s*[{(]|(?<=^@)[a-z]+,)", re.I | re.M
)
MATH = re.compile(r"\$[^$]+\$|\\\(.+?\\\)")
# Remains of LaTeX that was not understood.
UNDECODED = re.compile(r"\\[\"'`^~=.]\s*\{?\\?[A-Za-z]|\\[cvuHkr]\{|\{\\")


@pytest.fixture(scope="module")
def bibliographies(shared):
    """The entries of each BibTeX file."""
    paths = sorted((shared / "fixtures" / "bib").glob("*.bib"))
    return {path: list(bibtex.read(path)) for path in paths}


@pytest.fixture(scope="module")
def exports(shared):
    """The records of each RIS file."""
    paths = sorted((shared / "fixtures" / "ris").glob("*.ris"))
    return {path: list(ris.read(path)) for path in paths}


def papers_of(files):
    return [paper for read in files for paper in read if isinstance(paper, Paper)]


def test_real_bibliography_entries_are_all_read_once(bibliographies):
    for path, read in bibliographies.items():
        with open_text(path) as stream:
            entries = len(ENTRY.findall(stream.read()))
        assert len(read) == entries, path.name


def test_skipped_entries_of_real_bibliographies_name_the_reason(bibliographies):
    skipped = [s for read in bibliographies.values() for s in read if isinstance(s, Skipped)]
    assert len(skipped) == 22
    reasons = ("no title", "@set", "not followed by {")
    assert all(any(reason in s.reason for reason in reasons) for s in skipped)


def test_accents_in_real_bibliographies_are_decoded(bibliographies):
    papers = papers_of(bibliographies.values())
    names = {author.last_name for paper in papers for author in paper.authors}
    assert {"Boström", "Wäyrynen", "Türkmen", "Çetinkaya", "Orłowski"} <= names
    texts = [text for paper in papers for text in (paper.title, paper.venue, *paper.extra.values())]
    assert not [text for text in [*texts, *names] if UNDECODED.search(MATH.sub("", text))]


def test_real_ris_records_are_all_read_once(exports):
    for path, read in exports.items():
        with open_text(path) as stream:
            records = len(re.findall(r"^ER  -", stream.read(), re.M))
        assert len(read) == records, path.name


def test_real_ris_exports_give_titles_years_and_authors(exports):
    papers = papers_of(exports.values())
    assert len(papers) == 22_294
    assert sum(bool(paper.authors) for paper in papers) > 0.99 * len(papers)
    assert sum(bool(paper.published) for paper in papers) > 0.98 * len(papers)
    assert sum(bool(paper.venue) for paper in papers) > 0.95 * len(papers)


def test_other_json_is_refused_with_reason(shared):
    for path in sorted((shared / "fixtures" / "json").glob("*.json")):
        (skipped,) = csl_json.read(path)
        assert "not CSL-JSON" in skipped.reason


@pytest.mark.parametrize("module", [bibtex, ris, csl_json])
def test_real_papers_survive_a_round_trip_through_every_format(
    module, bibliographies, exports, tmp_path
):
    papers = papers_of([*bibliographies.values(), *islice(exports.values(), 16)])
    # In this bibliography, "and" is glued to names: the right split is unknown.
    papers = [p for p in papers if not any("andG" in a.particle for a in p.authors)]
    stream = io.StringIO()
    module.write(papers, stream)
    path = tmp_path / f"all{module.SUFFIXES[0]}"
    path.write_text(stream.getvalue(), encoding="utf-8")
    for paper, again in zip(papers, module.read(path), strict=True):
        for part in ("title", "authors", "kind", "published", "venue", "fields"):
            assert getattr(again, part) == getattr(paper, part)
        assert again.abstract.split() == paper.abstract.split()
        assert again.identifier("doi") == paper.identifier("doi")
