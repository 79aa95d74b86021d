"""Recommendations for a collection or a saved search, with their reasons."""

from __future__ import annotations

import time

import pytest

from sciread_app.domain.fetch import SourceQuery
from sciread_app.domain.recommend import CandidateScope, SuggestedAction, TopicPreferences
from sciread_app.errors import BadQuery, LibraryError
from sciread_app.services.recommend.recommender import Recommender
from sciread_app.services.search.embedding_index import EmbeddingIndex
from tests.support.generate.papers import paper
from tests.support.models.fake_encoder import WordsEncoder
from tests.support.models.topics import BEES, STARS, about, collect_bees, fetch, like

DAY = 86_400


@pytest.fixture(params=["vectors", "words"])
def open_recommender(request, library, tmp_path):
    """Return a factory of recommenders over all present papers, with and without a model."""

    def make() -> Recommender:
        if request.param == "words":
            return Recommender(library, None)
        space = EmbeddingIndex(library, WordsEncoder(), tmp_path)
        space.encode_missing()
        return Recommender(library, space)

    return make


@pytest.fixture
def held_bees(library):
    """Fill a library with bees and stars, put the bees into a collection, and return their ids."""
    return collect_bees(library, 30)


def feed_of(recommender, name="bees", **options):
    return recommender.new_for(recommender.subject(name), **options)


def test_recommendations_rank_fetched_papers_by_collection(library, held_bees, open_recommender):
    stars = fetch(library, [about(STARS, n) for n in range(100, 105)])
    bees = fetch(library, [about(BEES, n) for n in range(100, 103)])
    feed = feed_of(open_recommender())
    assert {pick.paper for pick in feed.picks[:3]} == set(bees)
    fitting = {pick.paper for pick in feed.picks if pick.fits}
    assert fitting and fitting <= set(bees)
    assert feed.candidates == len(stars) + len(bees)
    assert set(feed.picks[0].like) <= set(held_bees) and feed.picks[0].like
    assert set(feed.picks[0].words) & set(BEES)
    assert not feed.note


GENERAL = ("met", "hard", "people", "everyday", "discovered", "several", "went", "though")


def test_general_words_are_not_a_reason(library, open_recommender):
    bees = [paper(f"Honey {' '.join(GENERAL)}", abstract=f"nectar {n}") for n in range(6)]
    library.collections.add(library.put(bees).ids, "bees")
    library.put([about(STARS, n) for n in range(30)])
    wordy, telling = fetch(
        library,
        [
            paper(" ".join(GENERAL), abstract="hard people"),
            paper(f"Honey {' '.join(GENERAL[:3])}", abstract="nectar people met"),
        ],
    )
    words = {pick.paper: pick.words for pick in feed_of(open_recommender()).picks}
    assert words[wordy] == ()
    assert set(" ".join(words[telling]).split()) == {"honey", "nectar"}


def test_recommendations_leave_out_held_dismissed_and_imported_papers(
    library, held_bees, open_recommender
):
    held, dismissed, new = fetch(library, [about(BEES, n) for n in range(100, 103)])
    library.collections.add([held], "bees/nested")
    (from_file,) = library.put([about(BEES, 200)]).ids
    recommender = open_recommender()
    bees = recommender.subject("bees")
    recommender.dismiss(bees, [dismissed])
    assert [pick.paper for pick in recommender.new_for(bees).picks] == [new]
    added = recommender.new_for(bees, among=CandidateScope.added)
    assert {pick.paper for pick in added.picks} >= {new, from_file}
    assert library.edits.undo().what == "Dismissed 1 paper for “bees”"
    assert {pick.paper for pick in recommender.new_for(bees).picks} == {dismissed, new}
    library.edits.redo()
    recommender.take_back(bees, [dismissed])
    assert {pick.paper for pick in recommender.new_for(bees).picks} == {dismissed, new}


def test_recommendations_leave_out_versions_of_held_papers(library, open_recommender):
    same = dict(authors="Curie, Marie; Noether, Emmy", published="2020")
    preprint = paper("The Waggle Dance of the Bee in Summer", arxiv="2001.00001", **same)
    article = paper(
        preprint.title, doi="10.1000/1", venue="Annalen", kind="article-journal", **same
    )
    (held,) = library.put([preprint]).ids
    library.collections.add([held], "bees")
    (version,) = fetch(library, [article])
    assert library.versions(held) == [version]
    assert not feed_of(open_recommender()).picks


