"""What happens in a run, as lines of its events.jsonl."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# How the line of a step begins; see Event.line.
_STEP = b'{"event": "step"'


@dataclass(frozen=True)
class Event:
    """One line of events.jsonl: what happened, when (seconds since 1970), after how many steps.

    The steps of all stages are counted together. What `values` hold depends on the kind:
    - start: recipe, method, base, base_model {weights, space}, corpus {papers, sha256}, seed,
      device, ranks, versions, precision, budget, fsdp, checkpointing, compile,
      steps (in all), stages [{name, examples, validation, steps, batch_size}]
    - resume: why; it goes on after `step`, and lines of later steps before this one are void
    - stage: name, number
    - step: stage, epoch, loss, learning_rate, gradient_norm, tokens, tokens_per_second,
      examples_per_second, memory (bytes at the most so far), eta (seconds left)
    - validation: stage, loss, scores {name: number}, best (whether it is the best so far)
    - checkpoint: seconds (that saving it took)
    - note: text; warning: text
    - stop: why; error: message, hint; end: seconds, scores
    """

    kind: str
    at: float
    step: int = 0
    values: Mapping[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        said = {"event": self.kind, "at": round(self.at, 3), "step": self.step, **self.values}
        return json.dumps(said, ensure_ascii=False) + "\n"

    @classmethod
    def of(cls, line: bytes) -> Event | None:
        """None for what is no event, such as a line that a full disk cut."""
        try:
            found = json.loads(line)
            return cls(found.pop("event"), found.pop("at"), found.pop("step"), found)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None


def events_in(text: bytes, thin: int = 1) -> list[Event]:
    """The events of whole lines. With `thin`, of steps only every so manieth and the last; the
    others are not even read."""
    lines = _thinned(text.split(b"\n"), thin)
    return [event for line in lines if (event := Event.of(line))]


def _thinned(lines: list[bytes], thin: int) -> list[bytes]:
    """Of the lines that tell of a step, every so manieth and the last."""
    if thin <= 1:
        return lines
    steps = [number for number, line in enumerate(lines) if line.startswith(_STEP)]
    dropped = {*steps} - {*steps[::thin], *steps[-1:]}
    return [line for number, line in enumerate(lines) if number not in dropped]
