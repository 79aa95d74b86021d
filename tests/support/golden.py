"""Recorded inputs and outputs of published implementations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def golden(shared: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((shared / "golden" / f"{name}.json").read_text())
    return found
