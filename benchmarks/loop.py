"""The complete loop on real papers: train a model on a library, evaluate it and activate it.

`make loop`, or `python -m benchmarks.loop [--papers N] [--quick] [--home FOLDER]`. Imports papers
of high-energy physics in the order of their years, fetches their citations (from a file, by a
server on this computer), reads them with the starter, measures it, trains SPECTER-small on the
citations, measures what came of that, lets it answer, and looks at what search shows; all of it
through the command line. Then a window opens the run in a home of its own, and must find the same
numbers.

All is kept in build/loop. Started again, it goes on where it was: a stage that is done is not done
again, and of the one that was not, no more than what was in hand is lost.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.learn_measures import CITATIONS, SHARED
from benchmarks.loop_measures import HeldBack, comparison_lines, nearest
from sciread_app.paths import Home
from sciread_app.services.training.runs import Runs
from sciread_app.workspace import open_workspace
from tests.support.servers.citation_lists import CitationLists

HOME = Path(__file__).resolve().parents[1] / "build" / "loop"
PAPERS, FEW = 20_000, 3_000
QUICK_STEPS = 10
RECIPE, SEED, RUN = "specter-small", 1, "loop"
REPORT_INTERVAL = 30.0  # seconds between two lines of a training

Value = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--papers", type=int, help=f"how many (else {PAPERS:,})")
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICK_STEPS} steps and {FEW:,} papers, for a look"
    )
    parser.add_argument("--home", type=Path, default=HOME)
    options = parser.parse_args()
    if not CITATIONS.is_dir():
        sys.exit(f"The real papers are not there: {SHARED}. Put them beside the checkout.")
    papers = options.papers or (FEW if options.quick else PAPERS)
    name = f"quick-{papers}" if options.quick else str(papers)
    headless = Headless(Stages(options.home / name), papers, QUICK_STEPS if options.quick else 0)
    headless.go()
    print("\n".join(headless.report()), flush=True)


class Stages:
    """Results of the stages in a folder; a finished stage is not run again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        (self.folder / "stages").mkdir(parents=True, exist_ok=True)

    def done(self, name: str, work: Callable[[], Value]) -> Value:
        path = self.folder / "stages" / f"{name.replace(' ', '-')}.json"
        if not path.exists():
            print(f"== {time.strftime('%H:%M:%S')} {name}", flush=True)
            began = time.monotonic()
            found = work() | {"seconds": round(time.monotonic() - began, 1)}
            new = path.with_suffix(".new")
            new.write_text(json.dumps(found), "utf-8")
            new.replace(path)
        told: Value = json.loads(path.read_text("utf-8"))
        return told


class Shell:
    """The command line of the app on one home."""

    def __init__(self, home: Path, environment: Mapping[str, str] = os.environ) -> None:
        self.home = home
        self._environment = dict(environment)

    def run(self, *arguments: object) -> None:
        """Run a command and print its progress."""
        command = self._command(*arguments)
        print("$ sciread", *command[3:-2], flush=True)
        if subprocess.run(command, check=False, env=self._environment).returncode:
            sys.exit("That did not work; started again, this goes on from here.")

    def ask(self, *arguments: object) -> Any:
        """Run a command and return its JSON answer."""
        command = [*self._command(*arguments), "--json"]
        done = subprocess.run(
            command, check=False, env=self._environment, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout.splitlines()[-1])

    def _command(self, *arguments: object) -> list[str]:
        return [sys.executable, "-m", "sciread_app", *map(str, arguments), "--home", str(self.home)]


