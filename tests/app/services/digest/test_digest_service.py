"""Digests list what is new, once, and lose nothing when something fails."""

from __future__ import annotations

import multiprocessing
import os
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest
from defusedxml import ElementTree

from sciread_app.domain.digest import DigestState, Frequency, Interval
from sciread_app.domain.fetch import SourceQuery
from sciread_app.errors import LibraryError, SourceError
from sciread_app.paths import Home
from sciread_app.services.digest.digest_service import DigestService
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.services.recommend.recommender import Recommender
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.models.topics import BEES, STARS, about, collect_bees, fetch

ATOM = "{http://www.w3.org/2005/Atom}"
DAY = 86_400
DAILY = Interval(Frequency.daily)


class FakeFetcher:
    """Fetches the given papers, or fails."""

    def __init__(self, library, papers=(), error=None):
        self.library, self.papers, self.error, self.ran = library, papers, error, []

    def run(self, id, task):
        self.ran.append(id)
        if self.error:
            raise self.error
        fetch(self.library, self.papers)


def service_of(library, fetcher=None, encode=lambda task: None):
    @contextmanager
    def recommending():
        yield Recommender(library, None)

    home = Home(library.path.parent)
    return DigestService(library, home, recommending, lambda: fetcher, encode)


@pytest.fixture
def service(library):
    """A service with a daily collection of bees, and stars beside it."""
    collect_bees(library, 30)
    fetch(library, [about(STARS, n) for n in range(100, 105)])
    made = service_of(library)
    made.set_interval(library.feedback.subject("bees"), DAILY)
    return made


def arrive(library, *numbers):
    """Papers about bees, newly fetched."""
    return set(fetch(library, [about(BEES, n) for n in numbers]))


def papers_of(digest):
    return [entry.paper.id for topic in digest.topics for entry in topic.entries]


def make_due(library, days=1):
    for key, state in library.digests.states().items():
        library.digests.set_state(key, replace(state, last=state.last - days * DAY))


def entries_of_feed(library):
    root = ElementTree.parse(Home(library.path.parent).digest_feed).getroot()
    return root.findall(f"{ATOM}entry")


def test_digest_lists_new_papers_that_fit_with_reasons(service, library):
    bees = arrive(library, 100, 101)
    digest = service.make(Task()).digest
    assert set(papers_of(digest)) <= bees and papers_of(digest)
    (topic,) = digest.topics
    assert topic.subject.name == "bees"
    assert topic.entries[0].like and topic.entries[0].words
    assert len(entries_of_feed(library)) == digest.papers


def test_paper_is_listed_once_for_a_topic(service, library):
    arrive(library, 100)
    first = papers_of(service.make(Task()).digest)
    again = service.make(Task(), since=0.0).digest
    new = arrive(library, 101)
    second = papers_of(service.make(Task()).digest)
    assert first and again.papers == 0
    assert set(second) == new and not set(second) & set(first)
    assert [stored.papers for stored in service.latest()] == [1, 1]


def test_paper_is_listed_for_each_topic_that_it_is_new_for(service, library):
    query = library.feedback.subject("all")
    service.set_interval(query, DAILY)
    (bee,) = arrive(library, 100)
    digest = service.make(Task()).digest
    assert [topic.subject.name for topic in digest.topics] == ["all", "bees"]
    assert papers_of(digest).count(bee) == 2


def test_preview_marks_nothing(service, library):
    arrive(library, 100)
    shown = service.preview(Task())
    assert papers_of(shown) == papers_of(service.make(Task()).digest) != []


def test_failed_output_leaves_papers_for_the_next_digest(service, library):
    bees = arrive(library, 100)

    def fail(result):
        raise LibraryError("The disk is full.")

    with pytest.raises(LibraryError):
        service.make(Task(), write=fail)
    assert service.latest() == []
    first = {entry.findtext(f"{ATOM}id") for entry in entries_of_feed(library)}
    assert set(papers_of(service.make(Task()).digest)) == bees
    assert {entry.findtext(f"{ATOM}id") for entry in entries_of_feed(library)} == first


