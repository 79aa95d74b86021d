"""Installing models: verified byte for byte, or nothing is installed."""

from __future__ import annotations

import json
import shutil
import threading
import zipfile
from hashlib import sha256

import pytest
from filelock import FileLock

from sciread_app.errors import Cancelled, LibraryError, TrainerFailed
from sciread_app.paths import Home
from sciread_app.services.maintenance.doctor import examine
from sciread_app.services.models.installer import DownloadRequest, ModelInstaller, hub_name
from sciread_app.services.models.registry import ModelRegistry
from sciread_app.services.subprocess import trainer
from sciread_app.tasks import Task
from tests.support.models.tiny_model import tiny_package
from trainer.contract.errors import PackageRefused
from trainer.contract.package import read_package


@pytest.fixture
def home(tmp_path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def models(home, library) -> ModelRegistry:
    return ModelRegistry(home, library, lambda: "starter")


@pytest.fixture
def arrivals(home, models) -> ModelInstaller:
    return ModelInstaller(home, models)


@pytest.fixture
def package_folder(tmp_path):
    """A model package outside the home."""
    return tiny_package(tmp_path / "given" / "specter", id="specter-3f9a", title="SPECTER").folder


def zipped(folder, target):
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder.parent))
    return target


def installed_names(home):
    """All entries of the models folder except bookkeeping files."""
    folder = home.models
    known = ("facts.json", ".arriving.lock")
    return (
        sorted(p.name for p in folder.iterdir() if p.name not in known) if folder.exists() else []
    )


def change(folder, **values):
    path = folder / "package.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


@pytest.mark.parametrize("how", ["folder", "outer folder", "zip"])
def test_model_is_installed_from_folder_and_zip(arrivals, home, package_folder, tmp_path, how):
    source = {"folder": package_folder, "outer folder": tmp_path / "only"}.get(how)
    if how == "outer folder":
        shutil.copytree(package_folder, source / "specter")
    model = arrivals.add(source or zipped(package_folder, tmp_path / "m.zip"), Task())
    assert (model.name, model.title, model.checked) == ("specter-3f9a", "SPECTER", True)
    assert installed_names(home) == ["specter-3f9a"]
    assert read_package(home.models / "specter-3f9a").files == read_package(package_folder).files
    assert package_folder.is_dir()


def test_model_of_run_keeps_its_training_report(arrivals, models, package_folder, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(package_folder, run / "package")
    (run / "recipe.toml").touch()
    record = {"recipe": "specter-small", "settings": {"margin": 2.0}, "seed": 1, "seconds": 60.0}
    (run / "report.json").write_text(json.dumps(record | {"stages": [{"validations": [1] * 999}]}))
    (run / "checkpoint").mkdir()
    (run / "checkpoint" / "weights.pt").write_bytes(b"pickle")
    model = arrivals.add(run, Task())
    origin = models.about(model.name).origin
    assert (origin.recipe, origin.changed["margin"]) == ("specter-small", "2.0")
    kept = json.loads((models.folder / model.name / "training.json").read_text())
    assert kept == record


def change_weights(folder, to):
    """Write other weights and their hash."""
    file = folder / "model.safetensors"
    file.write_bytes(to(file.read_bytes()))
    files = json.loads((folder / "package.json").read_text())["files"]
    change(folder, files=files | {file.name: f"sha256:{sha256(file.read_bytes()).hexdigest()}"})


HOSTILE = {
    "a wrong hash": (lambda f: change(f, files=dict.fromkeys(FILES, HASH)), "damaged"),
    "a missing file": (lambda f: (f / "tokenizer.json").unlink(), "tokenizer.json"),
    "an unknown format": (lambda f: change(f, format=2), "format 2"),
    "a pickle": (lambda f: (f / "pytorch_model.bin").write_bytes(b""), "could run code"),
    "a program": (lambda f: (f / "modeling.py").write_bytes(b""), "could run code"),
    "other weights": (lambda f: (f / "more.safetensors").write_bytes(b""), "does not list"),
    "remote code": (
        lambda f: (f / "tokenizer_config.json").write_text('{"auto_map": {"x": "y"}}'),
        "code of its own",
    ),
    "a path that climbs out": (
        lambda f: change(f, files={"model.safetensors": HASH, "../x": HASH}),
        "outside",
    ),
    "no description": (lambda f: (f / "package.json").write_bytes(b"{"), "is damaged"),
    "a template that reaches in": (
        lambda f: change(f, template="{title.__class__}"),
        "template",
    ),
    "vectors wider than any": (lambda f: change(f, dim=10**12), "dimension"),
    "a head of weights without end": (
        lambda f: change_weights(f, lambda held: (1 << 40).to_bytes(8, "little") + held[8:]),
        "is not a safetensors file",
    ),
    "weights of another kind": (
        lambda f: change_weights(f, lambda held: b"{}"), "is not a safetensors file"
    ),
    "weights that were cut off": (
        lambda f: change_weights(f, lambda held: held[:-4]), "is not a safetensors file"
    ),
}  # fmt: skip
FILES = ("model.safetensors", "config.json", "tokenizer.json")
HASH = "sha256:" + "0" * 64


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
@pytest.mark.parametrize("what", HOSTILE)
def test_unsound_model_is_refused_and_leaves_nothing(
    arrivals, home, package_folder, tmp_path, what, packed
):
    spoil, result = HOSTILE[what]
    spoil(package_folder)
    source = zipped(package_folder, tmp_path / "given.zip") if packed else package_folder
    with pytest.raises(PackageRefused) as refused:
        arrivals.add(source, Task())
    assert result in str(refused.value)
    assert ".arriving" not in f"{refused.value} {refused.value.hint}"
    assert refused.value.hint
    assert installed_names(home) == []


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("../../evil", "evil"),
        ("/etc/passwd", "etc-passwd"),
        ("starter", "model-starter"),
        ("CON", "model-CON"),
        ("..", "model"),
        (".hidden", "hidden"),
        ("a\nb/ü*?", "a-b"),
        ("x" * 500, "x" * 80),
        ("half.new", "model-half"),
    ],
)
def test_any_model_id_becomes_a_safe_folder_name(arrivals, home, package_folder, id, name):
    change(package_folder, id=id)
    assert arrivals.add(package_folder, Task()).name == name
    assert installed_names(home) == [name]