class Headless:
    """The loop by the command line. What it has found stands in its stages."""

    def __init__(self, stages: Stages, papers: int, steps: int) -> None:
        self.stages, self._papers, self._steps = stages, papers, steps
        self.home = Home(stages.folder / "headless")
        self.second = Home(stages.folder / "window")
        self._shell = Shell(self.home.folder)
        self.found: dict[str, Value] = {}

    def go(self) -> None:
        for name, work in {
            "papers": self._choose,
            "import": self._add,
            "citations": self._cite,
            "encoded": self._encode,
            "measured before": lambda: self._evaluate("starter"),
            "search before": self._search,
            "training": self._train,
            "held back": self._hold_back,
            "model": self._take_model,
            "measured after": lambda: self._evaluate("starter", self.model),
            "second home": self._copy,
            "active": self._activate,
            "search after": self._search,
            "window": self._look_in_window,
        }.items():
            self.found[name] = self.stages.done(name, work)

    @property
    def model(self) -> str:
        """The name of the model that was trained."""
        return str(self.found["model"]["name"])

    @property
    def run(self) -> Path:
        return self.home.runs / RUN

    @property
    def corpus(self) -> Path:
        """The papers that were put aside for the first evaluation; the training has the same."""
        (folder,) = self.home.corpora.glob("library-*")
        return folder

    def _choose(self) -> Value:
        target = self.stages.folder / "papers.jsonl"
        with (
            gzip.open(CITATIONS / "hep_papers.jsonl.gz", "rt", encoding="utf-8") as lines,
            target.open("w", encoding="utf-8") as chosen,
        ):
            chosen.writelines(islice(lines, self._papers))
        return {"file": str(target)}

    def _add(self) -> Value:
        self._shell.run("add", self.found["papers"]["file"])
        return {"status": self._shell.ask("status")}

    def _cite(self) -> Value:
        with gzip.open(CITATIONS / "hep_citations.tsv.gz", "rt", encoding="utf-8") as lines:
            pairs = [(citing, cited) for citing, cited in map(str.split, islice(lines, 1, None))]
        with CitationLists(pairs) as server:
            cache = {"SCIREAD_CACHE": str(self.stages.folder / "cache")}
            shell = Shell(self.home.folder, os.environ | server.environment | cache)
            shell.run("fetch", "citations")
        return {}

    def _encode(self) -> Value:
        self._shell.run("encode")
        return {"status": self._shell.ask("status")}

    def _evaluate(self, *models: str) -> Value:
        self._shell.run("model", "evaluate", *models)
        answer: Value = self._shell.ask("model", "evaluate", *models)
        return answer

    def _search(self) -> Value:
        workspace = open_workspace(self.home.folder)
        try:
            return nearest(workspace, HeldBack(self.corpus).cited)
        finally:
            workspace.close()

    def _train(self) -> Value:
        known = {one["name"]: one["standing"] for one in self._shell.ask("train", "list")}
        steps = ["--set", f"max_steps={self._steps}"] if self._steps else []
        if RUN not in known:
            self._shell.run("train", "start", RECIPE, "--seed", SEED, "--name", RUN, *steps)
        elif known[RUN] in ("stopped", "interrupted", "failed"):
            self._shell.run("train", "go-on", RUN)
        self._wait()
        self._shell.run("train", "follow", RUN)
        answer: Value = self._shell.ask("train", "follow", RUN)
        return answer

    def _wait(self) -> None:
        """Print the progress of the training until it ends."""
        runs, reported_at = Runs(self.home), 0.0
        while (now := runs.find(RUN)).status.is_active:
            if time.monotonic() - reported_at > REPORT_INTERVAL and now.loss is not None:
                reported_at = time.monotonic()
                left = f"{now.left / 60:.0f} min left"
                print(f"step {now.step} of {now.steps}, loss {now.loss:.4f}, {left}", flush=True)
            time.sleep(1)

    def _hold_back(self) -> Value:
        held = HeldBack(self.corpus)
        return {"counts": held.counts(), "learned": held.learned(self.run)}

    def _take_model(self) -> Value:
        here = {one["space"]: one for one in self._shell.ask("model", "list")}
        space = Runs(self.home).find(RUN).space
        if space not in here:
            self._shell.run("model", "add", self.run)
            here = {one["space"]: one for one in self._shell.ask("model", "list")}
        model: Value = here[space]
        return model

    def _activate(self) -> Value:
        self._shell.run("model", "activate", self.model)
        return {"status": self._shell.ask("status")}

    def _copy(self) -> Value:
        """A home that has learned nothing yet: the library, and what the starter has read of it."""
        shutil.rmtree(self.second.folder, ignore_errors=True)
        self.second.folder.mkdir()
        shutil.copytree(self.home.indexes, self.second.indexes)
        for file in self.home.folder.glob(f"{self.home.library.name}*"):
            shutil.copy(file, self.second.folder)
        return {}

    def _look_in_window(self) -> Value:
        """The run is opened, its model activated, measured and asked, all of it in a window."""
        from benchmarks.loop_window import numbers_of, offscreen

        with offscreen(self.second.folder) as windowed:
            space = windowed.open_run(self.run).space
            model = windowed.activate()
            verdict = windowed.measure(["starter", model])
            shown = nearest(windowed.workspace, HeldBack(self.corpus).cited)
            answers = windowed.answers
        numbers = {"sentence": verdict.sentence, "evidence": numbers_of(verdict)}
        return shown | numbers | {"space": space, "answers": answers}

    def report(self) -> list[str]:
        held, learned = self.found["held back"]["counts"], self.found["held back"]["learned"]
        seconds = ", ".join(f"{name} {one['seconds']:.0f}" for name, one in self.found.items())
        return [
            "",
            f"The library: {held['papers']:,} papers of high-energy physics, {held['abstracts']:,} "
            f"with an abstract, {held['citations']:,} citations between them.",
            f"Held back: {held['held-back papers']:,} papers, chosen by a hash of their ids; "
            f"{held['of which cite']:,} of them cite others here, in "
            f"{held['held-back citations']:,} citations.",
            f"Learned from: {learned['triplets']:,} triplets (seed {SEED}), of which "
            f"{learned['with a held-back paper']} have a held-back paper and "
            f"{learned['with a held-back citation']} a held-back citation.",
            "",
            *evaluated(self.found["measured after"]),
            "",
            "Of what a held-back paper cites, search shows among the 10 papers most like it:",
            *comparison_lines(self.found["search before"], self.found["search after"]),
            "",
            *in_window(self.found),
            "",
            f"Seconds: {seconds}",
        ]