def test_unwritable_feed_leaves_papers_for_the_next_digest(service, library):
    bees = arrive(library, 100)
    Home(library.path.parent).digest_feed.mkdir()
    with pytest.raises(LibraryError, match=r"digest\.atom"):
        service.make(Task())
    Home(library.path.parent).digest_feed.rmdir()
    assert set(papers_of(service.make(Task()).digest)) == bees


def test_missed_days_are_made_up_for_once(service, library):
    make_due(library, days=30)
    arrive(library, 100)
    assert service.is_due()
    assert service.make(Task(), due=True).digest.papers == 1
    arrive(library, 101)
    assert not service.is_due()
    assert service.make(Task(), due=True).digest.papers == 0


def test_topic_is_first_due_on_its_next_day(service):
    assert not service.is_due()


def test_empty_digest_is_not_written_and_waits_for_the_next_day(service, library):
    make_due(library)
    written = []
    assert service.make(Task(), due=True, write=written.append).digest.papers == 0
    assert written == [] and service.latest() == []
    assert not Home(library.path.parent).digest_feed.exists()
    assert not service.is_due()


def test_topics_without_interval_are_left_out(service, library):
    arrive(library, 100)
    service.set_interval(library.feedback.subject("bees"), Interval())
    assert service.make(Task()).digest.papers == 0
    assert service.make(Task(), [library.feedback.subject("bees").key]).digest.papers == 1


def test_first_digest_covers_a_week(service, library):
    old = arrive(library, 100)
    month = time.time() - 30 * DAY
    with library._db.writing() as db:
        db.exec_driver_sql("UPDATE papers SET added = ? WHERE id = ?", (month, *old))
    assert service.make(Task()).digest.papers == 0


def test_topic_that_pauses_does_not_list_the_papers_of_the_pause(service, library):
    bees = library.feedback.subject("bees")
    library.digests.set_state(bees.key, DigestState(Interval(), 0.0, 0.0))
    service.set_interval(bees, DAILY)
    (state,) = library.digests.states().values()
    assert time.time() - 8 * DAY < state.since and time.time() - DAY < state.last


def test_number_of_papers_is_limited_and_the_rest_counted(service, library):
    service.set_interval(library.feedback.subject("all"), DAILY)
    arrive(library, *range(100, 110))
    query = [library.feedback.subject("all").key]
    digest = service.make(Task(), query, most=4).digest
    assert digest.papers == 4 and digest.topics[0].more > 0
    assert service.make(Task(), query).digest.papers == 0


def test_seen_and_dismissed_papers_are_left_out(service, library):
    (bee,) = arrive(library, 100)
    recommender = Recommender(library, None)
    recommender.dismiss(library.feedback.subject("bees"), [bee])
    assert service.make(Task()).digest.papers == 0


def test_invalid_search_does_not_stop_other_topics(service, library):
    library.saved_searches.save("broken", "year:soon")
    service.set_interval(library.feedback.subject("broken"), DAILY)
    make_due(library)
    arrive(library, 100)
    result = service.make(Task(), due=True)
    assert result.digest.papers == 1
    assert "broken" in result.problems[0]
    assert not service.is_due()


def test_fetch_finds_the_new_papers_first(service, library):
    fetcher = FakeFetcher(library, [about(BEES, 100)])
    encoded = []
    fetching = service_of(library, fetcher, lambda task: encoded.append(library.count()))
    assert fetching.make(Task(), fetch=True).digest.papers == 1
    assert len(fetcher.ran) == 1 and encoded == [library.count()]


def test_failed_fetch_is_reported_and_tried_again(service, library):
    make_due(library)
    broken = service_of(library, FakeFetcher(library, error=SourceError("arXiv is down.")))
    assert "arXiv is down" in broken.make(Task(), due=True, fetch=True).problems[0]
    assert service.is_due()
    fetcher = FakeFetcher(library, [about(BEES, 100)])
    assert service_of(library, fetcher).make(Task(), due=True, fetch=True).digest.papers == 1


