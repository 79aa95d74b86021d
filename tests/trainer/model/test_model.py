from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import AutoModel, BertConfig, BertModel, RobertaConfig, RobertaModel
from transformers.utils import logging as transformers_logging

from tests.support.models.tiny_model import CONFIG, SPECIAL, WORDS, tiny_package, weights
from trainer.contract.errors import TrainerError
from trainer.contract.package import Package
from trainer.model import gpu
from trainer.model.gpu import LayerOnGpu, Spans
from trainer.model.packed import Packed, pack
from trainer.model.padded import Padding
from trainer.model.pooling import FacetPooling
from trainer.model.text_model import Backbone, TextModel

VOCABULARY = [*SPECIAL, *WORDS, "[unused1]", "[unused2]"]
# Texts are padded to multiples of eight tokens: some lengths are multiples, and some are equal.
LENGTHS = (5, 24, 3, 17, 24, 1, 40, 3, 8, 19, 24)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return tiny_package(tmp_path_factory.mktemp("models") / "tiny", vocabulary=VOCABULARY)


@pytest.fixture
def backbone(package: Package) -> Backbone:
    return Backbone.load(package.folder, dropout=0.0)


@pytest.fixture
def reference_model(package: Package) -> BertModel:
    found: BertModel = BertModel.from_pretrained(package.folder)
    return found.eval()


def texts(lengths: Sequence[int] = LENGTHS) -> Packed:
    random = np.random.default_rng(0)
    return pack([random.integers(1, len(VOCABULARY), length) for length in lengths])


def padded(model: torch.nn.Module, packed: Packed) -> Tensor:
    """Return the states of transformers' model without those of padding."""
    where = Padding.of(packed)
    mask = where.mask[:, 0, 0]
    ids = where.pad(packed.ids[:, None]).squeeze(2)
    found: Tensor = model(input_ids=ids, attention_mask=mask.long()).last_hidden_state
    return where.unpad(found)


def gradients(model: torch.nn.Module) -> dict[str, Tensor]:
    return {n: p.grad for n, p in model.named_parameters() if p.grad is not None}


def record_calls(layers: Iterable[torch.nn.Module]) -> list[bool]:
    """Return a list that grows at each call of a layer: whether it was in the backward pass."""
    calls: list[bool] = []
    for layer in layers:
        layer.register_forward_pre_hook(
            lambda *_: calls.append(torch._C._current_graph_task_id() != -1)
        )
    return calls


def run_backward(
    model: torch.nn.Module, run: Callable[[], Tensor]
) -> tuple[Tensor, dict[str, Tensor]]:
    model.zero_grad()
    states = run()
    (states.float() ** 3).sum().backward()
    return states.detach(), gradients(model)


def test_states_and_gradients_equal_transformers(
    backbone: Backbone, reference_model: BertModel
) -> None:
    packed = texts()
    ours, our_gradients = run_backward(backbone.inner, lambda: backbone(packed))
    expected, their_gradients = run_backward(
        reference_model, lambda: padded(reference_model, packed)
    )
    torch.testing.assert_close(ours, expected, atol=1e-5, rtol=0)
    assert our_gradients.keys() == {n for n in their_gradients if not n.startswith("pooler.")}
    for name, gradient in our_gradients.items():
        scale = float(their_gradients[name].abs().max().clamp(min=1))
        torch.testing.assert_close(
            gradient / scale, their_gradients[name] / scale, atol=1e-5, rtol=0, msg=name
        )


