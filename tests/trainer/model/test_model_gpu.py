"""The code of GPUs, run on the CPU, or on torch's meta device, which has no values to wait for."""

from __future__ import annotations

import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from tests.support.models.tiny_model import tiny_package
from trainer import encoder as encoder_module
from trainer.encoder import Encoder
from trainer.model.bert import After, TrainableBert
from trainer.model.gpu import LayerOnGpu, Spans, attend, compile_layers, convert, similar
from trainer.model.packed import Packed, mean_on_gpu, pack, pool

HEADS, WIDTH = 2, 16
LENGTHS = (7, 1, 12, 7, 3)
META = torch.device("meta")


def texts(lengths: tuple[int, ...] = LENGTHS) -> Packed:
    random = np.random.default_rng(0)
    return pack([random.integers(5, 15, length) for length in lengths])


def test_padding_within_groups_adds_at_most_a_tenth_to_the_work_of_attention() -> None:
    random = np.random.default_rng(1)
    lengths = np.clip(random.lognormal(5.2, 0.45, 96), 10, 512).astype(int)
    groups = similar(lengths)
    assert sorted(np.concatenate(groups)) == list(range(96))
    work = sum(len(group) * int(lengths[group].max()) ** 2 for group in groups)
    assert work <= 1.1 * (lengths**2).sum()
    assert len(groups) < 24


def test_attention_in_groups_equals_attention_text_by_text() -> None:
    packed = texts()
    parts = torch.randn(sum(LENGTHS), 3 * HEADS * WIDTH, dtype=torch.float64, requires_grad=True)
    found = attend(parts, Spans.of(packed, flash=False), HEADS, 0.0)
    expected = []
    for text in parts.split(LENGTHS):
        query, key, value = text.view(-1, 3, HEADS, WIDTH).permute(1, 2, 0, 3)
        seen = F.scaled_dot_product_attention(query, key, value)
        expected.append(seen.transpose(0, 1).flatten(1))
    torch.testing.assert_close(found, torch.cat(expected))
    weight = torch.randn_like(found)
    (ours,) = torch.autograd.grad((found * weight).sum(), parts, retain_graph=True)
    (theirs,) = torch.autograd.grad((torch.cat(expected) * weight).sum(), parts)
    torch.testing.assert_close(ours, theirs)


