"""Check and time the main functions of dist/SciRead in a clean environment.

With Xvfb and xdotool, the window is shown on a separate display and operated by keyboard; without
them it is drawn off screen, and only a screenshot is checked. The check uses every third-party
library: a module imported by name is missing in a frozen program only when it is used.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from about import ROOT, version
from check_window import (
    display,
    encoded,
    first_start,
    maps,
    reads,
    start_times,
    swaps,
    takes_files,
)
from frozen_program import Program, expect

QUERY = "teaching a computer to win at board games"
_UNREACHABLE = "http://127.0.0.1:9"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, default=ROOT / "dist" / "SciRead" / "sciread")
    parser.add_argument("--picture", type=Path, default=ROOT / "build" / "frozen" / "window.png")
    options = parser.parse_args()
    options.picture.parent.mkdir(parents=True, exist_ok=True)
    built, picture = options.program.resolve().parent, options.picture.resolve()
    # Beside the build, on the same file system, so that it can be linked instead of copied.
    with tempfile.TemporaryDirectory(dir=built.parent) as folder, display() as screen:
        program = Program(built, Path(folder), screen)
        try:
            _check(program, picture)
        finally:
            program.end()
    print(f"The program does what it should: {options.program}; its window: {picture}")


def _check(program: Program, picture: Path) -> None:
    _check_entry_points(program)
    if "DISPLAY" in program.environment:
        _check_window(program, picture)
    else:
        program.run("--screenshot", picture)
        _train(program)
        program.run("model", "activate", _other_model(program))
    _check_command_line(program)
    if "DISPLAY" in program.environment:
        start_times(program)


def _check_entry_points(program: Program) -> None:
    expect(f"sciread {version()}" in program.run("--version"), "another version")
    expect("only SciRead" in program.run("-m", "os", code=1), "it runs what is not ours")
    expect("evaluate" in program.run("trainer", "--help"), "the trainer does not say its verbs")
    completed = program.run(
        _SCIREAD_COMPLETE="complete_bash", COMP_WORDS="sciread doc", COMP_CWORD="1"
    )
    expect(completed.split() == ["doctor"], "a shell cannot complete", completed)


def _check_window(program: Program, picture: Path) -> None:
    window = first_start(program, picture, QUERY)
    takes_files(program)
    _train(program)
    reads(window, picture.with_name("reader.png"))
    maps(program, window, picture.with_name("map.png"))
    swaps(program, window, picture.with_name("models.png"))
    window.quit()


def _train(program: Program) -> None:
    """Train for ten steps and add the new model."""
    program.run("encode")
    program.run("train", "start", "miread-small", "--set", "base=starter", "--set", "max_steps=10",
                "--set", "min_papers=5", "--name", "check", "--follow")  # fmt: skip
    program.run("model", "add", program.library / "runs" / "check" / "package")


def _other_model(program: Program) -> str:
    models = [str(one["name"]) for one in program.ask("model", "list")]
    return next(name for name in models if name != "starter")


def _check_command_line(program: Program) -> None:
    expect("Go" in program.run("find", QUERY), "nothing of Go is found")
    expect(program.ask("status")["space"] and encoded(program), "not all is found by meaning")
    program.run("model", "evaluate", "starter", "tf-idf")
    for style in ("apa", "ieee", "nature", "vancouver", "chicago"):
        expect("1" in program.run("cite", "1", "--style", style), "nothing is cited")
    expect(json.loads(program.run("export", "-f", "csl-json"))[0]["title"], "nothing is exported")
    output = program.run("trainer", "pull", "a/b", code=1, HF_ENDPOINT=_UNREACHABLE)
    expect("could not be fetched" in output, "the hub is not asked", output)
    expect(all(finding["ok"] for finding in program.ask("doctor")), program.run("doctor"))
    left = [path.name for path in program.place.rglob("*") if path.name == "library.sqlite3"]
    expect(len(left) == 1, "there is a second library")


if __name__ == "__main__":
    main()
