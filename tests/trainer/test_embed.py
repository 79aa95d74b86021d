from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.models.tiny_model import WORDS, tiny_package
from trainer.contract.errors import TrainerError
from trainer.embed import EmbeddingJob, Stopped, embed
from trainer.embedding.shards import Store, verify
from trainer.encoder import Encoder

pytestmark = pytest.mark.usefixtures("forked_python")

ROOT = Path(__file__).resolve().parents[2]
PAPERS = 400


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return tiny_package(tmp_path_factory.mktemp("model") / "tiny")


def texts(count: int) -> list[tuple[str, str]]:
    random = np.random.default_rng(0)
    return [
        (" ".join(random.choice(WORDS, 5)), " ".join(random.choice(WORDS, random.integers(30))))
        for _ in range(count)
    ]


def papers_file(path: Path, count: int = PAPERS) -> Path:
    with path.open("w") as file:
        for number, (title, abstract) in enumerate(texts(count)):
            paper = {"id": f"p{number}", "title": title, "abstract": abstract}
            file.write(json.dumps(paper) + "\n")
    return path


@pytest.fixture
def make_job(tmp_path, package):
    """Return a function that makes a job with the given changes."""
    path = papers_file(tmp_path / "papers.jsonl")

    def made(**changed: Any) -> EmbeddingJob:
        values = {"output": tmp_path / "out", "shard_papers": 50, "inputs": (path,)}
        return EmbeddingJob(package, **(values | changed))

    return made


def vectors_in(output: Path) -> dict[str, np.ndarray]:
    """Return every vector by paper id; fail on repeated ids."""
    found: dict[str, np.ndarray] = {}
    for shard in sorted((output / "shards").iterdir()):
        ids = json.loads((shard / "ids.json").read_text())
        vectors = np.load(shard / "vectors.npy")
        assert len(ids) == len(vectors)
        assert not found.keys() & ids
        found.update(zip(ids, vectors, strict=True))
    return found


def assert_complete(output: Path, package, count: int = PAPERS) -> None:
    checked = verify(output)
    assert checked.problems == []
    assert checked.papers == count
    found = vectors_in(output)
    assert set(found) == {f"p{number}" for number in range(count)}
    expected = Encoder(package, "cpu").encode(texts(count))
    vectors = np.stack([found[f"p{number}"] for number in range(count)])
    np.testing.assert_allclose(vectors.astype(np.float32), expected, atol=2e-3)
    assert not list((output / "leases").iterdir())
    assert len((output / "manifest.jsonl").read_text().splitlines()) == checked.shards


def test_embed_writes_a_vector_for_every_paper(make_job, package, tmp_path):
    notes, progress = [], []
    done = embed(make_job(), progress=progress.append, note=notes.append)
    assert (done.shards, done.papers) == (8, PAPERS)
    assert_complete(tmp_path / "out", package)
    assert notes == ["Counting papers"]
    assert (progress[-1].done, progress[-1].papers) == (PAPERS, PAPERS)
    assert progress[-1].tokens == done.tokens > PAPERS
    manifest = json.loads((tmp_path / "out" / "shards" / "000003" / "manifest.json").read_text())
    assert manifest["rows"] == 50
    assert manifest["space"] == package.space
    assert manifest["input"] == "papers.jsonl"


def test_embed_stores_the_requested_dtype(make_job, tmp_path):
    embed(make_job(dtype="float32"))
    vectors = np.load(tmp_path / "out" / "shards" / "000000" / "vectors.npy")
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)


def test_concurrent_workers_share_the_shards(make_job, package, tmp_path):
    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(lambda _: embed(make_job(shard_papers=10)), range(4)))
    assert sum(one.shards for one in done) == 40
    assert sum(one.papers for one in done) == PAPERS
    assert_complete(tmp_path / "out", package)


def test_finished_shards_are_not_computed_again(make_job, tmp_path):
    embed(make_job())
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("out/shards/*/*")}
    done = embed(make_job())
    assert done.papers == 0
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.glob("out/shards/*/*")}


def test_stopped_worker_releases_its_shards_and_can_resume(make_job, package, tmp_path):
    stop = threading.Event()

    def after_three_shards(_) -> None:
        if len(Store(tmp_path / "out").finished()) == 3:
            stop.set()

    with pytest.raises(Stopped):
        embed(make_job(), stop=stop, progress=after_three_shards)
    assert not list((tmp_path / "out" / "leases").iterdir())
    assert verify(tmp_path / "out").problems == [f"Shard 00000{n} is missing." for n in range(3, 8)]
    assert embed(make_job()).shards == 5
    assert_complete(tmp_path / "out", package)


