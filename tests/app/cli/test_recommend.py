"""Recommendations on the command line: lists, JSON, and digests for feed readers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from defusedxml import ElementTree

from sciread_app import workspace
from sciread_app.cli.recommend import FORMS
from sciread_app.domain.digest import Digest, DigestEntry, TopicDigest
from sciread_app.domain.recommend import FollowedTopic, TopicKind
from sciread_app.storage.library import Library
from tests.support.generate.papers import paper
from tests.support.models.fake_encoder import WordsEncoder
from tests.support.models.topics import BEES, STARS, about, fetch, like
from tests.support.shell import Shell

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.setattr(workspace, "EncoderProcess", lambda package: WordsEncoder())
    shell = Shell(tmp_path / "home")
    shell.home.mkdir()
    library = Library(shell.home / "library.sqlite3")
    bees = library.put([about(BEES, n) for n in range(8)]).ids
    library.put([about(STARS, n) for n in range(20)])
    library.collections.add(bees, "bees & hives")
    odd = paper("<b>[Honey](x)</b> \x02hive", abstract="queen swarm pollen", doi="10.1000/(a)b")
    fetch(library, [like(BEES, 3), odd, about(STARS, 100)])
    library.close()
    shell.run("encode")
    return shell


def test_recommend_lists_topics_with_new_counts(shell):
    query, bees = shell.json("recommend")
    assert query == {"name": "all", "kind": "query", "new": 3}
    assert (bees["name"], bees["kind"]) == ("bees & hives", "collection")
    assert bees["new"] >= 1
    assert "bees & hives" in shell.run("recommend").stdout


def test_recommend_lists_new_papers_with_reasons(shell):
    found = shell.json("recommend", "bees & hives", "--weaker")
    assert found["candidates"] == 3
    first, last = found["papers"][0], found["papers"][-1]
    assert first["fits"] and first["like"] and set(first["words"][0].split()) <= set(BEES)
    assert not last["fits"] and first["score"] > last["score"]
    assert len(shell.json("recommend", "bees & hives")["papers"]) < 3
    assert "similar to “" in shell.run("recommend", "bees & hives").stdout


def test_recommend_names_no_similar_papers_where_there_are_none(shell):
    found = shell.json("recommend", "all")
    assert found["papers"] and not any(one["like"] for one in found["papers"])
    assert "similar to" not in shell.run("recommend", "all").stdout


def test_recommend_accepts_a_day_and_refuses_invalid_ones(shell):
    found = shell.json("recommend", "bees & hives", "--since", "2199-01-01")
    assert found["papers"] == [] and found["note"]
    assert "soon" in shell.json("recommend", "bees & hives", "--since", "soon", code=2)["error"]
    assert "wasps" in shell.json("recommend", "wasps", code=1)["error"]


def test_digest_is_a_valid_atom_feed(shell, tmp_path):
    file = tmp_path / "new.atom"
    written = shell.json("recommend", "--all", "--output", str(file))
    feed = ElementTree.parse(file).getroot()
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == written["papers"] > 0
    names = {entry.findtext(f"{ATOM}id") for entry in entries}
    assert len(names) == len(entries)
    shell.run("recommend", "--all", "--output", str(file))
    again = ElementTree.parse(file).getroot().findall(f"{ATOM}entry")
    assert {entry.findtext(f"{ATOM}id") for entry in again} == names


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_formulas_in_digest_become_unicode(form):
    subject = FollowedTopic("collection:1", TopicKind.collection, "bees", "in:bees")
    found = paper("On $x^2$", abstract="Of $x^2$.", doi="10.1000/a")
    entry = DigestEntry(found)
    text = form(Digest(datetime.now(UTC), [TopicDigest(subject, [entry])]), lambda: UUID(int=1))
    assert "On x²" in text and "$x" not in text


def test_titles_are_escaped_in_digest(shell, tmp_path):
    for name in ("new.html", "new.md"):
        shell.run("recommend", "--all", "--output", str(tmp_path / name))
        text = (tmp_path / name).read_text("utf-8")
        assert "<b>" not in text and "Honey" in text
        assert name.endswith(".html") or "[Honey](x)" not in text
        assert "bees &amp; hives" in text
    assert "new.pdf" in shell.json("recommend", "-o", str(tmp_path / "new.pdf"), code=2)["error"]
