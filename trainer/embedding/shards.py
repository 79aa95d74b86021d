"""Vectors of very many papers as a folder of shards, each written atomically.

plan.json              model, inputs and shards
shards/000042/         vectors.npy [papers, dim], ids.json, manifest.json
leases/                shards in work, by worker; empty at the end
manifest.jsonl         all shards' manifests, once everything is done
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.package import Package, file_hash
from trainer.embedding.inputs import InputPart

FORMAT = 1
PLAN, MANIFEST, MANIFESTS = "plan.json", "manifest.json", "manifest.jsonl"
VECTORS, IDS = "vectors.npy", "ids.json"


@dataclass(frozen=True)
class Shard:
    """One part of one of the plan's inputs."""

    number: int
    input: int
    part: InputPart

    @property
    def name(self) -> str:
        return f"{self.number:06}"


@dataclass(frozen=True)
class ShardPlan:
    """The work of all workers of an output folder. `inputs` are (name, stamp)."""

    space: str
    model: str
    dim: int
    dtype: str
    inputs: tuple[tuple[str, str], ...]
    shards: tuple[Shard, ...]

    @property
    def papers(self) -> int:
        return sum(shard.part.count for shard in self.shards)

    @classmethod
    def read(cls, folder: Path) -> ShardPlan | None:
        """The plan of this folder, or None if it has none yet. Raises TrainerError."""
        try:
            found = json.loads((folder / PLAN).read_text(encoding="utf-8"))
            if found["format"] != FORMAT:
                raise ValueError(f"format {found['format']}")
            shards = (
                Shard(n, at, InputPart(*part)) for n, (at, *part) in enumerate(found["shards"])
            )
            inputs = tuple((name, stamp) for name, stamp in found["inputs"])
            values = {name: found[name] for name in ("space", "model", "dim", "dtype")}
            return cls(inputs=inputs, shards=tuple(shards), **values)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise TrainerError(
                f"{folder / PLAN} could not be read: {error}.", "Use a new output folder."
            ) from error

    def write(self, folder: Path) -> None:
        shards = [[s.input, *asdict(s.part).values()] for s in self.shards]
        described = asdict(self) | {"format": FORMAT, "shards": shards}
        write_whole(folder / PLAN, json.dumps(described))

    def check(
        self, package: Package, dtype: str, inputs: Sequence[tuple[str, str]], folder: Path
    ) -> None:
        """Raise TrainerError unless the plan is for this model, type and these inputs."""
        if self.space != package.space:
            raise TrainerError(
                f"{folder} contains vectors of {self.model}, not of {package.title}.",
                "Vectors of different models are not comparable. Use a new output folder.",
            )
        if self.dtype != dtype:
            raise TrainerError(
                f"{folder} was created with data type {self.dtype}, not {dtype}.",
                f"Continue with --dtype {self.dtype}, or use a new output folder.",
            )
        names = [name for name, _ in self.inputs]
        if [name for name, _ in inputs] != names:
            raise TrainerError(
                f"{folder} was created with other inputs: {', '.join(names[:5])}.",
                "Specify the same inputs in the same order, or use a new output folder.",
            )
        for (name, stamp), (_, then) in zip(inputs, self.inputs, strict=True):
            if stamp != then:
                raise changed(name)


def plan_of(
    package: Package,
    dtype: str,
    inputs: Sequence[tuple[str, str]],
    parts: Iterable[tuple[int, InputPart]],
) -> ShardPlan:
    """A plan for these parts of inputs, each with the number of its input."""
    shards = tuple(Shard(number, at, part) for number, (at, part) in enumerate(parts))
    if not shards:
        raise TrainerError("The inputs contain no papers.", "Specify files with papers.")
    return ShardPlan(package.space, package.title, package.dim, dtype, tuple(inputs), shards)


def changed(name: str | Path) -> TrainerError:
    return TrainerError(
        f"{name} has changed since this output was created.",
        "Use a new output folder, or restore the original file.",
    )


