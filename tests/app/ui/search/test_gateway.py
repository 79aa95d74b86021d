"""The search gateway on a real library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sciread_app.domain.clipboard_formats import CopyAs
from sciread_app.domain.paper import Order
from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.errors import BadQuery, Cancelled
from sciread_app.paths import Home
from sciread_app.tasks import Task
from sciread_app.ui.search.gateway import STARTING
from sciread_app.ui.shell.gateway import WindowGateway
from sciread_app.workspace import Workspace
from tests.support.generate.papers import paper

TWO = """
@article{curie, title = {Radium and its rays}, author = {Curie, Marie}, year = 1903}
@article{broken, title = {No end
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    workspace = Workspace(Home(tmp_path))
    workspace.library.put(
        [
            paper("Zeta functions", published="1990", abstract="Of primes. They are many."),
            paper("Attention", published="2017", arxiv="1706.03762", authors="Vaswani, Ashish"),
            paper("Birds", published="2001", abstract="They fly."),
        ]
    )
    yield workspace
    workspace.close()


@pytest.fixture
def gateway(workspace: Workspace) -> WindowGateway:
    """Return a gateway whose model is not loaded."""
    return WindowGateway(workspace)


def find(gateway, text, mode=SearchMode.hybrid, order=Order.relevance):
    return gateway.search.find(parse(text), mode, Task(), order)


def titles(gateway, listing):
    cards = {card.paper.id: card.paper.title for card in gateway.card_loader.cards(listing.ids)}
    return [cards[paper] for paper in listing.ids]


def test_browse_supports_every_order(gateway):
    newest = ["Birds", "Attention", "Zeta functions"]
    assert titles(gateway, find(gateway, "", order=Order.added)) == newest
    assert titles(gateway, find(gateway, "", order=Order.year))[0] == "Attention"
    assert titles(gateway, find(gateway, "", order=Order.title))[-1] == "Zeta functions"


def test_search_before_the_model_is_loaded_is_by_words_with_a_note(gateway):
    found = find(gateway, "primes")
    assert titles(gateway, found) == ["Zeta functions"]
    assert found.note == STARTING
    assert found.words == ("primes",)
    assert find(gateway, "primes", SearchMode.text).note == ""


def test_search_without_need_of_a_model_has_no_note(gateway):
    assert find(gateway, "year:2001").note == ""


def test_conditions_list_all_matches_and_ranking_the_best(gateway, workspace):
    workspace.library.put([paper(f"Bee {n}", published="2020") for n in range(150)])
    assert len(find(gateway, "year:2020").ids) == 150
    assert titles(gateway, find(gateway, "year:..2019", order=Order.title)) == [
        "Attention",
        "Birds",
        "Zeta functions",
    ]
    found = find(gateway, "bee", SearchMode.text)
    assert (len(found.ids), found.total) == (100, 150)
    found = find(gateway, "bee", SearchMode.text, Order.title)
    assert (len(found.ids), found.total) == (150, 150)  # sorted lists contain all matches
    assert sum(bool(one.text_rank) for one in found.evidence.values()) == 100


def test_invalid_query_is_a_user_error(gateway):
    with pytest.raises(BadQuery):
        find(gateway, "like:99")


def test_load_without_a_model_returns_at_once(tmp_path, workspace):
    (tmp_path / "settings.toml").write_text('model = "gone"')
    workspace = Workspace(Home(tmp_path))
    gateway = WindowGateway(workspace)
    gateway.load_model(Task())
    found = find(gateway, "primes")
    assert titles(gateway, found) == ["Zeta functions"]
    assert found.note.startswith("Keyword results only.") and "gone" in found.note
    assert gateway.workspace.active_model.encode_missing(Task()) == 0
    assert not gateway.status().by_meaning
    gateway.close()


def test_details_contain_all_data_of_a_paper(gateway, workspace):
    workspace.library.tags.add([1], "numbers")
    workspace.library.collections.add([1], "maths/old")
    workspace.library.notes.add(1, "Read again.")
    details = gateway.about.details(1, parse("prime"), Task())
    assert (details.card.tags, details.collections) == (("numbers",), ("maths/old",))
    assert [note.text for note in details.notes] == ["Read again."]
    assert details.words == ("primes",)
    assert details.sentence == "Of primes."


def test_version_titles_have_formulas_in_unicode(gateway, workspace):
    same = {"title": "On $x^2$", "authors": "Curie, Marie"}
    added = workspace.library.put(
        [paper(**same, arxiv="1501.00001"), paper(**same, venue="Nature")]
    )
    workspace.editor.mark_as_versions(*added.ids)
    (version,) = gateway.about.details(added.ids[0], parse(""), Task()).versions
    assert version == (added.ids[1], "On x², Nature")


def test_read_state_is_saved(gateway):
    gateway.workspace.editor.mark_read([2], True)
    assert {card.paper.id: card.read for card in gateway.card_loader.cards([1, 2])} == {
        1: False,
        2: True,
    }


def test_papers_are_copied_as_bibtex(gateway):
    text = gateway.about.copied([2], CopyAs.bibtex, Task()).text
    assert text.lstrip().startswith("@") and "Vaswani" in text


def test_import_returns_its_summary(gateway, tmp_path):
    file = tmp_path / "two.bib"
    file.write_text(TWO, "utf-8")
    summary = gateway.workspace.import_files([file], Task())
    assert (summary.read, summary.added, summary.failed) == (2, 1, 1)
    assert summary.skips[0].entry == "broken"
    assert gateway.status().papers == 4


def test_cancelled_import_returns_a_partial_summary(gateway, tmp_path):
    file = tmp_path / "many.bib"
    file.write_text(
        "".join(f"@misc{{k{n}, title = {{A thing of number {n}}}}}\n" for n in range(3000)), "utf-8"
    )

    def stop(done, total, note):
        if done:
            task.cancel()

    task = Task(stop)
    summary = gateway.workspace.import_files([file], task)
    assert summary.stopped
    assert 0 < summary.read == summary.added < 3000
    assert gateway.status().papers == 3 + summary.added


def test_import_cancelled_before_its_start_raises_cancelled(gateway, tmp_path):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        gateway.workspace.import_files([tmp_path], task)


def test_palette_targets_contain_everything_named(gateway, workspace):
    workspace.editor.collect([1], "maths/old")
    workspace.editor.tag([2], "to read")
    workspace.editor.save_search("Bees", "bees year:2015..")
    goals = {(goal.kind, goal.name): goal.query for goal in gateway.goals()}
    assert goals["Collection", "maths/old"] == "in:maths/old"
    assert goals["Tag", "to read"] == 'tag:"to read"'
    assert goals["Saved search", "Bees"] == "bees year:2015.."
    last = [find(gateway, goals[key], SearchMode.text) for key in list(goals)[-2:]]
    assert [found.total for found in last] == [1, 0]