def in_window(found: Mapping[str, Value]) -> list[str]:
    """Whether the window shows the same results as the command line."""
    (verdict,) = found["measured after"]["verdicts"]
    window, after = found["window"], found["search after"]
    same = sum(one in verdict["evidence"] for one in window["evidence"])
    alike = sum(after["found"][paper] == hits for paper, hits in window["found"].items())
    return [
        f"In a window with a home of its own, {window['answers']} answers.",
        f"{same} of {len(verdict['evidence'])} comparisons are the same to the last digit, and "
        f"what search shows beside {alike:,} of {len(after['found']):,} held-back papers.",
        window["sentence"],
    ]


def evaluated(told: Value) -> list[str]:
    """Every number of both models, and which differences are real."""
    (verdict,) = told["verdicts"]
    lines = [f"  {'':44}{'n':>7}{'before':>9}{'after':>9}{'change':>9}   95 %"]
    for one in verdict["evidence"]:
        ends = [
            f"{100 * end:+.2f}" if end is not None else "–" for end in (one["low"], one["high"])
        ]
        lines.append(
            f"  {one['task'] + ': ' + one['metric']:44}{one['n']:7,}{100 * one['first']:9.2f}"
            f"{100 * one['second']:9.2f}{100 * one['difference']:+9.2f}   {' to '.join(ends)}"
            f"{'  real' if one['real'] else ''}"
        )
    return [verdict["sentence"], *verdict["support"], *lines]


if __name__ == "__main__":
    main()
