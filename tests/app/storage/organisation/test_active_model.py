"""The library always has one active model, whatever process dies or changes its request."""

from __future__ import annotations

import threading

from sciread_app.storage.library import Library
from sciread_app.storage.organisation.active_model import ModelRef

FIRST, OURS, THEIRS, FOURTH = (
    ModelRef(name, f"space-{name}") for name in ("starter", "ours", "theirs", "fourth")
)


def switch(library, to):
    library.active_model.begin(to.model, FIRST)
    assert library.active_model.switch(to)


def test_new_library_has_no_active_model(library):
    assert library.active_model.state() is None
    assert not library.active_model.switch(OURS)
    assert library.active_model.state() is None


def test_requested_model_answers_only_after_switch(library):
    library.active_model.begin("ours", FIRST)
    now = library.active_model.state()
    assert (now.active, now.pending, now.earlier) == (FIRST, "ours", ())
    assert library.active_model.switch(OURS)
    now = library.active_model.state()
    assert (now.active, now.pending, now.earlier) == (OURS, "", (FIRST,))


def test_last_two_models_are_remembered_without_repeats(library):
    for to in (OURS, THEIRS, OURS, FOURTH):
        switch(library, to)
    assert library.active_model.state().earlier == (OURS, THEIRS)
    switch(library, OURS)
    assert library.active_model.state().earlier == (FOURTH, THEIRS)


def test_last_requested_model_counts(library):
    library.active_model.begin("ours", FIRST)
    library.active_model.begin("theirs", FIRST)
    assert not library.active_model.switch(OURS)
    library.active_model.cancel("ours")
    assert library.active_model.state().pending == "theirs"
    library.active_model.cancel("theirs")
    assert not library.active_model.switch(THEIRS)
    assert library.active_model.state().active == FIRST


def test_active_model_is_shared_between_processes(library):
    other = Library(library.path)
    library.active_model.begin("ours", FIRST)
    assert other.active_model.state().pending == "ours"
    assert other.active_model.switch(OURS)
    assert library.active_model.state().active == OURS
    other.close()


def test_concurrent_switch_succeeds_exactly_once(library):
    library.active_model.begin("ours", FIRST)
    done = []
    together = threading.Barrier(6)

    def one():
        together.wait()
        done.append(library.active_model.switch(OURS))

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False] * 5 + [True]
    assert library.active_model.state().earlier == (FIRST,)
