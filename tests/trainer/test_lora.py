"""Training of adapters: models of a few megabytes that require their base model."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertModel, DistilBertConfig, DistilBertModel
from typer.testing import CliRunner

from tests.support.models.small_runs import METHODS
from tests.support.models.tiny_model import tiny_adapter, tiny_package
from trainer.cli import app
from trainer.contract.errors import PackageRefused, TrainerError
from trainer.contract.package import (
    ADAPTER_CONFIG,
    ADAPTER_WEIGHTS,
    WEIGHTS,
    Package,
    file_hash,
    read_package,
    write_package,
)
from trainer.contract.run import Recipe, Run
from trainer.distributed import Ranks
from trainer.encoder import Encoder
from trainer.loop.checkpoints import Checkpoints
from trainer.loop.setup import Options
from trainer.model.lora import LoraLinear, adapter_of
from trainer.model.packed import pack
from trainer.model.text_model import Backbone
from trainer.packages.soup import merge, soup
from trainer.train import train

pytestmark = pytest.mark.usefixtures("one_thread", "own_home")

RecipeOf = Callable[..., Recipe]
CPU = Ranks.single_process("cpu")
PAIRS = [("deep graph", "we study the network"), ("learning", "")]
TEXTS = pack([[2, 5, 6, 7, 3], [2, 8, 3]])


def trained(folder: Path, recipe: Recipe) -> Run:
    run = Run.create(folder / "run", recipe)
    assert train(run, CPU, Options()).finished
    return run


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory, recipe_of: RecipeOf) -> Package:
    """A model that was trained as an adapter for `tiny_base`."""
    changes = {"max_steps": 4, "lora_rank": 4, "lora_alpha": 8, "learning_rate": 0.05}
    recipe = recipe_of("specter", pooling="mean", **changes)
    return read_package(trained(tmp_path_factory.mktemp("adapter"), recipe).package)


def started_from(package: Package, recipe: Recipe) -> Recipe:
    return replace(recipe, settings={**recipe.settings, "base": str(package.folder)})


def merged(package: Package, base: Path) -> dict[str, torch.Tensor]:
    """Return the weights of the model, computed as PEFT documents its format."""
    config = json.loads((package.folder / ADAPTER_CONFIG).read_text())
    adapter = load_file(package.folder / ADAPTER_WEIGHTS)
    weights = load_file(base / WEIGHTS)
    for module in config["target_modules"]:
        name = f"base_model.model.{module}.lora_"
        rank = config["rank_pattern"].get(module, config["r"])
        scale = config["alpha_pattern"].get(module, config["lora_alpha"]) / rank
        if f"{name}A.weight" in adapter:
            change = adapter.pop(f"{name}B.weight") @ adapter.pop(f"{name}A.weight")
        else:
            change = (adapter.pop(f"{name}embedding_B") @ adapter.pop(f"{name}embedding_A")).T
        weights[f"{module}.weight"] = weights[f"{module}.weight"] + scale * change
    assert not adapter
    return weights


def contextual_means(weights: dict[str, torch.Tensor], base: Path) -> np.ndarray:
    model = BertModel.from_pretrained(base, add_pooling_layer=False).eval()
    model.load_state_dict(weights, strict=False)
    found = [model(torch.tensor([ids])).last_hidden_state[0].mean(0) for ids in ([2, 5, 6, 3],)]
    return torch.nn.functional.normalize(torch.stack(found)).detach().numpy()


def test_adapter_in_a_layer_without_training_changes_nothing(tiny_base: Path) -> None:
    plain, adapted = Backbone.load(tiny_base, 0.0), Backbone.adapted(tiny_base, 4, 8.0, 0.0)
    assert torch.equal(plain(TEXTS), adapted(TEXTS))


def test_only_adapters_of_attention_and_feed_forward_layers_are_trained(tiny_base: Path) -> None:
    backbone = Backbone.adapted(tiny_base, 4, 8.0)
    learned = {name for name, weight in backbone.named_parameters() if weight.requires_grad}
    layers = backbone.transformer.encoder.layer
    assert len(learned) == 2 * 6 * len(layers)
    assert {name.rpartition(".")[2] for name in learned} == {"lora_A", "lora_B"}
    with torch.no_grad():
        for module in backbone.modules():
            if isinstance(module, LoraLinear):
                module.lora_B.normal_(std=0.1)
    backbone(TEXTS).square().sum().backward()
    for name, weight in backbone.named_parameters():
        assert (weight.grad is not None) == (name in learned)


def test_adapter_gets_the_gradients_of_two_small_matrices() -> None:
    linear = torch.nn.Linear(6, 5)
    layer = LoraLinear(linear, 2, 8.0).double()
    torch.nn.init.normal_(layer.lora_B)
    states = torch.randn(7, 6, dtype=torch.float64)
    layer(states).sin().sum().backward()
    a, b = (weight.detach().clone().requires_grad_() for weight in (layer.lora_A, layer.lora_B))
    expected = linear(states) + 4 * (states @ a.T @ b.T)
    expected.sin().sum().backward()
    torch.testing.assert_close(layer(states), expected)
    torch.testing.assert_close(layer.lora_A.grad, a.grad)
    torch.testing.assert_close(layer.lora_B.grad, b.grad)


@pytest.mark.parametrize("method", METHODS)
def test_each_method_trains_an_adapter_that_opens(
    method: str, tmp_path: Path, tiny_base: Path, recipe_of: RecipeOf
) -> None:
    changes = {"start_share": 0.25, "lora_rank": 2}
    if method == "physbert":
        changes |= {"from_scratch": False, "train_tokenizer": False}
    if method == "multi2spe":
        changes |= {"facet_init": "words"}
    run = trained(tmp_path, recipe_of(method, **changes))
    package = read_package(run.package)
    assert not (package.folder / WEIGHTS).exists()
    assert package.base_weights == file_hash(tiny_base / WEIGHTS)
    assert not np.allclose(
        Encoder(package, exact=True).encode(PAIRS),
        Encoder(read_package(tiny_base), exact=True).encode(PAIRS),
        atol=1e-4,
    )
    # The mixture with the start is the adapter with a smaller effect.
    validations = run.report["stages"][-1]["validations"]
    best = Checkpoints(run.checkpoints).read([v["step"] for v in validations if v["best"]][-1])
    (share,) = (event.values["share"] for event in run.events() if event.kind == "mixture")
    learned = best.model()
    (name,) = (n for n in learned if n.endswith("layer.1.output.dense.lora_B"))
    kept = load_file(package.folder / ADAPTER_WEIGHTS)
    stored = kept["base_model.model.encoder.layer.1.output.dense.lora_B.weight"]
    assert share >= 0.25
    torch.testing.assert_close(stored, (1 - share) * learned[name])


def test_stored_adapter_is_merged_as_peft_does(adapter: Package, tiny_base: Path) -> None:
    expected = contextual_means(merged(adapter, tiny_base), tiny_base)
    found = Encoder(adapter, exact=True).encode_ids([[2, 5, 6, 3]])
    np.testing.assert_allclose(found, expected, atol=1e-5)
    start = contextual_means(load_file(tiny_base / WEIGHTS), tiny_base)
    assert not np.allclose(found, start, atol=1e-3)


def test_adapter_of_another_transformer_is_merged_as_peft_does(
    tmp_path: Path, recipe_of: RecipeOf, tiny_base: Path
) -> None:
    source = tmp_path / "source"
    sizes = {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64, "vocab_size": 24}
    torch.manual_seed(1)
    DistilBertModel(DistilBertConfig(**sizes, max_position_embeddings=64)).save_pretrained(source)
    shutil.copyfile(tiny_base / "tokenizer.json", source / "tokenizer.json")
    described = replace(read_package(tiny_base), folder=tmp_path / "base", id="distil")
    base = write_package(described, source)
    recipe = recipe_of("specter", max_steps=4, lora_rank=4, pooling="mean", learning_rate=0.05)
    package = read_package(trained(tmp_path, started_from(base, recipe)).package)
    model = DistilBertModel.from_pretrained(base.folder).eval()
    model.load_state_dict(merged(package, base.folder))
    ids = [2, 5, 6, 3]
    expected = model(torch.tensor([ids])).last_hidden_state.mean(1)
    found = Encoder(package, exact=True).encode_ids([ids])
    expected = torch.nn.functional.normalize(expected).detach().numpy()
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert not np.allclose(found, Encoder(base, exact=True).encode_ids([ids]), atol=1e-3)


def test_words_replaced_before_the_training_are_part_of_the_adapter(
    tmp_path: Path, tiny_base: Path
) -> None:
    backbone = Backbone.adapted(tiny_base, 2, 8.0)
    with torch.no_grad():
        backbone.words[7] = backbone.words[9]
    backbone.save(tmp_path)
    config = json.loads((tmp_path / ADAPTER_CONFIG).read_text())
    assert config["rank_pattern"] == {"embeddings.word_embeddings": 1}
    package = Package(
        folder=tmp_path, id="", title="", dim=1, pooling="mean", template="", max_tokens=1, files={}
    )
    found = merged(package, tiny_base)["embeddings.word_embeddings.weight"]
    torch.testing.assert_close(found, backbone.words.detach())


def test_replaced_word_of_a_large_vocabulary_takes_little_memory() -> None:
    class Model(torch.nn.Module):
        def __init__(self, vocabulary: int) -> None:
            super().__init__()
            self.words = torch.nn.Parameter(torch.zeros(vocabulary, 1))
            self.dense = LoraLinear(torch.nn.Linear(1, 1), 1, 1.0)

    # The square of this number of words exceeds every address space.
    model = Model(10_000_000)
    start = model.words.detach().clone()
    with torch.no_grad():
        model.words[7] = 2.0
    weights, _ = adapter_of(model, model.words, start)
    found = weights["base_model.model.words.lora_embedding_A"]
    assert found.shape == (1, len(start))
    assert found.nonzero().tolist() == [[0, 7]]


def test_checkpoint_of_an_adapter_has_small_optimizer_state(adapter: Package) -> None:
    last = Checkpoints(Run(adapter.folder.parent).checkpoints).last(print)
    assert last is not None
    names = [name for name in last.optimizer() if name.startswith("exp_avg/")]
    assert names and all("lora_" in name for name in names)


def test_adapter_resumes_with_the_same_weights(
    tmp_path: Path, recipe_of: RecipeOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = recipe_of("specter", max_steps=6, lora_rank=2)
    whole = trained(tmp_path / "whole", recipe)
    run = Run.create(tmp_path / "stopped" / "run", recipe)
    stops = iter([False, False, True])
    monkeypatch.setattr(Run, "stop_requested", lambda self: next(stops, False))
    assert not train(run, CPU, Options()).finished
    assert train(run, CPU, Options()).finished
    files = [r.package / ADAPTER_WEIGHTS for r in (whole, run)]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_adapter_opens_with_a_moved_base_and_names_a_missing_one(
    adapter: Package, tmp_path: Path
) -> None:
    folder = tmp_path / "home" / "models" / "mine"
    shutil.copytree(adapter.folder, folder)
    described = json.loads((folder / "package.json").read_text())
    base = described["base"]
    assert Path(base).is_absolute()
    described["base"] = str(tmp_path / "gone" / "base-of-mine")
    (folder / "package.json").write_text(json.dumps(described))
    assert read_package(folder, hashes=False).title == adapter.title
    with pytest.raises(PackageRefused, match="base-of-mine"):
        read_package(folder)

    shutil.copytree(base, tmp_path / "home" / "models" / "renamed")
    np.testing.assert_array_equal(
        Encoder(read_package(folder)).encode(PAIRS), Encoder(adapter).encode(PAIRS)
    )
    # Another model in its place is not taken for the base.
    weights = tmp_path / "home" / "models" / "renamed" / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x00")
    with pytest.raises(PackageRefused, match="base-of-mine"):
        read_package(folder)


def test_space_depends_on_the_base(adapter: Package) -> None:
    other = Package(**{**vars(adapter), "base_weights": "sha256:0"})
    assert other.space != adapter.space


def test_training_continues_from_an_adapter_with_all_weights(
    adapter: Package, tmp_path: Path, recipe_of: RecipeOf
) -> None:
    recipe = recipe_of("specter", max_steps=1, learning_rate=0.0, pooling="mean")
    run = trained(tmp_path, started_from(adapter, recipe))
    package = read_package(run.package)
    assert (package.folder / WEIGHTS).exists() and not package.base_weights
    np.testing.assert_allclose(
        Encoder(package, exact=True).encode(PAIRS),
        Encoder(adapter, exact=True).encode(PAIRS),
        atol=1e-6,
    )


def test_adapter_without_a_base_is_refused_at_the_start(
    tmp_path: Path, recipe_of: RecipeOf
) -> None:
    run = Run.create(tmp_path / "run", recipe_of("physbert", from_scratch=True, lora_rank=2))
    with pytest.raises(TrainerError, match="lora_rank"):
        train(run, CPU, Options())


def test_adapter_of_an_adapter_is_refused_at_the_start(
    adapter: Package, tmp_path: Path, recipe_of: RecipeOf
) -> None:
    recipe = started_from(adapter, recipe_of("specter", lora_rank=2))
    with pytest.raises(TrainerError, match="adapter"):
        train(Run.create(tmp_path / "run", recipe), CPU, Options())


def test_soup_of_adapters_averages_their_models(
    adapter: Package, tmp_path: Path, tiny_base: Path, recipe_of: RecipeOf
) -> None:
    recipe = recipe_of("specter", max_steps=3, lora_rank=2, pooling="mean", learning_rate=0.05)
    other = read_package(trained(tmp_path, recipe).package)
    made = soup([adapter, other], tmp_path / "soup")
    one, two = (merged(package, tiny_base) for package in (adapter, other))
    found = load_file(read_package(made.folder).folder / WEIGHTS)
    for name in ("encoder.layer.1.output.dense.weight", "embeddings.word_embeddings.weight"):
        torch.testing.assert_close(found[name], (one[name] + two[name]) / 2)


def test_merged_adapter_gives_the_same_vectors_without_its_base(
    adapter: Package, tmp_path: Path
) -> None:
    source = shutil.copytree(adapter.folder, tmp_path / "adapter")
    score = {"evaluation": "retrieval", "metric": "ndcg@10", "value": 0.5, "before": 0.4, "n": 9}
    (source / "metrics.json").write_text(json.dumps([score]))
    result = CliRunner().invoke(app, ["merge", str(source), "-o", str(tmp_path / "full")])
    assert result.exit_code == 0, result.output
    full = read_package(tmp_path / "full")
    assert full.base_weights == "" and (full.folder / WEIGHTS).exists()
    assert not (full.folder / ADAPTER_WEIGHTS).exists()
    assert not (full.folder / ADAPTER_CONFIG).exists()
    assert (full.title, full.base, full.corpus) == (adapter.title, adapter.base, adapter.corpus)
    assert json.loads((full.folder / "metrics.json").read_text()) == [score]
    vectors = [Encoder(package, exact=True).encode(PAIRS) for package in (full, adapter)]
    np.testing.assert_allclose(*vectors, rtol=0, atol=1e-6)


def test_merge_of_a_model_without_adapter_is_refused(tiny_base: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainerError, match="not an adapter"):
        merge(read_package(tiny_base), tmp_path / "full")


def test_card_and_configuration_name_the_base_without_its_path(adapter: Package) -> None:
    config = json.loads((adapter.folder / ADAPTER_CONFIG).read_text())
    assert (config["r"], config["lora_alpha"]) == (4, 8)
    assert config["base_model_name_or_path"] == Path(adapter.base).name
    card = (adapter.folder / "README.md").read_text()
    assert "peft" in card and str(Path(adapter.base).parent) not in card


def test_damaged_adapter_is_refused(adapter: Package, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(adapter.folder, folder)
    config = json.loads((folder / ADAPTER_CONFIG).read_text())
    (folder / ADAPTER_CONFIG).write_text(json.dumps(config | {"lora_alpha": 64}))
    with pytest.raises(PackageRefused, match=re.escape(ADAPTER_CONFIG)):
        read_package(folder)


def test_adapter_for_a_model_of_another_size_is_refused(tmp_path: Path) -> None:
    made = tiny_adapter(tmp_path / "tiny", tiny_package(tmp_path / "base"))
    file = made.folder / ADAPTER_WEIGHTS
    save_file({name: torch.zeros(3, 3) for name in load_file(file)}, file)
    described = json.loads((made.folder / "package.json").read_text())
    described["files"][ADAPTER_WEIGHTS] = file_hash(file)
    (made.folder / "package.json").write_text(json.dumps(described))
    with pytest.raises(PackageRefused, match="does not fit"):
        Encoder(read_package(made.folder))