def test_recommender_learns_from_dismissed_papers(library, held_bees, open_recommender):
    ants = ("ant", "hill", "soldier", "mandible", "bee", "hive")
    fetch(library, [about(ants, n) for n in range(6)] + [about(BEES, n) for n in range(50, 56)])
    recommender = open_recommender()
    bees = recommender.subject("bees")
    first = {pick.paper: pick.score for pick in recommender.new_for(bees).picks}
    ants_found = [p.id for p in library.get(first) if "ant" in f"{p.title} {p.abstract}".split()]
    recommender.dismiss(bees, ants_found[:4])
    then = {pick.paper: pick.score for pick in recommender.new_for(bees).picks}
    kept = ants_found[4]
    assert sorted(then, key=then.get).index(kept) <= sorted(first, key=first.get).index(kept)
    assert not set(ants_found[:4]) & set(then)


def test_recommendations_respect_required_and_excluded_words(library, held_bees, open_recommender):
    fetch(library, [paper("Honey of the hive"), paper("Drone of the hive"), paper("Honey bread")])
    recommender = open_recommender()
    bees = recommender.subject("bees")
    recommender.set_preferences(bees, TopicPreferences(must="honey", never="bread"))
    (pick,) = recommender.new_for(bees).picks
    assert library.get([pick.paper])[0].title == "Honey of the hive"
    recommender.set_preferences(bees, TopicPreferences(must="dragon"))
    assert recommender.new_for(bees).note == (
        "None of the 3 new papers remains after filtering by “dragon”."
    )
    with pytest.raises(BadQuery):
        recommender.set_preferences(bees, TopicPreferences(must="year:soon"))


def test_half_life_ranks_later_papers_first(library, held_bees, open_recommender, monkeypatch):
    month_ago = time.time() - 20 * DAY
    monkeypatch.setattr(time, "time", lambda: month_ago)
    (old,) = fetch(library, [about(BEES, 100)])
    monkeypatch.undo()
    (new,) = fetch(library, [about(STARS, 100)])
    recommender = open_recommender()
    bees = recommender.subject("bees")
    assert [pick.paper for pick in recommender.new_for(bees).picks] == [old, new]
    recommender.set_preferences(bees, TopicPreferences(half_life=2))
    assert [pick.paper for pick in recommender.new_for(bees).picks] == [new, old]


def test_recommendations_since_last_visit_count_as_new(library, held_bees, open_recommender):
    fetch(library, [like(BEES, 3)])
    recommender = open_recommender()
    bees = recommender.subject("bees")
    assert len(recommender.new_ids(bees)) == 1
    recommender.seen(bees, time.time())
    assert len(recommender.new_ids(bees)) == 0
    feed = recommender.new_for(bees)
    assert [pick.unseen for pick in feed.picks] == [False]
    assert feed.note == "You have seen all new papers."
    assert feed.hint.startswith("No new papers since the last fetch (today).")


def test_recommendations_for_saved_search_use_its_results(library, held_bees, open_recommender):
    library.saved_searches.save("Dancing", "waggle nectar")
    bees = fetch(library, [about(BEES, n) for n in range(100, 103)])
    fetch(library, [about(STARS, n) for n in range(100, 105)])
    feed = feed_of(open_recommender(), "dancing")
    assert {pick.paper for pick in feed.picks[:3]} == set(bees)


def test_recommendations_for_saved_search_meet_its_conditions(library, held_bees, open_recommender):
    library.saved_searches.save("Dancing", "waggle year:2020..")
    library.put([about(BEES, n, published="2021") for n in range(60, 66)])
    fetch(library, [about(BEES, 100, published="1915")])
    (late,) = fetch(library, [about(BEES, 101, published="2022")])
    assert [pick.paper for pick in feed_of(open_recommender(), "Dancing").picks] == [late]


def test_recommendations_without_a_fetch_are_of_added_papers(library, held_bees, open_recommender):
    (added,) = library.put([like(BEES, 3)]).ids
    recommender = open_recommender()
    bees = recommender.subject("bees")
    assert added in recommender.new_ids(bees)
    assert added in {pick.paper for pick in recommender.new_for(bees).picks}
    fetch(library, [about(STARS, 100)])
    assert added not in {pick.paper for pick in open_recommender().new_for(bees).picks}


def test_read_papers_are_not_counted_as_new(library, held_bees, open_recommender):
    (new,) = fetch(library, [like(BEES, 3)])
    recommender = open_recommender()
    for name, count in (("bees", 1), ("all", 1)):
        assert len(recommender.new_ids(recommender.subject(name))) == count
    library.reading_state.mark_read([new])
    for name in ("bees", "all"):
        topic = recommender.subject(name)
        assert len(recommender.new_ids(topic)) == 0
        assert [pick.unseen for pick in recommender.new_for(topic).picks] == [False]


