"""Installed models: all are listed, even damaged ones, and none is removed while in use."""

from __future__ import annotations

import json
import os
import shutil
import time

import pytest

from sciread_app.errors import LibraryError
from sciread_app.paths import Home
from sciread_app.services.models.installer import ModelInstaller
from sciread_app.services.models.registry import ModelRegistry, ModelState
from sciread_app.storage.organisation.active_model import ModelRef
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.generate.report import report, result, subject
from tests.support.models.tiny_model import tiny_adapter, tiny_package
from trainer.contract.errors import PackageRefused
from trainer.contract.package import read_package


@pytest.fixture
def home(tmp_path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def cleaned() -> list[int]:
    return []


@pytest.fixture
def models(home, library, cleaned) -> ModelRegistry:
    def answers() -> str:
        standing = library.active_model.state()
        return standing.active.model if standing else "starter"

    return ModelRegistry(home, library, answers, lambda: cleaned.append(1))


def install(home, name, **values):
    """Install a model of two layers."""
    made = tiny_package(home.folder / "made" / f"{name}-{time.monotonic_ns()}", **values)
    home.models.mkdir(exist_ok=True)
    made.folder.rename(home.models / name)
    return read_package(home.models / name)


@pytest.fixture
def tiny(home):
    return install(
        home,
        "specter-tiny",
        id="specter-tiny",
        title="SPECTER on 900 papers",
        method="specter",
        base="starter",
        licence="MIT",
        corpus={"papers": 900, "sha256": "ab" * 32},
    )


def damage(folder, name="model.safetensors"):
    content = bytearray((folder / name).read_bytes())
    content[-1] ^= 1
    (folder / name).write_bytes(content)


def switch(library, model):
    library.active_model.begin(model, ModelRef("starter", "s"))
    library.active_model.switch(ModelRef(model, "t"))


def test_new_library_uses_starter_model(models):
    [starter] = models.all()
    assert starter.ours and starter.state is ModelState.active and not starter.problem
    assert (starter.dim, starter.licence, starter.method) == (384, "Apache-2.0", "starter")
    assert starter.size > 80_000_000


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("apache-2.0", "Apache-2.0"),
        ("mit", "MIT"),
        ("CC BY 4.0", "CC-BY-4.0"),
        ("Ours, ask first", "Ours, ask first"),
    ],
)
def test_licence_names_are_normalised(models, home, written, shown):
    install(home, "ours", licence=written)
    assert models.all()[1].licence == shown


def test_model_info_comes_from_its_package(models, tiny):
    _, ours = models.all()
    assert (ours.name, ours.title, ours.method) == (
        "specter-tiny",
        "SPECTER on 900 papers",
        "specter",
    )
    assert (ours.dim, ours.pooling, ours.max_tokens, ours.licence) == (32, "mean", 48, "MIT")
    assert ours.space == tiny.space and ours.state is ModelState.idle
    assert ours.size == sum(f.stat().st_size for f in tiny.folder.rglob("*") if f.is_file())


def test_damaged_model_is_listed_with_problem(models, home, tiny):
    damage(tiny.folder)
    assert models.find("specter-tiny").problem == ""  # not checked yet
    checked = models.check("specter-tiny", Task())
    assert "model.safetensors" in checked.problem and checked.hint
    assert models.find("specter-tiny").problem == checked.problem
    (tiny.folder / "tokenizer.json").unlink()
    assert "lacks the file" in models.find("specter-tiny").problem


@pytest.mark.parametrize("content", [None, b"", b"[" * 10_000, b'{"format": 9, "title": "New\\n"}'])
def test_any_entry_of_models_folder_is_listed(models, home, content):
    (home.models / "odd").mkdir(parents=True)
    if content is not None:
        (home.models / "odd" / "package.json").write_bytes(content)
    odd = models.find("odd")
    assert odd.problem and odd.title in ("odd", "New")
    about = models.about("odd")
    assert about.card == "" and about.scores == ()


def test_model_files_are_hashed_again_only_after_changes(models, tiny, monkeypatch):
    assert models.check("specter-tiny", Task()).checked
    hashed = []
    monkeypatch.setattr(
        "trainer.contract.package.file_hash", lambda path: hashed.append(path) or ""
    )
    assert models.check("specter-tiny", Task()).checked and not hashed
    os.utime(tiny.folder / "model.safetensors", (1, 1))
    assert models.check("specter-tiny", Task()).problem and hashed


