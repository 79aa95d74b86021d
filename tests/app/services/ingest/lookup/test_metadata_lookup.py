"""Look-up of metadata: what is asked, what is suggested, and what is changed."""

from __future__ import annotations

import json
import multiprocessing
import threading
from dataclasses import replace

import pytest

from sciread_app.domain.metadata.changes import FieldChange, field_texts
from sciread_app.domain.metadata.paper_updates import retracted
from sciread_app.domain.paper import Identifier
from sciread_app.domain.query.ast import Condition
from sciread_app.errors import Cancelled
from sciread_app.services.ingest.lookup import metadata_lookup
from sciread_app.services.ingest.lookup.metadata_lookup import MetadataLookup
from sciread_app.services.library.editor import LibraryEditor
from sciread_app.sources import crossref
from sciread_app.sources.http.client import Client, RetryPolicy
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.servers import faults
from tests.support.servers.arxiv_server import ArxivServer
from tests.support.servers.eutils_server import EutilsServer
from tests.support.servers.pubmed_papers import FIRST_PMID
from tests.support.servers.works_server import Work, WorksServer, numbered

QUICK = RetryPolicy(tries=2, first=0.01, longest=0.05, read=0.5)


@pytest.fixture
def works():
    with WorksServer(map(numbered, range(300))) as server:
        yield server


@pytest.fixture
def lookup(library, works, tmp_path):
    with ArxivServer(5) as arxiv, EutilsServer(5) as pubmed:
        known = works.endpoints | arxiv.endpoints | pubmed.endpoints
        with Client(tmp_path / "cache", known, retry_policy=QUICK) as client:
            lookup = MetadataLookup(library, client, tmp_path / "lookups.jsonl")
            lookup.arxiv = arxiv
            yield lookup


def put(library, *papers):
    return library.put(papers).ids


def untitled(number, **values):
    """A paper with the title and first author of a work, and no more."""
    return paper(numbered(number).title, authors="Curie, M", **values)


def by_field(suggestion):
    return {change.field: change for change in suggestion.changes}


def fill(lookup, ids):
    report = lookup.look_up(ids, Task())
    return lookup.apply({one.paper: one.filling for one in report.suggestions if one.filling}).edit


# ---- what is suggested --------------------------------------------------------------------------


def test_empty_fields_of_paper_with_doi_are_filled(lookup, library):
    [id] = put(library, paper(numbered(3).title, doi=numbered(3).doi))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    changes = by_field(suggestion)
    assert changes["abstract"].new == numbered(3).abstract
    assert changes["venue"].source == "crossref"
    assert all(change.fills for change in suggestion.changes)
    assert not library.get([id])[0].abstract  # a preview changes nothing
    fill(lookup, [id])
    [after] = library.get([id])
    assert (after.abstract, after.venue, after.year) == (
        numbered(3).abstract, "Annals of Works", 1953
    )  # fmt: skip
    assert after.kind == "article-journal" and after.extra["volume"] == "7"


@pytest.mark.parametrize("names", [("Curie, Marie", "Lee, Ann"), ("Curie, Marie",)])
def test_truncated_list_of_authors_is_completed(lookup, library, works, names):
    work = numbered(3, authors=names)
    works.works[work.doi] = work
    [id] = put(
        library,
        paper(work.title, doi=work.doi, authors="Curie, Marie", extra={"and-others": "true"}),
    )
    fill(lookup, [id])
    [after] = library.get([id])
    assert len(after.authors) == len(names) and not after.has_more_authors
    LibraryEditor(library).undo_lookup({id: ["authors"]})
    [before] = library.get([id])
    assert len(before.authors) == 1 and before.has_more_authors


def test_doi_found_by_title_keeps_its_case(lookup, library, works, monkeypatch):
    [id] = put(library, untitled(5, published="1955"))
    written = numbered(5).doi.upper()
    found = crossref.by_title
    monkeypatch.setattr(
        crossref,
        "by_title",
        lambda *asked: [replace(one, extra={**one.extra, "doi": written}) for one in found(*asked)],
    )
    fill(lookup, [id])
    [after] = library.get([id])
    assert after.identifier("doi") == written.lower() and after.written_doi == written