def test_shard_of_a_silent_worker_is_taken_over(make_job, package, tmp_path):
    leases = tmp_path / "out" / "leases"
    leases.mkdir(parents=True)
    (leases / "000002.0").write_text('{"beat": 1, "owner": "far-1", "pid": 1, "place": "far"}')
    assert embed(make_job(patience=0.3)).shards == 8
    assert_complete(tmp_path / "out", package)


def test_leftovers_of_dead_workers_are_removed(make_job, package, tmp_path):
    embed(make_job())
    (tmp_path / "out" / "leases" / "000002.0").write_text("{}")
    (tmp_path / "out" / "shards" / "000002.1a2b").mkdir()
    embed(make_job())
    assert_complete(tmp_path / "out", package)
    assert len(list((tmp_path / "out" / "shards").iterdir())) == 8


def test_shard_finished_twice_is_stored_once(make_job, tmp_path, package):
    embed(make_job())
    output = tmp_path / "out"
    before = vectors_in(output)
    from trainer.embedding.shards import ShardPlan

    plan = ShardPlan.read(output)
    assert plan
    late = Store(output).write(
        plan.shards[0], ["other"], np.zeros((1, 32)), {"space": "", "skipped": []}
    )
    assert not late
    assert vectors_in(output).keys() == before.keys()
    assert_complete(output, package)


def test_invalid_entries_are_listed_in_the_manifest(make_job, tmp_path):
    path = tmp_path / "some.jsonl"
    path.write_text('{"title": "graph"}\nnot JSON\n{"title": "graph", "abstract": "deep"}\n')
    done = embed(make_job(inputs=(path,)))
    assert (done.papers, len(done.skipped)) == (2, 1)
    checked = verify(tmp_path / "out")
    assert (checked.papers, checked.skipped, checked.problems) == (2, 1, [])
    manifest = json.loads((tmp_path / "out" / "manifest.jsonl").read_text())
    assert manifest["skipped"][0][0] == "byte 20"
    ids = json.loads((tmp_path / "out" / "shards" / "000000" / "ids.json").read_text())
    assert all(name.startswith("text:") for name in ids)


def test_output_belongs_to_one_model_dtype_and_input(make_job, tmp_path):
    embed(make_job())
    other = tiny_package(tmp_path / "other", pooling="cls")
    with pytest.raises(TrainerError, match="contains vectors of Tiny"):
        embed(EmbeddingJob(other, make_job().inputs, tmp_path / "out"))
    with pytest.raises(TrainerError, match="created with data type float16, not float32"):
        embed(make_job(dtype="float32"))
    with pytest.raises(TrainerError, match=r"created with other inputs: papers\.jsonl"):
        embed(make_job(inputs=(papers_file(tmp_path / "more.jsonl"),)))
    papers_file(tmp_path / "papers.jsonl", 300)
    with pytest.raises(TrainerError, match="has changed since this output was created"):
        embed(make_job())


def test_changed_input_is_detected(make_job, tmp_path):
    embed(make_job())
    shard = tmp_path / "out" / "shards" / "000007"
    for path in shard.iterdir():
        path.unlink()
    shard.rmdir()
    lines = (tmp_path / "papers.jsonl").read_bytes()
    # The same size, but one line fewer before the shard.
    at = lines.index(b'{"id": "p360"') - 1
    (tmp_path / "papers.jsonl").write_bytes(lines[:at] + b" " + lines[at + 1 :])
    with pytest.raises(TrainerError, match="has changed since this output was created"):
        embed(make_job())
    assert not list((tmp_path / "out" / "leases").iterdir())


def test_inputs_without_papers_are_refused(make_job, tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(TrainerError, match="contain no papers"):
        embed(make_job(inputs=(tmp_path / "empty.jsonl",)))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_unwritable_output_is_reported(make_job, tmp_path):
    (tmp_path / "out").mkdir(mode=0o555)
    with pytest.raises(TrainerError, match="could not be written"):
        embed(make_job())


def test_full_disk_is_reported_and_lease_released(make_job, tmp_path):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, hard))  # vectors of 50 papers take 3,200
    try:
        with pytest.raises(TrainerError, match=r"could not be written to .*too large"):
            embed(make_job())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list((tmp_path / "out" / "leases").iterdir())
    assert not list((tmp_path / "out" / "shards").iterdir())


def test_verify_finds_missing_damaged_unknown_and_repeated_shards(make_job, tmp_path):
    embed(make_job())
    output = tmp_path / "out"
    shards = output / "shards"
    (shards / "000001").rename(shards / "000099")
    damaged = shards / "000002" / "vectors.npy"
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"\x00")
    (shards / "000003" / "manifest.json").write_text("{")
    problems = verify(output).problems
    assert problems[:2] == [
        "Shard 000001 is missing.",
        "Shard 000002 is damaged: vectors.npy has changed since it was written.",
    ]
    assert problems[2].startswith("Shard 000003 is damaged: ")
    assert problems[3] == "Shard 000099 is not part of the plan."
    assert len(problems) == 4


