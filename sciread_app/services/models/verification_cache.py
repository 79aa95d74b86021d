"""A cache of the encoding speed of models, and of the results of verifying their files."""

from __future__ import annotations

import hashlib
import json
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from trainer.contract.run import write_atomically

_LEAST_PAPERS = 128  # from which on a speed is reliable


class VerificationResult(NamedTuple):
    """The problem found when a model's present files were last verified; empty: none."""

    problem: str = ""
    hint: str = ""


class VerificationCache:
    """A JSON file that may be lost: its contents can be computed again. Safe to use from any
    thread."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock = threading.Lock()
        # Papers and seconds by space, since the program was started.
        self._encoded: dict[str, tuple[int, float]] = {}

    def speed(self, space: str) -> float | None:
        """Return the papers per second encoded by the model of this space on this computer; None if
        that is unknown."""
        speed = self._contents().get("speeds", {}).get(space)
        return float(speed) if isinstance(speed, int | float) and speed > 0 else None

    def record_speed(self, space: str, papers: int, seconds: float) -> None:
        """Add a measurement. The speed is written once it is reliable, and again whenever the
        number of papers has doubled."""
        with self._lock:
            before, seconds_before = self._encoded.get(space, (0, 0.0))
            now, seconds = before + papers, seconds_before + seconds
            self._encoded[space] = now, seconds
        doubled = now.bit_length() > before.bit_length()
        if now >= _LEAST_PAPERS and (before < _LEAST_PAPERS or doubled):
            self._store("speeds", space, round(now / max(seconds, 1e-3), 1))

    def verdict(self, model: str, folder: Path) -> VerificationResult | None:
        """Return the result of the last verification of a model's files; None if they have changed
        since, or were never verified."""
        match self._contents().get("verdicts", {}).get(model):
            case [str(fingerprint), str(problem), str(hint)] if fingerprint == _fingerprint(folder):
                return VerificationResult(problem, hint)
        return None

    def record_verdict(self, model: str, folder: Path, verdict: VerificationResult) -> None:
        """Record the result of verifying the present files of a model."""
        self._store("verdicts", model, [_fingerprint(folder), *verdict])

    def _store(self, section: str, key: str, value: Any) -> None:
        with self._lock, suppress(OSError):
            contents = self._contents()
            contents[section] = contents.get(section, {}) | {key: value}
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._file, json.dumps(contents, indent=1))

    def _contents(self) -> dict[str, dict[str, Any]]:
        try:
            found = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {name: value for name, value in found.items() if isinstance(value, dict)}


def _fingerprint(folder: Path) -> str:
    """Return a hash of the names, sizes and modification times of the files in a folder, none of
    which is read; empty if they cannot be listed."""
    try:
        states = {path.relative_to(folder): path.lstat() for path in sorted(folder.rglob("*"))}
    except (OSError, RecursionError):
        return ""
    lines = [f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in states.items()]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:16]
