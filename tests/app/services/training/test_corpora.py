"""Corpora are snapshots of papers for training, each made once."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sciread_app.domain.paper import Identifier
from sciread_app.domain.training import LIBRARY, TrainingData, TrainingDataKind
from sciread_app.errors import Cancelled, LibraryError, TrainerFailed
from sciread_app.paths import Home
from sciread_app.services.ingest.importer import Importer
from sciread_app.services.subprocess import trainer
from sciread_app.services.training.corpora import DESCRIPTION, Corpora, files_in
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.generate.pdf import At, make_pdf
from tests.support.models import fake_trainer


@pytest.fixture
def corpora(library: Library, tmp_path: Path) -> Corpora:
    library.put([
        paper(f"P{n}", abstract=f"On {n}.", venue="Nature", published="2020", arxiv=f"2101.{n:05}")
        for n in range(5)
    ])  # fmt: skip
    names = [Identifier("arxiv", f"2101.{n:05}") for n in range(5)]
    library.citations.put([(names[0], names[1]), (names[2], names[3])], "test")
    library.collections.add([1, 2], "thesis/methods")
    return Corpora(Home(tmp_path), library)


@pytest.fixture
def use_fake_trainer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "trainer_command", fake_trainer.command)


def test_library_and_collection_become_corpora(corpora: Corpora, tmp_path: Path) -> None:
    """The trainer itself makes them."""
    thesis = TrainingData(TrainingDataKind.collection, "thesis")
    folder = corpora.make(thesis, Task())
    every = corpora.make(LIBRARY, Task())
    found = {corpus.what: corpus for corpus in corpora.all()}
    assert {what: corpus.papers for what, corpus in found.items()} == {LIBRARY: 5, thesis: 2}
    assert found[thesis].folder == folder and found[LIBRARY].folder == every
    assert folder.name == f"thesis-{found[thesis].sha256[:8]}"
    there = corpora.inspect(LIBRARY, Task())
    assert there.stats.citations == 2 and there.unasked == (1, 2, 3, 4, 5)
    # The counts from the library equal those of the trainer.
    put_aside = corpora.inspect(TrainingData(TrainingDataKind.corpus, found[LIBRARY].id), Task())
    assert there.stats.described() == put_aside.stats.described()
    assert list((tmp_path / "corpora").glob(".*")) == []


def test_corpus_has_the_text_of_pdfs_if_requested(
    corpora: Corpora, library: Library, tmp_path: Path
) -> None:
    """The trainer itself makes it."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "whole.pdf").write_bytes(
        make_pdf([At(f"Sentence number {n} is one of many in this text.", y=780 - 12 * n)
                  for n in range(60)])
    )  # fmt: skip
    (folder / "scan.pdf").write_bytes(make_pdf([]))
    Importer(library).add([folder], Task())
    data = TrainingData(full_text=True)
    available = corpora.inspect(data, Task())
    assert available.stats.full_texts == 1
    assert [Path(path).name for path in available.unread] == ["scan.pdf"]
    without = corpora.inspect(LIBRARY, Task())
    assert without.stats.full_texts == 0 and not without.unread
    made = {corpora.make(one, Task()) for one in (data, LIBRARY)}
    assert len(made) == 2
    kept = {corpus.what: corpora.inspect(TrainingData(TrainingDataKind.corpus, corpus.id), Task())
            for corpus in corpora.all()}  # fmt: skip
    assert {what: one.stats.full_texts for what, one in kept.items()} == {data: 1, LIBRARY: 0}


