"""Remembered facts about models: encoding speed here, and the result of file verification."""

from __future__ import annotations

import hashlib
import json
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

# Papers from which on a speed says something.
_ENOUGH = 128


class VerificationResult(NamedTuple):
    """The problem found when a model's present files were last verified; empty: none."""

    problem: str = ""
    hint: str = ""


class VerificationCache:
    """A file of what would take a while to find out again; it may be lost. Safe from any thread."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._writing = threading.Lock()
        self._read: dict[str, tuple[int, float]] = {}  # since the program was started

    def speed(self, space: str) -> float | None:
        """Papers a second that were read into this space, on this computer."""
        found = self._known().get("speeds", {}).get(space)
        return float(found) if isinstance(found, int | float) and found > 0 else None

    def has_read(self, space: str, papers: int, seconds: float) -> None:
        """Written down once it is enough to say something, and when there is twice as much."""
        with self._writing:
            before, took = self._read.get(space, (0, 0.0))
            now = before + papers
            self._read[space] = now, took + seconds
        if now >= _ENOUGH and (before < _ENOUGH or now.bit_length() > before.bit_length()):
            self._note("speeds", space, round(now / max(took + seconds, 1e-3), 1))

    def verdict(self, model: str, folder: Path) -> VerificationResult | None:
        """None if they were not verified since the last change."""
        match self._known().get("verdicts", {}).get(model):
            case [str(looks), str(problem), str(hint)] if looks == _looks(folder):
                return VerificationResult(problem, hint)
        return None

    def judge(self, model: str, folder: Path, verdict: VerificationResult) -> None:
        self._note("verdicts", model, [_looks(folder), *verdict])

    def _note(self, what: str, name: str, value: Any) -> None:
        with self._writing, suppress(OSError):
            known = self._known()
            known[what] = known.get(what, {}) | {name: value}
            self._file.parent.mkdir(parents=True, exist_ok=True)
            half = self._file.with_name(f"{self._file.name}.new")
            half.write_text(json.dumps(known, indent=1), "utf-8")
            half.replace(self._file)

    def _known(self) -> dict[str, dict[str, Any]]:
        try:
            found = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {name: value for name, value in found.items() if isinstance(value, dict)}


def _looks(folder: Path) -> str:
    """Changes with any file of the folder, and is found out without reading one."""
    try:
        states = {path.relative_to(folder): path.lstat() for path in sorted(folder.rglob("*"))}
    except (OSError, RecursionError):
        return ""
    told = [f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in states.items()]
    return hashlib.sha256("\n".join(told).encode("utf-8", "replace")).hexdigest()[:16]