def test_gpu_code_path_gives_the_same_states_and_gradients(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = texts()
    expected, cpu_gradients = run_backward(backbone, lambda: backbone(packed))

    def as_on_a_gpu() -> Tensor:
        bert, where = backbone.inner, Spans.of(packed, flash=False)
        states = bert.embeddings(packed.ids, packed.places)
        for layer in bert.encoder.layer:
            states = layer(states, where)
        return states

    found, gpu_gradients = run_backward(backbone, as_on_a_gpu)
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    for name, gradient in cpu_gradients.items():
        scale = float(gradient.abs().max().clamp(min=1))
        torch.testing.assert_close(
            gpu_gradients[name] / scale, gradient / scale, atol=1e-5, rtol=0, msg=name
        )


def test_bfloat16_gives_nearly_the_same_gradients(backbone: Backbone) -> None:
    packed = texts()
    states, exact = run_backward(backbone, lambda: backbone(packed))

    def half() -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return backbone(packed)

    rough_states, rough = run_backward(backbone, half)
    assert rough_states.dtype == torch.float32
    assert torch.cosine_similarity(states, rough_states).mean() > 0.999
    for name, gradient in exact.items():
        if not name.endswith(
            "key.bias"
        ):  # softmax does not depend on it: it is zero except for rounding
            alike = torch.cosine_similarity(gradient.ravel(), rough[name].ravel(), 0)
            assert alike > 0.99, name


def test_vector_of_a_text_is_independent_of_its_batch(backbone: Backbone) -> None:
    model = TextModel(backbone, "mean").eval()
    packed = texts()
    together = model(packed)
    alone = [model(Packed(ids, (len(ids),))) for ids in packed.ids.split(list(packed.lengths))]
    torch.testing.assert_close(together, torch.cat(alone), atol=1e-5, rtol=0)


@pytest.mark.parametrize("threads", [1, 2])
def test_same_seed_gives_identical_states(package: Package, threads: int) -> None:
    backbone = Backbone.load(package.folder).train()
    packed, before = texts(), torch.get_num_threads()

    def run() -> Tensor:
        torch.manual_seed(3)
        with torch.autocast("cpu", torch.bfloat16):
            return backbone(packed)

    try:
        torch.set_num_threads(threads)
        first, its_gradients = run_backward(backbone, run)
        again, gradients_again = run_backward(backbone, run)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(first, again)
    assert all(torch.equal(its_gradients[n], gradients_again[n]) for n in its_gradients)


def test_dropout_applies_only_in_training(package: Package) -> None:
    packed = texts()
    exact = Backbone.load(package.folder, dropout=0.0).train()(packed)
    backbone = Backbone.load(package.folder)
    assert torch.equal(backbone.eval()(packed), exact)
    backbone.train()
    assert not torch.allclose(backbone(packed), backbone(packed), atol=1e-3)
    little = Backbone.load(package.folder, dropout=0.01).train()(packed)
    much = Backbone.load(package.folder, dropout=0.5).train()(packed)
    assert (little - exact).norm() < (much - exact).norm()


def test_gradients_match_dropout_of_the_forward_pass(package: Package) -> None:
    """Finite differences show that the backward pass uses the same dropout."""
    backbone = Backbone.load(package.folder, dropout=0.3).double().train()
    packed = texts((9, 4, 9))
    dense = backbone.inner.encoder.layer[0].attention.self.value.weight

    def loss() -> Tensor:
        torch.manual_seed(5)
        return (backbone(packed) ** 3).sum()

    loss().backward()
    step = torch.zeros_like(dense)
    step[3, 4] = 1e-6
    with torch.no_grad():
        dense += step
        above = loss()
        dense -= 2 * step
        below = loss()
    assert dense.grad is not None
    expected = float(above - below) / 2e-6
    assert float(dense.grad[3, 4]) == pytest.approx(expected, rel=1e-4)


def test_checkpointing_gives_the_same_gradients(package: Package) -> None:
    backbone = Backbone.load(package.folder).train()
    calls = record_calls(backbone.inner.encoder.layer)
    packed, found = texts(), []
    for backbone.checkpointing in (False, True):

        def run() -> Tensor:
            torch.manual_seed(1)
            return backbone(packed)

        found.append(run_backward(backbone, run))
    (states, kept), (again, computed) = found
    some = [False] * backbone.layers
    assert calls == [*some, *some, *(True for _ in some)]
    assert torch.equal(states, again)
    assert all(torch.equal(kept[name], computed[name]) for name in kept)


def test_layers_are_compiled_once_and_not_on_cpu(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[torch.nn.Module] = []
    monkeypatch.setattr(LayerOnGpu, "compile", lambda self, dynamic: compiled.append(self))
    monkeypatch.setattr(gpu, "check_compiled", lambda *_: None)
    backbone.compile_layers()
    backbone(texts())
    assert compiled == []
    backbone.to("meta")
    for _ in range(2):  # compiled only once
        assert backbone(texts().to(torch.device("meta"))).shape == (sum(LENGTHS), backbone.hidden)
        assert compiled == [layer.on_gpu for layer in backbone.inner.encoder.layer]


@pytest.mark.gpu
def test_compiled_layers_give_the_same_gradients(backbone: Backbone) -> None:
    backbone.cuda()
    packed = texts().to(torch.device("cuda"))
    states, plain = run_backward(backbone, lambda: backbone(packed))
    backbone.compile_layers()
    again, compiled = run_backward(backbone, lambda: backbone(packed))
    torch.testing.assert_close(again, states, atol=1e-4, rtol=1e-4)
    for name, gradient in plain.items():
        torch.testing.assert_close(compiled[name], gradient, atol=1e-3, rtol=1e-3, msg=name)


def test_hook_after_a_layer_changes_input_of_the_next(
    backbone: Backbone, reference_model: BertModel
) -> None:
    packed = texts()
    seen: dict[int, Tensor] = {}

    def keep(number: int) -> Callable[[Tensor, Packed], Tensor]:
        def step(states: Tensor, given: Packed) -> Tensor:
            assert given is packed
            seen[number] = states
            return states * 0 if number == 1 else states

        return step

    assert not backbone(packed, {0: keep(0), 1: keep(1)}).any()
    reference_model.encoder.layer = reference_model.encoder.layer[:1]
    torch.testing.assert_close(seen[0], padded(reference_model, packed), atol=1e-5, rtol=0)


def test_pooler_equals_that_of_bert(package: Package, reference_model: BertModel) -> None:
    backbone = Backbone.load(package.folder, dropout=0.0)
    assert not any(p.requires_grad for p in backbone.pooler.parameters())
    model = TextModel(backbone, "pooler")
    assert all(p.requires_grad for p in backbone.pooler.parameters())
    reference_model.pooler.load_state_dict(backbone.pooler.state_dict())
    packed = texts((7, 7))
    expected = reference_model(input_ids=packed.ids.view(2, 7)).pooler_output
    torch.testing.assert_close(model(packed), expected, atol=1e-5, rtol=0)


def test_new_bert_is_initialised_like_in_transformers() -> None:
    config = CONFIG | {"vocab_size": 4000, "initializer_range": 0.02}
    torch.manual_seed(0)
    ours = Backbone.new(config).weights()
    reference_model = BertModel(BertConfig(**config)).state_dict()
    assert ours.keys() == reference_model.keys()
    for name, weight in reference_model.items():
        assert float(ours[name].mean()) == pytest.approx(float(weight.mean()), abs=0.01), name
        assert float(ours[name].std()) == pytest.approx(float(weight.std()), abs=0.005), name


def test_weights_of_a_bert_with_heads_are_read(tmp_path: Path, package: Package) -> None:
    found = load_file(package.folder / "model.safetensors")
    found = {f"bert.{name}": weight for name, weight in found.items()}
    save_file(found | {"classifier.weight": torch.zeros(3, 32)}, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_bytes((package.folder / "config.json").read_bytes())
    expected = Backbone.load(package.folder).words
    assert torch.equal(Backbone.load(tmp_path).words, expected)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda f: (f / "config.json").unlink(), "contains no Transformers model"),
        (lambda f: (f / "model.safetensors").unlink(), "no model.safetensors."),
        (
            lambda f: (f / "model.safetensors").rename(f / "pytorch_model.bin"),
            "only pytorch_model.bin, which may contain code",
        ),
        (lambda f: write_config(f, model_type="albert", embedding_size=32), "lack "),
        (lambda f: (f / "model.safetensors").write_bytes(b"x" * 99), "could not be read"),
        (lambda f: write_config(f, num_hidden_layers=3), "lack encoder.layer.2"),
        (lambda f: write_config(f, intermediate_size=65), "has the shape"),
    ],
)
def test_damaged_folder_is_refused(
    tmp_path: Path, change: Callable[[Path], object], expected: str
) -> None:
    folder = tiny_package(tmp_path / "m").folder
    change(folder)
    with pytest.raises(TrainerError, match=expected):
        Backbone.load(folder)