def test_differing_field_is_offered_and_replaced_only_if_chosen(lookup, library):
    work = numbered(4)
    [id] = put(library, paper(work.title, doi=work.doi, venue="Wrong Journal", published="1954"))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    changes = by_field(suggestion)
    assert not changes["venue"].fills and changes["venue"].old == "Wrong Journal"
    assert changes["published"].fills  # 1954-03 is more exact than 1954
    lookup.apply({id: suggestion.filling})
    assert library.get([id])[0].venue == "Wrong Journal"
    lookup.apply({id: [changes["venue"]]})
    assert library.get([id])[0].venue == "Annals of Works"
    assert library.manually_edited_fields(id) == {"venue"}


def test_replaced_doi_comes_first_and_the_other_one_stays(lookup, library):
    [id] = put(library, replace(paper("A"), identifiers=dois("10.5555/a", "10.5555/b")))
    lookup.apply(
        {id: [FieldChange("doi", "10.5555/a", "10.5555/c", "10.5555/c", "crossref", False)]}
    )
    assert library.get([id])[0].identifiers == dois("10.5555/c", "10.5555/b")
    LibraryEditor(library).undo_lookup({id: ["doi"]})
    assert library.get([id])[0].identifiers == dois("10.5555/a", "10.5555/b")


def dois(*values):
    return tuple(Identifier("doi", value) for value in values)


@pytest.mark.parametrize("pages", ["-", "--", "–"])
def test_pages_without_a_number_are_replaced_by_those_found(lookup, library, pages):
    work = numbered(5)
    [id] = put(library, paper(work.title, doi=work.doi, extra={"pages": pages}))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    assert by_field(suggestion)["pages"].new == "1-12"


def test_edited_fields_are_never_suggested(lookup, library):
    work = numbered(5)
    [id] = put(library, paper(work.title, doi=work.doi))
    library.edit(id, venue="My own words", abstract="")
    [suggestion] = lookup.look_up([id], Task()).suggestions
    changes = by_field(suggestion)
    assert "venue" not in changes
    assert not changes["abstract"].fills  # the user has emptied it


def test_edit_made_after_the_preview_is_kept(lookup, library):
    work = numbered(6)
    [id] = put(library, paper(work.title, doi=work.doi))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    library.edit(id, venue="Typed meanwhile")
    made = lookup.apply({id: suggestion.changes}).changes
    [after] = library.get([id])
    assert after.venue == "Typed meanwhile" and after.abstract == work.abstract
    fields = {change.field for change in made[id]}
    assert "abstract" in fields and "venue" not in fields


def test_record_with_another_title_is_only_a_candidate(lookup, library):
    [id] = put(library, paper("Bees and their honey in spring", doi=numbered(7).doi, authors="Bee"))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    assert not suggestion.changes
    [candidate] = suggestion.candidates
    assert candidate.record.title == numbered(7).title


def test_doi_unknown_to_crossref_is_asked_for_at_datacite(lookup, library, works):
    works.add(numbered(900, registry="datacite"))
    [id] = put(library, paper(numbered(900).title, doi=numbered(900).doi))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    assert by_field(suggestion)["kind"].new == "dataset"
    assert {change.source for change in suggestion.changes} == {"datacite"}


def test_abstract_that_crossref_lacks_comes_from_openalex(lookup, library, works):
    works.add(numbered(901, open=False))
    [id] = put(library, paper(numbered(901).title, doi=numbered(901).doi))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    changes = by_field(suggestion)
    assert changes["abstract"].source == "openalex" and changes["venue"].source == "crossref"


def test_arxiv_id_is_looked_up_at_arxiv(lookup, library):
    generated = next(iter(lookup.arxiv.papers.values()))
    [id] = put(library, paper(generated.title, arxiv=generated.id))
    fill(lookup, [id])
    [after] = library.get([id])
    assert after.abstract.startswith("Every") and len(after.authors) == len(generated.authors)


@pytest.mark.parametrize(
    "name", [{"pmid": str(FIRST_PMID)}, {"pmcid": "PMC7000000"}], ids=["PMID", "PMCID"]
)
def test_pubmed_identifier_is_looked_up_at_pubmed(lookup, library, name):
    title = f"{FIRST_PMID} patients with sepsis and its sequelae: cohort {FIRST_PMID}."
    [id] = put(library, paper(title, **name))
    fill(lookup, [id])
    [after] = library.get([id])
    assert after.identifier("doi") == f"10.5555/med.{FIRST_PMID}"
    assert after.abstract and after.authors