def test_verify_names_repeated_ids(make_job, tmp_path):
    other = papers_file(tmp_path / "again.jsonl", 1)
    embed(make_job(inputs=(tmp_path / "papers.jsonl", other)))
    assert verify(tmp_path / "out").problems == ["1 IDs occur more than once, for example p0."]


def test_verify_reports_a_folder_without_vectors(tmp_path):
    with pytest.raises(TrainerError, match="contains no vectors"):
        verify(tmp_path)


def start(job: EmbeddingJob) -> subprocess.Popen[str]:
    """Start a worker in a separate process."""
    command = [sys.executable, "-m", "trainer", "embed", "--model", str(job.package.folder)]
    command += ["--input", str(job.inputs[0]), "--output", str(job.output)]
    command += ["--shard-papers", str(job.shard_papers), "--device", "cpu"]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_until_finished(job: EmbeddingJob, process: subprocess.Popen[str], some: int) -> None:
    shards, store = job.output / "shards", Store(job.output)
    while process.poll() is None and not (shards.is_dir() and len(store.finished()) >= some):
        time.sleep(0.005)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_terminated_workers_lose_only_their_shard(number, make_job, package, tmp_path):
    path = papers_file(tmp_path / "many.jsonl", 3_000)
    many = make_job(inputs=(path,), shard_papers=20)
    first = start(many)
    wait_until_finished(many, first, 3)
    first.send_signal(number)
    _, output = first.communicate(timeout=250)
    asked = number == signal.SIGTERM  # a killed worker cannot clean up
    assert first.returncode == (128 + number if asked else -number)
    assert ("Run the same command again" in output) == asked
    assert "Traceback" not in output
    assert any((many.output / "leases").iterdir()) != asked
    store = Store(many.output)
    assert 3 <= len(store.finished()) < 150
    kept = {name: store.manifest(name)["worker"] for name in store.finished()}

    others = [start(many) for _ in range(3)]
    wait_until_finished(many, others[0], len(kept) + 3)
    others[0].send_signal(number)
    ended = [other.communicate(timeout=250) for other in others]
    assert [other.returncode for other in others[1:]] == [0, 0], ended
    assert {name: store.manifest(name)["worker"] for name in kept} == kept
    assert_complete(many.output, package, 3_000)


def test_embed_command_takes_several_inputs_and_verifies(make_job, tmp_path):
    from typer.testing import CliRunner

    from trainer.cli import app

    (tmp_path / "other.jsonl").write_text('{"title": ""}\n')
    given = [str(tmp_path / "papers.jsonl"), str(tmp_path / "other.jsonl")]
    command = ["embed", "--output", str(tmp_path / "out")]
    made = [
        *command,
        "--model",
        str(make_job().package.folder),
        "--shard-papers=50",
        "--input",
        *given,
    ]
    answer = CliRunner().invoke(app, made)
    assert answer.exit_code == 0, answer.output
    assert "This paper has neither a title nor an abstract." in answer.output
    command.append("--verify")
    answer = CliRunner().invoke(app, command)
    assert answer.exit_code == 0
    assert "400 papers in 9 shards, 1 skipped: complete, without duplicates." in answer.output
    (tmp_path / "out" / "shards" / "000004" / "ids.json").unlink()
    answer = CliRunner().invoke(app, [*command, "--json"])
    assert answer.exit_code == 1
    assert json.loads(answer.output)["problems"][0].startswith("Shard 000004 is damaged")


def test_embed_command_uses_singular_for_one_paper(make_job, tmp_path):
    from typer.testing import CliRunner

    from trainer.cli import app

    (tmp_path / "one.jsonl").write_text('{"title": "deep graph"}\n')
    command = ["embed", "--output", str(tmp_path / "out")]
    made = ["--model", str(make_job().package.folder), "--input", str(tmp_path / "one.jsonl")]
    answer = CliRunner().invoke(app, [*command, *made])
    assert "in 1 shard. All vectors" in answer.output
    checked = CliRunner().invoke(app, [*command, "--verify"]).output
    assert checked == "1 paper in 1 shard, 0 skipped: complete, without duplicates.\n"


def test_ray_engine_without_ray_says_what_to_install(make_job, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from trainer.cli import app

    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    monkeypatch.delitem(sys.modules, "trainer.embed_ray", raising=False)
    command = [
        "embed",
        "--model",
        str(make_job().package.folder),
        "--output",
        str(tmp_path / "out"),
    ]
    command += ["--input", str(tmp_path / "papers.jsonl"), "--engine", "ray"]
    with pytest.raises(TrainerError, match="requires Ray") as raised:
        CliRunner().invoke(app, command, catch_exceptions=False)
    assert raised.value.hint == "Run: pip install 'sciread[ray]'"
