"""The interface of training methods: examples, models and losses.

The loop owns everything else: order, batches, devices, precision, schedule, checkpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from trainer.contract.errors import TrainerError
from trainer.contract.package import Package, escape_braces, prompts_of
from trainer.contract.settings import Value
from trainer.data.corpus.corpus import Corpus
from trainer.data.examples import Batch
from trainer.data.tokens import Prompts, TextPart, Texts, TokenCache
from trainer.model.text_model import Backbone, TextModel


class Encode(Protocol):
    """Encodes (title, abstract) pairs to unit vectors; `queries`: they are typed queries."""

    def __call__(
        self, pairs: Sequence[tuple[str, str]], *, queries: bool = False
    ) -> NDArray[np.float32]: ...


class Loss(NamedTuple):
    """The sum of the loss over examples (or masked tokens) in float32, and their number.

    A sum rather than a mean, so that micro-batches and ranks of unequal size give the mean over the
    step.
    """

    total: Tensor
    count: int  # type: ignore[assignment]  # tuples have a method of this name


class ValidationMetric(NamedTuple):
    """The metric behind a validation score, named as in trainer.contract.evaluations, over `n`
    items."""

    evaluation: str
    metric: str
    n: int


class LabelledPapers(NamedTuple):
    """Papers by the rows of the corpus, and their labels from 0; both [papers]."""

    rows: NDArray[np.int32]
    labels: NDArray[np.int32]


class Examples(Protocol):
    """The examples of one stage, by number."""

    def __len__(self) -> int: ...

    def order(self, seed: int, epoch: int, batch_size: int) -> NDArray[np.int64]:
        """Return the numbers of the examples in the order of this epoch; deterministic."""

    def tokens(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of tokens of each of these examples, over all its texts."""

    def batch(self, numbers: NDArray[np.int64], positions: NDArray[np.int64], key: int) -> Batch:
        """Return these examples, on the CPU. Randomness, as in masking, depends on `key` and number
        alone."""