def test_book_is_looked_up_by_isbn(lookup, library, works):
    works.add(Work("", "A treatise on crystals and light", isbn="9780306406157"))
    [id] = put(library, paper("A treatise on crystals and light", isbn="9780306406157"))
    fill(lookup, [id])
    [after] = library.get([id])
    assert (after.kind, after.extra["publisher"]) == ("book", "Works Press")


def test_unknown_doi_is_counted(lookup, library):
    ids = put(library, paper("Unknown to everybody", doi="10.5555/nothing"))
    report = lookup.look_up(ids, Task())
    assert (report.papers, report.unknown, list(report.suggestions)) == (1, ids, [])


# ---- by title -----------------------------------------------------------------------------------


def test_paper_without_identifier_is_found_by_title_and_author(lookup, library):
    [id] = put(library, untitled(8))
    fill(lookup, [id])
    [after] = library.get([id])
    assert after.identifier("doi") == numbered(8).doi and after.abstract == numbered(8).abstract


@pytest.mark.parametrize(
    "known",
    [
        {"authors": "Somebody, Else"},
        {"authors": ""},
        {"authors": "Curie, M", "published": "1999"},
    ],
    ids=["author", "no author", "year"],
)
def test_title_alone_makes_only_a_candidate(lookup, library, known):
    [id] = put(library, paper(numbered(9).title, **known))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    assert not suggestion.changes
    assert suggestion.candidates[0].record.identifier("doi") == numbered(9).doi


def test_two_works_of_one_title_and_author_are_candidates(lookup, library, works):
    works.add(numbered(902, title=numbered(10).title, year=1960))
    [id] = put(library, untitled(10))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    assert not suggestion.changes and len(suggestion.candidates) == 2


def test_year_decides_between_two_works_of_one_title(lookup, library, works):
    works.add(numbered(903, title=numbered(11).title, year=1990))
    [id] = put(library, untitled(11, published="1991"))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    assert by_field(suggestion)["doi"].new == "10.5555/work.903"


def test_title_that_crossref_does_not_list_is_found_at_openalex(lookup, library, works):
    works.fail(faults.replaced(b'{"message": {"items": []}}'), when=is_search_of("crossref"))
    [id] = put(library, untitled(12))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    assert by_field(suggestion)["doi"].source == "openalex"


def is_search_of(service):
    return lambda asked: asked.path.startswith(f"/{service}/")


# ---- applying and undoing -----------------------------------------------------------------------


def test_changes_of_many_papers_are_one_edit_that_can_be_undone(lookup, library):
    ids = put(library, *(paper(numbered(n).title, doi=numbered(n).doi) for n in range(60)))
    before = library.get(ids)
    edit = fill(lookup, ids)
    assert edit and all(one.abstract for one in library.get(ids))
    editor = LibraryEditor(library)
    assert editor.undo().id == edit.id
    assert library.get(ids) == before
    editor.redo()
    assert all(one.abstract for one in library.get(ids))


def test_filled_fields_do_not_count_as_edited(lookup, library):
    [id] = put(library, paper(numbered(2).title, doi=numbered(2).doi))
    fill(lookup, [id])
    assert not library.manually_edited_fields(id)


def test_one_field_is_taken_back_and_the_others_stay(lookup, library):
    work = numbered(3)
    [id] = put(library, paper(work.title, doi=work.doi, venue="Old Journal"))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    lookup.apply({id: suggestion.changes})
    edit = LibraryEditor(library).undo_lookup({id: ["venue", "volume"]})
    [after] = library.get([id])
    assert (after.venue, after.extra.get("volume")) == ("Old Journal", None)
    assert after.abstract == work.abstract and after.extra["pages"] == "1-12"
    assert not {"venue", "volume"} & {
        one.field for one in LibraryEditor(library).looked_up_fields([id])[id]
    }
    assert LibraryEditor(library).undo().id == edit.id
    assert library.get([id])[0].venue == "Annals of Works"
    assert "venue" in {one.field for one in LibraryEditor(library).looked_up_fields([id])[id]}


