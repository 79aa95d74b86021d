"""Evaluating on the command line."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from trainer.contract.errors import TrainerError
from trainer.loop.progress import duration
from trainer.suites.catalog import CUSTOM, OWN, SUITES, suite_spec

if TYPE_CHECKING:
    from trainer.contract.report import Subject
    from trainer.distributed import Ranks
    from trainer.evaluate import Evaluated
    from trainer.suites.suite import Suite

EXAMPLES = """Examples: a model against what everybody should beat, on papers of your own; released
vectors on SciDocs; a suite of your lab's, on four GPUs.

sciread-trainer evaluate runs/a/package --suite local --corpus corpora/mine --baselines

sciread-trainer evaluate specter.jsonl --suite scidocs --corpus scidocs/data

torchrun --nproc-per-node=4 -m trainer evaluate runs/a/package runs/b/package --suite lab/SUITE.toml

Exit status: 0 all was measured for which there are data, 1 something failed, 2 a wrong call.
"""

_BASELINES = ("starter", "tf-idf", "bm25", "random")

Part: TypeAlias = Literal["test", "val"]
BaselineText: TypeAlias = Literal["title_abstract", "abstract_only"]

Models = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL...",
        help="A package, a folder of transformers or sentence-transformers, OWNER/NAME of the "
        "hub, a file of ready vectors (SciDocs' jsonl, or npy with ids beside it), 'starter', "
        "or a baseline: tf-idf, bm25, random.",
        show_default=False,
    ),
]
SuiteName = Annotated[
    str, typer.Option(help=f"A suite (see: sciread-trainer suites), its folder, or a {CUSTOM}.")
]
Corpus = Annotated[Path | None, typer.Option(help="The folder that the suite reads.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="Reports go here, a folder a model; else reports/SUITE."),
]
Tasks = Annotated[str, typer.Option(help="Only these, with commas between; else all.")]
Seeds = Annotated[
    int, typer.Option(min=0, help="Repetitions where chance plays a part; 0: as the papers did.")
]
Seed = Annotated[int, typer.Option(min=0, help="Of all chance.")]
Baselines = Annotated[
    bool, typer.Option("--baselines", help=f"Measure {', '.join(_BASELINES)}, too.")
]
Unseen = Annotated[
    Path | None,
    typer.Option(help="For the local suite: a file of journals that no training knew."),
]
Judged = Annotated[
    Path | None, typer.Option(help="For the local suite: a folder of judged queries.")
]
Split = Annotated[Part, typer.Option(help="Of published data: the part that models are told by.")]
BaselineInput = Annotated[
    BaselineText,
    typer.Option(help="For the miread suite: abstract_only, as its paper fed most baselines."),
]
Pooling = Annotated[str, typer.Option(help="cls, mean ...: of folders that do not say their own.")]
Exact = Annotated[bool, typer.Option("--exact", help="Compute in float32.")]
Device = Annotated[str, typer.Option(help="As torch names it; empty: a GPU if there is one.")]
AsJson = Annotated[bool, typer.Option("--json", help="Answer with one line of JSON.")]


def evaluate(
    models: Models = [],  # noqa: B006 - typer reads it, nobody changes it
    suite: SuiteName = "local",
    corpus: Corpus = None,
    output: Output = None,
    tasks: Tasks = "",
    seeds: Seeds = 0,
    seed: Seed = 0,
    baselines: Baselines = False,
    unseen_journals: Unseen = None,
    queries: Judged = None,
    split: Split = "test",
    baseline_input: BaselineInput = "title_abstract",
    pooling: Pooling = "",
    exact: Exact = False,
    device: Device = "",
    as_json: AsJson = False,
) -> None:
    """Measure models by the protocols of the papers, on the same data.

    Each model gets a report: a page for people, scores for programs, and what every score is a
    mean of, so that `sciread-trainer compare` can say which differences are real. Started again,
    the same command measures only what is not in the reports yet. A task whose data are missing
    is left out, and the reason told; vectors of models are kept and made once.
    """
    names = _named(models, baselines)
    from trainer.distributed import Ranks  # torch takes seconds to load
    from trainer.suites.catalog import open_suite
    from trainer.suites.suite import Settings

    settings = Settings(seeds, split, baseline_input == "abstract_only")
    wanted = [name.strip() for name in tasks.split(",") if name.strip()]
    with Ranks.from_environment(device) as ranks:
        said = Console(stderr=True, highlight=False, quiet=as_json or not ranks.main)
        opened = open_suite(suite, corpus, settings, unseen=unseen_journals, queries=queries)
        work = _Work(opened.choose(wanted), output, seed, said)
        done, failed = work.measure(names, ranks, said, pooling=pooling, exact=exact)
        if ranks.main:
            _say(done, work.output, as_json)
    raise typer.Exit(1 if failed or (wanted and work.absent) else 0)


def _named(models: list[str], baselines: bool) -> list[str]:
    """Each once."""
    names = list(dict.fromkeys((*models, *(_BASELINES if baselines else ()))))
    if not names:
        raise typer.BadParameter("Name a model, or add --baselines.", param_hint="MODEL...")
    return names


def suites(
    name: Annotated[
        str, typer.Argument(help="One suite: file by file what its folder holds.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """List the suites, and what folders they read."""
    chosen = (suite_spec(name),) if name else SUITES
    if as_json:
        keys = ("key", "title", "summary", "needs", "files")
        print(json.dumps([{key: getattr(spec, key) for key in keys} for spec in chosen]))
        return
    if name:
        print(chosen[0].files)
        return
    table = Table("suite", "what it measures", "what it reads", box=None, padding=(0, 2, 1, 0))
    for spec in (*chosen, OWN):
        about = f"[bold]{escape(spec.title)}.[/] {escape(spec.summary)}"
        key = CUSTOM if spec is OWN else spec.key
        table.add_row(f"[bold]{key}[/]", about, escape(spec.needs))
    Console(highlight=False).print(table, "File by file: sciread-trainer suites NAME")


class _Work:
    """Tasks to measure models by, why others are `absent`, and where reports go."""

    def __init__(self, suite: Suite, output: Path | None, seed: int, said: Console) -> None:
        """Raises TrainerError where there are no data for any task."""
        from trainer.evaluate import open_tasks

        self._suite, self._seed = suite, seed
        self.output = output or Path("reports") / _slug(suite.name)
        self._tasks, self.absent = open_tasks(suite)
        _say_absent(said, self.absent)
        if not self._tasks:
            raise TrainerError(
                f"There are no data for any task of {suite.name}.", "; ".join(self.absent.values())
            )

    def measure(
        self, names: list[str], ranks: Ranks, said: Console, *, pooling: str, exact: bool
    ) -> tuple[list[Evaluated], bool]:
        """One model after the other; one that fails is told of, and the others go on."""
        from trainer.evaluate import evaluate as measure
        from trainer.subjects.opening import open_subject

        done: list[Evaluated] = []
        failed = False
        taken: set[str] = set()
        for name in names:
            shown = _Shown(said)
            try:
                maker = open_subject(
                    name, ranks=ranks, pooling=pooling, exact=exact, note=shown.note
                )
                folder = self.output / _own_slug(maker.subject, taken)
                found = measure(
                    maker,
                    self._suite.name,
                    self._tasks,
                    folder,
                    ranks,
                    seed=self._seed,
                    progress=shown,
                )
            except TrainerError as error:
                said.print(f"[red]{escape(name)}:[/] {escape(f'{error} {error.hint}'.strip())}")
                failed = True
                continue
            done.append(found)
            failed = failed or bool(found.failed)
        if not done:
            raise TrainerError("No model was measured.", "The reasons are told above.")
        return done, failed


def _say(done: list[Evaluated], output: Path, as_json: bool) -> None:
    from trainer.reports.report import HTML, save_together
    from trainer.reports.table import left_out, terminal

    page = done[0].folder / HTML
    if len(done) > 1:
        page = save_together([one.folder for one in done], output)
    if as_json:
        folders = {one.report.subject.id: str(one.folder) for one in done}
        typer.echo(json.dumps({"reports": folders, "page": str(page)}))
        return
    console = Console(highlight=False)
    reports = [one.report for one in done]
    console.print(terminal(reports))
    for line in left_out(reports):
        console.print(escape(line), style="dim")
    console.print(f"The page: {escape(str(page))}", soft_wrap=True)


def _say_absent(said: Console, absent: dict[str, str]) -> None:
    for title, why in absent.items():
        said.print(f"[dim]{escape(title)} is left out: {escape(why)}[/]", soft_wrap=True)


class _Shown:
    """Tells a person what goes on, a line a task."""

    def __init__(self, said: Console) -> None:
        self._said = said
        self._subject, self._tasks, self._number = "", 0, 0
        self._begun = time.monotonic()

    def note(self, text: str) -> None:
        self._said.print(escape(text), soft_wrap=True)

    def begin(self, subject: Subject, tasks: int) -> None:
        self._subject, self._tasks, self._number = subject.title, tasks, 0

    def at(self, title: str) -> None:
        self._begun = time.monotonic()

    def done(self, title: str, said: str = "") -> None:
        self._number += 1
        how = said or duration(time.monotonic() - self._begun)
        self.note(f"{self._subject}, {self._number} of {self._tasks}: {title}, {how}")


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "model"


def _own_slug(subject: Subject, taken: set[str]) -> str:
    """A folder's name for a subject that no other one of this call has."""
    name = slug = _slug(subject.id)
    number = 1
    while slug in taken:
        number += 1
        slug = f"{name}-{number}"
    taken.add(slug)
    return slug
