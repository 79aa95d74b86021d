"""A training job for another computer: written, trained there, and imported afterwards."""

from __future__ import annotations

import ast
import importlib.metadata
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from sciread_app import __version__
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.paths import Home
from sciread_app.services.training import remote_job
from sciread_app.services.training.corpora import Corpora
from sciread_app.services.training.remote_job import NEEDS, requirements, write_job
from sciread_app.services.training.run_import import RunImporter
from sciread_app.services.training.runs import Runs, RunStatus
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.models.small_runs import small_base, small_corpus, small_recipe
from tests.support.models.tiny_model import tiny_adapter, tiny_package
from trainer.contract.errors import PackageRefused
from trainer.contract.package import transformer_folder
from trainer.contract.run import Recipe, Run
from trainer.loop.setup import find_base

ROOT = Path(__file__).resolve().parents[4]
# Imported only if installed: on clusters, for tables, and to run MTEB.
OPTIONAL = {"mteb", "pyarrow", "ray", "tensorboardX"}
# Dependencies of transformers.
BROUGHT = {"tokenizers", "huggingface_hub", "scipy"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    corpus = tmp_path / "home" / "corpora" / "papers"
    corpus.mkdir(parents=True)
    (corpus / "corpus.json").write_text("{}")
    (corpus / "tokens").mkdir()
    (corpus / "tokens" / "many").touch()
    return Home(tmp_path / "home")


def recipe(home: Home, **changes: object) -> Recipe:
    return Recipe.named("specter-small", home.corpora / "papers", seed=7, changes=changes)


def test_job_contains_everything_another_computer_needs(home: Home, tmp_path: Path) -> None:
    job = write_job(recipe(home), home, tmp_path / "job", Task())
    assert sorted(path.name for path in job.iterdir()) == [
        "README.md", "corpus", "requirements.txt", "run", "train.sh", "trainer",
    ]  # fmt: skip
    found = Run(job / "run").recipe
    assert found.essence == recipe(home).essence
    assert found.corpus == job / "corpus"
    assert (job / "corpus" / "corpus.json").is_file() and not (job / "corpus" / "tokens").exists()
    assert "sh train.sh" in (job / "README.md").read_text("utf-8")
    assert not list(job.rglob("__pycache__")) and os.access(job / "train.sh", os.X_OK)
    assert json.loads((job / "trainer/resources/paper_numbers.json").read_text("utf-8"))


def test_job_trainer_knows_its_version_uninstalled(home: Home, tmp_path: Path) -> None:
    job = write_job(recipe(home), home, tmp_path / "job", Task())
    asks = "from trainer.version import trainer_version; print(trainer_version())"
    there = {**os.environ, "PYTHONPATH": ""}
    command = [sys.executable, "-S", "-c", asks]  # -S: without site-packages
    output = subprocess.run(command, cwd=job, env=there, capture_output=True, text=True)
    assert output.stdout.strip() == f"sciread {__version__}", output.stderr


def test_job_folder_can_be_moved(home: Home, tmp_path: Path) -> None:
    job = write_job(recipe(home), home, tmp_path / "job", Task())
    there = job.rename(tmp_path / "there")
    assert Run(there / "run").recipe.corpus == there / "corpus"


def test_job_can_be_a_zip_file(home: Home, tmp_path: Path) -> None:
    messages: list[str] = []
    job = write_job(
        recipe(home),
        home,
        tmp_path / "job.zip",
        Task(lambda done, total, note: messages.append(note)),
    )
    with zipfile.ZipFile(job) as archive:
        names = archive.namelist()
    assert {"job/train.sh", "job/run/recipe.toml", "job/trainer/__main__.py"} <= set(names)
    assert {"Copying the papers", "Creating the zip file"} <= set(messages)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "job.zip"]


def test_job_includes_local_base_model(home: Home, tmp_path: Path) -> None:
    small_base(home.models / "mine")
    job = write_job(recipe(home, base="mine"), home, tmp_path / "a", Task())
    assert Run(job / "run").recipe.base == "mine"
    assert (job / "models" / "mine" / "model.safetensors").is_file()
    elsewhere = small_base(tmp_path / "some where")
    job = write_job(recipe(home, base=str(elsewhere)), home, tmp_path / "b", Task())
    assert Run(job / "run").recipe.base == "some-where"
    assert (job / "models" / "some-where" / "config.json").is_file()
    for job in (tmp_path / "a", tmp_path / "b"):
        assert " pull " not in (job / "train.sh").read_text()


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Path]:
    """Return a function that moves a job to another computer, and returns the folder with the
    transformer of the base model that its trainer uses."""

    def move(job: Path) -> Path:
        job = job.rename(tmp_path / "there")
        monkeypatch.setenv("SCIREAD_HOME", str(job))
        monkeypatch.chdir(job)
        base = find_base(Run(job / "run").recipe.base)
        assert base.weights
        return transformer_folder(base.folder).absolute()

    return move


def without_package(base: Path) -> Path:
    """Make a plain folder of transformers of a base model."""
    (base / "package.json").unlink()
    return base


def test_job_with_a_plain_folder_as_base_finds_it(
    home: Home, tmp_path: Path, there: Callable[[Path], Path]
) -> None:
    base = without_package(small_base(tmp_path / "some where"))
    job = write_job(recipe(home, base=str(base)), home, tmp_path / "job", Task())
    assert there(job) == tmp_path / "there" / "models" / "some-where"