@pytest.mark.parametrize(
    "field", ["authors", "published", "venue", "kind", "abstract", "volume", "retraction_in"]
)
def test_every_looked_up_field_can_be_taken_back(lookup, library, works, field):
    work = numbered(
        904, authors=("van der Berg, Jan", "Curie, Marie"), topic="Crystallography",
        notices=(("retraction", "10.5555/notice"),),
    )  # fmt: skip
    works.add(work)
    [id] = put(library, paper(work.title, doi=work.doi, authors="Berg, J; Curie, M"))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    lookup.apply({id: suggestion.changes})
    before = field_texts(library.get([id])[0])
    old = {one.field: one.old for one in suggestion.changes}
    assert LibraryEditor(library).undo_lookup({id: [field]})
    after = field_texts(library.get([id])[0])
    assert after == before | {field: old[field]}


def test_field_that_was_edited_since_the_lookup_is_not_taken_back(lookup, library):
    work = numbered(3)
    [id] = put(library, paper(work.title, doi=work.doi))
    fill(lookup, [id])
    library.edit(id, venue="Typed since")
    assert "venue" not in {one.field for one in LibraryEditor(library).looked_up_fields([id])[id]}
    assert LibraryEditor(library).undo_lookup({id: ["venue"]}) is None
    assert library.get([id])[0].venue == "Typed since"


def test_field_taken_back_is_not_filled_in_again(lookup, library):
    work = numbered(3)
    [id] = put(library, paper(work.title, doi=work.doi))
    fill(lookup, [id])
    LibraryEditor(library).undo_lookup({id: ["abstract", "volume"]})
    [suggestion] = lookup.look_up([id], Task()).suggestions
    changes = by_field(suggestion)
    assert not changes["abstract"].fills and not changes["volume"].fills  # still offered
    fill(lookup, [id])
    assert not library.get([id])[0].abstract
    lookup.apply({id: [changes["volume"]]})
    assert library.get([id])[0].extra["volume"] == "7"


def test_undone_retraction_is_not_noted_again(lookup, library, works):
    work = numbered(909, notices=(("retraction", "10.5555/r"),))
    works.add(work)
    [id] = put(library, paper(work.title, doi=work.doi))
    fill(lookup, [id])
    LibraryEditor(library).undo_lookup({id: ["retraction_in"]})
    fill(lookup, [id])
    assert not retracted(library.get([id])[0])


def test_undone_lookup_leaves_nothing_to_take_back(lookup, library):
    [id] = put(library, paper(numbered(3).title, doi=numbered(3).doi))
    fill(lookup, [id])
    LibraryEditor(library).undo()
    assert not LibraryEditor(library).looked_up_fields([id])


# ---- retractions, corrections and fields --------------------------------------------------------


def test_notices_that_crossref_lists_are_noted(lookup, library, works):
    notices = (("retraction", "10.5555/r"), ("correction", "10.5555/c"), ("new_version", "10.5/v"))
    work = numbered(905, notices=notices)
    works.add(work)
    [id] = put(library, paper(work.title, doi=work.doi))
    library.edit(id, extra={"note": "mine"})  # does not hide a retraction
    fill(lookup, [id])
    [after] = library.get([id])
    assert retracted(after) and after.extra["retraction_in"] == "10.5555/r"
    assert after.extra["erratum_in"] == "10.5555/c" and after.extra["note"] == "mine"
    assert library.matching([Condition("is", "retracted")]).tolist() == [id]


def test_notice_that_is_known_is_not_suggested_again(lookup, library, works):
    work = numbered(906, notices=(("retraction", "10.5555/r"),))
    works.add(work)
    [id] = put(library, paper(work.title, doi=work.doi, extra={"retraction_in": "123"}))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    assert "retraction_in" not in by_field(suggestion)


def test_retraction_and_fields_that_only_openalex_knows_are_noted(lookup, library, works):
    work = numbered(907, open=False, retracted=True, topic="Crystallography")
    works.add(work)
    [id] = put(library, paper(work.title, doi=work.doi, extra={"publication_types": "Review"}))
    fill(lookup, [id])
    [after] = library.get([id])
    assert retracted(after) and after.extra["publication_types"].startswith("Review")
    assert after.fields == ("Crystallography",)


