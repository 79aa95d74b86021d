"""What a method of training is: examples, a model and what is wrong with its answers.

The loop owns everything else: order, batches, devices, precision, schedule, checkpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from trainer.contract.errors import TrainerError
from trainer.contract.settings import Value
from trainer.data.batch import Batch
from trainer.data.corpus import Corpus
from trainer.data.tokens import Texts, TokenCache
from trainer.model.text_model import Backbone, TextModel

Encode = Callable[[Sequence[tuple[str, str]]], NDArray[np.float32]]


class Loss(NamedTuple):
    """The sum over examples (or guessed tokens) in float32, and how many there are.

    A sum, so that micro-batches and ranks of unequal size still make the mean over the step.
    """

    total: Tensor
    count: int  # type: ignore[assignment]  # tuples have a method of this name


class Scored(NamedTuple):
    """What a score of validation is: a metric of an evaluation, as trainer.contract.evaluations
    has them, over `n` items."""

    evaluation: str
    metric: str
    n: int


class Examples(Protocol):
    """What there is to learn from in one stage, by number."""

    def __len__(self) -> int: ...

    def order(self, seed: int, epoch: int, batch_size: int) -> NDArray[np.int64]:
        """The examples' numbers as they come in this epoch; the same whenever it is asked."""

    def tokens(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many tokens each of these examples has, all its texts together."""

    def batch(self, numbers: NDArray[np.int64], positions: NDArray[np.int64], key: int) -> Batch:
        """These examples, on the CPU. Chance, as in masking, comes from `key` and number alone."""


@dataclass(frozen=True)
class Plan:
    """How a stage is optimised. `warmup` is a share of all steps if below 1, else steps.

    `together` is how many examples serve as one another's negatives; 0: each stands alone.
    `evaluations` says how often an epoch is measured on the validation papers.
    """

    epochs: float = 1
    batch_size: int = 32
    learning_rate: float = 2e-5
    weight_decay: float = 0.0
    warmup: float = 0.1
    schedule: str = "linear"
    clip: float = 0.0
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    together: int = 0
    evaluations: int = 1
    max_steps: int = 0

    @classmethod
    def of(cls, settings: Mapping[str, Value], **others: Value) -> Plan:
        """The plan that the settings make, with `others` in place of theirs."""
        values = {f.name: settings[f.name] for f in fields(cls) if f.name in settings}
        return cls(**(values | others))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Stage:
    """One part of a training: what it learns from, with which model, loss and plan.

    `model` takes packed texts and gives one row a text, or one a guessed token. `scores`, where
    there are any, measure an encoder on the validation papers; the best mean of them is kept,
    else the least validation loss. `scored` says what they are, by their names.
    """

    name: str
    train: Examples
    validation: Examples
    model: nn.Module
    loss: Callable[[Tensor, Batch], Loss]
    plan: Plan
    scores: Callable[[Encode], Mapping[str, float]] | None = None
    scored: Mapping[str, Scored] = field(default_factory=dict)


@dataclass(frozen=True)
class Reading:
    """How a text becomes tokens, in training and ever after."""

    tokenizer: Path
    join: str
    max_tokens: int
    cls_tokens: int = 1

    @property
    def template(self) -> str:
        """The same in a model package's words."""
        return "{title}{sep}{abstract}" if self.join == "sep" else "{title} {abstract}"


class Method(Protocol):
    """A method at work on one corpus. Made by `METHODS[key](setup)`."""

    @property
    def stages(self) -> Sequence[Stage]: ...

    @property
    def encoder(self) -> TextModel:
        """What the package will hold. It shares its weights with the models of the stages."""

    @property
    def reading(self) -> Reading: ...

    @property
    def records(self) -> Mapping[str, Any]:
        """What is saved beside the weights, as JSON: the classes, how many examples there are and
        why others are none."""


@dataclass(frozen=True)
class Setup:
    """What a method is made from. `settings` holds every setting of its MethodSpec, checked.

    `base` is a folder with a tokenizer and the weights to start from, and `folder` the run's,
    where a method may keep files of its own.
    """

    corpus: Corpus
    base: Path
    folder: Path
    settings: Mapping[str, Any]
    seed: int
    note: Callable[[str], None] = field(default=lambda _: None)

    def backbone(self) -> Backbone:
        """The transformer to start from. Raises TrainerError."""
        found = Backbone.load(self.base, dropout=self.settings["dropout"])
        for name in ("max_tokens", "read_tokens"):
            self.check_places(found, self.settings[name], name)
        return found

    def pooled(self, backbone: Backbone, pooling: str) -> TextModel:
        """A vector a text. It is said aloud if a pooler makes them that was never trained."""
        if pooling == "pooler" and backbone.drawn_pooler:
            self.note(
                f"The model in {self.base} comes without a pooler, so one of random weights is "
                "trained; other choices start from what the model knows."
            )
        return TextModel(backbone, pooling)

    def check_places(self, backbone: Backbone, tokens: int, setting: str) -> None:
        """Raise TrainerError, naming the setting, if the transformer cannot read so many tokens."""
        places = backbone.config.get("max_position_embeddings", tokens)
        if tokens > places:
            raise TrainerError(
                f"The model in {self.base} reads {places} tokens, not {tokens}.",
                f"Set {setting}={places}, or less.",
            )

    def reading(self, cls_tokens: int = 1) -> Reading:
        """As the settings say, with the tokenizer of the base."""
        most = self.settings["read_tokens"] or self.settings["max_tokens"]
        return Reading(self.base, self.settings["join"], most, cls_tokens)

    def texts(self, reading: Reading) -> Texts:
        """The corpus as tokens, cut as training has it; they are made once and kept beside it."""
        cache = TokenCache.open(self.corpus, reading.tokenizer, self.note)
        return Texts(
            cache,
            join=reading.join,
            max_tokens=self.settings["max_tokens"],
            cls_tokens=reading.cls_tokens,
        )
