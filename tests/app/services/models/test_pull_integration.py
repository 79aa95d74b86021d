"""A model is downloaded from a local hub server by the real pull process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load, save

from sciread_app.errors import Cancelled, TrainerFailed
from sciread_app.paths import Home
from sciread_app.services.models.installer import DownloadRequest, ModelInstaller
from sciread_app.services.models.registry import ModelRegistry
from sciread_app.tasks import Task
from tests.support.models.tiny_model import tiny_package
from tests.support.servers.hub_server import HubServer, Model
from tests.support.servers.local import Answer, Fault
from trainer.contract.package import read_package

PIECE = 10 << 20  # size of the reads of the hub's client


def in_pieces(heard: threading.Event) -> Fault:
    """Send the body in pieces, waiting until progress was reported."""

    def pieces(body: bytes) -> Iterator[bytes]:
        for start in range(0, len(body), PIECE):
            # Each piece is sent when the next one is ready. The delay between the first two is long
            # enough for the second to be reported.
            if start >= 2 * PIECE:
                heard.wait(0.5 if start == 2 * PIECE else 60)
            yield body[start : start + PIECE]

    def fault(good: Answer) -> Answer:
        assert isinstance(good.body, bytes)
        length = {"Content-Length": str(len(good.body))}
        return replace(good, body=pieces(good.body), headers=good.headers | length)

    return fault


def is_weights_request(asked) -> bool:
    return asked.method == "GET" and asked.path.endswith(".safetensors")


@pytest.fixture
def hub(tmp_path, monkeypatch):
    with HubServer() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url.rstrip("/"))
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
        monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
        yield server


@pytest.fixture
def files(tmp_path):
    source = tiny_package(tmp_path / "given" / "tiny").folder
    weights = load((source / "model.safetensors").read_bytes())
    head = {"classifier.weight": np.ones((10, 1 << 20), np.float32)}  # 42 MB, which are left out
    return {
        "config.json": (source / "config.json").read_bytes(),
        "tokenizer.json": (source / "tokenizer.json").read_bytes(),
        "model.safetensors": save(weights | head, {"format": "pt"}),
    }


@pytest.mark.slow
def test_cancelled_pull_leaves_nothing_and_resumes(hub, files, library, tmp_path):
    hub.models["allenai/specter"] = Model({"main": files}, card={"license": "mit"})
    home = Home(tmp_path / "home")
    models = ModelRegistry(home, library, lambda: "starter")
    arrivals = ModelInstaller(home, models)

    stopped, result = threading.Event(), threading.Event()

    def stop_on_the_way(done: int, total: int, note: str) -> None:
        if 0 < done < total:
            task.cancel()
            stopped.set()

    task = Task(stop_on_the_way)
    hub.fail(in_pieces(stopped), when=is_weights_request)
    with pytest.raises(Cancelled):
        arrivals.pull(DownloadRequest("allenai/specter"), task)
    assert [model.name for model in models.all()] == ["starter"]
    assert not [path for path in home.models.iterdir() if path.suffix == ".new"]

    def listen(done: int, total: int, note: str) -> None:
        if "of 42 MB" in note:
            result.set()

    hub.fail(in_pieces(result), when=is_weights_request)
    pulled = arrivals.pull(DownloadRequest("allenai/specter"), Task(listen))
    assert (pulled.name, pulled.licence, pulled.checked) == ("allenai--specter", "MIT", True)
    assert read_package(home.models / pulled.name).base.startswith("allenai/specter@")
    fetched = [asked.path.rsplit("/")[-1] for asked in hub.requests if asked.method == "GET"]
    assert fetched.count("tokenizer.json") == 1
    assert result.is_set()

    with pytest.raises(TrainerFailed, match="nobody/nothing does not exist"):
        arrivals.pull(DownloadRequest("nobody/nothing"), Task())
    assert [model.name for model in models.all()] == ["starter", "allenai--specter"]