class Store:
    """The shards of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "shards"
        self._output = folder

    def finished(self) -> set[str]:
        """Names of all finished shards."""
        if not self.folder.is_dir():
            return set()
        return {path.name for path in self.folder.iterdir() if "." not in path.name}

    def has(self, shard: Shard) -> bool:
        return (self.folder / shard.name).is_dir()

    def write(
        self, shard: Shard, ids: Sequence[str], vectors: NDArray[Any], about: Mapping[str, Any]
    ) -> bool:
        """Add a shard atomically and durably; False if another worker was first."""
        unfinished = self.folder / f"{shard.name}.{uuid.uuid4().hex[:8]}"
        unfinished.mkdir(parents=True)
        try:
            _save(unfinished / VECTORS, vectors)
            (unfinished / IDS).write_text(json.dumps(list(ids)), "utf-8")
            files = {name: file_hash(unfinished / name) for name in (VECTORS, IDS)}
            described = {"shard": shard.name, "rows": len(ids)} | dict(about) | {"files": files}
            (unfinished / MANIFEST).write_text(json.dumps(described), encoding="utf-8")
            for path in (*unfinished.iterdir(), unfinished):
                _to_disk(path)
            return self._rename(unfinished, self.folder / shard.name)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    def _rename(self, unfinished: Path, shard: Path) -> bool:
        # Renaming to a folder that is not empty fails on every file system: one worker succeeds.
        try:
            unfinished.rename(shard)
        except OSError:
            if not shard.is_dir():
                raise
            # A network file system may retry a rename that succeeded, and report failure.
            return not unfinished.exists()
        _to_disk(self.folder)
        return True

    def manifest(self, name: str) -> dict[str, Any]:
        """Read the manifest of a finished shard. Raises TrainerError."""
        path = self.folder / name / MANIFEST
        try:
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return found
        except (OSError, ValueError) as error:
            raise TrainerError(
                f"{path} could not be read: {error}.",
                f"Delete {path.parent}, then run the embedding again.",
            ) from error

    def manifests(self) -> Iterator[dict[str, Any]]:
        return (self.manifest(name) for name in sorted(self.finished()))

    def close(self) -> None:
        """Write the list of all shards, and remove unfinished shards of dead workers."""
        lines = "".join(json.dumps(found) + "\n" for found in self.manifests())
        write_whole(self._output / MANIFESTS, lines)
        for left in self.folder.glob("*.*"):
            shutil.rmtree(left, ignore_errors=True)


def write_whole(path: Path, text: str) -> None:
    """Write a small file atomically."""
    unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}")
    unfinished.write_text(text, encoding="utf-8")
    _to_disk(unfinished)
    unfinished.replace(path)


def _save(path: Path, vectors: NDArray[Any]) -> None:
    """Like np.save, which does not report a disk that is full for the last kilobytes."""
    with path.open("wb") as file:
        shape = np.lib.format.header_data_from_array_1_0(vectors)
        np.lib.format.write_array_header_1_0(file, shape)
        file.write(np.ascontiguousarray(vectors).data)


def _to_disk(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows cannot sync folders
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@dataclass
class Checked:
    """Result of `verify`: totals and problems."""

    shards: int = 0
    papers: int = 0
    skipped: int = 0
    problems: list[str] = field(default_factory=list)


def verify(folder: Path) -> Checked:
    """Check all shards for missing, changed and duplicate papers. Raises TrainerError.

    Needs 8 bytes of memory per paper.
    """
    plan = ShardPlan.read(folder)
    if plan is None:
        raise TrainerError(
            f"{folder} contains no vectors.", "Specify the output folder of an embedding."
        )
    store, found, hashes = Store(folder), Checked(), []
    there = store.finished()
    for shard in plan.shards:
        if shard.name not in there:
            found.problems.append(f"Shard {shard.name} is missing.")
            continue
        try:
            ids, skipped = _checked_shard(store, plan, shard)
        except (TrainerError, OSError, ValueError, KeyError, TypeError) as error:
            found.problems.append(f"Shard {shard.name} is damaged: {error}")
            continue
        found.shards += 1
        found.papers += len(ids)
        found.skipped += skipped
        hashes.append(np.array([_short_hash(name) for name in ids], np.uint64))
    strange = there - {shard.name for shard in plan.shards}
    found.problems += [f"Shard {name} is not part of the plan." for name in sorted(strange)]
    found.problems += _twice(store, hashes)
    return found


def _checked_shard(store: Store, plan: ShardPlan, shard: Shard) -> tuple[list[str], int]:
    """Ids of a shard and the number of skipped entries. Raises ValueError if it is damaged."""
    folder, manifest = store.folder / shard.name, store.manifest(shard.name)
    for name in (VECTORS, IDS):
        if file_hash(folder / name) != manifest["files"][name]:
            raise ValueError(f"{name} has changed since it was written.")
    ids = json.loads((folder / IDS).read_text(encoding="utf-8"))
    vectors = np.load(folder / VECTORS, mmap_mode="r", allow_pickle=False)
    if vectors.shape != (len(ids), plan.dim) or vectors.dtype != plan.dtype:
        raise ValueError(f"{VECTORS} is {vectors.dtype} {vectors.shape}.")
    if manifest["space"] != plan.space:
        raise ValueError("it belongs to another model.")
    skipped = len(manifest["skipped"])
    if len(ids) + skipped != shard.part.count:
        raise ValueError(f"it has {len(ids) + skipped} of {shard.part.count} entries.")
    return ids, skipped


def _twice(store: Store, hashes: list[NDArray[np.uint64]]) -> list[str]:
    none = np.zeros(0, np.uint64)
    every, counts = np.unique(np.concatenate([none, *hashes]), return_counts=True)
    again = set(every[counts > 1].tolist())
    if not again:
        return []
    for name in sorted(store.finished()):
        ids = json.loads((store.folder / name / IDS).read_text(encoding="utf-8"))
        if first := next((found for found in ids if _short_hash(found) in again), None):
            break
    return [f"{len(again):,} IDs occur more than once, for example {first}."]


def _short_hash(name: str) -> int:
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
