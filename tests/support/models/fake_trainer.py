"""A trainer process without torch: it starts at once, and the recipe's seed selects its behaviour.

Seed 1 trains until it is stopped; 2 finishes after 20 steps; 3 fails at step 5; 4 exits without any
output; 5 waits before it starts, until there is a file `go`.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from tests.support.models.tiny_model import tiny_package
from trainer.contract.run import Event, Run

STEPS = 20


def command(*arguments: str) -> list[str]:
    """Replacement of sciread_app.encoder.trainer_command."""
    return [sys.executable, "-m", "tests.support.models.fake_trainer", *arguments]


def main(verb: str, *arguments: str) -> None:
    answer = {"prepare": _prepare, "corpus": _corpus, "train": _train}[verb](*arguments)
    if answer is not None:
        print(json.dumps(answer))


def _prepare(*arguments: str) -> dict[str, Any]:
    """Write a corpus that consists only of its description."""
    folder = Path(next(a for a in arguments if a.startswith("--output=")).removeprefix("--output="))
    sources = [a for a in arguments if not a.startswith("--")]
    parts = [a.removeprefix("--collection=") for a in arguments if a.startswith("--collection=")]
    if any("refused" in source for source in sources):
        print(json.dumps({"error": "The format was not recognized.", "hint": "Say so."}))
        raise SystemExit(1)
    if any("broken" in source for source in sources):
        raise RuntimeError("something is broken")
    _write(note="Reading")
    _write(task="papers", text="5 (50%)", share=0.5)
    if any("forever" in source for source in sources):
        Path(sources[0]).with_name("began").touch()
        time.sleep(600)
    kind = "library" if sources[0].startswith("library=") else "jsonl"
    named = {"name": Path(sources[0]).name, "kind": kind}
    files: list[dict[str, Any]] = [named | ({"part": parts[0]} if parts else {})]
    if "--full-text" in arguments:
        files[0]["full_texts"] = 3
        parts.append("full text")
    described = {"papers": 10, "sha256": f"{hash_of(*sources, *parts):064x}",
                 "counts": {"files": files}}  # fmt: skip
    folder.mkdir(parents=True)
    (folder / "corpus.json").write_text(json.dumps(described))
    return described


def hash_of(*texts: str) -> int:
    """Return a hash that is the same in every process."""
    return int.from_bytes("|".join(texts).encode()[-16:], "big")


def _corpus(folder: str, *_: str) -> dict[str, Any]:
    holds = {"papers": 10, "abstracts": 9, "citations": 8, "citing": 7, "questions": 0,
             "full_texts": 0, "passage_questions": 0, "venues": [["Nature", 2020, False, 9]],
             "fields": {"cs.CL": 10}}  # fmt: skip
    return {"holds": holds, "folder": folder}


def _train(folder: str, *options: str) -> dict[str, Any] | None:
    run = Run(Path(folder))
    if "--dry-run" in options:
        _write(note="Timing steps of the stage triples")
        stage = {"stage": "triples", "examples": 99, "steps": 30, "tokens_per_second": 100.0,
                 "seconds": 60.0, "memory": 1 << 30}  # fmt: skip
        return {"device": "cpu", "steps": 30, "seconds": 60.0, "memory": 1 << 30,
                "stages": [stage]}  # fmt: skip
    seed = run.recipe.seed
    if seed == 4:
        raise SystemExit("There is no torch.\nInstall it.")
    while seed == 5 and not (run.folder / "go").exists():
        time.sleep(0.01)
    with run.hold():
        run.clear_stop()
        _steps(run, seed)
    return None


def _steps(run: Run, seed: int) -> None:
    begun = max((event.step for event in run.events()), default=0)
    stages = [{"name": "triples", "examples": 99, "steps": STEPS}]
    _print(run, "start", 0, steps=STEPS, stages=stages, device="cpu", corpus={"papers": 10})
    if begun:
        _print(run, "resume", begun, why="checkpoint found")
    step = begun
    while seed != 2 or step < STEPS:
        step += 1
        _print(run, "step", step, stage="triples", loss=1 / step, learning_rate=1e-5, memory=1,
             tokens_per_second=100.0, eta=float(max(0, STEPS - step)), epoch=0.1)  # fmt: skip
        if seed == 3 and step == 5:
            _print(run, "error", 5, message="The disk is full.", hint="Make room.")
            raise SystemExit(1)
        if run.stop_requested():
            _print(run, "stop", step, why="requested by the file `stop`")
            run.clear_stop()
            return
        time.sleep(0.002 if seed == 2 else 0.02)
    _finish(run)
    _print(run, "end", step, seconds=1.5, scores={})


def _finish(run: Run) -> None:
    """Write a model with a score, named after the run."""
    package = tiny_package(run.package, id=f"made-by-{run.folder.name}", title="Made here")
    scores = [{"evaluation": "ranking", "metric": "map", "value": 0.9, "before": 0.8, "n": 5}]
    (run.package / "metrics.json").write_text(json.dumps(scores))
    run.write_report({"package": {"id": package.id, "space": package.space}})


def _print(run: Run, kind: str, step: int, **values: Any) -> None:
    run.append(Event(kind, time.time(), step, values))


def _write(**values: Any) -> None:
    print(json.dumps(values), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
