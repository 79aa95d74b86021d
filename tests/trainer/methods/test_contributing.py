"""The example method of docs/contributing/method.md, added, trained and used."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from tests.support.models.small_loop import learn, make
from tests.support.models.small_runs import small_base, small_corpus
from trainer.contract import catalog
from trainer.contract.package import read_package
from trainer.contract.run import Recipe, Run
from trainer.data.corpus.corpus import Corpus
from trainer.distributed import Ranks
from trainer.encoder import Encoder
from trainer.methods import registry
from trainer.train import train

PAGE = (Path(__file__).parents[3] / "docs/contributing/method.md").read_text(encoding="utf-8")


@pytest.fixture
def documented_method(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file on the page, its entry in the catalogue and its registration."""
    source, entry = (
        dedent(block) for block in re.findall(r"^   ```python\n(.*?)^   ```", PAGE, re.M | re.S)
    )
    name = "trainer.methods.titles"
    (tmp_path / "titles.py").write_text(source)
    spec = importlib.util.spec_from_file_location(name, tmp_path / "titles.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    described = eval(entry, vars(catalog).copy())
    monkeypatch.setattr(catalog, "METHODS", (*catalog.METHODS, described))
    key, made = re.search(r'`"(\w+)": (\w+)`', PAGE).groups()
    monkeypatch.setitem(registry.METHODS, key, getattr(module, made))


def test_documented_method_overfits_32_papers(documented_method: None, tmp_path: Path) -> None:
    corpus = Corpus.open(small_corpus(tmp_path / "corpus", 40))
    method = make(corpus, small_base(tmp_path / "base"), "titles")
    losses = learn(method.stages[0])
    assert losses[-1] < 0.1 * losses[0]


def test_documented_method_gives_a_searchable_model(
    documented_method: None, tmp_path: Path
) -> None:
    recipe = Recipe.named(
        "titles-small",
        small_corpus(tmp_path / "corpus", 40),
        changes={"base": str(small_base(tmp_path / "base")), "max_tokens": 40, "max_steps": 2},
    )
    run = Run.create(tmp_path / "run", recipe)
    assert train(run, Ranks.single_process("cpu")).finished
    package = read_package(run.package)
    vectors = Encoder(package).encode([("deep learning", "we study"), ("the graph", "")])
    assert package.method == "titles"
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)


def test_paths_in_the_documentation_exist() -> None:
    for place in re.findall(r"`((?:trainer|tests)/[\w/.]+)`", PAGE):
        assert (Path(__file__).parents[3] / place).exists(), place