def test_retraction_is_added_to_edited_publication_types(lookup, library, works):
    work = numbered(910, open=False, retracted=True)
    works.add(work)
    [id] = put(library, paper(work.title, doi=work.doi))
    library.edit(id, extra={"publication_types": "Review"})
    fill(lookup, [id])
    [after] = library.get([id])
    assert retracted(after) and after.extra["publication_types"].startswith("Review")


def test_fields_of_a_paper_are_not_replaced(lookup, library, works):
    work = numbered(908, open=False, topic="Crystallography")
    works.add(work)
    [id] = put(library, paper(work.title, doi=work.doi, fields=("cs.LG",)))
    [suggestion] = lookup.look_up([id], Task()).suggestions
    assert "fields" not in by_field(suggestion)


# ---- many papers, failures and resuming ---------------------------------------------------------


def test_dois_are_asked_for_in_batches(lookup, library, works):
    ids = put(library, *(paper(numbered(n).title, doi=numbered(n).doi) for n in range(120)))
    report = lookup.look_up(ids, Task())
    assert len(report.suggestions) == 120
    assert len(works.asked("crossref")) == 3
    assert not works.asked("datacite") and not works.asked("openalex")


def test_doi_that_crossref_rejects_costs_no_other_paper(lookup, library, works):
    works.rejected = {numbered(1).doi}
    ids = put(library, *(paper(numbered(n).title, doi=numbered(n).doi) for n in range(8)))
    report = lookup.look_up(ids, Task())
    crossref = [one for one in report.suggestions if one.changes[0].source == "crossref"]
    assert len(crossref) == 7


def test_answers_are_used_again_until_the_paper_changes(lookup, library, works):
    [id] = put(library, paper(numbered(1).title, doi=numbered(1).doi))
    first = lookup.look_up([id], Task())
    asked = len(works.requests)
    assert lookup.look_up([id], Task()) == first
    assert len(works.requests) == asked
    library.edit(id, identifiers=(Identifier("doi", numbered(2).doi),), title=numbered(2).title)
    [suggestion] = lookup.look_up([id], Task()).suggestions
    assert by_field(suggestion)["abstract"].new == numbered(2).abstract


def test_fresh_lookup_of_one_paper_keeps_the_answers_for_others(lookup, library, works):
    ids = put(library, *(paper(numbered(n).title, doi=numbered(n).doi) for n in range(2)))
    lookup.look_up(ids, Task())
    lookup.look_up(ids[:1], Task(), fresh=True)
    works.requests.clear()
    assert lookup.look_up(ids[1:], Task()).papers == 1
    assert not works.requests


def test_book_is_looked_up_again_after_open_library_failed(lookup, library, works):
    title = "A treatise on crystals and light"
    works.add(Work("", title, isbn="9780306406157"))
    [id] = put(library, paper(title, isbn="9780306406157"))
    works.fail(faults.status(503), times=99, when=is_search_of("open_library"))
    assert lookup.look_up([id], Task()).unanswered == 1
    works.forgive()
    [suggestion] = lookup.look_up([id], Task()).suggestions
    assert by_field(suggestion)["publisher"].new == "Works Press"


@pytest.mark.parametrize(
    "fault",
    [
        faults.status(500),
        faults.too_many(),
        faults.truncated(),
        faults.dropped(),
        faults.wrong_type(),
        faults.replaced(b"[" * 100_000),
        faults.gzip_bomb(),
    ],
)
def test_passing_fault_of_crossref_changes_nothing(lookup, library, works, fault):
    works.fail(fault)
    [id] = put(library, paper(numbered(1).title, doi=numbered(1).doi))
    report = lookup.look_up([id], Task())
    if report.failures:  # too large a response is not asked for again
        assert report.unanswered == 1
        report = lookup.look_up([id], Task())
    [suggestion] = report.suggestions
    assert by_field(suggestion)["abstract"].new == numbered(1).abstract


