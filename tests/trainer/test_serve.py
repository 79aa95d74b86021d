from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from tests.support.models.tiny_model import tiny_package
from trainer.contract import wire
from trainer.contract.package import Package
from trainer.serve import answer_requests

pytestmark = pytest.mark.usefixtures("forked_python")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return tiny_package(tmp_path_factory.mktemp("models") / "tiny")


def run(folder: Path, *requests: dict[str, object], **more: object) -> tuple[list[wire.Frame], str]:
    """Return the frames of the server's answers, and its stderr."""
    asked = io.BytesIO()
    for request in requests:
        wire.send(asked, request)
    done = subprocess.run(
        [sys.executable, "-m", "trainer", "serve", str(folder)],
        input=asked.getvalue(),
        capture_output=True,
        cwd=ROOT,
        timeout=100,
        **more,  # type: ignore[arg-type]
    )
    out = io.BytesIO(done.stdout)
    return list(iter(lambda: wire.receive(out), None)), done.stderr.decode()


def test_requests_are_answered_in_order_and_bad_ones_refused(tiny: Package) -> None:
    (ready, first, bad, worse, last), _ = run(
        tiny.folder,
        {"id": 1, "texts": [["deep graph", "we study"], ["paper", ""]]},
        {"id": 2, "texts": [["no abstract"]]},
        {"id": 3},
        {"id": 4, "texts": []},
    )
    assert ready.header == {"ready": True, "space": tiny.space, "dim": 32}
    assert first.header == {"id": 1, "rows": 2, "dim": 32}
    vectors = np.frombuffer(first.body, np.float32).reshape(2, 32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (bad.header["id"], worse.header["id"]) == (2, 3)
    assert "pair" in bad.header["error"]
    assert (last.header["rows"], last.body) == (0, b"")


def test_model_that_cannot_be_loaded_is_reported(tmp_path: Path) -> None:
    (answer,), _ = run(tmp_path)
    assert "package.json" in answer.header["error"]
    assert answer.header["hint"]


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("config.json", {"num_hidden_layers": 10**6}, "could not be loaded"),
        ("tokenizer.json", {"model": None}, "could not be loaded"),
        ("package.json", {"dim": 64}, "produces vectors with 32 dimensions, not with 64"),
    ],
)
def test_inconsistent_model_files_are_reported_before_ready(
    tmp_path: Path, name: str, values: dict[str, object], expected: str
) -> None:
    folder = tiny_package(tmp_path / "odd").folder
    held = json.loads((folder / name).read_text()) | values
    (folder / name).write_text(json.dumps(held))
    described = json.loads((folder / "package.json").read_text())
    if name in described["files"]:
        described["files"][name] = f"sha256:{sha256((folder / name).read_bytes()).hexdigest()}"
        (folder / "package.json").write_text(json.dumps(described))
    (answer,), _ = run(folder)
    assert expected in answer.header["error"]
    assert answer.header["hint"]


def test_output_of_libraries_goes_to_stderr(tiny: Package, tmp_path: Path) -> None:
    # Stands in for a library that prints while it is imported, from Python and from C.
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "class Loud:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'torch':\n"
        "            print('loud python', flush=True)\n"
        "            os.write(1, b'loud fd\\n')\n"
        "            os.system('echo loud child')\n"
        "sys.meta_path.insert(0, Loud())\n"
    )
    (ready, answer), output = run(
        tiny.folder,
        {"id": 1, "texts": [["deep", ""]]},
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
    )
    assert ready.header["ready"]
    assert answer.header["rows"] == 1
    assert [f"loud {who}" in output for who in ("python", "fd", "child")] == [True] * 3


def test_internal_error_is_answered_and_next_request_served() -> None:
    def encode(texts: object, queries: bool) -> np.ndarray:
        if texts == [("bad", "")]:
            raise RuntimeError("no such kernel")
        return np.zeros((1, 2), np.float32)

    asked, answers = io.BytesIO(), io.BytesIO()
    for number, title in enumerate(("bad", "good")):
        wire.send(asked, {"id": number, "texts": [[title, ""]]})
    asked.seek(0)
    answer_requests(asked, answers, encode)
    answers.seek(0)
    bad, good = wire.receive(answers), wire.receive(answers)
    assert bad and bad.header == {"id": 0, "error": "no such kernel", "hint": "RuntimeError"}
    assert good and good.header["rows"] == 1
