"""Averages of models."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from typer.testing import CliRunner

from tests.support.models.tiny_model import CONFIG, tiny_package
from trainer.cli import app
from trainer.contract.errors import TrainerError
from trainer.contract.package import WEIGHTS, Package, read_package, write_package
from trainer.packages.soup import soup


def scaled(tmp_path: Path, factor: float, **values: object) -> Package:
    """Return a tiny model with its weights multiplied by `factor`."""
    package = tiny_package(tmp_path / f"base-{factor}", **values)
    source = tmp_path / f"source-{factor}"
    source.mkdir()
    for name in ("config.json", "tokenizer.json"):
        (source / name).write_bytes((package.folder / name).read_bytes())
    weights = {k: v * factor for k, v in load_file(package.folder / WEIGHTS).items()}
    save_file({k: v.astype(np.float32) for k, v in weights.items()}, source / WEIGHTS)
    made = Package(**{**vars(package), "folder": tmp_path / f"model-{factor}", "id": str(factor)})
    return write_package(made, source)


@pytest.mark.parametrize(("shares", "factor"), [((), 2.0), ((3, 1), 1.5), ((0, 1), 3.0)])
def test_soup_averages_all_weights(
    tmp_path: Path, shares: tuple[float, ...], factor: float
) -> None:
    models = [scaled(tmp_path, 1), scaled(tmp_path, 3)]
    made = soup(models, tmp_path / "soup", shares=shares)
    start, mean = (load_file(p.folder / WEIGHTS) for p in (models[0], read_package(made.folder)))
    assert start.keys() == mean.keys()
    for name, values in start.items():
        np.testing.assert_allclose(mean[name], values * factor, rtol=1e-6)


def test_soup_keeps_usage_corpus_and_base(tmp_path: Path) -> None:
    about = {"corpus": {"sha256": "ab", "papers": 9}, "base": "starter", "licence": "MIT"}
    models = [scaled(tmp_path, 1, **about), scaled(tmp_path, 3, **about)]
    made = soup(models, tmp_path / "soup")
    for name in ("pooling", "template", "max_tokens", "dim", "corpus", "base", "licence"):
        assert getattr(made, name) == getattr(models[0], name)
    card = (made.folder / "README.md").read_text()
    assert all(model.title in card for model in models)


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"pooling": "cls"}, "pooling"),
        ({"max_tokens": 32}, "32"),
        ({"template": "{title}"}, "title"),
    ],
)
def test_soup_of_models_used_differently_is_refused(
    tmp_path: Path, values: dict[str, object], named: str
) -> None:
    with pytest.raises(TrainerError, match=named):
        soup([scaled(tmp_path, 1), scaled(tmp_path, 3, **values)], tmp_path / "soup")
    assert not (tmp_path / "soup").exists()


def test_soup_of_different_architectures_names_the_difference(tmp_path: Path) -> None:
    one, two = scaled(tmp_path, 1), scaled(tmp_path, 3)
    (two.folder / "config.json").write_text(json.dumps({**CONFIG, "hidden_act": "relu"}))
    with pytest.raises(TrainerError, match=r"hidden_act|vocab_size"):
        soup([one, two], tmp_path / "soup")


def test_soup_of_different_corpora_is_refused(tmp_path: Path) -> None:
    models = [scaled(tmp_path, n, corpus={"sha256": str(n)}) for n in (1, 3)]
    with pytest.raises(TrainerError, match="corpora"):
        soup(models, tmp_path / "soup")


@pytest.mark.parametrize("shares", [(1,), (-1, 2), (0, 0), (float("nan"), 1)])
def test_soup_with_unsuitable_weights_is_refused(tmp_path: Path, shares: tuple[float, ...]) -> None:
    with pytest.raises(TrainerError):
        soup([scaled(tmp_path, 1), scaled(tmp_path, 3)], tmp_path / "soup", shares=shares)


def test_soup_command_writes_a_model(tmp_path: Path) -> None:
    folders = [str(scaled(tmp_path, n).folder) for n in (1, 3)]
    output = tmp_path / "soup"
    arguments = [
        "soup",
        *folders,
        "-o",
        str(output),
        "--weights",
        "1,3",
        "--title",
        "Mine",
        "--json",
    ]
    result = CliRunner().invoke(app, arguments)
    assert json.loads(result.stdout)["space"] == read_package(output).space
    assert read_package(output).title == "Mine"
