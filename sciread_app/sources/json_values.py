"""Values of JSON answers, of which none can be trusted to have the documented type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def as_mapping(value: Any) -> Mapping[str, Any]:
    """This object; empty if it is none."""
    return value if isinstance(value, dict) else {}


def as_objects(value: Any) -> list[dict[str, Any]]:
    """The objects of this list; empty if it is none."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """This text without spaces around it, or this whole number as text; empty if it is neither."""
    if isinstance(value, str):
        return value.strip()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
