"""Files that real people and programs wrote, with all their quirks."""

import io
import re

import pytest

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.formats.bibtex import reader as bibtex
from sciread_app.formats.csl import reader as csl_json
from sciread_app.formats.files.encoding import open_text
from sciread_app.formats.ris import reader as ris

ENTRY = re.compile(r"@\s*(?!(?:comment|string|preamble)\b)[a-z]+\s*[{(]", re.I)
MATH = re.compile(r"\$[^$]+\$|\\\(.+?\\\)")
# What LaTeX leaves behind when it was not understood.
UNDECODED = re.compile(r"\\[\"'`^~=.]\s*\{?\\?[A-Za-z]|\\[cvuHkr]\{|\{\\")


@pytest.fixture(scope="module")
def bibliographies(shared):
    return sorted((shared / "fixtures" / "bib").glob("*.bib"))


@pytest.fixture(scope="module")
def exports(shared):
    return sorted((shared / "fixtures" / "ris").glob("*.ris"))


def test_no_entry_of_a_real_bibliography_is_lost_or_doubled(bibliographies):
    for path in bibliographies:
        with open_text(path) as stream:
            entries = len(ENTRY.findall(stream.read()))
        assert len(list(bibtex.read(path))) == entries, path.name


def test_what_is_skipped_in_real_bibliographies_has_no_title(bibliographies):
    skipped = [s for path in bibliographies for s in bibtex.read(path) if isinstance(s, Skipped)]
    assert len(skipped) == 21
    assert all("no title" in s.why or "@set" in s.why for s in skipped)


def test_accents_in_real_bibliographies_are_decoded(bibliographies):
    papers = [p for path in bibliographies for p in bibtex.read(path) if isinstance(p, Paper)]
    names = {author.last_name for paper in papers for author in paper.authors}
    assert {"Boström", "Wäyrynen", "Türkmen", "Çetinkaya", "Orłowski"} <= names
    texts = [text for paper in papers for text in (paper.title, paper.venue, *paper.extra.values())]
    assert not [text for text in [*texts, *names] if UNDECODED.search(MATH.sub("", text))]


def test_no_record_of_a_real_export_is_lost_or_doubled(exports):
    for path in exports:
        with open_text(path) as stream:
            records = len(re.findall(r"^ER  -", stream.read(), re.M))
        assert len(list(ris.read(path))) == records, path.name


def test_real_exports_give_titles_years_and_authors(exports):
    papers = [paper for path in exports for paper in ris.read(path) if isinstance(paper, Paper)]
    assert len(papers) == 22_294
    assert sum(bool(paper.authors) for paper in papers) > 0.99 * len(papers)
    assert sum(bool(paper.published) for paper in papers) > 0.98 * len(papers)
    assert sum(bool(paper.venue) for paper in papers) > 0.95 * len(papers)


def test_json_that_is_no_bibliography_is_refused_with_a_reason(shared):
    for path in sorted((shared / "fixtures" / "json").glob("*.json")):
        (skipped,) = csl_json.read(path)
        assert "not CSL-JSON" in skipped.why


@pytest.mark.parametrize("module", [bibtex, ris, csl_json])
def test_real_papers_come_back_from_every_format(module, bibliographies, exports, tmp_path):
    sources = [(bibtex, path) for path in bibliographies] + [(ris, path) for path in exports[:16]]
    papers = [p for read, path in sources for p in read.read(path) if isinstance(p, Paper)]
    # In this bibliography, "and" is glued to names: who is meant, nobody can tell.
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