@pytest.mark.usefixtures("use_fake_trainer")
class TestFast:
    def test_same_papers_make_one_corpus(self, corpora: Corpora) -> None:
        first = corpora.make(LIBRARY, Task())
        (first / "tokens").mkdir()
        assert corpora.make(LIBRARY, Task()) == first
        assert (first / "tokens").is_dir() and len(corpora.all()) == 1

    def test_corpus_progress_is_reported(self, corpora: Corpora) -> None:
        told: list[tuple[int, int, str]] = []
        corpora.make(LIBRARY, Task(lambda *step: told.append(step)))
        assert (500, 1_000, "papers: 5 (50%)") in told

    def test_cancelled_corpus_leaves_no_files(self, corpora: Corpora, tmp_path: Path) -> None:
        files = tmp_path / "forever"
        files.mkdir()
        (files / "forever.jsonl").write_text("{}")
        task = Task()
        stopper = threading.Thread(target=_run_when((files / "began").exists, task.cancel))
        stopper.start()
        with pytest.raises(Cancelled):
            corpora.make(TrainingData(TrainingDataKind.files, str(files)), task)
        stopper.join()
        assert list((tmp_path / "corpora").iterdir()) == []

    def test_corpus_is_made_while_a_temporary_one_is_in_use(self, corpora: Corpora) -> None:
        thesis = TrainingData(TrainingDataKind.collection, "thesis")
        with corpora.temporary(LIBRARY, Task()) as folder:
            maker = threading.Thread(target=corpora.make, args=(thesis, Task()), daemon=True)
            maker.start()
            maker.join(60)
            assert not maker.is_alive() and folder.is_dir()
        assert [corpus.what for corpus in corpora.all()] == [thesis]

    def test_corpus_that_waits_for_another_can_be_cancelled(
        self, corpora: Corpora, tmp_path: Path
    ) -> None:
        files = tmp_path / "forever"
        files.mkdir()
        (files / "forever.jsonl").write_text("{}")
        data = TrainingData(TrainingDataKind.files, str(files))
        first = Task()

        def make() -> None:
            with pytest.raises(Cancelled):
                corpora.make(data, first)

        maker = threading.Thread(target=make, daemon=True)
        maker.start()
        _run_when((files / "began").exists, lambda: None)()
        second = Task(lambda done, total, note: second.cancel())
        waiter = threading.Thread(target=_refused, args=(corpora, second), daemon=True)
        waiter.start()
        waiter.join(60)
        assert not waiter.is_alive() and maker.is_alive()
        first.cancel()
        maker.join()

    @pytest.mark.parametrize(
        ("name", "message", "hint"),
        [
            ("refused", "The format was not recognized.", "Say so."),
            ("broken", "stopped unexpectedly", "something is broken"),
        ],
    )
    def test_trainer_error_is_reported_with_hint(
        self, corpora: Corpora, tmp_path: Path, name: str, message: str, hint: str
    ) -> None:
        (tmp_path / f"{name}.jsonl").write_text("{}")
        with pytest.raises(TrainerFailed, match=message) as raised:
            corpora.make(
                TrainingData(TrainingDataKind.files, str(tmp_path / f"{name}.jsonl")), Task()
            )
        assert hint in raised.value.hint and '"note"' not in raised.value.hint
        assert corpora.all() == []

    def test_corpus_in_another_folder_is_used_in_place(
        self, corpora: Corpora, tmp_path: Path
    ) -> None:
        made = corpora.make(LIBRARY, Task())
        elsewhere = made.rename(tmp_path / "elsewhere")
        assert (
            corpora.make(TrainingData(TrainingDataKind.corpus, str(elsewhere)), Task()) == elsewhere
        )
        assert (
            corpora.inspect(
                TrainingData(TrainingDataKind.corpus, str(elsewhere)), Task()
            ).stats.papers
            == 10
        )
        assert corpora.all() == []

    def test_empty_training_data_raises_error_with_hint(
        self, corpora: Corpora, library: Library, tmp_path: Path
    ) -> None:
        (tmp_path / "papers").mkdir()
        (tmp_path / "papers" / "a.pdf").touch()
        for data, message in (
            (
                TrainingData(TrainingDataKind.collection, "nothing"),
                "“nothing” contains no papers",
            ),
            (
                TrainingData(TrainingDataKind.files, str(tmp_path / "papers")),
                "contains no training data",
            ),
            (TrainingData(TrainingDataKind.corpus, "none"), "dataset none does not exist"),
        ):
            for ask in (corpora.make, corpora.inspect):
                with pytest.raises(LibraryError, match=message):
                    ask(data, Task())
        library.trash(library.ids())
        with pytest.raises(LibraryError, match="library contains no papers"):
            corpora.make(LIBRARY, Task())

    def test_damaged_corpus_is_not_listed_and_is_rebuilt(self, corpora: Corpora) -> None:
        folder = corpora.make(LIBRARY, Task())
        whole = (folder / DESCRIPTION).read_text()
        for text in ("", "[]", "{}", json.dumps(json.loads(whole) | {"counts": {"files": [3]}})):
            (folder / DESCRIPTION).write_text(text)
            assert corpora.all() == []
        assert corpora.make(LIBRARY, Task()) == folder and len(corpora.all()) == 1

    def test_only_corpora_can_be_removed(self, corpora: Corpora, tmp_path: Path) -> None:
        corpora.make(LIBRARY, Task())
        for unknown in ("none", ".", "../corpora", str(tmp_path)):
            with pytest.raises(LibraryError, match="does not exist"):
                corpora.remove(unknown)
        corpora.remove(corpora.all()[0].id)
        assert corpora.all() == []

    def test_abandoned_temporary_folder_is_removed_after_a_day(
        self, corpora: Corpora, tmp_path: Path
    ) -> None:
        for name in ("old", "new"):
            (tmp_path / "corpora" / f".arriving-{name}").mkdir(parents=True)
        a_day_ago = time.time() - 100_000
        os.utime(tmp_path / "corpora" / ".arriving-old", (a_day_ago, a_day_ago))
        corpora.make(LIBRARY, Task())
        assert [path.name for path in (tmp_path / "corpora").glob(".*")] == [".arriving-new"]


def test_files_in_folder_lists_readable_formats(tmp_path: Path) -> None:
    for name in ("b.JSONL", "a.csv", "notes.txt", "c.xml.gz", "d.gz"):
        (tmp_path / name).touch()
    (tmp_path / "e.json").mkdir()
    assert [path.name for path in files_in(tmp_path)] == ["a.csv", "b.JSONL", "c.xml.gz"]


def _refused(corpora: Corpora, task: Task) -> None:
    with pytest.raises(Cancelled):
        corpora.make(LIBRARY, task)


def _run_when(true: Callable[[], bool], do: Callable[[], None]) -> Callable[[], None]:
    def wait() -> None:
        while not true():
            time.sleep(0.01)
        do()

    return wait
