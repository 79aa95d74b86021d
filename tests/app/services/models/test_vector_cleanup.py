"""Of a model that is gone nothing is kept, and of all others everything."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sciread_app.paths import Home
from sciread_app.services.maintenance.doctor import examine
from sciread_app.services.models.vector_cleanup import VectorCleanup
from sciread_app.storage.organisation.active_model import ModelRef
from sciread_app.tasks import Task
from tests.support.make import paper
from tests.support.tiny_model import tiny_package
from trainer.contract.package import starter_package

STARTER = ModelRef("starter", starter_package(hashes=False).space)
FILES = ("vectors", "hnsw", "hnsw.0", "hnsw.1.new", "hnsw.lock", "atlas", "atlas-state")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def spaces(library, home) -> VectorCleanup:
    library.put([paper("Bees"), paper("Ants")])
    return VectorCleanup(library, home)


def fill(library, home, *spaces: str) -> None:
    home.indexes.mkdir(exist_ok=True)
    for space in spaces:
        library.put_vectors(space, [1, 2], [1, 2], lambda first: None)
        for ending in FILES:
            (home.indexes / f"{space}.{ending}").write_text("")


def left(home) -> set[str]:
    return {path.name.split(".")[0] for path in home.indexes.iterdir()}


def switch(library, *models: ModelRef) -> None:
    for model in models:
        library.active_model.begin(model.model, STARTER)
        assert library.active_model.switch(model)


def test_what_no_model_needs_goes_and_what_one_needs_stays(library, home, spaces):
    installed = tiny_package(home.models / "ours").space
    fill(library, home, STARTER.space, installed, "gone", "older", "old", "now")
    (home.indexes / "a file of somebody.txt").write_text("")
    switch(library, *(ModelRef(name, name) for name in ("gone", "older", "old", "now")))
    assert spaces.unneeded() == spaces.clean() == ["gone"]
    assert spaces.unneeded() == []
    kept = {STARTER.space, installed, "older", "old", "now"}
    assert library.spaces() == kept
    assert left(home) == kept | {"a file of somebody"}


def test_two_models_may_share_a_space(library, home, spaces):
    """One that was added a second time under another name, and removed again."""
    space = tiny_package(home.models / "ours").space
    assert tiny_package(home.models / "again", title="Again").space == space
    fill(library, home, space)
    switch(library, ModelRef("ours", space), *(ModelRef(f"{n}", f"{n}") for n in range(3)))
    shutil.rmtree(home.models / "ours")
    assert spaces.clean() == [] and left(home) == {space}
    shutil.rmtree(home.models / "again")
    assert spaces.clean() == [space] and left(home) == set()


def test_what_may_be_put_back_from_the_trash_is_kept(library, home, spaces):
    package = tiny_package(home.trash / "models" / "ours@20261122-120000")
    (home.trash / "models" / "odd").mkdir()
    (home.trash / "models" / "odd" / "package.json").write_text("")
    fill(library, home, package.space)
    switch(library, *(ModelRef(f"{n}", f"{n}") for n in range(4)))
    assert spaces.clean() == []
    shutil.rmtree(package.folder)
    assert spaces.clean() == [package.space]


def test_as_long_as_a_package_is_damaged_nothing_goes(library, home, spaces):
    package = tiny_package(home.models / "ours")
    fill(library, home, "gone")
    switch(library, *(ModelRef(f"{n}", f"{n}") for n in range(4)))
    (package.folder / "model.safetensors").unlink()
    assert spaces.clean() == []
    assert left(home) == {"gone"}


def test_in_a_library_that_does_not_say_what_answers_nothing_goes(library, home, spaces):
    fill(library, home, "of a model on a disk that is not here")
    assert spaces.clean() == []


def test_the_doctor_removes_what_is_left_and_names_what_was_cut_off(library, home, spaces):
    fill(library, home, "gone")
    switch(library, *(ModelRef(f"{n}", f"{n}") for n in range(4)))
    library.active_model.begin("ours", STARTER)

    def models():
        return next(one for one in examine(library, None, home, Task()) if one.about == "models")

    first, then = models(), models()
    assert (first.ok, first.mended, then.mended) == (True, True, False)
    assert first.detail.startswith("1 model is gone")
    assert "`sciread model activate ours`" in then.detail
    assert library.spaces() == set() and left(home) == set()
