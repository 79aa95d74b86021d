"""Effect of the four methods on the starter model, measured on held-out papers.

`make learn`, or `python -m benchmarks.learn [--methods specter,miread] [--seeds N] [--controls]
[--quick]`. Prepares corpora from the real papers beside the checkout, trains with the recipes
`<method>-small` through the command line, and prints the scores before and after side by side. All
results are kept in build/learn: run again, it resumes.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.learn_measures import (
    ARXIV,
    CITATIONS,
    SHARED,
    UNSEEN_JOURNALS,
    Citations,
    Journals,
    Measure,
    Physics,
    write_physics,
)
from trainer.contract.package import Package, read_package, starter_package
from trainer.encoder import Encoder

HOME = Path(__file__).resolve().parents[1] / "build" / "learn"
QUICK_STEPS = 10

Scores = Mapping[str, float]
MEASURES: Mapping[str, Callable[[bool], Measure]] = {
    "journals": Journals,
    "hep": partial(Citations, "hep"),
    "vis": partial(Citations, "vis"),
    "physics": Physics,
}


@dataclass(frozen=True)
class Lesson:
    """A training method with its corpus and its measures.

    `name` is a method, or a control: one with `changes` to its recipe. Citations of each collection
    are a lesson of their own: in a step of both, the papers of one are no rivals to the other's.
    `reached` is told the scores before and after, the means of all seeds, and SPECTER's.
    """

    name: str
    subject: str
    goal: str
    reached: Callable[[Scores, Scores, Scores], bool]
    changes: Sequence[str] = ()

    @property
    def method(self) -> str:
        return self.name.split("-")[0]


def rises(before: Scores, after: Scores, _: Scores) -> bool:
    return all(after[name] >= before[name] + 5 for name in ("accuracy", "purity at 20"))


def errs_less(before: Scores, after: Scores, _: Scores) -> bool:
    return after["error"] <= 0.75 * before["error"]


def errs_no_more(_: Scores, after: Scores, specter: Scores) -> bool:
    return bool(specter) and after["error"] <= specter["error"]


def clusters(_: Scores, after: Scores, __: Scores) -> bool:
    return after["V-measure"] >= 60


COLLECTIONS = ("hep", "vis")
LESSONS = (
    Lesson("miread", "journals", "accuracy and purity at 20 up by 5 or more", rises),
    *(Lesson("specter", name, "error cut by a quarter or more", errs_less) for name in COLLECTIONS),
    *(
        Lesson("specter-cls", name, "none, a control", errs_less, ("pooling=cls",))
        for name in COLLECTIONS
    ),
    *(
        Lesson("multi2spe", name, "error at or below SPECTER's", errs_no_more)
        for name in COLLECTIONS
    ),
    Lesson("physbert", "physics", "V-measure of 60 or more", clusters),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--methods", default=",".join(dict.fromkeys(lesson.method for lesson in LESSONS))
    )
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument(
        "--controls", action="store_true", help="SPECTER by its [CLS] alone too, beside Multi2SPE"
    )
    parser.add_argument("--quick", action="store_true", help="a few steps, to see that it runs")
    parser.add_argument("--home", type=Path, default=HOME)
    options = parser.parse_args()
    if not ARXIV.exists():
        sys.exit(f"The real papers are not there: {SHARED}")
    school = School(options.home / ("quick" if options.quick else "full"), options.quick)
    for lesson in LESSONS:
        if lesson.changes and not options.controls:
            continue
        if lesson.method in options.methods.split(","):
            before = school.starter(lesson)
            after = [school.learn(lesson, seed) for seed in range(1, options.seeds + 1)]
            show(lesson, before, after)
            specter = school.of_all_seeds("specter", lesson.subject)
            if lesson.method == "multi2spe":
                control = school.of_all_seeds("specter-cls", lesson.subject)
                print(f"  SPECTER's error: {specter.get('error', math.nan):.1f}", end="")
                print(f", of its [CLS] alone: {control['error']:.1f}" if control else "")
            reached = lesson.reached(before, mean_of(after), specter)
            print(f"  goal: {lesson.goal}: {'reached' if reached else 'MISSED'}", flush=True)


def mean_of(runs: Sequence[Scores]) -> Scores:
    return {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}


def show(lesson: Lesson, before: Scores, after: Sequence[Scores]) -> None:
    seconds = ", ".join(f"{one['seconds']:.0f}" for one in after)
    print(f"\n{lesson.name} on {lesson.subject}: {len(after)} seeds, {seconds} seconds of training")
    print(f"  {'':14}{'n':>7}{'starter':>9}{'trained':>9}{'change':>8}   each seed")
    for name in before:
        if name == "n":
            continue
        each = [one[name] for one in after]
        mean = float(np.mean(each))
        print(
            f"  {name:14}{before['n']:7.0f}{before[name]:9.1f}{mean:9.1f}"
            f"{mean - before[name]:+8.1f}   {' '.join(f'{one:.1f}' for one in each)}"
        )


class School:
    """Corpora, runs and results in a folder; existing ones are reused."""

    def __init__(self, home: Path, quick: bool) -> None:
        self._home, self._quick = home, quick
        self._measures: dict[str, Measure] = {}

    def starter(self, lesson: Lesson) -> Scores:
        """Scores of the starter model."""
        return self._scores(lesson, "starter", starter_package)

    def learn(self, lesson: Lesson, seed: int) -> Scores:
        """Train the starter model by the method, and measure it; `seconds` are of training."""
        run = self._home / "runs" / f"{lesson.subject}-{lesson.name}-{seed}"
        changes = [*lesson.changes, *([f"max_steps={QUICK_STEPS}"] if self._quick else [])]
        if not (run / "report.json").exists():
            corpus = self._corpus(lesson.subject)
            recipe = ("--recipe", f"{lesson.method}-small", "--corpus", corpus, "--seed", seed)
            settings = (part for change in changes for part in ("--set", change))
            trainer("train", run, *recipe, *settings)
        scores = self._scores(
            lesson, f"{lesson.name}-{seed}", lambda: read_package(run / "package")
        )
        report = json.loads((run / "report.json").read_text("utf-8"))
        return {**scores, "seconds": report["seconds"]}

    def of_all_seeds(self, name: str, subject: str) -> Scores:
        """The mean of what its runs score so far; nothing, if there are none."""
        found = sorted((self._home / "results").glob(f"{subject}-{name}-[0-9]*.json"))
        return mean_of([json.loads(path.read_text("utf-8")) for path in found]) if found else {}

    def _corpus(self, subject: str) -> Path:
        folder = self._home / "corpora" / subject
        if folder.exists():
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        inputs: Sequence[object] = (ARXIV, "--exclude-venues", UNSEEN_JOURNALS)
        if subject in COLLECTIONS:
            inputs = [CITATIONS / f"{subject}_{part}.gz" for part in PARTS]
        if subject == "physics":
            papers = folder.with_suffix(".jsonl.gz")
            write_physics(ARXIV, papers)
            inputs = [papers]
        trainer("prepare", *inputs, "--output", folder)
        return folder

    def _scores(self, lesson: Lesson, name: str, package: Callable[[], Package]) -> Scores:
        path = self._home / "results" / f"{lesson.subject}-{name}.json"
        if not path.exists():
            print(f"Measuring {name} on {lesson.subject}", flush=True)
            measure = self._measure(lesson.subject)
            found = measure.of(Encoder(package(), raw=measure.raw).encode)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(found, indent=2) + "\n", "utf-8")
        scores: Scores = json.loads(path.read_text("utf-8"))
        return scores

    def _measure(self, subject: str) -> Measure:
        if subject not in self._measures:
            self._measures[subject] = MEASURES[subject](self._quick)
        return self._measures[subject]


PARTS = ("papers.jsonl", "citations.tsv")


def trainer(*arguments: object) -> None:
    """Run the trainer's command line."""
    command = [sys.executable, "-m", "trainer", *map(str, arguments)]
    print("$ sciread-trainer", *command[3:], flush=True)
    if subprocess.run(command, check=False).returncode:
        sys.exit("That did not work; started again, this goes on from here.")


if __name__ == "__main__":
    main()
