"""Import of training runs from elsewhere, which are untrusted input."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path

import pytest

from sciread_app.errors import LibraryError
from sciread_app.paths import Home
from sciread_app.services.training.corpora import Corpora
from sciread_app.services.training.remote_job import BASE
from sciread_app.services.training.run_import import RunImporter
from sciread_app.services.training.runs import Runs, RunStatus
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.models.fake_trainer import STEPS
from tests.support.models.tiny_model import tiny_adapter, tiny_package
from trainer.contract.errors import TrainerError
from trainer.contract.package import read_package
from trainer.contract.run import Event, Recipe, Run

SHA = "5" * 64


class FakeImport:
    """Import runs; `taken` lists the folders whose model was added."""

    def __init__(self, home: Home, library: Library) -> None:
        self.home, self.taken = home, []
        self.runs = Runs(home)
        self.arrivals = RunImporter(home, self.runs, Corpora(home, library), self._take)

    def _take(self, folder: Path, task: Task) -> str:
        self.taken.append(folder.name)
        return "tiny"

    def open(self, source: Path):
        return self.arrivals.open(source, Task())

    def left(self) -> list[str]:
        return sorted(path.name for path in self.home.runs.iterdir())


@pytest.fixture
def opener(tmp_path: Path, library: Library) -> FakeImport:
    return FakeImport(Home(tmp_path / "home"), library)


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A finished job."""
    job = tmp_path / "job"
    run = Run.create(job / "run", Recipe.named("specter-small", job / "corpus"), relative=True)
    run.append(Event("start", 1.0, 0, {"steps": STEPS, "corpus": {"papers": 9, "sha256": SHA}}))
    for step in range(1, STEPS + 1):
        run.append(Event("step", 1.0 + step, step, {"loss": 1.0, "stage": "triples"}))
    tiny_package(run.package)
    run.write_report({"package": {"space": "abc"}})
    (run.checkpoints / "step-1").mkdir(parents=True)
    (run.checkpoints / "step-1" / "model.safetensors").touch()
    (job / "corpus").mkdir()
    return job


def zipped(folder: Path, **more: str) -> Path:
    target = folder.with_suffix(".zip")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder.parent))
        for name, text in more.items():
            archive.writestr(name, text)
    return target


@pytest.mark.parametrize("kind", ["job", "run", "zip", "above"])
def test_run_import_adds_run_and_its_model(
    opener: FakeImport, job: Path, tmp_path: Path, kind: str
) -> None:
    source = {
        "job": job, "run": job / "run", "zip": zipped(job) if kind == "zip" else job,
        "above": tmp_path / "above",
    }[kind]  # fmt: skip
    if kind == "above":
        shutil.copytree(job, source / "job")
    opened = opener.open(source)
    name = "specter-small" if kind == "run" else "job"
    assert (opened.training.name, opened.model, opened.new) == (name, "tiny", True)
    assert opened.training.status is RunStatus.finished
    assert (opened.training.step, opened.training.papers) == (STEPS, 9)
    assert opener.taken == [name] and opener.left() == [name]
    here = opener.home.runs / name
    assert sorted(path.name for path in here.iterdir() if path.name != "lock") == [
        "events.jsonl", "package", "recipe.toml", "report.json",
    ]  # fmt: skip


def test_imported_run_uses_corpus_if_present(opener: FakeImport, job: Path) -> None:
    (job / "run" / "report.json").unlink()
    papers = opener.home.corpora / "library-55555555"
    papers.mkdir(parents=True)
    files = [{"name": "library.sqlite3", "kind": "library"}]
    described = {"papers": 9, "sha256": SHA, "counts": {"files": files}}
    (papers / "corpus.json").write_text(json.dumps(described))
    opened = opener.open(job).training
    assert opened.corpus == papers and opened.status is RunStatus.interrupted
    # The files needed to resume were copied too.
    assert (opened.folder / "checkpoint" / "step-1" / "model.safetensors").is_file()


def test_imported_run_without_corpus_cannot_resume(opener: FakeImport, job: Path) -> None:
    (job / "run" / "report.json").unlink()
    opener.open(job)
    with pytest.raises(LibraryError, match="training data of job is missing"):
        opener.runs.resume("job")


def test_importing_the_same_run_again_copies_nothing(opener: FakeImport, job: Path) -> None:
    report = (job / "run" / "report.json").read_text()
    (job / "run" / "report.json").unlink()
    opener.open(job)
    assert not opener.open(job).new and opener.left() == ["job"]
    # A run with more progress than the copy replaces it.
    Run(job / "run").append(Event("end", 99.0, STEPS, {"seconds": 1.0}))
    (job / "run" / "report.json").write_text(report)
    opened = opener.open(job)
    assert opened.new and opened.training.status is RunStatus.finished
    assert opener.left() == ["job"]
    assert not opener.open(opener.home.runs / "job").new