@pytest.mark.parametrize("plain", [False, True])
def test_job_includes_the_base_of_an_adapter(
    home: Home, tmp_path: Path, there: Callable[[Path], Path], plain: bool
) -> None:
    base = tiny_package(tmp_path / "elsewhere" / "scibert")
    adapter = tiny_adapter(tmp_path / "mine", base).folder
    if plain:
        without_package(base.folder)
    job = write_job(recipe(home, base=str(adapter)), home, tmp_path / "job", Task())
    (tmp_path / "elsewhere").rename(tmp_path / "gone")
    assert there(job) == tmp_path / "there" / "models" / "scibert"
    assert " pull " not in (tmp_path / "there" / "train.sh").read_text()


def test_job_downloads_the_base_of_an_adapter_that_is_not_here(home: Home, tmp_path: Path) -> None:
    base = tiny_package(tmp_path / "scibert")
    values = {"one": "allenai/scibert@3f9a", "two": 'a/b"; echo harm; "'}
    made = {n: tiny_adapter(tmp_path / n, base, base=value).folder for n, value in values.items()}
    base.folder.rename(tmp_path / "gone")
    (tmp_path / "gone" / "package.json").unlink()
    job = write_job(recipe(home, base=str(made["one"])), home, tmp_path / "job", Task())
    script = (job / "train.sh").read_text()
    assert '-m trainer pull "allenai/scibert" --revision "3f9a"' in script
    with pytest.raises(PackageRefused, match="Tiny adapter"):
        write_job(recipe(home, base=str(made["two"])), home, tmp_path / "other", Task())


def test_job_downloads_hub_model_on_the_other_computer(home: Home, tmp_path: Path) -> None:
    job = write_job(recipe(home, base="allenai/specter"), home, tmp_path / "job", Task())
    assert '-m trainer pull "allenai/specter"' in (job / "train.sh").read_text()


def test_writing_a_job_keeps_neighbouring_files(home: Home, tmp_path: Path) -> None:
    beside = [tmp_path / name / "mine.txt" for name in ("job.folder", "job.new", "job.zip.new")]
    for file in beside:
        file.parent.mkdir()
        file.touch()
    write_job(recipe(home), home, tmp_path / "job", Task())
    write_job(recipe(home), home, tmp_path / "job.zip", Task())
    assert all(file.exists() for file in beside)


@pytest.mark.skipif(sys.platform == "win32", reason="it is a script of sh")
def test_incomplete_environment_of_job_is_recreated(home: Home, tmp_path: Path) -> None:
    """As where the system's Python cannot make one before a package is installed."""
    job = write_job(recipe(home), home, tmp_path / "job", Task())
    half = job / ".venv" / "bin" / "python"
    half.parent.mkdir(parents=True)
    half.write_text("#!/bin/sh\nexit 1\n")
    half.chmod(0o755)
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\necho "$@" > made.txt\nexit 3\n')
    python.chmod(0o755)
    done = subprocess.run(["sh", job / "train.sh"], env={**os.environ, "PYTHON": str(python)})
    assert done.returncode == 3
    assert (job / "made.txt").read_text() == "-m venv .venv\n"


def test_failed_job_leaves_no_partial_output(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "job.zip"
    target.touch()
    with pytest.raises(LibraryError, match="already"):
        write_job(recipe(home), home, target, Task())
    target.unlink()
    task = Task(
        lambda done, total, note: task.cancel() if note == "Creating the zip file" else None
    )
    with pytest.raises(Cancelled):
        write_job(recipe(home), home, target, task)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(remote_job.shutil, "copytree", full)
    with pytest.raises(LibraryError, match="No space left"):
        write_job(recipe(home), home, tmp_path / "job", Task())
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_job_requirements_cover_all_trainer_imports() -> None:
    imported = set()
    for file in (ROOT / "trainer").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.partition(".")[0])
    foreign = imported - set(sys.stdlib_module_names) - {"trainer"} - OPTIONAL - BROUGHT
    owners = importlib.metadata.packages_distributions()
    missing = {name for name in foreign if not {o.lower() for o in owners[name]} & set(NEEDS)}
    assert not missing
    named = requirements()
    assert len(named) == len(NEEDS) and all(
        line.startswith(name) and ";" not in line for line, name in zip(named, NEEDS, strict=True)
    )


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a job is for Linux")
def test_job_script_trains_and_result_is_imported(tmp_path: Path, library: Library) -> None:
    """Uses the packages installed here instead of pip."""
    home = Home(tmp_path / "home")
    corpus = small_corpus(home.corpora / "papers", 40)
    small_base(home.models / "tiny")
    tried = small_recipe("specter", corpus, Path("tiny"), max_steps=3, batch_size=8)
    job = write_job(tried, home, tmp_path / "job", Task()).rename(tmp_path / "there")
    python = job / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    done = subprocess.run(
        ["sh", str(job / "train.sh"), "--no-measure"],
        capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Model: run/package" in done.stdout
    runs, corpora = Runs(home), Corpora(home, library)
    opened = RunImporter(home, runs, corpora, lambda run, task: run.name).open(job, Task())
    assert (opened.training.status, opened.training.step) == (RunStatus.finished, 3)
    assert (opened.model, opened.training.corpus) == ("there", corpus)
