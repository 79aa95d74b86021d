"""Resource files: the sample library and the names of fields."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from sciread_app.domain.metadata.identifiers import identifier
from sciread_app.domain.paper import Paper
from sciread_app.formats.bibtex import reader as bibtex

RESOURCES = Path(__file__).parents[1] / "resources"


@pytest.fixture(scope="module")
def sample() -> list[Paper]:
    """Every entry of the sample library; each must be readable."""
    read = list(bibtex.read(RESOURCES / "sample_library.bib"))
    assert [entry for entry in read if not isinstance(entry, Paper)] == []
    return read


@pytest.fixture(scope="module")
def arxiv() -> dict:
    return json.loads((RESOURCES / "arxiv_categories.json").read_text(encoding="utf-8"))


def test_sample_library_has_more_than_a_hundred_papers(sample):
    assert 100 <= len(sample) <= 150
    entries = re.findall(
        r"^@(?!string)\w+\{", (RESOURCES / "sample_library.bib").read_text("utf-8"), re.M
    )
    assert len(sample) == len(entries)


def test_sample_papers_are_complete(sample):
    for paper in sample:
        assert paper.title and paper.authors and paper.year and paper.keywords, paper
        assert 200 <= len(paper.abstract) <= 800, paper.title
        assert paper.venue or paper.identifier("arxiv"), paper.title


def test_sample_library_shows_no_latex(sample):
    for paper in sample:
        names = " ".join(author.name for author in paper.authors)
        seen = f"{paper.abstract} {names} {paper.venue} {' '.join(paper.keywords)}"
        assert not re.search(r"[\\{}]|``|''", seen), paper.title
        assert "{" not in re.sub(r"\$[^$]*\$", "", paper.title), paper.title


def test_sample_identifiers_are_normalised_and_unique(sample):
    found = [i for paper in sample for i in paper.identifiers if i.kind != "citekey"]
    assert all(identifier(i.kind, i.value) == i for i in found)
    assert [i for i, times in Counter(found).items() if times > 1] == []
    named = [p for p in sample if any(i.kind in ("doi", "arxiv") for i in p.identifiers)]
    assert len(named) > 0.9 * len(sample)


def test_sample_library_has_two_works_as_preprint_and_article(sample):
    by_title: dict[str, list[Paper]] = {}
    for paper in sample:
        by_title.setdefault(paper.title.casefold(), []).append(paper)
    twice = [versions for versions in by_title.values() if len(versions) > 1]
    assert len(twice) == 2
    for preprint, published in twice:
        assert preprint.identifier("arxiv") and not preprint.identifier("doi")
        assert published.identifier("doi") and not published.identifier("arxiv")
        assert preprint.authors == published.authors


def test_sample_library_has_names_of_every_kind(sample):
    authors = {author for paper in sample for author in paper.authors}
    names = {author.name for author in authors}
    assert {"Kurt Gödel", "Réka Albert", "Łukasz Kaiser", "Tomáš Mikolov"} <= names
    assert {a.last_name for a in authors if a.particle} >= {"van der Maaten", "von Klitzing"}
    assert {a.family for a in authors if a.literal} >= {"ATLAS Collaboration"}
    assert {a.family for a in authors if a.suffix} == {"Ford", "Nash"}
    assert "others" not in {author.family for author in authors}


def test_arxiv_categories_have_a_name_and_a_group(arxiv):
    assert len(arxiv["categories"]) > 150
    for category, entry in arxiv["categories"].items():
        assert re.fullmatch(r"[a-z-]+(\.[A-Za-z-]{2,})?", category)
        assert entry["name"] and entry["group"], category
    assert arxiv["categories"]["cs.CL"] == {
        "name": "Computation and Language",
        "group": "Computer Science",
    }


def test_old_arxiv_categories_map_to_current_ones(arxiv):
    assert arxiv["aliases"]["cmp-lg"] == "cs.CL"
    assert arxiv["aliases"]["alg-geom"] == "math.AG"
    for old, new in arxiv["aliases"].items():
        assert new in arxiv["categories"] and old not in arxiv["categories"]