@pytest.mark.parametrize("lacking", ["report.json", "package"])
def test_partially_copied_run_is_completed(
    opener: FakeImport, job: Path, tmp_path: Path, lacking: str
) -> None:
    part = tmp_path / "part"
    shutil.copytree(job, part)
    left_out = part / "run" / lacking
    shutil.rmtree(left_out) if left_out.is_dir() else left_out.unlink()
    opener.open(part)
    opened = opener.open(job)
    assert opened.new and opened.model
    assert opened.training.status is RunStatus.finished
    assert not opener.open(part).new and opener.left() == ["part"]


def test_import_does_not_replace_active_run(opener: FakeImport, job: Path) -> None:
    (job / "run" / "report.json").unlink()
    opener.open(job)
    Run(job / "run").append(Event("end", 99.0))
    with (
        Run(opener.home.runs / "job").hold(),
        pytest.raises(LibraryError, match="job is still running"),
    ):
        opener.open(job)


def test_import_without_run_is_refused(opener: FakeImport, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "text.zip").write_text("no zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a/b.txt", "x")
    for name, raised in (
        ("empty", "no training run"), ("text.zip", "not a zip file"),
        ("other.zip", "no training run"), ("missing", "does not exist"),
    ):  # fmt: skip
        with pytest.raises(LibraryError, match=raised):
            opener.open(tmp_path / name)
    assert opener.left() == []


def test_run_with_damaged_model_is_refused_entirely(opener: FakeImport, job: Path) -> None:
    with (job / "run" / "package" / "model.safetensors").open("r+b") as file:
        file.write(b"x" * 64)
    with pytest.raises(TrainerError, match=r"model\.safetensors .* is damaged"):
        opener.open(job)
    assert opener.left() == [] and opener.taken == []


def test_refused_model_keeps_its_hint(opener: FakeImport, job: Path) -> None:
    (job / "run" / "package" / "harm.py").touch()
    with pytest.raises(TrainerError, match="could run code") as raised:
        opener.open(job)
    assert "safetensors" in raised.value.hint


def test_adapter_is_imported_without_its_base(
    opener: FakeImport, job: Path, tmp_path: Path
) -> None:
    adapted(job, tmp_path)
    (tmp_path / "scibert").rename(tmp_path / "elsewhere" / "scibert")
    opened = opener.open(job)
    assert opened.new and opened.training.status is RunStatus.finished
    (job / "run" / "package" / "adapter_model.safetensors").write_bytes(b"x" * 64)
    opener.runs.remove(opened.training.name)
    with pytest.raises(TrainerError, match="is damaged"):
        opener.open(job)


def test_imported_run_gets_the_base_it_was_exported_with(
    opener: FakeImport, job: Path, tmp_path: Path
) -> None:
    base = adapted(job, tmp_path)
    (job / "run" / BASE).write_text(str(base))
    opened = opener.open(job).training
    assert opened.base == str(base)
    assert read_package(opened.folder / "package").base == str(base)


def adapted(job: Path, tmp_path: Path) -> Path:
    """Replace the job's model by an adapter, trained with a copy of a plain folder on another
    computer. Return the plain folder."""
    base = tiny_package(tmp_path / "scibert")
    package = job / "run" / "package"
    shutil.rmtree(package)
    shutil.rmtree(package.with_name("package-source"))
    (tmp_path / "elsewhere").mkdir()
    tiny_adapter(package, base)
    described = json.loads((package / "package.json").read_text())
    described["base"] = "/home/of/another/job/models/mine"
    (package / "package.json").write_text(json.dumps(described))
    (base.folder / "package.json").unlink()
    return base.folder


def test_recipe_of_newer_or_invalid_format_is_refused(opener: FakeImport, job: Path) -> None:
    (job / "run" / "recipe.toml").write_text("format = 9")
    with pytest.raises(TrainerError, match="format 9"):
        opener.open(job)
    (job / "run" / "recipe.toml").write_text("format = ")
    with pytest.raises(TrainerError, match=r"^run.recipe\.toml is not a valid recipe"):
        opener.open(job)
    assert opener.left() == []


def test_import_refuses_symbolic_links(opener: FakeImport, job: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("mine")
    events = job / "run" / "records.json"
    try:
        events.symlink_to(secret)
    except OSError:
        pytest.skip("links cannot be made here")
    with pytest.raises(LibraryError, match="link or a special file"):
        opener.open(job)
    assert opener.left() == []


@pytest.mark.parametrize("name", ["../evil", "job/run/../../evil", "/evil", "job/run/package/a:b"])
def test_zip_with_path_outside_target_is_refused(
    opener: FakeImport, job: Path, tmp_path: Path, name: str
) -> None:
    with pytest.raises(TrainerError, match="outside the model"):
        opener.open(zipped(job, **{name: "x"}))
    assert opener.left() == [] and not list(tmp_path.rglob("evil"))


def test_zip_bomb_is_refused(opener: FakeImport, job: Path) -> None:
    with (job / "run" / "trainer.log").open("wb") as file:
        file.truncate(100 << 20)
    with pytest.raises(TrainerError, match="zip bomb"):
        opener.open(zipped(job))
    assert opener.left() == []
