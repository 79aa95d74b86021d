"""Encoding with a model: titles and abstracts to unit vectors."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch.nn import functional as F

from trainer.contract.errors import PackageRefused
from trainer.contract.package import Package, special_tokens
from trainer.model.backbone import load_backbone, load_pooling, precision
from trainer.model.device import device_named
from trainer.model.packed import pack

# Tokens per forward pass: more of them would displace the activations from a core's cache.
CPU_BUDGET = 2_048
CUDA_BUDGET = 131_072
# Pairs that are tokenized and sorted together: enough to find equal lengths, few to hold in memory.
CHUNK = 1_024
CUDA_CHUNK = 2_048
# Batches in flight on a GPU: one is packed, copied and submitted while another is computed.
_IN_FLIGHT = 2


# Batches that were submitted: their rows, and an iterator that waits for their vectors.
_Started = Iterator[tuple[NDArray[np.intp], NDArray[np.float32]]]


class Encoder:
    """Encodes (title, abstract) pairs to vectors of unit length; a typed query is (query, "").

    A paper's vector does not depend on the papers that it is encoded with.
    """

    def __init__(
        self, package: Package, device: str = "", *, exact: bool = False, raw: bool = False
    ) -> None:
        """`device` is a torch device name; empty: the first GPU, or else the CPU.

        `exact` computes in float32 even where bfloat16 is faster. `raw` skips the normalization to
        unit length, for published evaluations. Raises TrainerError.
        """
        self.package = package
        self.text = TextReader(
            package.folder,
            package.template,
            package.max_tokens,
            package.cls_tokens,
            package.title,
            package.query_template,
        )
        self.device = device_named(device)
        dtype = torch.float32 if exact else precision(self.device)
        self._backbone = load_backbone(package, self.device, dtype)
        self._pool = load_pooling(package, self.device)
        self._raw = raw
        on_cpu = self.device.type == "cpu"
        self._budget = CUDA_BUDGET if self.device.type == "cuda" else CPU_BUDGET
        self._chunk = CUDA_CHUNK if self.device.type == "cuda" else CHUNK
        # A batch per core is faster than a batch on all cores, where each operation waits for the
        # slowest.
        self._cores = torch.get_num_threads() if on_cpu else 1
        workers = self._cores if on_cpu else _IN_FLIGHT
        self._threads = ThreadPoolExecutor(workers, "encode", torch.set_num_threads, (1,))

    def encode(
        self, pairs: Sequence[tuple[str, str]], *, queries: bool = False
    ) -> NDArray[np.float32]:
        """Return one row per pair, in their order. `queries`: they are typed queries."""
        vectors = np.empty((len(pairs), self.package.dim), np.float32)
        # On a GPU the next chunk is submitted before the last is read back.
        ahead = 0 if self.device.type == "cpu" else 1
        started, done = deque[tuple[NDArray[np.float32], _Started]](), 0
        for ids in self._read_ahead(pairs, queries):
            started.append((vectors[done : done + len(ids)], self._start(ids)))
            done += len(ids)
            if len(started) > ahead:
                self._finish(*started.popleft())
        while started:
            self._finish(*started.popleft())
        return vectors

    def encode_ids(self, ids: Sequence[list[int]]) -> NDArray[np.float32]:
        """Encode token ids, as `text.ids` returns them for pairs."""
        vectors = np.empty((len(ids), self.package.dim), np.float32)
        self._finish(vectors, self._start(ids))
        return vectors

    def _start(self, ids: Sequence[list[int]]) -> _Started:
        batches = self._batches([len(row) for row in ids])
        found = self._threads.map(self._encode, ([ids[row] for row in rows] for rows in batches))
        return zip(batches, found, strict=True)

    def _finish(self, vectors: NDArray[np.float32], started: _Started) -> None:
        for rows, batch in started:
            if batch.shape[1] != self.package.dim:
                raise PackageRefused(
                    f"The model {self.package.title} produces vectors with {batch.shape[1]} "
                    f"dimensions, not with {self.package.dim} as specified in its package.json.",
                    "Download the model again from its source.",
                )
            vectors[rows] = batch

    def _read_ahead(
        self, pairs: Sequence[tuple[str, str]], queries: bool
    ) -> Iterator[list[list[int]]]:
        """Tokenize chunks of the pairs; on a GPU, each while it computes the one before."""
        chunks = [pairs[start : start + self._chunk] for start in range(0, len(pairs), self._chunk)]
        if self.device.type == "cpu" or len(chunks) < 2:
            yield from (self.text.ids(chunk, queries=queries) for chunk in chunks)
            return
        with ThreadPoolExecutor(1, "tokenize") as beside:
            following = beside.submit(self.text.ids, chunks[0], queries=queries)
            for chunk in chunks[1:]:
                ids = following.result()
                following = beside.submit(self.text.ids, chunk, queries=queries)
                yield ids
            yield following.result()

    def _batches(self, lengths: list[int]) -> list[NDArray[np.intp]]:
        """Return rows of similar length, longest first, as many as fit the budget of tokens."""
        budget = self._budget
        if self._cores > 1:  # batches small enough that the cores finish together
            budget = min(budget, max(512, sum(lengths) // (4 * self._cores)))
        order = np.argsort(lengths, kind="stable")[::-1]
        batches = []
        while len(order):
            fit = max(1, budget // lengths[order[0]])
            batches.append(order[:fit])
            order = order[fit:]
        return batches

    def _encode(self, ids: list[list[int]]) -> NDArray[np.float32]:
        try:
            with torch.inference_mode():
                vectors = self._pool(self._backbone, pack(ids).to(self.device))
                return (vectors if self._raw else F.normalize(vectors, dim=1)).cpu().numpy()
        except torch.OutOfMemoryError:
            if len(ids) == 1:
                raise
        self._budget = max(1, self._budget // 2)
        half = len(ids) // 2
        return np.concatenate([self._encode(ids[:half]), self._encode(ids[half:])])


class Tokens(NamedTuple):
    """Texts as word pieces, and which of them were truncated."""

    ids: list[list[int]]
    cut: list[bool]


class TextReader:
    """Tokenizes title and abstract in the format that the model was trained on.

    Both are one segment, joined by the package's template; texts that are too long are truncated at
    the end, so that the title is kept. If the model has several [CLS], they come first: [CLS]
    [unused1] [unused2].
    """

    def __init__(
        self,
        folder: Path,
        template: str,
        max_tokens: int,
        cls_tokens: int = 1,
        title: str = "",
        query_template: str = "",
    ) -> None:
        """`folder` contains tokenizer.json, `title` names the model in errors; an empty
        `query_template` is `template`."""
        self._templates = {False: template, True: query_template or template}
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._more_cls = [self._unused(number) for number in range(1, cls_tokens)]
        room = max_tokens - len(self._more_cls)
        if room < 3:
            raise PackageRefused(
                f"The model {title} has no room for text within {max_tokens} tokens."
            )
        self._tokenizer.enable_truncation(room)
        special = special_tokens(folder)
        self._separator = special["sep"]
        self._pad = self._tokenizer.token_to_id(special["pad"]) or 0

    def ids(self, pairs: Sequence[tuple[str, str]], *, queries: bool = False) -> list[list[int]]:
        return self.read(pairs, queries=queries).ids

    def read(self, pairs: Sequence[tuple[str, str]], *, queries: bool = False) -> Tokens:
        """Return the ids, and which of the texts were truncated. `queries`: they are typed
        queries."""
        template = self._templates[queries]
        texts = [self._text(template, title, abstract) for title, abstract in pairs]
        found = self._tokenizer.encode_batch_fast(texts)
        rows = [encoding.ids for encoding in found]
        ids = [row[:1] + self._more_cls + row[1:] or [self._pad] for row in rows]
        return Tokens(ids, [bool(encoding.overflowing) for encoding in found])

    def _unused(self, number: int) -> int:
        found = self._tokenizer.token_to_id(f"[unused{number}]")
        if found is None:
            raise PackageRefused(
                f"The model's tokenizer has no [unused{number}] token for an "
                "additional [CLS] token."
            )
        return int(found)

    def _text(self, template: str, title: str, abstract: str) -> str:
        text = template.format(
            title=title,
            abstract=abstract,
            sep=self._separator,
            sep_if_abstract=self._separator if abstract.strip() else "",
        )
        # The tokenizer refuses a lone surrogate, as broken files have them.
        return text.strip().encode("utf-8", "replace").decode("utf-8")