def test_stopped_first_run_and_bounded_query_are_not_fetched(service, library):
    stopped = library.fetches.keep(SourceQuery("arxiv", "huge"))
    library.import_log.open("arxiv", fetch=stopped)
    library.fetches.keep(SourceQuery("arxiv", "old", until="2020"))
    fetcher = FakeFetcher(library)
    service_of(library, fetcher).make(Task(), fetch=True)
    assert stopped not in fetcher.ran and len(fetcher.ran) == 1


def test_only_the_own_query_of_a_topic_is_fetched(service, library):
    other = library.fetches.keep(SourceQuery("pubmed", "sepsis"))
    import_id = library.import_log.open("pubmed", fetch=other)
    library.import_log.close(import_id)
    fetcher = FakeFetcher(library)
    one = service_of(library, fetcher)
    one.make(Task(), [library.feedback.subject("all").key], fetch=True)
    assert fetcher.ran == [library.feedback.subject("all").number]


def test_stored_digest_is_read_back_without_deleted_papers(service, library):
    arrive(library, 100, 101, 102)
    made = service.make(Task()).digest
    gone, *left = papers_of(made)
    library.trash([gone])
    read = service.get(service.latest()[0])
    assert papers_of(read) == left and read.id == made.id
    assert read.topics[0].entries[0].like == made.topics[0].entries[1].like


def test_merged_paper_is_not_listed_again(service, library):
    (listed,) = arrive(library, 100)
    service.make(Task())
    (twin,) = arrive(library, 101)
    editor = LibraryEditor(library)
    editor.merge(twin, [listed])
    assert service.make(Task(), since=0.0).digest.papers == 0
    editor.split(twin)
    assert service.make(Task(), since=0.0).digest.papers == 0


def test_deleted_collection_leaves_no_state_and_returns_with_undo(service, library):
    arrive(library, 100)
    service.make(Task())
    editor = LibraryEditor(library)
    editor.remove_collection("bees")
    assert library.digests.states() == {} and service.latest() == []
    editor.undo()
    assert len(library.digests.states()) == 1 and service.latest()[0].papers == 1


def test_feed_keeps_earlier_digests(service, library):
    arrive(library, 100)
    service.make(Task())
    arrive(library, 101)
    service.make(Task())
    assert len(entries_of_feed(library)) == 2


def _make_in_process(folder, start):
    library = Library(folder / "library.sqlite3")
    start.wait(60)
    digest = service_of(library).make(Task()).digest
    library.close()
    raise SystemExit(digest.papers)


def _die_while_writing(folder):
    library = Library(folder / "library.sqlite3")
    service_of(library).make(Task(), write=lambda result: os._exit(9))


def test_killed_process_leaves_papers_for_the_next_digest(service, library):
    bees = arrive(library, 100)
    folder = library.path.parent
    process = multiprocessing.get_context("spawn").Process(
        target=_die_while_writing, args=(folder,)
    )
    process.start()
    process.join(120)
    assert process.exitcode == 9
    assert set(papers_of(service.make(Task()).digest)) == bees


def test_two_processes_at_once_list_a_paper_once(service, library):
    arrive(library, 100)
    context = multiprocessing.get_context("spawn")
    start = context.Event()
    folder = library.path.parent
    both = [context.Process(target=_make_in_process, args=(folder, start)) for _ in range(2)]
    for process in both:
        process.start()
    start.set()
    for process in both:
        process.join(120)
    assert sorted(process.exitcode for process in both) == [0, 1]
    assert len(service.latest()) == 1


def test_paper_without_title_or_abstract_is_listed(service, library):
    service.set_interval(library.feedback.subject("all"), DAILY)
    fetch(library, [paper("", abstract="")])
    assert service.make(Task(), [library.feedback.subject("all").key]).digest.papers > 0
