"""Encoder for model packages that encodes each text once and caches its vector."""

from __future__ import annotations

import hashlib
import json
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from trainer.contract.corpus_stats import DEFAULT_SPLIT
from trainer.contract.package import Package, file_hash
from trainer.contract.report import EvaluatedModel
from trainer.contract.run import RECORDS
from trainer.distributed import Ranks
from trainer.encoder import Encoder
from trainer.encoders.base import Cost, EncodedTask, has_text
from trainer.encoders.vector_cache import CachedVectors, VectorCache, text_key
from trainer.evaluations.base import EvaluationTask, TextInput, Vectors
from trainer.model.backbone import precision
from trainer.version import trainer_version

# Texts per batch that is encoded and cached. Batches do not depend on the number of ranks, because
# the last bits of a vector depend on the other texts of its batch.
_PIECE = {"cpu": 256, "cuda": 4_096}


class ModelEncoder:
    """A package on one or more ranks: all request the same texts and get all vectors."""

    def __init__(
        self,
        package: Package,
        *,
        kind: str = "package",
        found: str = "",
        ranks: Ranks,
        cache: VectorCache,
        exact: bool = False,
        about: Mapping[str, Any] | None = None,
        note: Callable[[str], None] = lambda _: None,
        read: Callable[[int, int], None] = lambda texts, of: None,
    ) -> None:
        """`about` holds further facts for the subject of the report."""
        self._package, self._ranks, self._cache, self._note = package, ranks, cache, note
        self._read = read
        self._exact = exact
        dtype = torch.float32 if exact else precision(ranks.device)
        self._precision = str(dtype).removeprefix("torch.")
        files = _fingerprint(package)
        self._key = f"{package.space}-{self._precision}-{files}-{trainer_version()}"
        self.subject = _subject(
            package,
            kind,
            found,
            {
                "files": files,
                "precision": self._precision,
                "device": ranks.device.type,
                **(about or {}),
            },
        )

    def unsupported_reason(self, task: EvaluationTask) -> str:
        """Its training run may list journals that the task requires to be unseen."""
        learned = _learned_journals(self._package.folder.parent) if task.unseen else set()
        known = sorted(name for name in task.unseen if name.casefold() in learned)
        return f"the model was trained on {known[0]}, which must be unseen" if known else ""

    def encode(self, papers: Sequence[TextInput], queries: Sequence[TextInput] = ()) -> EncodedTask:
        """Encode texts; papers and queries without text have no vector and count as empty."""
        if queries and self._package.query_template:
            made, _, cost = self._encode_all(papers, (), False)
            asked, _, more = self._encode_all(queries, (), True)
            total = Cost(
                cost.texts + more.texts,
                cost.tokens + more.tokens,
                cost.cut,
                cost.seconds + more.seconds,
            )
            return EncodedTask(made, asked, total)
        return EncodedTask(*self._encode_all(papers, queries, False))

    def _encode_all(
        self, papers: Sequence[TextInput], queries: Sequence[TextInput], as_queries: bool
    ) -> tuple[Vectors, Vectors | None, Cost]:
        """Encode papers, and queries that are read as papers are; or the other way around."""
        filled = [paper for paper in (*papers, *queries) if has_text(paper)]
        texts = {text_key(p.title, p.abstract): (p.title, p.abstract) for p in filled}
        rows = self._rows(texts, as_queries)
        places = {key: row for row, key in enumerate(texts)}
        read = _places(papers, places)
        made = _vectors(papers, read, rows.vectors)
        asked = _vectors(queries, _places(queries, places), rows.vectors) if queries else None
        seconds = float(rows.seconds.sum())
        cost = Cost(len(texts), int(rows.tokens.sum()), int(rows.cut[read].sum()), seconds)
        return made, asked, cost

    @cached_property
    def _encoder(self) -> Encoder:
        return Encoder(self._package, str(self._ranks.device), exact=self._exact, raw=True)

    def _rows(self, texts: dict[bytes, tuple[str, str]], queries: bool) -> CachedVectors:
        keys = list(texts)
        rows = CachedVectors.empty(len(keys), self._package.dim)
        known = self._cache.read(self._cache_key(queries), keys, rows)
        # Ranks may see different cache files, but must encode the same texts.
        lacking = np.flatnonzero(np.array(self._ranks.total((~known).tolist())))
        if len(lacking):
            self._report(len(lacking), len(keys))
            self._make(texts, keys, lacking, rows, queries)
        return rows

    def _cache_key(self, queries: bool) -> str:
        return f"{self._key}-queries" if queries else self._key

    def _make(
        self,
        texts: dict[bytes, tuple[str, str]],
        keys: list[bytes],
        lacking: NDArray[np.intp],
        rows: CachedVectors,
        queries: bool,
    ) -> None:
        """Encode missing texts, distributed over ranks, and gather the vectors on all."""
        size = _PIECE.get(self._ranks.device.type, _PIECE["cpu"])
        # Sorted by length: little padding, and equal work for all ranks.
        lacking = np.array(sorted(lacking, key=lambda row: (_length(texts[keys[row]]), keys[row])))
        pieces = [lacking[start : start + size] for start in range(0, len(lacking), size)]
        mine = pieces[self._ranks.rank :: self._ranks.world]
        done, all_mine = 0, sum(map(len, mine))
        for piece in mine:
            self._encode([texts[keys[row]] for row in piece], rows, piece, queries)
            self._keep([keys[row] for row in piece], rows, piece, queries)
            done += len(piece)
            self._read(done, all_mine)
        if self._ranks.world > 1:
            self._share(np.concatenate([np.empty(0, np.intp), *mine]), rows)

    def _encode(
        self,
        pairs: list[tuple[str, str]],
        rows: CachedVectors,
        piece: NDArray[np.intp],
        queries: bool,
    ) -> None:
        encoder = self._encoder  # loaded before the clock starts
        began = time.perf_counter()
        tokens = encoder.text.read(pairs, queries=queries)
        rows.vectors[piece] = encoder.encode_ids(tokens.ids)
        seconds = time.perf_counter() - began
        counts = np.array([len(ids) for ids in tokens.ids])
        rows.tokens[piece], rows.cut[piece] = counts, tokens.cut
        rows.seconds[piece] = seconds * counts / counts.sum()

    def _keep(
        self, keys: list[bytes], rows: CachedVectors, piece: NDArray[np.intp], queries: bool
    ) -> None:
        kept = CachedVectors.empty(len(piece), self._package.dim)
        kept.put(slice(None), rows, piece)
        try:
            self._cache.write(self._cache_key(queries), keys, kept)
        except OSError as error:
            self._note(f"The vectors could not be cached in {self._cache.folder}: {error}.")

    def _share(self, mine: NDArray[np.intp], rows: CachedVectors) -> None:
        own = CachedVectors.empty(len(mine), self._package.dim)
        own.put(slice(None), rows, mine)
        every = self._ranks.gather(torch.from_numpy(mine)).numpy()
        gathered = {
            name: self._ranks.gather(torch.from_numpy(values)).numpy()
            for name, values in vars(own).items()
        }
        rows.put(every, CachedVectors(**gathered))

    def _report(self, lacking: int, texts: int) -> None:
        if self._ranks.main:
            known = f"; {texts - lacking:,} are cached" if lacking < texts else ""
            self._note(f"{self.subject.title} is encoding {lacking:,} texts{known}.")