def test_installed_model_is_not_installed_twice(arrivals, home, package_folder, tmp_path):
    arrivals.add(package_folder, Task())
    change(package_folder, id="another", title="Another name for it")
    with pytest.raises(PackageRefused, match="is already installed as specter-3f9a"):
        arrivals.add(package_folder, Task())
    assert installed_names(home) == ["specter-3f9a"]


def test_other_model_of_same_name_gets_a_suffix(arrivals, home, package_folder, tmp_path):
    arrivals.add(package_folder, Task())
    other = tiny_package(tmp_path / "other", id="specter-3f9a", pooling="cls").folder
    assert arrivals.add(other, Task()).name == "specter-3f9a-2"


def test_damaged_model_is_replaced_by_sound_one(arrivals, models, home, package_folder):
    arrivals.add(package_folder, Task())
    for spoil in (
        lambda f: (f / "model.safetensors").write_bytes(b"cut off"),
        lambda f: (f / "package.json").unlink(),
    ):
        spoil(home.models / "specter-3f9a")
        assert arrivals.add(package_folder, Task()).name == "specter-3f9a"
        assert read_package(home.models / "specter-3f9a")
    assert len(models.trashed()) == 2


def test_starter_model_cannot_be_installed_again(arrivals, home, models):
    starter = models.about("starter").folder
    with pytest.raises((PackageRefused, LibraryError)):
        arrivals.add(starter, Task())
    assert installed_names(home) == []


@pytest.mark.parametrize("moment", range(4))
def test_cancelled_installation_leaves_nothing(arrivals, home, package_folder, moment):
    steps = iter(range(100))
    task = Task(lambda *_: task.cancel() if next(steps) == moment else None)
    with pytest.raises(Cancelled):
        arrivals.add(package_folder, task)
    assert installed_names(home) == []


def test_leftovers_of_killed_installation_are_removed(arrivals, home, package_folder):
    half = home.models / ".arriving-x.new" / "model"
    half.mkdir(parents=True)
    (half / "package.json").touch()
    arrivals.add(package_folder, Task())
    assert installed_names(home) == ["specter-3f9a"]


def test_doctor_removes_leftovers_but_no_active_installation(home, library):
    half = home.models / ".arriving-x.new" / "model"
    half.mkdir(parents=True)

    def leftovers():
        return next(f for f in examine(library, None, home, Task()) if f.about == "leftovers")

    with FileLock(home.models / ".arriving.lock"):
        assert not leftovers().mended and half.exists()
    assert leftovers().mended and installed_names(home) == []
    assert not leftovers().mended


