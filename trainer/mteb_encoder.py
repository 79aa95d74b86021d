"""Models as encoders of MTEB, the Massive Text Embedding Benchmark (Muennighoff et al., 2023).

`mteb.evaluate(MtebEncoder("starter"), tasks)` computes their scores; mteb is installed separately.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from trainer.contract.package import find_model
from trainer.encoder import Encoder


class MtebEncoder:
    """A model as mteb's EncoderProtocol."""

    def __init__(
        self, model_name: str, revision: str | None = None, *, device: str = "", **_: Any
    ) -> None:
        """`model_name` is "starter", a model folder, or the name of an installed model; `revision`
        is that of MTEB's results, by default a hash of the model. Raises PackageRefused."""
        self._encoder = Encoder(find_model(model_name), device)
        self._revision = revision

    def encode(
        self,
        inputs: Iterable[Mapping[str, Sequence[str]]],
        *,
        prompt_type: Any = None,
        **_: Any,
    ) -> NDArray[np.float32]:
        """Return the vectors of unit length of all texts of the batches, [texts, dim].

        Documents with a title are read as papers with title and abstract. `prompt_type` is
        PromptType.query for queries, which are read with the prompt of queries.
        """
        texts = [text for batch in inputs for text in _texts_of(batch)]
        return self._encoder.encode(texts, queries=getattr(prompt_type, "value", "") == "query")

    def similarity(self, embeddings1: Any, embeddings2: Any) -> Tensor:
        """Return the cosines between all vectors of the first and of the second, [n, m]."""
        return _unit(embeddings1) @ _unit(embeddings2).T

    def similarity_pairwise(self, embeddings1: Any, embeddings2: Any) -> Tensor:
        """Return the cosines between corresponding vectors, [n]."""
        return (_unit(embeddings1) * _unit(embeddings2)).sum(-1)

    @property
    def mteb_model_meta(self) -> Any:
        """The description of the model in MTEB's results."""
        from mteb.models.model_meta import ModelMeta, ScoringFunction  # not a dependency

        package = self._encoder.package
        hashed = package.files.get(package.weights, package.id).removeprefix("sha256:")[:12]
        return ModelMeta.create_empty(
            {
                # MTEB wants an organization.
                "name": package.id if "/" in package.id else f"sciread/{package.id}",
                "revision": self._revision or hashed,
                "max_tokens": package.max_tokens,
                "embed_dim": package.dim,
                "similarity_fn_name": ScoringFunction.COSINE,
                "use_instructions": bool(package.query_template),
                "framework": ["PyTorch"],
            }
        )


def _texts_of(batch: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """The title and abstract of each text of a batch; a text without title is one by itself."""
    if "title" not in batch or "body" not in batch:
        return [(text, "") for text in batch["text"]]
    return [
        (title, body) if title else (body, "")
        for title, body in zip(batch["title"], batch["body"], strict=True)
    ]


def _unit(vectors: Any) -> Tensor:
    found = torch.as_tensor(np.asarray(vectors, np.float32))
    return torch.nn.functional.normalize(found, dim=-1)
