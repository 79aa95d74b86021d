"""The readable part of a damaged library is copied to a new one, and losses are reported."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sciread_app.domain.paper import Skipped
from sciread_app.storage.files import opening
from sciread_app.storage.library import Library
from sciread_app.storage.migrations import HEAD
from sciread_app.storage.salvage import salvage
from tests.support import damage
from tests.support.generate.papers import paper

PAPERS = 400


@pytest.fixture(scope="module")
def intact(tmp_path_factory) -> Path:
    """A library with content in every table, and texts that fill several pages."""
    path = tmp_path_factory.mktemp("whole") / "library.sqlite3"
    library = Library(path)
    number = library.import_log.open("refs.bib")
    library.put(
        [
            paper(
                f"Bees and what they say, part {n}",
                abstract=f"They dance {n}. " * (900 if n % 50 == 0 else 20),
                authors=f"Curie, Marie {n}; Frisch, Karl",
                doi=f"10.1000/{n}",
                venue=f"Journal {n % 7}",
                published="1927",
                keywords=("bees", "dances"),
                extra={"note": f"{n}"},
                files=(f"/papers/{n}.pdf",),
            )
            for n in range(PAPERS)
        ],
        import_id=number,
        skips=[Skipped("refs.bib", "x", "no title")],
    )
    library.import_log.close(number)
    library.tags.add(range(1, 50), "to read")
    library.collections.add(range(20, 60), "thesis/first")
    for id in (3, 30, 300):
        library.notes.add(id, f"A note on {id}, with ünïcödé.")
    library.saved_searches.save("dances", "dance year:1920..")
    library.trash([PAPERS])
    library.delete_permanently()
    library.close()
    return path


@pytest.fixture
def path(intact, tmp_path) -> Path:
    copy = tmp_path / "library.sqlite3"
    copy.write_bytes(intact.read_bytes())
    return copy


def rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as db:
        names = [
            row[0]
            for row in db.execute(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
            )
        ]
        return {name: sorted(db.execute(f'SELECT * FROM "{name}"'), key=repr) for name in names}


def open_checked(path: Path) -> Library:
    """Open the library and assert that it is consistent."""
    library = Library(path)
    assert library.problems() == [] and library.is_text_index_consistent()
    return library


def test_salvage_of_intact_library_keeps_every_row(path, tmp_path):
    done = salvage(path, tmp_path / "new.sqlite3")
    assert not done.lost and not done.altered and not done.gone and not done.pages
    assert rows(tmp_path / "new.sqlite3") == rows(path)
    assert done.recovered["papers"] == PAPERS - 1
    library = open_checked(tmp_path / "new.sqlite3")
    library.put([paper("New")])
    assert max(library.ids()) == PAPERS + 1  # the id of the deleted paper is not reused
    library.close()


def test_salvage_includes_write_ahead_log(path, tmp_path):
    library = Library(path)
    library.put([paper("Late ants")])
    assert path.with_name("library.sqlite3-wal").stat().st_size
    salvage(path, tmp_path / "new.sqlite3")
    library.close()
    new = open_checked(tmp_path / "new.sqlite3")
    assert new.search_text("late", 5)
    new.close()


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bytes_cost_little_and_losses_are_reported(path, tmp_path, seed):
    damage.flip(path, 40, seed)
    done = salvage(path, tmp_path / "new.sqlite3")
    library = open_checked(tmp_path / "new.sqlite3")
    there = library.get(range(1, PAPERS))
    assert len(there) + len(done.gone) >= PAPERS - 1 - done.lost["papers"]
    right = sum(p.title.startswith("Bees and what they say, part ") for p in there)
    assert right >= PAPERS * 0.85
    library.close()


@pytest.mark.parametrize("seed", range(12))
def test_overwritten_pages_cost_only_their_rows(path, tmp_path, seed):
    draw, count = random.Random(seed), path.stat().st_size // damage.PAGE
    for page in draw.sample(range(2, count), 3):
        damage.overwrite(path, page, draw.randbytes(damage.PAGE))
    done = salvage(path, tmp_path / "new.sqlite3")
    assert done.lost["papers"] == len(done.placeholders) + len(done.gone)
    library = open_checked(tmp_path / "new.sqlite3")
    assert library.count() >= PAPERS * 0.7
    library.close()


@pytest.mark.parametrize("seed", range(12))
def test_unreadable_sectors_cost_only_their_rows(path, tmp_path, seed):
    count = path.stat().st_size // damage.PAGE
    pages = set(random.Random(seed).sample(range(1, count + 1), 3))
    with damage.failing(path, pages):
        done = salvage(path, tmp_path / "failing.sqlite3")
    open_checked(tmp_path / "failing.sqlite3").close()
    for page in pages:
        damage.overwrite(path, page, bytes(damage.PAGE))
    salvage(path, tmp_path / "zeros.sqlite3")
    found, same = rows(tmp_path / "failing.sqlite3"), rows(tmp_path / "zeros.sqlite3")
    assert {row[:2] for row in found["papers"]} == {row[:2] for row in same["papers"]}
    assert found["notes"] == same["notes"] and done.recovered["papers"] > PAPERS // 2
    assert done.pages > 0


def test_unreadable_page_of_uncounted_rows_is_reported(path, tmp_path):
    with damage.failing(path, {damage.root(path, "authors")}):
        done = salvage(path, tmp_path / "new.sqlite3")
    assert done.recovered["papers"] == PAPERS - 1
    assert (done.pages, done.uncounted) == (1, 1)


def test_unreadable_page_of_write_ahead_log_costs_only_itself(path, tmp_path):
    library = Library(path)
    library.put([paper("Late ants")])
    log = path.with_name("library.sqlite3-wal")
    with damage.failing(log, {1}):  # the header of the log, and nearly all of its first page
        done = salvage(path, tmp_path / "new.sqlite3")
    library.close()
    assert done.recovered["papers"] >= PAPERS - 1
    open_checked(tmp_path / "new.sqlite3").close()


def test_rows_are_found_despite_damaged_root_page(path, tmp_path):
    for table in ("papers", "authors", "identifiers"):
        damage.overwrite(path, damage.root(path, table))
    done = salvage(path, tmp_path / "new.sqlite3")
    library = open_checked(tmp_path / "new.sqlite3")
    found = library.get(range(1, PAPERS))
    assert len(found) == PAPERS - 1
    assert all(p.authors and p.identifiers for p in found)
    assert [p.title for p in found][:2] == [f"Bees and what they say, part {n}" for n in (0, 1)]
    assert not done.lost["papers"]
    library.close()


def test_bad_pointer_on_an_inner_page_costs_no_row(path, tmp_path):
    content = bytearray(path.read_bytes())
    page = (damage.root(path, "papers") - 1) * damage.PAGE
    header = 12  # bytes; then follow the places of the cells, two bytes each
    content[page + header : page + header + 2] = b"\xff\xff"
    path.write_bytes(content)
    done = salvage(path, tmp_path / "new.sqlite3")
    assert done.recovered["papers"] == PAPERS - 1 and done.pages == 1


def test_row_of_sqlite_sequence_without_a_number_does_not_stop_salvage(path, tmp_path):
    content = bytearray(path.read_bytes())
    at = content.index(b"\x03\x19\x02papers")  # the length of its header and the types, then values
    content[at - 2] = 8  # bytes of the row
    content[at : at + 8] = b"\x02\x19papers"
    path.write_bytes(content)
    assert salvage(path, tmp_path / "new.sqlite3").recovered["papers"] == PAPERS - 1


def test_watched_folder_is_kept_without_its_lost_collection(path, tmp_path):
    library = Library(path)
    library.watched_folders.add("/downloads", subfolders=True, collection="thesis/first")
    library.close()
    damage.overwrite(path, damage.root(path, "collections"))
    salvage(path, tmp_path / "new.sqlite3")
    library = open_checked(tmp_path / "new.sqlite3")
    assert [(one.path, one.collection) for one in library.watched_folders.all()] == [
        ("/downloads", "")
    ]
    library.close()


def test_library_without_its_first_page_keeps_every_row(path, tmp_path):
    before = rows(path)
    damage.overwrite(path, 1)
    done = salvage(path, tmp_path / "new.sqlite3")
    assert rows(tmp_path / "new.sqlite3") == before
    assert done.pages == 1 and not done.lost and not done.unrecognised
    open_checked(tmp_path / "new.sqlite3").close()


def test_deleted_rows_stay_deleted_without_the_first_page(path, tmp_path):
    library = Library(path)
    library.trash(range(100, 300))
    library.delete_permanently()
    library.close()
    before = rows(path)
    for page in (1, damage.root(path, "notes"), damage.root(path, "papers")):
        damage.overwrite(path, page)
    salvage(path, tmp_path / "new.sqlite3")
    assert {row[0] for row in rows(tmp_path / "new.sqlite3")["papers"]} == {
        row[0] for row in before["papers"]
    }


@pytest.mark.parametrize("seed", range(12))
def test_salvage_without_schema_writes_no_row_that_was_not_there(tmp_path, seed):
    """Most tables have two or three columns of numbers and texts, as do the indexes."""
    path, draw = tmp_path / "library.sqlite3", random.Random(seed)
    library = Library(path)
    number = library.import_log.open("refs.bib")
    library.put([paper(f"Bees {n}", doi=f"10.1000/{n}") for n in range(PAPERS)], import_id=number)
    library.import_log.close(number)
    ids = range(1, PAPERS + 1)
    library.tags.add(range(1, 50), "to read")
    for name in "abc"[: draw.randrange(4)]:
        library.tags.add(draw.sample(ids, draw.randrange(1, PAPERS)), name)
        library.collections.add(draw.sample(ids, draw.randrange(1, PAPERS)), f"{name}/2024")
    library.close()
    with closing(sqlite3.connect(path)) as db, db:
        for table, columns in (
            ("brought", lambda id: (id, draw.choice(("tag", "annotation")), f"{id}")),
            ("looked_up", lambda id: (id, "venue", f"{id}", "ab12", "crossref", float(id))),
            ("asked", lambda id: (id, "openalex", float(id) if seed % 2 else id + 0.5)),
            ("opinions", lambda id: ("search 1", id, id % 2, float(id))),
            ("vectors", lambda id: ("space", id, id, id)),
        ):
            some = [columns(id) for id in draw.sample(ids, draw.randrange(PAPERS))]
            marks = ", ".join("?" * len(columns(1)))
            db.executemany(f"INSERT INTO {table} VALUES ({marks})", some)
    before = rows(path)
    schema = damage.schema_pages(path)
    for page in schema if seed < 4 else (1, draw.choice(schema)):
        damage.overwrite(path, page)
    done = salvage(path, tmp_path / "new.sqlite3")
    after = rows(tmp_path / "new.sqlite3")
    for table in before.keys() - {"papers", "sqlite_sequence"}:
        assert set(after[table]) <= set(before[table]), table
    assert [row[:2] for row in after["papers"]] == [row[:2] for row in before["papers"]]
    for table in ("authors", "identifiers", "origins", "news", "tags"):
        assert after[table] == before[table]
    lost = sum(len(before[table]) - len(after[table]) for table in before)
    assert lost <= done.unrecognised


def test_damaged_indexes_cost_no_rows(path, tmp_path):
    before = rows(path)
    for name in ("papers_head", "papers_tail", "fulltext_data", "fulltext_idx", "notes_paper"):
        damage.overwrite(path, damage.root(path, name))
    done = salvage(path, tmp_path / "new.sqlite3")
    after = rows(tmp_path / "new.sqlite3")
    for table in ("papers", "authors", "notes", "tagged", "collections", "saved_searches"):
        assert after[table] == before[table], table
    assert not done.lost and not done.altered
    open_checked(tmp_path / "new.sqlite3").close()


def test_truncated_library_keeps_rows_before_the_cut(path, tmp_path):
    damage.cut(path, 0.6)
    done = salvage(path, tmp_path / "new.sqlite3")
    library = open_checked(tmp_path / "new.sqlite3")
    assert PAPERS * 0.2 < library.count() <= PAPERS
    assert done.lost
    library.close()


def test_paper_with_lost_record_keeps_notes_under_its_id(path, tmp_path):
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE papers SET title = 'ZZZZ' || title WHERE id = 30")
        db.commit()
    content = bytearray(path.read_bytes())
    at = content.index(b"ZZZZBees")
    page = at // damage.PAGE * damage.PAGE
    end = page + damage.PAGE
    content[page:end] = bytes(end - page)
    path.write_bytes(content)
    done = salvage(path, tmp_path / "new.sqlite3")
    assert "Curie" in done.placeholders[30] and "10.1000/29" in done.placeholders[30]
    library = open_checked(tmp_path / "new.sqlite3")
    (found,) = library.get([30])
    assert "30" in found.title and found.identifiers and len(found.authors) == 2
    assert library.organisation.of([30])[30].notes == ("A note on 30, with ünïcödé.",)
    library.close()


@pytest.mark.parametrize("number", [-105, 29_000])
def test_id_that_never_existed_is_not_reported_as_lost(path, tmp_path, number):
    content = bytearray(path.read_bytes())
    page = (damage.root(path, "papers_live") - 1) * damage.PAGE
    cell = page + int.from_bytes(content[page + 8 + 2 * 300 : page + 10 + 2 * 300], "big")
    end = cell + 1 + content[cell]  # where the id of the paper is stored, in its last two bytes
    content[end - 2 : end] = number.to_bytes(2, "big", signed=True)
    path.write_bytes(content)
    assert salvage(path, tmp_path / "new.sqlite3").gone == []


def test_changed_text_is_reported_with_title(path, tmp_path):
    content = path.read_bytes()
    assert content.count(b"They dance 123. They") >= 1
    path.write_bytes(content.replace(b"They dance 123. They", b"They dence 123. They", 1))
    done = salvage(path, tmp_path / "new.sqlite3")
    assert list(done.altered.values()) == ["Bees and what they say, part 123"]
    library = open_checked(tmp_path / "new.sqlite3")
    library.close()


@pytest.mark.parametrize("revision", range(1, HEAD))
def test_salvage_migrates_library_of_earlier_version(tmp_path, revision):
    path = tmp_path / "old.sqlite3"
    opening.begin(path, revision)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "INSERT INTO papers (title, abstract, kind, published, venue, keywords, extra, source, "
            "source_id, text_hash, head_key, tail_key, added, changed) "
            "VALUES ('Bees', '', '', '', '', '', '{}', '', '', 1, 1, 1, 1, 1)"
        )
    salvage(path, tmp_path / "new.sqlite3")
    library = open_checked(tmp_path / "new.sqlite3")
    assert [p.title for p in library.get([1])] == ["Bees"]
    library.close()
    assert not list(tmp_path.glob("*.backup*"))


@pytest.mark.parametrize("content", [b"", b"x" * 100, b"no library " * 5000])
def test_salvage_of_file_that_is_not_a_library_finds_nothing(tmp_path, content):
    (tmp_path / "old.sqlite3").write_bytes(content)
    done = salvage(tmp_path / "old.sqlite3", tmp_path / "new.sqlite3")
    assert not done.recovered["papers"]
    open_checked(tmp_path / "new.sqlite3").close()