@dataclass(frozen=True)
class OptimizationPlan:
    """The hyperparameters of a stage. `warmup` is a fraction of all steps if below 1, else steps.

    `together` is the number of examples that serve as each other's negatives; 0: each is
    independent. `evaluations` is the number of validations per epoch. `average_steps` is the number
    of steps over which the weights are averaged; 0: they are not.
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
    average_steps: int = 0

    @classmethod
    def of(cls, settings: Mapping[str, Value], **others: Value) -> OptimizationPlan:
        """Return the plan for the settings, in which `others` override them."""
        values = {f.name: settings[f.name] for f in fields(cls) if f.name in settings}
        return cls(**(values | others))  # type: ignore[arg-type]


@dataclass(frozen=True)
class TrainingStage:
    """One stage of a training: its examples, model, loss and hyperparameters.

    `model` maps packed texts to one row per text, or per masked token. `scores`, if any, evaluates
    an encoder on the validation papers; the weights with the best mean of them are kept, else those
    with the lowest validation loss. `scored` describes the scores by name.
    """

    name: str
    train: Examples
    validation: Examples
    model: nn.Module
    loss: Callable[[Tensor, Batch], Loss]
    plan: OptimizationPlan
    scores: Callable[[Encode], Mapping[str, float]] | None = None
    scored: Mapping[str, ValidationMetric] = field(default_factory=dict)


@dataclass(frozen=True)
class InputFormat:
    """The conversion of texts to tokens, in training and inference.

    Title and abstract are joined by `join` and truncated to `max_tokens`; `cls_tokens` is the
    number of [CLS] tokens at the beginning. `prompt` and `query_prompt` are texts before those of
    papers and of queries.
    """

    tokenizer: Path
    join: str
    max_tokens: int
    cls_tokens: int = 1
    prompt: str = ""
    query_prompt: str = ""

    @property
    def template(self) -> str:
        """The format as the template of a model package."""
        joined = "{title}{sep}{abstract}" if self.join == "sep" else "{title} {abstract}"
        return escape_braces(self.prompt) + joined

    @property
    def query_template(self) -> str:
        """The template of queries of a model package; empty if it is that of papers."""
        same = self.query_prompt == self.prompt
        return "" if same else escape_braces(self.query_prompt) + "{title}"


class Method(Protocol):
    """A method applied to one corpus. Created by `METHODS[key](setup)`."""

    @property
    def stages(self) -> Sequence[TrainingStage]: ...

    @property
    def encoder(self) -> TextModel:
        """The model for the package. It shares its weights with the models of the stages."""

    @property
    def reading(self) -> InputFormat: ...

    @property
    def records(self) -> Mapping[str, Any]:
        """Details saved as JSON with the weights: classes, numbers of examples, and reasons for
        excluding others."""


@runtime_checkable
class LabelledMethod(Method, Protocol):
    """A method whose papers have labels, which a layer after the pooling can emphasize."""

    @property
    def labelled(self) -> tuple[LabelledPapers, LabelledPapers]:
        """The training and the validation papers."""


@dataclass(frozen=True)
class Setup:
    """The inputs of a method. `settings` holds every setting of its MethodSpec, checked.

    `base` is a folder with a tokenizer and the weights to start from, and `folder` that of the run,
    where a method may store files of its own. `package` is the package of the base, if it is one:
    its prompts are kept. `device` is that of the training.
    """

    corpus: Corpus
    base: Path
    folder: Path
    settings: Mapping[str, Any]
    seed: int
    note: Callable[[str], None] = field(default=lambda _: None)
    package: Package | None = None
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    def backbone(self) -> Backbone:
        """Load the transformer to start from, with adapters if only these are trained. Raises
        TrainerError."""
        settings, dropout = self.settings, self.settings["dropout"]
        if rank := settings["lora_rank"]:
            found = Backbone.adapted(self.base, rank, settings["lora_alpha"], dropout)
        else:
            found = Backbone.load(self.base, dropout)
        for name in ("max_tokens", "read_tokens"):
            self.check_places(found, self.settings[name], name)
        return found

    def pooled(self, backbone: Backbone, pooling: str) -> TextModel:
        """Return a model with this pooling. Notes it if the pooler was never trained."""
        if pooling == "pooler" and backbone.drawn_pooler:
            self.note(
                f"The base model {self.base} has no pooler; a pooler with random weights is "
                "trained. Other values of pooling use trained weights only."
            )
        return TextModel(backbone, pooling)

    def check_places(self, backbone: Backbone, tokens: int, setting: str) -> None:
        """Raise TrainerError, naming the setting, if the transformer has too few positions for so
        many tokens."""
        places = backbone.config.get("max_position_embeddings", tokens)
        if tokens > places:
            raise TrainerError(
                f"The base model {self.base} accepts at most {places} tokens, not {tokens}.",
                f"Set {setting}={places} or less.",
            )

    def reading(self, cls_tokens: int = 1) -> InputFormat:
        """Return the input format of the settings, with the tokenizer of the base."""
        most = self.settings["read_tokens"] or self.settings["max_tokens"]
        prompt, query_prompt = prompts_of(self.package) if self.package else ("", "")
        return InputFormat(self.base, self.settings["join"], most, cls_tokens, prompt, query_prompt)

    def texts(self, reading: InputFormat, queries: Iterable[TextPart] = ()) -> Texts:
        """Return the corpus as tokens, truncated as for training; they are created once and cached
        beside it. `queries` are the parts that stand for typed queries."""
        cache = TokenCache.open(self.corpus, reading.tokenizer, self.note)
        return Texts(
            cache,
            join=reading.join,
            max_tokens=self.settings["max_tokens"],
            cls_tokens=reading.cls_tokens,
            prompts=Prompts.of(reading.tokenizer, reading.prompt, reading.query_prompt),
            queries=queries,
        )
