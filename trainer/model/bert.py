"""BERT for training: the parameters of transformers' BertModel, applied to packed texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from trainer.model.cpu.bert_layer import LayerConfig, Weights, layer_on_cpu
from trainer.model.cpu.dropout import dropout
from trainer.model.cpu.layout import RowLayout
from trainer.model.gpu import LayerOnGpu, Spans, compile_layers, convert, has_flash
from trainer.model.packed import Packed

# Hooks on the states [tokens, hidden] after layers, by the layer's number from 0.
After = Mapping[int, Callable[[Tensor, Packed], Tensor]]


def is_plain_bert(config: Mapping[str, object]) -> bool:
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and "bottleneck_adapter" not in config
    )


class TrainableBert(nn.Module):
    """BERT on texts without padding, with the results and the parameter names of BertModel."""

    def __init__(self, config: Mapping[str, Any], dropout: float | None = None) -> None:
        """`dropout` None: from the config."""
        super().__init__()
        self.checkpointing = self._to_compile = False
        self.embeddings = Embeddings(config, dropout)
        self.encoder = Layers(config, dropout)
        self.pooler = Pooler(config["hidden_size"])
        self._heads = int(config["num_attention_heads"])
        self._spread = float(config.get("initializer_range", 0.02))
        self.apply(self._initialise)

    @property
    def words(self) -> nn.Parameter:
        found = self.embeddings.word_embeddings.weight
        assert isinstance(found, nn.Parameter)
        return found

    def forward(self, texts: Packed, after: After) -> Tensor:
        if texts.ids.device.type == "cpu":
            return self._on_cpu(texts, after)
        return self._on_gpu(texts, after)

    def _on_gpu(self, texts: Packed, after: After) -> Tensor:
        device = texts.ids.device.type
        states: Tensor = self.embeddings(texts.ids, texts.places)
        with ExitStack() as stack:
            if torch.amp.is_autocast_available(device) and torch.is_autocast_enabled(device):
                # Autocast would compute residuals and layer norms in float32.
                states = states.to(torch.get_autocast_dtype(device))
                stack.enter_context(torch.autocast(device, enabled=False))
            head = states.shape[1] // self._heads
            spans = Spans.of(texts, has_flash(texts.ids.device, states.dtype, head))
            if self._to_compile:
                self._to_compile = False
                layers = [layer for layer in self.encoder.layer if isinstance(layer, Layer)]
                weights = convert(*layers[0].parts(), states.dtype)
                compile_layers([layer.on_gpu for layer in layers], states, spans, weights)
            for number, layer in enumerate(self.encoder.layer):
                states = self._run(layer, states, spans)
                if number in after:
                    states = after[number](states, texts)
        return states

    def _on_cpu(self, texts: Packed, after: After) -> Tensor:
        layout = RowLayout.of(texts.lengths, self._heads)
        inside, outside = (layout.source, layout.rows), (layout.rows, layout.source)
        states = self.embeddings(texts.ids[layout.source], texts.places[layout.source])
        for number, layer in enumerate(self.encoder.layer):
            states = self._run(layer, states, layout)
            if number in after:
                states = after[number](_rows(states, *outside), texts)
                states = _rows(states, *inside)
        return _rows(states, *outside)

    def _run(self, layer: nn.Module, states: Tensor, where: Spans | RowLayout) -> Tensor:
        if self.checkpointing and torch.is_grad_enabled():
            found: Tensor = checkpoint(layer, states, where, use_reentrant=False)
            return found
        run: Tensor = layer(states, where)
        return run

    def compile_layers(self) -> None:
        """Compile each layer with torch on a GPU. Layers on a CPU are hand-written."""
        self._to_compile = True

    def _initialise(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=self._spread)
        if isinstance(module, nn.Linear):
            nn.init.zeros_(module.bias)
        if isinstance(module, nn.Embedding) and module.padding_idx is not None:
            nn.init.zeros_(module.weight[module.padding_idx])


class Embeddings(nn.Module):
    """The sum of word, position and (always the first) segment embeddings, normalized."""

    def __init__(self, config: Mapping[str, Any], dropout: float | None) -> None:
        super().__init__()
        hidden = config["hidden_size"]
        self.word_embeddings = nn.Embedding(
            config["vocab_size"], hidden, padding_idx=config.get("pad_token_id", 0)
        )
        self.position_embeddings = nn.Embedding(config["max_position_embeddings"], hidden)
        self.token_type_embeddings = nn.Embedding(config.get("type_vocab_size", 2), hidden)
        self.LayerNorm = _layer_norm(config)
        self.dropout = nn.Dropout(_rate(config, "hidden_dropout_prob", dropout))

    def forward(self, ids: Tensor, places: Tensor) -> Tensor:
        """Both int64 [tokens] -> [tokens, hidden]"""
        states = self.word_embeddings(ids) + self.token_type_embeddings.weight[0]
        states = self.LayerNorm(states + self.position_embeddings(places))
        if self.training and self.dropout.p and states.device.type == "cpu":
            states = dropout(states, self.dropout.p, _seed())
        else:
            states = self.dropout(states)
        found: Tensor = states
        return found


class Layers(nn.Module):
    def __init__(self, config: Mapping[str, Any], dropout: float | None) -> None:
        super().__init__()
        self.layer = nn.ModuleList(
            Layer(config, dropout) for _ in range(config["num_hidden_layers"])
        )


class Layer(nn.Module):
    """Attention and feed-forward network, as BertLayer."""

    def __init__(self, config: Mapping[str, Any], dropout: float | None) -> None:
        super().__init__()
        self.attention = Attention(config, dropout)
        self.intermediate = Intermediate(config)
        self.output = Output(config["intermediate_size"], config, dropout)
        self._heads = int(config["num_attention_heads"])
        self._attention_dropout = _rate(config, "attention_probs_dropout_prob", dropout)
        self.on_gpu = LayerOnGpu(
            self._heads,
            self.output.LayerNorm.eps,
            self._attention_dropout,
            self.output.dropout.p,
        )

    def forward(self, states: Tensor, where: Spans | RowLayout) -> Tensor:
        """[tokens, hidden]; on a CPU [rows, hidden] in the layout `where`."""
        if isinstance(where, RowLayout):
            return layer_on_cpu(states, self._plan(states, where), self._weights())
        found: Tensor = self.on_gpu(states, where, convert(*self.parts(), states.dtype))
        return found

    def _plan(self, states: Tensor, layout: RowLayout) -> LayerConfig:
        attention_dropout = self._attention_dropout if self.training else 0.0
        dropout = self.output.dropout.p if self.training else 0.0
        return LayerConfig(
            layout,
            self._heads,
            self.output.LayerNorm.eps,
            attention_dropout,
            dropout,
            torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else states.dtype,
            _seed() if attention_dropout or dropout else 0,
        )

    def _weights(self) -> Weights:
        parts, rest = self.parts()
        return Weights(torch.cat(parts[:3]), torch.cat(parts[3:]), *rest)

    def parts(self) -> tuple[list[Tensor], list[Tensor]]:
        """Return the weights and then the biases of queries, keys and values; and the others, in
        the order of `Weights`."""
        of, widen = self.attention.self, self.intermediate.dense
        parts = (of.query, of.key, of.value)
        return [part.weight for part in parts] + [part.bias for part in parts], [
            *self.attention.output.weights(),
            widen.weight,
            widen.bias,
            *self.output.weights(),
        ]


class Attention(nn.Module):
    def __init__(self, config: Mapping[str, Any], dropout: float | None) -> None:
        super().__init__()
        self.self = SelfAttention(config["hidden_size"])
        self.output = Output(config["hidden_size"], config, dropout)


class SelfAttention(nn.Module):
    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)


class Intermediate(nn.Module):
    def __init__(self, config: Mapping[str, Any]) -> None:
        super().__init__()
        self.dense = nn.Linear(config["hidden_size"], config["intermediate_size"])


class Output(nn.Module):
    """The end of both halves of a layer: projection to the hidden size, residual, layer norm."""

    def __init__(self, width: int, config: Mapping[str, Any], dropout: float | None) -> None:
        super().__init__()
        self.dense = nn.Linear(width, config["hidden_size"])
        self.LayerNorm = _layer_norm(config)
        self.dropout = nn.Dropout(_rate(config, "hidden_dropout_prob", dropout))

    def weights(self) -> tuple[Tensor, ...]:
        dense, norm = self.dense, self.LayerNorm
        return dense.weight, dense.bias, norm.weight, norm.bias


class Pooler(nn.Module):
    """tanh(W cls + b): the input of BERT's next sentence prediction."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.dense = nn.Linear(hidden, hidden)

    def forward(self, cls: Tensor) -> Tensor:
        return torch.tanh(self.dense(cls))


def _rows(states: Tensor, order: Tensor, back: Tensor) -> Tensor:
    """Return the rows `order` of the states. `back` is the inverse: the row of each token."""
    found: Tensor = _GatherRows.apply(states, order, back)  # type: ignore[no-untyped-call]
    return found


class _GatherRows(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, states: Tensor, order: Tensor, back: Tensor) -> Tensor:
        ctx.save_for_backward(order, back)
        return states.index_select(0, order)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        order, back = ctx.saved_tensors
        if len(order) >= len(back):  # in: copies made for padding have no gradient
            return gradient.index_select(0, back), None, None
        found = gradient.new_zeros(len(back), gradient.shape[1])
        return found.index_copy_(0, order, gradient), None, None


def _layer_norm(config: Mapping[str, Any]) -> nn.LayerNorm:
    return nn.LayerNorm(config["hidden_size"], eps=config.get("layer_norm_eps", 1e-12))


def _rate(config: Mapping[str, Any], name: str, dropout: float | None) -> float:
    return float(config.get(name, 0.1) if dropout is None else dropout)


def _seed() -> int:
    return int(torch.randint(2**62, ()))