def test_query_lists_the_papers_it_fetched_latest_first(library, open_recommender, monkeypatch):
    fetch(library, [about(BEES, 1)], source="pubmed")
    week_ago = time.time() - 7 * DAY
    monkeypatch.setattr(time, "time", lambda: week_ago)
    (old,) = fetch(library, [about(STARS, 100)])
    monkeypatch.undo()
    (new,) = fetch(library, [about(BEES, 100)])
    recommender = open_recommender()
    query = next(topic for topic in recommender.subjects() if topic.key == "query:2")
    assert [pick.paper for pick in recommender.new_for(query).picks] == [new, old]
    assert len(recommender.new_ids(query)) == 2
    recommender.dismiss(query, [new])
    assert len(recommender.new_ids(query)) == 1
    recommender.seen(query, time.time())
    assert len(recommender.new_ids(query)) == 0
    assert recommender.new_for(query).note == "You have seen all new papers."


def test_query_without_papers_explains_the_reason(library, open_recommender):
    id = library.fetches.keep(SourceQuery("arxiv", "all:dragons"))
    recommender = open_recommender()
    query = recommender.subject("all:dragons")
    assert recommender.new_for(query).note == "No papers fetched yet."
    library.import_log.open("arxiv", fetch=id)
    library.fetches.fail(id, "arXiv is down.")
    fetch(library, [about(STARS, 1)], source="pubmed")
    assert "arXiv is down." in recommender.new_for(query).note


def test_query_with_an_end_date_is_not_followed(library, open_recommender):
    library.fetches.keep(SourceQuery("arxiv", "all:bees", until="2024-01-01"))
    assert open_recommender().subjects() == []


def test_failed_or_stopped_fetch_is_not_reported_as_nothing_new(library, open_recommender):
    library.collections.add(library.put([about(BEES, n) for n in range(8)]).ids, "bees")
    id = library.fetches.keep(SourceQuery("arxiv", "all"))
    library.import_log.open("arxiv", fetch=id)
    stopped = feed_of(open_recommender())
    library.fetches.fail(id, "arXiv could not be reached.")
    failed = feed_of(open_recommender())
    assert "no new papers" not in stopped.note + failed.note
    assert "arXiv could not be reached." in failed.note
    assert failed.next is stopped.next is SuggestedAction.fetch


def test_failed_fetch_is_noted_despite_a_successful_one(library, open_recommender):
    library.collections.add(library.put([about(BEES, n) for n in range(8)]).ids, "bees")
    library.fetches.fail(library.fetches.keep(SourceQuery("pubmed", "all")), "PubMed is down.")
    fetch(library, [])
    assert "PubMed is down." in feed_of(open_recommender()).note


def test_empty_recommendations_have_an_explanation(library, open_recommender):
    recommender = open_recommender()
    with pytest.raises(LibraryError, match="bees"):
        recommender.subject("bees")
    library.collections.add([], "bees")
    assert feed_of(recommender).note.startswith("This collection is empty")
    library.collections.add(library.put([about(BEES, n) for n in range(8)]).ids, "bees")
    fetched = feed_of(recommender, among=CandidateScope.fetched)
    assert fetched.note == "No papers fetched yet."
    fetch(library, [])
    assert feed_of(recommender).note.startswith("The last fetch (today) found no new papers.")
    assert (
        feed_of(recommender, since=time.time() + 2 * DAY).note == "No papers fetched since today."
    )
    fetched = fetch(library, [about(STARS, n) for n in range(4)])
    feed = feed_of(open_recommender())
    assert feed.note == "All 4 new papers are weaker matches for this collection."
    assert len(feed.picks) == 4 and not feed.fitting
    recommender.dismiss(recommender.subject("bees"), fetched)
    assert feed_of(recommender).note == "Nothing to review: all 4 new papers are dismissed."


def test_recommendations_are_cached_until_library_changes(
    library, held_bees, open_recommender, monkeypatch
):
    fetch(library, [about(BEES, 100), about(STARS, 100)])
    recommender = open_recommender()
    first = feed_of(recommender)
    assert feed_of(recommender).picks is first.picks
    library.collections.add(library.put([about(BEES, 300)]).ids, "bees")
    assert feed_of(recommender).picks is not first.picks


def test_large_candidate_set_is_reduced_before_ranking(
    library, held_bees, open_recommender, monkeypatch
):
    monkeypatch.setattr("sciread_app.services.recommend.ranker._MOST_CANDIDATES", 10)
    more = library.put([about(BEES, n) for n in range(100, 105)]).ids
    feed = feed_of(open_recommender(), among=CandidateScope.library)
    assert feed.candidates > len(feed.picks) <= 10
    assert {pick.paper for pick in feed.picks[:5]} == set(more)