def test_source_that_keeps_failing_is_named_and_asked_again_next_time(lookup, library, works):
    works.fail(faults.status(503), times=99, when=is_search_of("crossref"))
    ids = put(library, *(paper(numbered(n).title, doi=numbered(n).doi) for n in range(120)))
    report = lookup.look_up(ids, Task())
    assert report.unanswered == 120 and list(report.failures) == ["Crossref"]
    assert len(works.asked("crossref")) == QUICK.tries
    works.forgive()
    assert lookup.look_up(ids, Task()).unanswered == 0


def test_wrong_record_in_a_response_is_left_out(lookup, library, works):
    other = b'{"message": {"items": [{"DOI": "10.1/other", "title": ["Other"], "type": "book"}]}}'
    works.fail(faults.replaced(other))
    [id] = put(library, paper(numbered(1).title, doi=numbered(1).doi))
    report = lookup.look_up([id], Task())
    assert all(change.source == "openalex" for one in report.suggestions for change in one.changes)


@pytest.mark.parametrize("value", [None, 7, [], {}, "x" * 10_000, [{"a": [1]}], True])
def test_hostile_values_of_a_record_cannot_stop_a_lookup(lookup, library, works, value):
    names = ("title", "author", "container-title", "issued", "volume", "page", "ISSN", "abstract")
    record = {"DOI": numbered(1).doi, "title": ["T"], "type": "book"}
    items = [record | {name: value} for name in names]
    works.fail(faults.replaced(json.dumps({"message": {"items": items}}).encode()))
    [id] = put(library, paper(numbered(1).title, doi=numbered(1).doi))
    report = lookup.look_up([id], Task())
    lookup.apply({one.paper: one.changes for one in report.suggestions})
    assert library.get([id])[0].title == numbered(1).title


def test_cancelled_lookup_resumes_after_the_last_batch(lookup, library, works, monkeypatch):
    monkeypatch.setattr(metadata_lookup, "BATCH", 10)
    ids = put(library, *(paper(numbered(n).title, doi=numbered(n).doi) for n in range(50)))
    task = Task(lambda done, total, note: done >= 20 and task.cancel())
    with pytest.raises(Cancelled):
        lookup.look_up(ids, task)
    asked = len(works.requests)
    assert asked < 5
    report = lookup.look_up(ids, Task())
    assert len(report.suggestions) == 50
    assert len(works.requests) == 5  # each batch once


def _look_up(home, endpoints):
    metadata_lookup.BATCH = 10
    with Client(home / "cache", endpoints, retry_policy=QUICK) as client:
        library = Library(home / "library.sqlite3")
        lookup = MetadataLookup(library, client, home / "lookups.jsonl")
        lookup.look_up(library.ids().tolist(), Task())


def test_killed_lookup_loses_the_batch_in_hand_only(library, works, tmp_path, monkeypatch):
    monkeypatch.setattr(metadata_lookup, "BATCH", 10)
    put(library, *(paper(numbered(n).title, doi=numbered(n).doi) for n in range(50)))
    library.copy_to(tmp_path / "home.sqlite3")
    home = tmp_path / "killed"
    home.mkdir()
    (tmp_path / "home.sqlite3").rename(home / "library.sqlite3")
    reached, endless = threading.Event(), threading.Event()

    def hang(good):
        reached.set()
        endless.wait()
        return good

    works.fail(hang, when=lambda asked: len(works.requests) > 3)
    process = multiprocessing.get_context("spawn").Process(
        target=_look_up, args=(home, works.endpoints)
    )
    process.start()
    assert reached.wait(60)
    process.kill()
    process.join()
    endless.set()
    works.forgive()
    asked = len(works.requests)
    with (home / "lookups.jsonl").open("a") as file:
        file.write('{"paper": 41, "question": "torn')
    _look_up(home, works.endpoints)
    assert len(works.requests) - asked == 2  # of five batches, three were answered


def test_look_up_reports_the_source_that_it_asks(lookup, library):
    ids = put(library, *(untitled(number) for number in range(metadata_lookup._TITLES + 1)))
    seen = []
    lookup.look_up(ids, Task(lambda *report: seen.append(report)))
    total, first = len(ids), metadata_lookup._TITLES
    assert {done for done, _, note in seen if crossref.TITLE in note} == {0, first}
    assert all(report[1] == total for report in seen) and seen[-1][0] == total