def test_doctor_reports_damaged_models(arrivals, home, library, package_folder):
    def models():
        return next(one for one in examine(library, None, home, Task()) if one.about == "models")

    arrivals.add(package_folder, Task())
    assert models().ok
    (home.models / "specter-3f9a" / "model.safetensors").write_bytes(b"cut off")
    found = models()
    assert not found.ok and "model.safetensors" in found.detail and "again" in found.detail


def test_installations_run_one_at_a_time(arrivals, home, package_folder):
    home.models.mkdir(parents=True)
    waiting = threading.Event()
    task = Task(lambda done, total, note: waiting.set() if "another model" in note else None)
    adding = threading.Thread(target=arrivals.add, args=(package_folder, task))
    with FileLock(home.models / ".arriving.lock"):
        adding.start()
        assert waiting.wait(60) and installed_names(home) == []
    adding.join(60)
    assert installed_names(home) == ["specter-3f9a"]


def test_missing_or_installed_source_is_refused(arrivals, home, package_folder, tmp_path):
    with pytest.raises(LibraryError, match="does not exist"):
        arrivals.add(tmp_path / "nowhere", Task())
    arrivals.add(package_folder, Task())
    with pytest.raises(LibraryError, match="already installed"):
        arrivals.add(home.models / "specter-3f9a", Task())


@pytest.mark.parametrize(
    "written",
    [
        "allenai/specter",
        " allenai/specter/ ",
        "https://huggingface.co/allenai/specter",
        "https://www.huggingface.co/allenai/specter/tree/main",
        "http://hf.co/allenai/specter",
    ],
)
def test_hub_name_accepts_names_and_page_addresses(written):
    assert hub_name(written) == "allenai/specter"


@pytest.mark.parametrize(
    "written", ["", "specter", "--help/x", "a/b/c", "a/../b", "../b", "a b/c", "a/b\n--output=/etc"]
)
def test_invalid_hub_name_is_refused_without_request(arrivals, monkeypatch, written):
    monkeypatch.setattr(trainer, "ask", pytest.fail)
    with pytest.raises(LibraryError, match="not a valid model name"):
        arrivals.pull(DownloadRequest(written), Task())


def fake_pull(monkeypatch, package_folder, asked, fail=None):
    """Replace the trainer's pull by one that copies a package to the requested folder."""

    def ask(command, folder, task):
        asked.append((command, folder))
        output = next(one for one in command if one.startswith("--output=")).partition("=")[2]
        shutil.copytree(package_folder, output)
        task.step(440, 1_000, "190 of 440 MB")
        if fail:
            raise fail
        return {"folder": output}

    monkeypatch.setattr(trainer, "ask", ask)


def test_pull_runs_in_subprocess_and_is_verified(arrivals, home, package_folder, monkeypatch):
    asked, notes = [], []
    fake_pull(monkeypatch, package_folder, asked)
    model = arrivals.pull(
        DownloadRequest("somebody/model", "refs/pr/3", "cls"), Task(lambda *s: notes.append(s))
    )
    assert model.name == "somebody--model" and installed_names(home) == ["somebody--model"]
    [([verb, name, _, *more], folder)] = asked
    assert (verb, name, more) == (
        "pull",
        "somebody/model",
        ["--revision=refs/pr/3", "--pooling=cls"],
    )
    assert folder == home.folder and (440, 1_000, "190 of 440 MB") in notes


def test_damaged_pulled_model_is_refused(arrivals, home, package_folder, monkeypatch):
    (package_folder / "model.safetensors").write_bytes(b"other")
    fake_pull(monkeypatch, package_folder, [])
    with pytest.raises(PackageRefused, match="damaged"):
        arrivals.pull(DownloadRequest("somebody/model"), Task())
    assert installed_names(home) == []


@pytest.mark.parametrize(
    "fail", [TrainerFailed("The Hugging Face Hub returned the status 503."), Cancelled()]
)
def test_failed_pull_leaves_nothing(arrivals, home, package_folder, monkeypatch, fail):
    fake_pull(monkeypatch, package_folder, [], fail)
    with pytest.raises(type(fail)):
        arrivals.pull(DownloadRequest("somebody/model"), Task())
    assert installed_names(home) == []
