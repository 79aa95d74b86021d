"""Events of a run: the lines of its events.jsonl."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Prefix of the line of a step; see Event.line.
_STEP = b'{"event": "step"'


@dataclass(frozen=True)
class Event:
    """One line of events.jsonl: an event, its time (seconds since 1970) and the steps completed.

    Steps are counted over all stages. `values` depend on the kind:

    - start: recipe, method, base, base_model {weights, space}, corpus {papers, sha256}, seed,
      device, ranks, versions, precision, budget, fsdp, checkpointing, compile,
      steps (in all), stages [{name, examples, validation, steps, batch_size}]
    - resume: why; continues after `step`; earlier lines with later steps are void
    - stage: name, number
    - step: stage, epoch, loss, learning_rate, gradient_norm, tokens, tokens_per_second,
      examples_per_second, memory (peak bytes so far), eta (seconds left)
    - validation: stage, loss, scores {name: number}, best (whether it is the best so far)
    - mixture: stage, share (of the base model's weights in the finished model), scores (of the
      finished model; the validations before have those of the trained weights)
    - head: stage, strength (of the layer that emphasizes labels; 0 for none), without and scores
      (without it and with it; of the weakest where there is none), why (there is none)
    - checkpoint: seconds (spent on saving)
    - note: text; warning: text
    - stop: why; error: message, hint; end: seconds, scores
    """

    kind: str
    at: float
    step: int = 0
    values: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        values = {"event": self.kind, "at": round(self.at, 3), "step": self.step, **self.values}
        return json.dumps(values, ensure_ascii=False) + "\n"

    @classmethod
    def of(cls, line: bytes) -> Event | None:
        """Parse a line; None if it is not an event, such as a line cut off by a full disk."""
        try:
            found = json.loads(line)
            return cls(found.pop("event"), found.pop("at"), found.pop("step"), found)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None


def events_in(text: bytes, thin: int = 1) -> list[Event]:
    """Parse the events of complete lines.

    With `thin`, only every `thin`-th step and the last one; the other lines are not parsed.
    """
    lines = _thinned(text.split(b"\n"), thin)
    return [event for line in lines if (event := Event.of(line))]


def _thinned(lines: list[bytes], thin: int) -> list[bytes]:
    """Return every `thin`-th of the lines of steps, and the last one."""
    if thin <= 1:
        return lines
    steps = [number for number, line in enumerate(lines) if line.startswith(_STEP)]
    dropped = {*steps} - {*steps[::thin], *steps[-1:]}
    return [line for number, line in enumerate(lines) if number not in dropped]