def test_active_model_is_listed_when_its_folder_is_missing(models, library, home, tiny):
    switch(library, "gone")
    gone = models.find("gone")
    assert gone.state is ModelState.active and "is missing" in gone.problem
    assert models.find("starter").state is ModelState.earlier


def test_pending_activation_is_shown(models, library, tiny):
    library.active_model.begin("specter-tiny", ModelRef("starter", "s"))
    assert models.find("specter-tiny").state is ModelState.pending


def test_model_is_found_by_folder_title_and_hub_name(models, home, tiny):
    install(home, "allenai--specter", title="allenai/specter", pooling="cls")
    for name in ("specter-tiny", "SPECTER on 900 papers"):
        assert models.find(name).name == "specter-tiny"
    assert models.find("allenai/specter").name == "allenai--specter"
    with pytest.raises(LibraryError) as raised:
        models.find("specter-tyni")
    assert "specter-tiny" in raised.value.hint


def test_about_model_gives_scores_and_origin(models, library, home, tiny):
    library.put([paper("One"), paper("Two")])
    rows = [
        {"evaluation": "ranking", "metric": "map", "value": 0.812, "before": 0.7, "n": 50,
         "split": "test", "real": True},
        {"evaluation": "ranking", "metric": "map", "value": 0.9, "split": "validation"},
        {"evaluation": "health", "metric": "mean_cosine", "value": 0.3, "before": 0.2},
        {"evaluation": "ranking", "metric": "ndcg", "value": 0.4, "before": 0.5, "real": False},
        {"evaluation": "new one", "metric": "x", "value": 12},
        {"evaluation": "ranking", "metric": "map", "value": 1, "before": 1, "n": 10},
        {"evaluation": "health", "metric": "mean_cosine", "value": 0.1, "n": 5},
    ]  # fmt: skip
    (tiny.folder / "metrics.json").write_text(json.dumps(rows))
    (tiny.folder / "README.md").write_text("---\ntags: []\n---\n\n# SPECTER\n\nIt is good.\n")
    report(result(), suite="ours", subject=subject(space=tiny.space)).write(
        home.reports / "ours" / "specter-tiny"
    )
    report(subject=subject(space="other")).write(home.reports / "ours" / "other")
    about = models.about("specter-tiny")
    assert (about.papers, about.unread) == (2, 2)
    assert about.card == "# SPECTER\n\nIt is good."
    assert (about.origin.papers, about.origin.sha256) == (900, "ab" * 32)
    ranking, health, chance, new, few, few_vectors, *measured = about.scores
    assert (ranking.metric, ranking.value, ranking.before) == ("MAP", "81.20", "70.00")
    assert (ranking.change, ranking.better, ranking.share) == ("+11.20", True, 0.812)
    assert (health.change, health.better, health.share) == ("+0.100", None, None)  # not tested
    assert (chance.change, chance.better, chance.chance) == ("−10.00", None, True)
    assert (new.title, new.value, new.change) == ("new one", "12.0", "")
    assert few.too_few and few_vectors.too_few
    assert not any(one.too_few for one in (ranking, health, chance, new))
    assert [(one.suite, one.value, one.low) for one in measured] == [
        ("ours", "81.00", "78.00"),
        ("ours", "90.00", "88.00"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"{}",
        b"[1, null, {}]",
        b'[{"evaluation": [], "metric": {}, "value": "1"}]',
        b'[{"evaluation": "svm", "metric": "macro_f1", "value": NaN}]',
        b'[{"evaluation": "svm", "metric": "macro_f1", "value": 1e999, "before": true}]',
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_malformed_scores_and_card_are_ignored(models, home, tiny, content):
    for name in ("metrics.json", "training.json", "README.md"):
        (tiny.folder / name).write_bytes(content)
    (home.reports / "a" / "b").mkdir(parents=True)
    (home.reports / "a" / "b" / "report.json").write_bytes(content)
    assert models.about("specter-tiny").scores == ()


def test_more_truncated_papers_are_worse_without_a_test(models, tiny):
    rows = [
        {"evaluation": "health", "metric": "truncated", "value": 0.5, "before": 0.1, "n": 90},
        {"evaluation": "health", "metric": "effective_rank", "value": 9.0, "before": 5.0},
        {"evaluation": "cite", "metric": "map", "value": 0.5, "before": 0.1, "n": 90},
    ]
    (tiny.folder / "metrics.json").write_text(json.dumps(rows))
    assert [each.better for each in models.about("specter-tiny").scores] == [False, None, None]


def test_changed_settings_of_training_are_listed(models, tiny):
    record = {
        "recipe": "specter-small",
        "settings": {"margin": 7.0, "base": "starter"},
        "seed": 3,
        "corpus": {"papers": 20_000, "sha256": "cd"},
        "seconds": 61.5,
        "device": "cpu",
        "versions": {"torch": "2.13"},
    }
    (tiny.folder / "training.json").write_text(json.dumps(record))
    origin = models.about("specter-tiny").origin
    assert (origin.recipe, origin.changed) == ("specter-small", {"margin": "7.0"})
    assert (origin.seed, origin.papers, origin.seconds) == ("3", 20_000, 61.5)
    assert origin.versions == {"torch": "2.13"}


def test_rename_changes_only_title_and_card(models, tiny):
    models.check("specter-tiny", Task())
    (tiny.folder / "README.md").write_text("---\n---\n\n# SPECTER on 900 papers\n\nText.\n")
    assert models.check("specter-tiny", Task()).checked
    renamed = models.rename("specter-tiny", "  Bees,  mostly ")
    assert (renamed.title, renamed.space, renamed.checked) == ("Bees, mostly", tiny.space, True)
    assert read_package(tiny.folder).title == "Bees, mostly"
    assert "# Bees, mostly\n" in (tiny.folder / "README.md").read_text()
    for wrong in ("", " ", "x" * 121, "a\u202eb"):
        with pytest.raises(LibraryError, match="title"):
            models.rename("specter-tiny", wrong)


def test_title_that_is_the_name_of_another_model_does_not_hide_it(models, home, tiny):
    other = install(home, "zebra", id="zebra", title="Zebra", max_tokens=32).folder
    models.rename("specter-tiny", "Zoo")  # listed last
    models.rename("zebra", "specter-tiny")
    assert models.find("specter-tiny").name == "specter-tiny"
    assert models.remove("specter-tiny").name == "specter-tiny" and other.exists()
    models.remove("zebra")  # removed last, and has the title of the other
    assert models.restore("specter-tiny").name == "specter-tiny"
    assert models.find_removed("specter-tiny").name == "zebra"


def test_starter_model_cannot_be_changed_or_removed(models, tmp_path):
    for verb in (
        lambda: models.rename("starter", "Mine"),
        lambda: models.remove("starter"),
        lambda: models.export("starter", tmp_path / "x.zip", Task()),
    ):
        with pytest.raises(LibraryError, match="built into SciRead"):
            verb()


def test_active_or_pending_model_cannot_be_removed(models, library, home, tiny):
    library.active_model.begin("specter-tiny", ModelRef("starter", "s"))
    with pytest.raises(LibraryError, match="being prepared"):
        models.remove("specter-tiny")
    library.active_model.switch(ModelRef("specter-tiny", tiny.space))
    with pytest.raises(LibraryError, match="in use"):
        models.remove("specter-tiny")
    assert tiny.folder.is_dir()


def test_base_of_an_adapter_cannot_be_removed_before_it(models, home, tiny, tmp_path):
    made = tiny_adapter(tmp_path / "made" / "mine", tiny, title="My adapter")
    made.folder.rename(home.models / "mine")
    with pytest.raises(LibraryError, match="My adapter"):
        models.remove("specter-tiny")
    assert read_package(home.models / "mine").folder.is_dir()
    models.remove("mine")
    models.remove("specter-tiny")
    assert [model.name for model in models.all()] == ["starter"]


def test_adapter_without_its_base_is_not_added(models, home, tiny, tmp_path):
    made = tiny_adapter(tmp_path / "elsewhere" / "mine", tiny, base="base-of-mine")
    installer = ModelInstaller(home, models)
    shutil.move(tiny.folder, tmp_path / "gone")
    with pytest.raises(PackageRefused, match="base-of-mine"):
        installer.add(made.folder, Task())
    assert [model.name for model in models.all()] == ["starter"]
    shutil.move(tmp_path / "gone", tiny.folder)
    assert installer.add(made.folder, Task()).name == "tiny-adapter"


def test_removed_model_can_be_restored_from_trash(models, tiny):
    removed = models.remove("specter-tiny")
    assert [model.name for model in models.all()] == ["starter"]
    assert [(r.name, r.title) for r in models.trashed()] == [
        ("specter-tiny", "SPECTER on 900 papers")
    ]
    assert models.restore(removed.key).name == "specter-tiny"
    assert read_package(tiny.folder) == tiny and models.trashed() == []


def test_restored_model_gets_suffix_when_name_is_taken(models, home, tiny):
    models.remove("specter-tiny")
    install(home, "specter-tiny")
    assert models.restore("specter-tiny").name == "specter-tiny-2"


def test_models_removed_in_the_same_second_get_distinct_keys(models, home, tiny):
    first = models.remove("specter-tiny")
    install(home, "specter-tiny")
    second = models.remove("specter-tiny")
    assert first.key != second.key and len(models.trashed()) == 2


def test_deleted_model_loses_its_vectors(models, home, tiny, cleaned):
    removed = models.remove("specter-tiny")
    assert not cleaned
    models.delete(removed.key)
    assert models.trashed() == [] and list((home.trash / "models").iterdir()) == []
    assert cleaned
    with pytest.raises(LibraryError, match="not in the Trash"):
        models.restore(removed.key)


def test_earlier_model_is_last_active_one_still_installed(models, library, home, tiny):
    first = ModelRef("starter", "space-of-starter")
    for name in ("specter-tiny", "now"):
        library.active_model.begin(name, first)
        library.active_model.switch(ModelRef(name, f"space-of-{name}"))
    assert models.earlier() == "specter-tiny"
    removed = models.remove("specter-tiny")
    assert models.earlier() == "starter"
    models.restore(removed.key)
    assert models.earlier() == "specter-tiny"
    models.delete(models.remove("specter-tiny").key)
    assert library.active_model.state().earlier == (
        first,
    )  # the vectors of the other model are no longer kept


def test_trash_is_emptied_of_models_after_a_month(models, home, tiny, cleaned):
    removed = models.remove("specter-tiny")
    models.delete_expired()
    assert len(models.trashed()) == 1
    long_ago = time.strftime("%Y%m%d-%H%M%S", time.localtime(time.time() - 31 * 86_400))
    (home.trash / "models" / removed.key).rename(home.trash / "models" / f"old@{long_ago}")
    models.delete_expired()
    assert models.trashed() == [] and cleaned


def test_exported_model_can_be_installed_and_damaged_one_is_not_exported(
    models, home, tiny, tmp_path
):
    target = tmp_path / "out.zip"
    assert models.export("specter-tiny", target, Task()) == target
    with pytest.raises(LibraryError, match="already"):
        models.export("specter-tiny", target, Task())
    first = target.read_bytes()
    models.export("specter-tiny", target, Task(), may_replace=True)
    assert target.read_bytes() == first
    models.delete(models.remove("specter-tiny").key)
    assert ModelInstaller(home, models).add(target, Task()).title == "SPECTER on 900 papers"
    damage(home.models / "specter-tiny")
    with pytest.raises(PackageRefused, match="damaged"):
        models.export("specter-tiny", tmp_path / "other.zip", Task())
    assert not (tmp_path / "other.zip").exists()


def test_model_speed_is_known_after_enough_papers(models, home, tiny):
    facts = models.facts
    facts.record_speed(tiny.space, 64, 0.5)
    assert models.find("specter-tiny").speed is None
    facts.record_speed(tiny.space, 64, 0.5)
    assert models.find("specter-tiny").speed == 128.0
    facts.record_speed(tiny.space, 128, 0.5)
    assert models.find("specter-tiny").speed == pytest.approx(170.7)
    for broken in (b"", b"[]", b'{"speeds": 3}', b"[" * 10_000):
        (home.models / "facts.json").write_bytes(broken)
        assert models.find("specter-tiny").speed is None
        verdict = facts.verdict("x", tiny.folder) or ("", "")
        facts.record_verdict("specter-tiny", tiny.folder, verdict)
