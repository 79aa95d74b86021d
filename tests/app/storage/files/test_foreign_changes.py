"""Changes by other processes are noticed, and those of this process are not."""

from __future__ import annotations

from contextlib import closing

import pytest

from sciread_app.storage.library import Library
from tests.support.generate.papers import paper


@pytest.fixture
def other(library):
    """Another connection to the library, as other processes have."""
    assert not library.changed_elsewhere()  # it notices changes from now on
    with closing(Library(library.path)) as other:
        yield other


def test_change_by_another_process_is_noticed_once(library, other):
    other.collections.create("thesis")
    assert library.changed_elsewhere()
    assert not library.changed_elsewhere()


def test_change_by_this_process_is_ignored(library, other):
    library.put([paper("On bees")])
    assert not library.changed_elsewhere()


@pytest.mark.parametrize("first", ["own", "other"])
def test_change_by_another_process_is_noticed_beside_own_changes(library, other, first):
    if first == "own":
        library.put([paper("On bees")])
    other.collections.create("thesis")
    if first == "other":
        library.put([paper("On bees")])
    assert library.changed_elsewhere()


def test_check_during_an_own_change_does_not_wait_and_loses_nothing(library, other):
    other.collections.create("thesis")
    with library.edits.recording("Filing papers"):
        assert not library.changed_elsewhere()
    assert library.changed_elsewhere()