def test_frozen_program_names_unsupported_architectures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny_package(tmp_path / "m").folder
    write_config(folder, model_type="canine")
    monkeypatch.setitem(sys.modules, "transformers.models.canine.modeling_canine", None)
    with pytest.raises(TrainerError, match="cannot run the type of the model in") as raised:
        Backbone.load(folder)
    assert "pip" in raised.value.hint


def write_config(folder: Path, **values: Any) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | values))


def test_missing_weights_are_reported_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    folder = tiny_package(tmp_path / "m").folder
    write_config(folder, model_type="albert", embedding_size=32)
    transformers_logging.set_verbosity_warning()  # the default of transformers
    transformers_logging.enable_progress_bar()
    logging.getLogger("transformers").addHandler(caplog.handler)
    try:
        with pytest.raises(TrainerError, match="lack "):
            Backbone.load(folder)
    finally:
        logging.getLogger("transformers").removeHandler(caplog.handler)
    assert (caplog.text, *capsys.readouterr()) == ("", "", "")


@pytest.fixture(scope="module")
def roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("roberta")
    config = RobertaConfig(
        vocab_size=40,
        hidden_size=32,
        intermediate_size=64,
        num_attention_heads=4,
        num_hidden_layers=2,
        max_position_embeddings=70,
    )
    RobertaModel(config).save_pretrained(folder)
    return folder