def _fingerprint(package: Package) -> str:
    """Names all that vectors depend on: the space, which the library's own vectors go by, leaves
    out the tokenizer, what config.json says, and how many [CLS] there are."""
    hashes = {
        name: package.files.get(name) or file_hash(package.folder / name)
        for name in sorted({*package.files, "config.json", "tokenizer.json"})
        if (package.folder / name).exists()  # an adapter has its base model's config.json
    }
    described = json.dumps([package.space, package.cls_tokens, hashes])
    return hashlib.sha256(described.encode()).hexdigest()[:12]


def _subject(package: Package, kind: str, found: str, more: Mapping[str, Any]) -> EvaluatedModel:
    weights = [package.folder / name for name in package.files if name.endswith(".safetensors")]
    return EvaluatedModel(
        id=package.id,
        title=package.title,
        kind=kind,
        found=found,
        space=package.space,
        method=package.method,
        base=package.base,
        dim=package.dim,
        about={
            "pooling": package.pooling,
            "template": package.template,
            **({"query_template": package.query_template} if package.query_template else {}),
            "max_tokens": package.max_tokens,
            "cls_tokens": package.cls_tokens,
            "licence": package.licence,
            "parameters": sum(_parameters(path) for path in weights),
            "bytes": sum(path.stat().st_size for path in weights),
            **_corpus(package),
            **more,
        },
    )


def _corpus(package: Package) -> dict[str, str]:
    """The corpus it was trained on, if known."""
    sha256 = package.corpus.get("sha256")
    if not isinstance(sha256, str):
        return {}
    split = str(package.corpus.get("split", DEFAULT_SPLIT))
    return {"corpus_sha256": sha256, "corpus_split": split}


def _learned_journals(run: Path) -> set[str]:
    """Journals that a run was trained to classify, casefolded; empty if it is no run."""
    try:
        described = json.loads((run / RECORDS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    names = described.get("classes") if isinstance(described, dict) else None
    return {name.casefold() for name in names or () if isinstance(name, str)}


def _parameters(weights: Path) -> int:
    """Number of values in a safetensors file, from its header."""
    with weights.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        head: dict[str, Any] = json.loads(file.read(length))
    return sum(prod(part["shape"]) for name, part in head.items() if name != "__metadata__")


def _places(papers: Sequence[TextInput], places: dict[bytes, int]) -> NDArray[np.intp]:
    """Row of each paper that has text."""
    filled = (text_key(paper.title, paper.abstract) for paper in papers if has_text(paper))
    return np.array([places[key] for key in filled], np.intp)


def _vectors(
    papers: Sequence[TextInput], rows: NDArray[np.intp], matrix: NDArray[np.float32]
) -> Vectors:
    ids = [paper.id for paper in papers if has_text(paper)]
    empty = frozenset(paper.id for paper in papers if not has_text(paper))
    return Vectors(ids, matrix[rows], empty)


def _length(pair: tuple[str, str]) -> int:
    return len(pair[0]) + len(pair[1])
