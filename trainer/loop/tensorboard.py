"""Events of a run as TensorBoard files, beside its events.jsonl."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainer.contract.errors import TrainerError
from trainer.contract.run import Event, Run

if TYPE_CHECKING:
    from tensorboardX import SummaryWriter

FOLDER = "tensorboard"
# Values of a step that are worth a curve; the others are its stage, epoch and time left.
_CURVES = (
    "loss",
    "learning_rate",
    "gradient_norm",
    "tokens_per_second",
    "examples_per_second",
    "memory",
)


class TensorBoardWriter:
    """Writes steps and validations of a run to its folder `tensorboard`, by stage.

    Raises TrainerError if tensorboardX is not installed.
    """

    def __init__(self, run: Run) -> None:
        try:
            from tensorboardX import SummaryWriter
        except ImportError as error:
            raise TrainerError(
                "Writing events for TensorBoard requires tensorboardX.",
                "Run: pip install 'sciread[tensorboard]'",
            ) from error
        self._run, self._new = run, SummaryWriter
        self._writer: SummaryWriter | None = None
        self._held: list[Event] = []

    def write(self, event: Event) -> None:
        """Write one event, which is already in events.jsonl."""
        if self._writer is None:
            self._held.append(event)
            if event.kind in ("start", "note", "warning"):  # these come before a resume
                return
            self._writer = self._opened(event)
        else:
            self._add(self._writer, event)
        if event.kind != "step":
            self._writer.flush()

    def _opened(self, event: Event) -> SummaryWriter:
        """Open the file at the first event that shows whether the run is resumed."""
        folder = self._run.folder / FOLDER
        # If the option was not set before, earlier events are missing.
        earlier = [] if folder.exists() else self._run.events()[: -len(self._held)]
        # Later steps of an interrupted run are void: TensorBoard hides them.
        purge = event.step + 1 if event.kind == "resume" and not earlier else None
        writer = self._new(str(folder), purge_step=purge)
        for one in (*earlier, *self._held):
            self._add(writer, one)
        return writer

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    @staticmethod
    def _add(writer: SummaryWriter, event: Event) -> None:
        for tag, value in _scalars(event):
            writer.add_scalar(tag, value, event.step, walltime=event.at)
        if event.kind == "start":
            text = f"```json\n{json.dumps(dict(event.values), indent=2, ensure_ascii=False)}\n```"
            writer.add_text("run", text, 0, walltime=event.at)


def _scalars(event: Event) -> Iterator[tuple[str, float]]:
    values, stage = event.values, event.values.get("stage", "")
    if event.kind == "step":
        for name in _CURVES:
            if values.get(name) is not None:
                yield f"{stage}/{name}", values[name]
    elif event.kind == "validation":
        if values["loss"] is not None:
            yield f"{stage}/validation/loss", values["loss"]
        for name, score in values["scores"].items():
            yield f"{stage}/validation/{name}", score
