"""Vectors of missing models are removed, all others are kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sciread_app.paths import Home
from sciread_app.services.maintenance.doctor import examine
from sciread_app.services.models.vector_cleanup import remove_unneeded_spaces, unneeded_spaces
from sciread_app.storage.organisation.active_model import ModelRef
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.models.tiny_model import tiny_package
from trainer.contract.package import starter_package

STARTER = ModelRef("starter", starter_package(hashes=False).space)
FILES = ("vectors", "hnsw", "hnsw.0", "hnsw.1.new", "hnsw.lock", "atlas", "atlas-state")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def clean(library, home) -> Callable[[], list[str]]:
    library.put([paper("Bees"), paper("Ants")])
    return lambda: remove_unneeded_spaces(library, home)


def fill(library, home, *spaces: str) -> None:
    home.indexes.mkdir(exist_ok=True)
    for space in spaces:
        library.put_vectors(space, [1, 2], [1, 2], lambda first: None)
        for ending in FILES:
            (home.indexes / f"{space}.{ending}").write_text("")


def remaining_spaces(home) -> set[str]:
    return {path.name.split(".")[0] for path in home.indexes.iterdir()}


def switch(library, *models: ModelRef) -> None:
    for model in models:
        library.active_model.begin(model.model, STARTER)
        assert library.active_model.switch(model)


def test_clean_removes_only_unneeded_vectors(library, home, clean):
    installed = tiny_package(home.models / "ours").space
    fill(library, home, STARTER.space, installed, "gone", "older", "old", "now")
    (home.indexes / "a file of somebody.txt").write_text("")
    switch(library, *(ModelRef(name, name) for name in ("gone", "older", "old", "now")))
    assert unneeded_spaces(library, home) == clean() == ["gone"]
    assert unneeded_spaces(library, home) == []
    kept = {STARTER.space, installed, "older", "old", "now"}
    assert library.spaces() == kept
    assert remaining_spaces(home) == kept | {"a file of somebody"}


def test_shared_vectors_stay_until_last_model_is_removed(library, home, clean):
    """A model installed a second time under another name, then removed."""
    space = tiny_package(home.models / "ours").space
    assert tiny_package(home.models / "again", title="Again").space == space
    fill(library, home, space)
    switch(library, ModelRef("ours", space), *(ModelRef(f"{n}", f"{n}") for n in range(3)))
    shutil.rmtree(home.models / "ours")
    assert clean() == [] and remaining_spaces(home) == {space}
    shutil.rmtree(home.models / "again")
    assert clean() == [space] and remaining_spaces(home) == set()


def test_vectors_of_model_in_trash_are_kept(library, home, clean):
    package = tiny_package(home.trash / "models" / "ours@20261122-120000")
    (home.trash / "models" / "odd").mkdir()
    (home.trash / "models" / "odd" / "package.json").write_text("")
    fill(library, home, package.space)
    switch(library, *(ModelRef(f"{n}", f"{n}") for n in range(4)))
    assert clean() == []
    shutil.rmtree(package.folder)
    assert clean() == [package.space]


def test_damaged_package_prevents_cleanup(library, home, clean):
    package = tiny_package(home.models / "ours")
    fill(library, home, "gone")
    switch(library, *(ModelRef(f"{n}", f"{n}") for n in range(4)))
    (package.folder / "model.safetensors").unlink()
    assert clean() == []
    assert remaining_spaces(home) == {"gone"}


def test_library_without_active_model_prevents_cleanup(library, home, clean):
    fill(library, home, "of a model on a disk that is not here")
    assert clean() == []


def test_doctor_removes_unneeded_vectors_and_names_pending_activation(library, home, clean):
    fill(library, home, "gone")
    switch(library, *(ModelRef(f"{n}", f"{n}") for n in range(4)))
    library.active_model.begin("ours", STARTER)

    def models():
        return next(one for one in examine(library, None, home, Task()) if one.about == "models")

    first, then = models(), models()
    assert (first.ok, first.mended, then.mended) == (True, True, False)
    assert "1 deleted model" in first.detail
    assert "`sciread model activate ours`" in then.detail
    assert library.spaces() == set() and remaining_spaces(home) == set()
