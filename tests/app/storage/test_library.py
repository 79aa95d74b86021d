"""The library stores every paper, finds it by all its text, and loses nothing."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from sciread_app.domain.annotations.annotations import ReadingPosition
from sciread_app.domain.matching.record_keys import MatchVerdict
from sciread_app.domain.metadata.editable_fields import changed, written
from sciread_app.domain.metadata.identifiers import identifier
from sciread_app.domain.paper import Author, Identifier, Order, PaperId, Skipped
from sciread_app.domain.query.parser import parse
from sciread_app.errors import LibraryError
from sciread_app.storage.library import Library
from sciread_app.storage.organisation.attachments import Attachment
from tests.support.generate.papers import paper


def words(library: Library, expression: str) -> list[int]:
    return [id for id, _ in library.search_text(expression, 10)]


def matching(library: Library, query: str) -> list[int]:
    return library.matching(parse(query).conditions).tolist()


def test_stored_paper_is_returned_unchanged(library):
    put = paper(
        "Über die Bewegung",
        abstract="Sätze.",
        authors=(Author("Beethoven", "Ludwig", "van", "Jr."), Author("WHO", literal=True)),
        kind="article-journal",
        published="1905-05",
        venue="Annalen der Physik",
        identifiers=tuple(filter(None, [identifier("doi", "10.1002/andp.19053220806")])),
        fields=("physics.hist-ph", "cond-mat"),
        keywords=("heat",),
        extra={"volume": "17", "weird": "ünï"},
        files=("/papers/e.pdf",),
        source="bibtex",
        source_id="einstein1905",
    )
    [id] = library.put([put]).ids
    [got] = library.get([id])
    assert got == type(put)(**{n: getattr(put, n) for n in put.__dataclass_fields__} | {"id": id})


def test_library_is_untouched_until_first_paper(tmp_path):
    def untouched(act) -> bool:
        library = Library(tmp_path / f"{act.__code__.co_firstlineno}.sqlite3")
        act(library)
        result = library.is_untouched()
        library.close()
        return result

    assert untouched(lambda library: library.count())
    assert not untouched(lambda library: library.import_log.open("refs.bib"))
    assert not untouched(lambda library: library.collections.create("thesis"))

    def put_and_delete(library: Library) -> None:
        ids = library.put([paper("Bees")]).ids
        library.trash(ids)
        library.delete_permanently(ids)

    assert not untouched(put_and_delete)


def test_papers_are_returned_in_requested_order(library):
    library.put([paper("A"), paper("B"), paper("C")])
    assert [p.title for p in library.get([3, 99, 1])] == ["C", "A"]


def test_repeated_records_add_nothing(library):
    batch = [paper("Bees", authors="Maeterlinck, M."), paper(""), paper("", abstract="x")]
    assert library.put(batch)[1:3] == (3, 0)
    again = library.put(batch)
    assert again[1:3] == (0, 3) and again.ids == [1, 2, 3]


def test_duplicates_within_a_batch_are_one_paper(library):
    first = paper("Bees", doi="10.1000/bees")
    second = paper("Bees", doi="10.1000/bees", abstract="On bees.")
    stored = library.put([first, second])
    assert (stored.added, stored.merged, stored.ids) == (1, 1, [1, 1])
    assert library.get([1])[0].abstract == "On bees."
    assert words(library, "bees") == [1]


def test_newer_record_updates_its_paper(library):
    old = paper("A", abstract="draft", source="arxiv", source_id="1", arxiv="2101.00001")
    new = paper("A", abstract="final", source="arxiv", source_id="1", arxiv="2101.00001")
    library.put([old])
    assert library.put([new]).added == 0
    assert library.get([1])[0].abstract == "final"
    assert (words(library, "draft"), words(library, "final")) == ([], [1])
    assert library.is_text_index_consistent()


def test_preprint_and_article_are_two_papers_of_one_work(library):
    library.put(
        [
            paper("On the motion of bees", authors="Curie, M.", arxiv="2101.00001"),
            paper(
                "On the Motion of Bees",
                authors="Curie, Marie",
                doi="10.1000/bees",
                kind="article-journal",
            ),
        ]
    )
    assert library.count() == 2
    assert library.works([1, 2]) == {1: 1, 2: 1}
    assert library.versions(1) == [2]


def test_pair_marked_as_different_stays_so(library):
    library.put([paper("Editorial", authors="A, B", published="2001")])
    second = {"authors": "A, B; C, D", "published": "2002", "pmid": "7"}
    library.put([paper("Editorial", **second)])
    assert [(r.a, r.b) for r in library.duplicates.of(MatchVerdict.maybe)] == [(1, 2)]
    library.duplicates.mark_as_different(2, 1)
    library.put([paper("Editorial", **second, venue="Nature")])
    assert library.duplicates.of(MatchVerdict.maybe) == []
    assert [r.reason for r in library.duplicates.of(MatchVerdict.different)] == ["your decision"]


def test_one_version_can_be_separated_from_its_work(library):
    for kind, doi in (("article-journal", "10.1000/a"), ("article", "")):
        library.put(
            [
                paper("On the motion of honey bees", authors="A, B", kind=kind, doi=doi),
            ]
        ) if doi else library.put(
            [paper("On the motion of honey bees", authors="A, B", arxiv="2101.00001")]
        )
    assert library.versions(1) == [2]
    library.duplicates.mark_as_different(1, 2)
    assert library.versions(1) == [] and library.works([1, 2]) == {1: 1, 2: 2}


def test_edited_fields_survive_a_new_import(library):
    [id] = library.put([paper("A", source="arxiv", source_id="1", arxiv="2101.00001")]).ids
    library.edit(id, title="My title", abstract="zebra")
    library.put([paper("B", source="arxiv", source_id="1", arxiv="2101.00001", abstract="ox")])
    [got] = library.get([id])
    assert (got.title, got.abstract) == ("My title", "zebra")
    assert words(library, "zebra") == [id] and library.is_text_index_consistent()


@pytest.mark.parametrize("source", ["arxiv", "bibtex"])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("published", "2016"),
        ("published", ""),
        ("kind", "article"),
        ("identifiers", (Identifier("arxiv", "2101.00001"),)),
        ("fields", ()),
        ("keywords", ("wasps",)),
        ("extra", {"volume": "4"}),
        ("extra", {}),
    ],
)
def test_field_edited_by_hand_is_unchanged_by_imports(library, source, field, value):
    state = {"source": source, "source_id": "1", "arxiv": "2101.00001"}
    more = {"doi": "10.1000/bees", "fields": ("bio",), "keywords": ("bees",)}
    more |= {"kind": "article-journal", "published": "2016-06-12", "extra": {"volume": "3"}}
    [id] = library.put([paper("A", **state, **more)]).ids
    library.edit(id, **{field: value})
    assert library.put([paper("A", abstract="More.", **state, **more)]).ids == [id]
    [got] = library.get([id])
    assert (getattr(got, field), got.abstract) == (value, "More.")


def test_numbers_of_thousands_of_digits_are_stored_and_compared(library):
    long = {"volume": "9" * 5000, "version": "9" * 5000}
    same = {"authors": "Curie, M.", "published": "2001", "source": "arxiv", "source_id": "1"}
    library.put([paper("The motion of bees", **same, extra=long)])
    library.put([paper("The motion of bees", **same, extra={"volume": "8", "version": "2"})])
    library.put([paper("The motion of bees", authors="Curie, M.", published="2001", extra=long)])
    assert library.count() == 2


def test_text_search_ignores_accents_and_word_forms(library):
    library.put([paper("Étude", abstract="The runners were running."), paper("Other")])
    assert words(library, "run") == words(library, "etude") == [1]


def test_text_search_covers_authors_venue_notes_keywords_and_files(library):
    library.put([paper("A", authors="Curie, Marie", venue="Nature", keywords=("radium",))])
    library.notes.add(1, "ask Pierre")
    library.attachments.put([(Attachment(1, "/a.pdf", "ab" * 32, 3, 1.0), "polonium glows")])
    for word in ("curie", "marie", "nature", "radium", "pierre", "polonium"):
        assert words(library, word) == [1], word
    assert library.is_text_index_consistent()


def test_text_of_a_file_is_found_at_every_paper_that_has_its_content(library):
    library.put([paper("Bees"), paper("Wasps")])
    known = [Attachment(PaperId(n), f"/{n}.pdf", "ab" * 32, 3, 1.0) for n in (1, 2)]
    library.attachments.put([(known[0], "")])
    library.attachments.put([(known[1], "polonium glows")])
    assert sorted(words(library, "polonium")) == [1, 2]
    assert library.is_text_index_consistent()


def test_changed_note_is_found_by_new_words_only(library):
    library.put([paper("A")])
    note = library.notes.add(1, "zebra")
    library.notes.change(note, "okapi")
    assert (words(library, "zebra"), words(library, "okapi")) == ([], [1])
    library.notes.change(note, "")
    assert words(library, "okapi") == [] and library.organisation.of([1])[1].notes == ()


def test_trashed_papers_are_hidden_but_kept(library):
    library.put([paper("Bees", doi="10.1000/bees"), paper("Wasps")])
    library.trash([1])
    assert library.count() == 1 and words(library, "bees") == []
    assert library.ids().tolist() == [2] and library.trashed().tolist() == [1]
    assert library.works([1, 2]) == {2: 2}
    assert library.with_identifier(identifier("doi", "10.1000/bees")) == []
    assert [p.title for p in library.get([1])] == ["Bees"]
    library.untrash([1])
    assert words(library, "bees") == [1] and library.is_text_index_consistent()


def test_importing_a_trashed_paper_restores_it(library):
    library.put([paper("Bees")])
    library.trash([1])
    assert library.put([paper("Bees")]).added == 0
    assert (
        library.count() == 1
        and words(library, "bees") == [1]
        and library.is_text_index_consistent()
    )


def test_ids_are_never_reused(library):
    library.put([paper("A"), paper("B")])
    with closing(sqlite3.connect(library.path)) as db, db:
        db.execute("DELETE FROM papers WHERE id = 2")
    assert library.put([paper("C")]).ids == [3]


def test_conditions_match_exactly(library):
    library.put(
        [
            paper("A", authors="van Dyck, Anton", published="2015-02", fields=("cs.CL", "cs.LG")),
            paper("B", published="2019", fields=("math.AG",), venue="Nature Physics"),
            paper("C", abstract="x"),
        ]
    )
    library.tags.add([1, 3], "Good one")
    library.collections.add([2], "thesis/chapter 2")
    library.reading_state.mark_read([2])
    for query, found in {
        "year:2015..2018": [1],
        "year:2016..": [2],
        "-year:2015": [2, 3],
        "cat:cs.CL": [1],
        "cat:cs.*": [1],
        "-cat:cs.*": [2, 3],
        'author:"van Dyck"': [1],
        "venue:physics": [2],
        'tag:"good one"': [1, 3],
        "in:thesis": [2],
        'in:"thesis/chapter 2"': [2],
        "in:chapter": [],
        "is:unread": [1, 3],
        "has:abstract": [3],
        'tag:"good one" -year:2015': [3],
    }.items():
        assert matching(library, query) == found, query


def test_ids_are_sorted_by_order(library):
    library.put([paper("b", published="2001"), paper("C", published="2003"), paper("a")])
    assert library.ids(Order.added).tolist() == [3, 2, 1]
    assert library.ids(Order.year).tolist() == [2, 1, 3]
    assert library.ids(Order.title).tolist() == [3, 1, 2]


def test_papers_without_value_are_last_in_either_direction(library):
    library.put([paper("a", venue="Alpha"), paper("b"), paper("c", venue="Beta")])
    assert library.ids(Order.venue).tolist() == [1, 3, 2]
    assert library.ids(Order.venue_descending).tolist() == [3, 1, 2]


def test_ids_by_citations_count_citing_paper_with_two_identifiers_once(library):
    library.put([paper("a", doi="10.1000/a"), paper("b", doi="10.1000/b"), paper("c")])
    library.put([paper("citing", doi="10.1000/x", arxiv="2401.00001")])
    a, b, x, y = (identifier("doi", f"10.1000/{name}") for name in "abxy")
    preprint = identifier("arxiv", "2401.00001")
    library.citations.put([(x, a), (preprint, a), (x, b), (y, b)], "test")
    assert library.ids(Order.citations).tolist() == [2, 1, 4, 3]
    assert library.ids(Order.fewest_citations).tolist() == [1, 2, 4, 3]


def test_ids_by_last_reading_begin_with_file_read_last(library):
    library.put([paper("a"), paper("b"), paper("c")])
    for number in (1, 2):
        file = Attachment(PaperId(number), f"/{number}.pdf", str(number))
        library.attachments.put([(file, "")])
    for file in ("2", "1"):
        library.annotations.remember(file, ReadingPosition())
    assert library.ids(Order.last_read).tolist() == [1, 2, 3]
    assert library.ids(Order.earliest_read).tolist() == [2, 1, 3]


@pytest.mark.parametrize("order", [one for one in Order if one is not Order.relevance])
def test_order_and_its_reverse_list_all_papers(library, order):
    library.put(
        [
            paper("a", published="2001", authors="Adam", venue="V", doi="10.1000/a"),
            paper("b", published="1999", authors="Eve", venue="W", doi="10.1000/b"),
        ]
    )
    library.reading_state.rate([1], 5)
    library.reading_state.rate([2], 2)
    library.reading_state.mark_read([2])
    for number, file in enumerate("ab", start=1):
        library.attachments.put([(Attachment(PaperId(number), f"/{file}.pdf", file), "")])
    for file in ("b", "a"):
        library.annotations.remember(file, ReadingPosition())
    a, b, x, y = (identifier("doi", f"10.1000/{name}") for name in "abxy")
    library.citations.put([(x, a), (x, b), (y, b)], "test")
    assert order.reverse.reverse is order
    assert library.ids(order).tolist() == library.ids(order.reverse).tolist()[::-1]


def test_tags_and_collections_can_be_added_and_removed(library):
    library.put([paper("A")])
    library.tags.add([1], "red")
    library.tags.add([1], "RED")
    library.collections.add([1], "x / y")
    marks = library.organisation.of([1])[1]
    assert marks.tags == ("red",) and marks.collections == ("x/y",)
    assert library.collections.paths() == ["x", "x/y"]
    library.tags.remove([1], "red")
    library.collections.remove([1], "x/y")
    marks = library.organisation.of([1])[1]
    assert marks.tags == () and marks.collections == ()


@pytest.mark.parametrize("moved", ["A/B", "A/B/C"])
def test_collection_moved_into_its_ancestor_keeps_all_members(library, moved):
    library.put([paper(title) for title in ("Bees", "Wasps", "Ants")])
    library.collections.add([1], moved)
    library.collections.add([2], f"{moved}/B")
    library.collections.add([3], f"{moved}/B/C")
    library.collections.move(moved, "A")
    assert library.collections.paths() == ["A", "A/B", "A/B/C"]
    marks = library.organisation.of([1, 2, 3])
    assert [marks[id].collections for id in (1, 2, 3)] == [("A",), ("A/B",), ("A/B/C",)]


def test_import_log_accounts_for_every_record(library):
    number = library.import_log.open("refs.bib")
    skip = Skipped("refs.bib", "smith", "has no end")
    library.put([paper("A"), paper("A"), paper("B")], import_id=number, skips=[skip])
    [story] = library.import_log.imports()
    assert (story.read, story.added, story.merged, story.failed) == (4, 2, 1, 1)
    assert story.finished is None
    library.import_log.close(number)
    assert library.import_log.imports()[0].finished and library.import_log.failures(number) == [
        skip
    ]


def test_saved_searches_are_stored_by_name(library):
    library.saved_searches.save("bees", "bees year:2015..")
    library.saved_searches.save("bees", "bees")
    assert library.saved_searches.queries() == {"bees": "bees"}


def test_document_frequencies_count_papers_by_stem(library):
    library.put([paper("runs"), paper("running running"), paper("bees")])
    counts = library.document_frequencies(["run", "bee", "zebra"])
    assert counts == {"run": 2, "bee": 1, "zebra": 0}


def test_vectors_belong_to_a_text_and_are_missing_after_its_change(library):
    library.put([paper("A", doi="10.1000/a"), paper("B")])
    ids, hashes = library.missing_vectors("s")
    first_rows = []
    library.put_vectors("s", ids, hashes, first_rows.append)
    assert first_rows == [0] and len(library.missing_vectors("s")[0]) == 0
    library.put([paper("A", doi="10.1000/a", abstract="new")])
    assert library.missing_vectors("s")[0].tolist() == [1]
    assert library.vector_rows("s")[0].tolist() == [2]
    ids, hashes = library.missing_vectors("s")
    library.put_vectors("s", ids, hashes, first_rows.append)
    assert first_rows == [0, 2]
    assert np.array_equal(library.vector_rows("s")[1], [2, 1])
    assert library.missing_vectors("other")[0].tolist() == [1, 2]


def test_concurrent_writers_are_serialised(library):
    batches = [[paper(f"{writer} {n} {'x' * writer}") for n in range(20)] for writer in range(8)]
    with ThreadPoolExecutor(8) as threads:
        stored = list(threads.map(library.put, batches))
    assert [s.added for s in stored] == [20] * 8 and library.is_text_index_consistent()


def test_failed_batch_leaves_nothing_behind(library):
    with pytest.raises(TypeError):
        library.put([paper("good"), paper("bad", extra={"not": object()})])
    assert library.count() == 0 and library.put([paper("good")]).ids == [1]


def test_damaged_text_index_is_detected_and_rebuilt(library):
    library.put([paper("Bees")])
    with closing(sqlite3.connect(library.path)) as db, db:
        db.execute("UPDATE papers SET title = 'Wasps'")
    assert not library.is_text_index_consistent()
    library.rebuild_text_index()
    assert library.is_text_index_consistent() and words(library, "wasps") == [1]


def test_library_of_newer_version_is_refused_by_name(tmp_path):
    path = tmp_path / "library.sqlite3"
    Library(path).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(
        LibraryError, match=r"library\.sqlite3 was written by a newer version of SciRead"
    ):
        Library(path)
    assert path.read_bytes() == before


def test_file_that_is_not_a_library_is_refused_unchanged(tmp_path):
    path = tmp_path / "library.sqlite3"
    path.write_text("just some text, long enough to be read as a header of a file" * 20)
    with pytest.raises(LibraryError, match="not an SQLite database"):
        Library(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE bookmarks (url)")
    with pytest.raises(LibraryError, match="another program"):
        Library(path)


def test_update_of_preprint_in_pubmed_is_a_version(library):
    preprint = paper("Bees dance", pmid="1", source="pubmed", source_id="1")
    article = paper(
        "The waggle of the honey bee",
        pmid="2",
        source="pubmed",
        source_id="2",
        extra={"update_of": "1"},
    )
    library.put([preprint])
    library.put([article])
    works = library.works([1, 2])
    assert library.count() == 2 and works[1] == works[2]


def test_many_titles_with_same_beginning_are_stored_and_deduplicated(library):
    titles = [
        f"A randomized controlled trial of treatment number {n} in adults" for n in range(3000)
    ]
    batch = [paper(title, authors="Cochrane, A.", published="1972") for title in titles]
    for start in range(0, len(batch), 500):
        library.put(batch[start : start + 500])
    assert library.count() == 3000
    again = paper(titles[2999], authors="Cochrane, Archie", published="1972", doi="10.1000/rct")
    assert library.put([again]).merged == 1


@pytest.mark.parametrize(
    ("typed", "edited"),
    [
        ({"doi": "10.1000/ABC"}, {"identifiers"}),
        ({"authors": "Lee, Ann\nand others"}, {"authors"}),
        ({"authors": "Lee, Ann\nand others", "extra": "volume: 3"}, {"authors", "extra"}),
        ({"extra": "volume: 3"}, {"extra"}),
    ],
)
def test_only_changed_fields_count_as_edited(library, typed, edited):
    [id] = library.put([paper("On bees", doi="10.1000/x", extra={"volume": "2"})]).ids
    [before] = library.get([id])
    library.edit(id, **changed(before, written(before) | typed))
    assert library.manually_edited_fields(id) == edited


def test_import_fills_other_fields_after_a_corrected_doi_and_keeps_its_spelling(library):
    first = paper("On bees", doi="10.1000/x", source="crossref", source_id="1")
    [id] = library.put([first]).ids
    [before] = library.get([id])
    library.edit(id, **changed(before, written(before) | {"doi": "10.1000/ABC"}))
    newer = replace(first, extra={"volume": "7", "doi": "10.1000/X"}, title="On the bees")
    library.put([newer])
    [after] = library.get([id])
    assert after.extra["volume"] == "7" and after.written_doi == "10.1000/ABC"