class Attentions(TorchDispatchMode):
    """Records the shapes of the queries of FlashAttention."""

    def __init__(self) -> None:
        super().__init__()
        self.shapes: list[tuple[int, ...]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten._flash_attention_forward.default:
            self.shapes.append(tuple(args[0].shape))
        return func(*args, **(kwargs or {}))


def bert(dtype: torch.dtype, dropout: float = 0.1) -> TrainableBert:
    config = {
        "vocab_size": 20,
        "hidden_size": HEADS * WIDTH,
        "num_hidden_layers": 3,
        "num_attention_heads": HEADS,
        "intermediate_size": 64,
        "max_position_embeddings": 16,
    }
    return TrainableBert(config, dropout).to(META, dtype)


def test_flash_attention_runs_on_tokens_without_padding() -> None:
    model = bert(torch.bfloat16)
    with Attentions() as seen:
        states = model(texts().to(META), {})
    assert states.shape == (sum(LENGTHS), HEADS * WIDTH)
    assert seen.shapes == 3 * [(sum(LENGTHS), HEADS, WIDTH)]
    states.sum().backward()
    query = model.encoder.layer[0].attention.self.query
    assert query.weight.grad is not None


def test_attention_in_float32_is_padded_in_groups() -> None:
    with Attentions() as seen:
        states = bert(torch.float32)(texts().to(META), {})
    assert states.shape == (sum(LENGTHS), HEADS * WIDTH)
    assert not seen.shapes


def test_converted_weights_have_the_gradients_of_the_parameters() -> None:
    random = torch.Generator().manual_seed(1)
    shapes = [(4, 4)] * 3 + [(4,)] * 3 + [(4, 4), (4,), (4,), (4,), (8, 4), (8,), (4, 8), (4,)]
    shapes += [(4,), (4,)]
    weights = [torch.randn(shape, generator=random, requires_grad=True) for shape in shapes]
    for one in convert(weights[:6], weights[6:], torch.bfloat16):
        assert one.dtype == torch.bfloat16
    converted = torch.cat(
        [one.flatten() for one in convert(weights[:6], weights[6:], torch.bfloat16)]
    )
    plain = torch.cat([weight.to(torch.bfloat16).flatten() for weight in weights])
    assert torch.equal(converted, plain)
    factors = torch.randn(len(plain), generator=random).to(torch.bfloat16)
    found = torch.autograd.grad((converted * factors).sum(), weights)
    expected = torch.autograd.grad((plain * factors).sum(), weights)
    for one, other in zip(found, expected, strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("dropout", [0.0, 0.1])
@pytest.mark.parametrize(("broken", "compiled"), [(False, 3), (True, 0)])
def test_layers_stay_plain_if_a_compiled_one_differs(
    broken: bool,
    compiled: int,
    dropout: float,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    model = bert(torch.float32, dropout).to_empty(device="cpu")
    for parameter in model.parameters():
        nn.init.normal_(parameter)
    seen = []

    def compile_(layer: LayerOnGpu, dynamic: bool) -> None:
        seen.append(layer)
        if broken:
            layer.heads *= 2

    monkeypatch.setattr(LayerOnGpu, "compile", compile_)
    layers, packed = list(model.encoder.layer), texts()
    weights = convert(*layers[0].parts(), torch.float32)
    states = torch.randn(sum(LENGTHS), HEADS * WIDTH)
    before = torch.get_rng_state()
    compile_layers(
        [layer.on_gpu for layer in layers], states, Spans.of(packed, flash=False), weights
    )
    assert seen[1:] == [layer.on_gpu for layer in layers][:compiled]
    assert ("not compiled" in caplog.text) == broken
    assert torch.equal(torch.get_rng_state(), before)
    assert all(parameter.grad is None for parameter in model.parameters())


@pytest.mark.parametrize("some", [False, True])
def test_mean_on_a_gpu_equals_that_on_the_cpu(some: bool) -> None:
    packed = texts()
    states = torch.randn(sum(LENGTHS), 4, dtype=torch.float64, requires_grad=True)
    chosen = None
    if some:
        chosen = packed.ids != packed.spread(packed.ids[packed.bounds[:-1]])
    found = mean_on_gpu(states, packed, chosen)
    bounds = packed.bounds.tolist()
    expected = []
    for start, end in pairwise(bounds):
        rows = states[start:end]
        if chosen is not None and chosen[start:end].any():
            rows = rows[chosen[start:end]]
        expected.append(rows.mean(0))
    torch.testing.assert_close(found, torch.stack(expected))
    found.square().sum().backward()
    assert states.grad is not None
    if chosen is None:
        assert states.grad.all()


@pytest.mark.parametrize("pooling", ["cls", "mean", "mean_no_special"])
def test_pooling_on_a_device_reads_none_of_its_values(pooling: str) -> None:
    packed = texts().to(META)
    states = torch.empty(sum(LENGTHS), 4, device=META)
    assert pool(states, packed, pooling).shape == (len(LENGTHS), 4)


def test_two_batches_are_in_flight_on_a_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = threading.Barrier(2, timeout=30)

    def waits_for_another(given: Packed, after: After) -> Tensor:
        both.wait()
        return torch.ones(sum(given.lengths), 32)

    monkeypatch.setattr(encoder_module, "device_named", lambda _: META)
    monkeypatch.setattr(encoder_module, "load_backbone", lambda *_: waits_for_another)
    monkeypatch.setattr(encoder_module, "CPU_BUDGET", 8)
    encoder = Encoder(tiny_package(tmp_path / "tiny"))
    assert encoder.encode([("deep", "graph"), ("paper", "we")]).shape == (2, 32)


def test_texts_are_tokenized_while_a_gpu_computes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    second_read = threading.Event()

    def waits_for_the_next_chunk(given: Packed, after: After) -> Tensor:
        assert second_read.wait(30)
        lengths = torch.tensor(given.lengths)
        return lengths.repeat_interleave(lengths)[:, None].expand(-1, 32)

    monkeypatch.setattr(encoder_module, "device_named", lambda _: META)
    monkeypatch.setattr(encoder_module, "load_backbone", lambda *_: waits_for_the_next_chunk)
    monkeypatch.setattr(encoder_module, "CHUNK", 2)
    encoder = Encoder(tiny_package(tmp_path / "tiny"), raw=True)
    read, chunks = encoder.text.ids, []

    def ids(pairs: Any, **options: Any) -> list[list[int]]:
        chunks.append(pairs)
        if len(chunks) == 2:
            second_read.set()
        return read(pairs, **options)

    monkeypatch.setattr(encoder.text, "ids", ids)
    papers = [(f"deep {'graph ' * number}", "we study") for number in range(7)]
    vectors = encoder.encode(papers)
    assert len(chunks) == 4
    assert vectors[:, 0].tolist() == list(map(len, read(papers)))
