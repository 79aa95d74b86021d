from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from trainer.embedding.leases import Leases

ROOT = Path(__file__).resolve().parents[3]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def leases(tmp_path, clock):
    """Return a function that makes workers on one folder, whose leases never beat."""
    return lambda: Leases(tmp_path / "leases", 100, clock)


def silent_elsewhere(folder: Path, name: str) -> None:
    """A lease left by a worker of another machine."""
    folder.mkdir(exist_ok=True)
    record = {"beat": 3, "owner": "far-1", "pid": 1, "place": "far"}
    (folder / name).write_text(json.dumps(record))


def test_concurrent_claims_give_one_lease(leases):
    workers = [leases() for _ in range(16)]
    with ThreadPoolExecutor(16) as threads:
        found = list(threads.map(lambda worker: worker.claim("7"), workers))
    assert len([lease for lease in found if lease]) == 1


def test_dropped_lease_can_be_claimed_again(leases):
    one, other = leases(), leases()
    lease = one.claim("7")
    assert other.claim("7") is None
    one.drop(lease)
    assert other.claim("7")


def test_claim_of_a_held_name_sends_no_signal_to_its_own_process(leases, clock, monkeypatch):
    sent = []
    monkeypatch.setattr("trainer.embedding.leases.os.kill", lambda *signal: sent.append(signal))
    one, other = leases(), leases()
    assert one.claim("7")
    assert one.claim("7") is other.claim("7") is None
    clock.now = 101  # long without a beat
    assert one.claim("7") is None
    assert sent == []


def test_silent_lease_of_another_machine_is_taken_over_once(leases, clock, tmp_path):
    silent_elsewhere(tmp_path / "leases", "7.0")
    workers = [leases() for _ in range(8)]
    assert [worker.claim("7") for worker in workers] == [None] * 8
    clock.now = 99
    assert [worker.claim("7") for worker in workers] == [None] * 8
    clock.now = 101
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda worker: worker.claim("7"), workers))
    assert len([lease for lease in found if lease]) == 1


def test_beating_lease_is_not_taken_over(leases, clock):
    one, other = leases(), leases()
    lease = one.claim("7")
    for _ in range(5):
        assert other.claim("7") is None
        clock.now += 90
        lease.beat()
    assert other.claim("7") is None


def test_late_owner_does_not_change_the_new_lease(leases, clock, tmp_path):
    one, other, third = leases(), leases(), leases()
    old = one.claim("7")
    other.claim("7")
    third.claim("7")
    clock.now = 101
    new = other.claim("7")
    assert new
    old.beat()
    one.drop(old)
    assert third.claim("7") is None
    assert [path.name for path in (tmp_path / "leases").iterdir()] == ["7.1"]


def test_finished_work_leaves_no_leases(leases, clock, tmp_path):
    silent_elsewhere(tmp_path / "leases", "7.0")
    silent_elsewhere(tmp_path / "leases", "77.0")
    worker = leases()
    worker.claim("7")
    clock.now = 101
    worker.finish(worker.claim("7"))
    assert [path.name for path in (tmp_path / "leases").iterdir()] == ["77.0"]


def test_lease_of_a_killed_local_process_is_free_at_once(leases, tmp_path):
    code = (
        "import os, sys; from pathlib import Path; from trainer.embedding.leases import Leases;"
        "Leases(Path(sys.argv[1])).claim('7'); os._exit(9)"
    )
    dead = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "leases")], cwd=ROOT, check=False
    )
    assert dead.returncode == 9
    assert (tmp_path / "leases" / "7.0").exists()
    assert leases().claim("7")


def test_lease_beats_automatically_and_is_dropped_at_the_end(tmp_path):
    folder = tmp_path / "leases"
    with Leases(folder, patience=0.1) as worker:
        worker.claim("7")
        before = (folder / "7.0").read_bytes()
        while (folder / "7.0").read_bytes() == before:
            pass
    assert not list(folder.iterdir())


def test_damaged_lease_expires_like_any_other(leases, clock, tmp_path):
    folder = tmp_path / "leases"
    folder.mkdir()
    (folder / "7.0").write_bytes(b'{"beat": \xff')
    worker = leases()
    assert worker.claim("7") is None
    clock.now = 101
    assert worker.claim("7")
