"""Upload of models to the hub, with its real client against a local server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.models.tiny_model import tiny_adapter, tiny_package
from tests.support.servers import faults
from tests.support.servers.hub_server import HubServer
from tests.support.servers.local import Fault
from trainer.contract.package import Package, read_package

REPOSITORY = "somebody/tiny"


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as server:
        yield server


@pytest.fixture
def package(tmp_path: Path) -> Package:
    made = tiny_package(tmp_path / "model", base=str(tmp_path / "secret" / "base"), licence="MIT")
    (made.folder / "README.md").write_text("# Tiny\n")
    (made.folder / "metrics.json").write_text("[]\n")
    return made


def run(
    hub: HubServer, folder: Path, command: str, *arguments: str, token: str = "hf_x"
) -> tuple[int, str]:
    """Run a command of the trainer in a process of its own; return its exit code and output."""
    environment = os.environ | {
        "HF_ENDPOINT": hub.url.rstrip("/"),
        "HF_HOME": str(folder / "hub"),
        "HF_TOKEN": token,
        "HF_HUB_DISABLE_XET": "1",
    }
    line = [sys.executable, "-m", "trainer", command, *arguments]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def push(hub: HubServer, package: Package, *options: str, token: str = "hf_x") -> tuple[int, str]:
    arguments = (str(package.folder), REPOSITORY, *options)
    return run(hub, package.folder.parent, "push", *arguments, token=token)


def test_push_uploads_all_files_to_a_private_repository(hub: HubServer, package: Package) -> None:
    code, output = push(hub, package, "--json")
    assert code == 0, output
    assert json.loads(output.splitlines()[0])["url"].startswith(hub.url + REPOSITORY)
    assert hub.private[REPOSITORY]
    uploaded = hub.models[REPOSITORY].files["main"]
    assert {*package.files, "package.json", "README.md", "metrics.json"} <= uploaded.keys()
    for name in uploaded.keys() - {"package.json"}:
        assert uploaded[name] == (package.folder / name).read_bytes()
    (created,) = [asked for asked in hub.requests if asked.path.endswith("/create")]
    assert created.headers["authorization"] == "Bearer hf_x"


@pytest.mark.parametrize("pooling", ["mean", "mean_no_special"])
def test_pushed_model_is_pulled_as_it_was(hub: HubServer, tmp_path: Path, pooling: str) -> None:
    package = tiny_package(tmp_path / "model", pooling=pooling, template="{title}{sep}{abstract}")
    assert push(hub, package)[0] == 0
    output = tmp_path / "pulled"
    code, shown = run(hub, tmp_path, "pull", REPOSITORY, "--output", str(output))
    assert code == 0, shown
    pulled = read_package(output)
    assert pulled.space == package.space
    assert (pulled.title, pulled.files) == (package.title, package.files)


def test_pushed_adapter_is_pulled_where_its_base_is(hub: HubServer, tmp_path: Path) -> None:
    base = tiny_package(tmp_path / "models" / "base")
    adapter = tiny_adapter(tmp_path / "model", base)
    assert push(hub, adapter)[0] == 0
    output = tmp_path / "pulled"
    code, shown = run(hub, tmp_path, "pull", REPOSITORY, "--output", str(output))
    assert code == 0, shown
    assert read_package(output).space == adapter.space

    (tmp_path / "gone").mkdir()
    base.folder.rename(tmp_path / "gone" / "base")
    code, shown = run(hub, tmp_path, "pull", REPOSITORY, "--output", str(tmp_path / "again"))
    assert code == 1 and "base model base" in shown.replace("\n", " ")
    assert not (tmp_path / "again").exists()


def test_damaged_upload_is_refused_by_pull(hub: HubServer, package: Package) -> None:
    assert push(hub, package)[0] == 0
    hub.models[REPOSITORY].files["main"]["tokenizer.json"] = b"{}"
    output = package.folder.parent / "pulled"
    code, shown = run(hub, package.folder.parent, "pull", REPOSITORY, "--output", str(output))
    assert code == 1
    assert "tokenizer.json" in shown
    assert not output.exists()


def test_push_removes_the_path_of_the_base(hub: HubServer, package: Package) -> None:
    push(hub, package)
    uploaded = hub.models[REPOSITORY].files["main"]
    assert json.loads(uploaded["package.json"])["base"] == "base"
    assert not any(b"secret" in body for body in uploaded.values())


def test_push_public_creates_a_public_repository(hub: HubServer, package: Package) -> None:
    assert push(hub, package, "--public")[0] == 0
    assert not hub.private[REPOSITORY]


def test_push_again_does_not_send_weights_again(hub: HubServer, package: Package) -> None:
    hub.fail(faults.status(400), when=lambda asked: "/commit/" in asked.path)
    assert push(hub, package)[0] == 1
    code, output = push(hub, package)
    assert code == 0, output
    assert sum(asked.method == "PUT" for asked in hub.requests) == 1


def test_push_without_a_token_says_how_to_get_one(hub: HubServer, package: Package) -> None:
    code, output = push(hub, package, token="")
    assert code == 1
    assert "HF_TOKEN" in output
    assert not hub.requests


def test_push_with_a_read_only_token_is_explained(hub: HubServer, package: Package) -> None:
    hub.read_only = True
    code, output = push(hub, package)
    assert code == 1
    assert REPOSITORY in output
    assert "write access" in output
    assert "Traceback" not in output


@pytest.mark.parametrize("fault", [faults.malformed(), faults.dropped(), faults.status(500)])
def test_push_reports_faults_of_the_hub(hub: HubServer, package: Package, fault: Fault) -> None:
    hub.fail(fault, times=50)
    code, output = push(hub, package)
    assert code == 1
    assert REPOSITORY in output
    assert "Traceback" not in output
