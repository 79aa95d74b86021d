from __future__ import annotations

import json
import signal
import sys

import numpy as np
import pytest

from tests.support.models.tiny_model import tiny_package
from trainer.contract.errors import TrainerError
from trainer.embed import EmbeddingJob, embed
from trainer.embedding.shards import verify

pytestmark = pytest.mark.slow


@pytest.fixture
def cluster(monkeypatch):
    ray = pytest.importorskip("ray")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_gcs_server_port_wait_time_s", "200")
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    ray.init(
        num_cpus=2,
        num_gpus=0,
        include_dashboard=False,
        object_store_memory=80 << 20,
        log_to_driver=False,
        logging_level="ERROR",
        # Otherwise it takes what memory others leave on a busy machine, and dies if that runs out
        # or if it is slow to answer.
        _system_config={
            "worker_niceness": 0,
            "memory_monitor_refresh_ms": 0,
            "health_check_failure_threshold": 60,
        },
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()
    # It handles signals itself, and other tests send some.
    signal.signal(signal.SIGTERM, before[0])
    signal.signal(signal.SIGINT, before[1])


@pytest.fixture
def make_job(tmp_path):
    lines = [json.dumps({"id": f"p{n}", "title": "deep graph " * (n % 9 + 1)}) for n in range(95)]
    (tmp_path / "papers.jsonl").write_text("\n".join([*lines, "no paper"]))
    package = tiny_package(tmp_path / "model")
    inputs = (tmp_path / "papers.jsonl",)
    return lambda name: EmbeddingJob(package, inputs, tmp_path / name, shard_papers=10)


@pytest.mark.timeout(600)
def test_ray_actors_write_the_same_shards_as_a_worker(cluster, make_job, tmp_path):
    from trainer.embed_ray import embed_on_ray

    embed(make_job("local"))
    done = embed_on_ray(make_job("ray"), workers=1)
    assert (done.shards, done.papers, len(done.skipped)) == (10, 95, 1)
    assert verify(tmp_path / "ray").problems == []
    for shard in sorted((tmp_path / "local" / "shards").iterdir()):
        other = tmp_path / "ray" / "shards" / shard.name
        assert (other / "ids.json").read_text() == (shard / "ids.json").read_text()
        vectors, expected = (np.load(path / "vectors.npy") for path in (other, shard))
        np.testing.assert_allclose(vectors, expected, atol=2e-3)

    # Errors of an actor are reported like those of a worker: here, one more line in a file of the
    # same size.
    (tmp_path / "ray" / "shards" / "000009").rename(tmp_path / "away")
    lines = (tmp_path / "papers.jsonl").read_text()
    (tmp_path / "papers.jsonl").write_text(lines.replace("no paper", "no\npaper"))
    with pytest.raises(TrainerError, match="has changed since this output was created"):
        embed_on_ray(make_job("ray"), workers=1)


def test_embed_without_ray_names_the_package_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "trainer.embed_ray", raising=False)
    with pytest.raises(TrainerError, match="requires Ray") as error:
        import trainer.embed_ray  # noqa: F401
    assert error.value.hint == "Run: pip install 'sciread[ray]'"