def test_other_architecture_runs_through_transformers(roberta: Path) -> None:
    backbone = Backbone.load(roberta, dropout=0.0)
    reference_model = AutoModel.from_pretrained(roberta).eval()
    packed = Packed(texts().ids + 5, LENGTHS)
    where = Padding.of(packed)
    ids = where.pad(packed.ids[:, None]).squeeze(2)
    ids[~where.mask[:, 0, 0]] = reference_model.config.pad_token_id
    mask = where.mask[:, 0, 0].long()
    expected = where.unpad(reference_model(input_ids=ids, attention_mask=mask).last_hidden_state)
    model = TextModel(backbone.train(), "mean")
    torch.testing.assert_close(backbone(packed), expected, atol=1e-5, rtol=0)
    calls = record_calls([backbone.inner.model.encoder.layer[0].attention])
    backbone.checkpointing = True
    model(packed).sum().backward()
    assert calls == [False, True]
    assert backbone.words.grad is not None
    assert backbone.weights().keys() == reference_model.state_dict().keys()
    assert not torch.equal(Backbone.load(roberta, dropout=0.5).train()(packed), backbone(packed))


def test_unsupported_options_of_other_architectures_are_refused(roberta: Path) -> None:
    backbone = Backbone.load(roberta)
    with pytest.raises(TrainerError, match="between those of a roberta"):
        TextModel(backbone, "multi_cls", FacetPooling(32, 2))(texts())
    with pytest.raises(TrainerError, match="no pooler"):
        TextModel(backbone, "pooler")
    with pytest.raises(TrainerError, match="cannot be created"):
        Backbone.new(backbone.config)


def test_tiny_weights_are_complete() -> None:
    config = CONFIG | {"vocab_size": 9}
    assert weights(config).keys() | {"pooler.dense.weight", "pooler.dense.bias"} == (
        Backbone.new(config).weights().keys()
    )
