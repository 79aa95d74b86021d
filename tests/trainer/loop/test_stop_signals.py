"""Requests to end a training early."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from trainer.contract.run import Run
from trainer.data.corpus.corpus import Corpus
from trainer.data.tokens import TokenCache
from trainer.loop import stop_signals
from trainer.loop.stop_signals import CorpusWatch, StopSignals


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Restore the SIGINT handler: a shell makes background processes ignore the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no signals to one process")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_repeated_signal_is_one_stop_request(run: Run, number: signal.Signals) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with StopSignals(run) as signals:
        assert signals.reason == ""
        signal.raise_signal(number)
        signal.raise_signal(number)
        assert signals.reason == number.name
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no signals to one process")
def test_second_interrupt_raises_keyboard_interrupt(
    run: Run, ctrl_c: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop_signals, "_REPEAT_SECONDS", -1.0)
    with StopSignals(run) as signals, pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
        assert signals.signal == signal.SIGINT
        signal.raise_signal(signal.SIGINT)


def test_stop_file_is_a_stop_request(run: Run) -> None:
    with StopSignals(run) as signals:
        run.stop()
        assert "stop" in signals.reason
        run.clear_stop()
        assert signals.reason == ""


@pytest.mark.parametrize("name", ["years.int16", "tokens/*/titles.*"])
def test_corpus_and_tokens_are_checked_periodically(
    name: str, corpus_for_all: Path, tiny_base: Path, tmp_path: Path
) -> None:
    shutil.copytree(corpus_for_all, tmp_path / "corpus")
    corpus = Corpus.open(tmp_path / "corpus")
    watch = CorpusWatch(TokenCache.open(corpus, tiny_base))
    later = 1e12
    assert watch.error(later) is None
    next(corpus.folder.glob(name)).unlink()
    assert watch.error(later) is None
    found = watch.error(later + 10)
    assert found is not None
    assert str(corpus.folder) in str(found)
    assert watch.error() is found
