"""Commands for evaluation."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from trainer.cli.progress import AsJson, AsLines, ProgressDisplay, answering
from trainer.contract.errors import TrainerError
from trainer.contract.suites import CUSTOM, OWN, SUITES, suite_spec
from trainer.loop.progress import duration
from trainer.suites.catalog import files_of

if TYPE_CHECKING:
    from trainer.contract.report import EvaluatedModel
    from trainer.distributed import Ranks
    from trainer.evaluate import EvaluationResult
    from trainer.suites.suite import Suite

EXAMPLES = """Examples: a model and the baselines, on your own papers; published vectors on SciDocs;
two models on a custom suite, on four GPUs.

sciread-trainer evaluate runs/a/package --suite local --corpus corpora/mine --baselines

sciread-trainer evaluate specter.jsonl --suite scidocs --corpus scidocs/data

torchrun --nproc-per-node=4 -m trainer evaluate runs/a/package runs/b/package --suite lab/SUITE.toml

Exit status: 0 if every model has results (tasks that could not run are listed), 1 if a model has
none or a task given with --tasks could not run, 2 for invalid usage.
"""

_BASELINES = ("starter", "tf-idf", "bm25", "random")

Part: TypeAlias = Literal["test", "val"]
BaselineText: TypeAlias = Literal["title_abstract", "abstract_only"]

Models = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL...",
        help="Model folder, Transformers or sentence-transformers folder, OWNER/NAME on the "
        "Hugging Face Hub, file of vectors (SciDocs JSONL, or NPY with an IDs file), "
        "'starter', or a baseline: tf-idf, bm25, random.",
        show_default=False,
    ),
]
SuiteName = Annotated[
    str,
    typer.Option(
        help=f"Benchmark suite (see: sciread-trainer suites), its folder, or a {CUSTOM} file."
    ),
]
Corpus = Annotated[Path | None, typer.Option(help="Folder with the benchmark's data.")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Output folder, with one subfolder per model; default: reports/SUITE.",
    ),
]
Tasks = Annotated[
    str, typer.Option(help="Only these tasks, separated by commas; default: all tasks.")
]
Seeds = Annotated[
    int, typer.Option(min=0, help="Number of runs of randomized tasks; 0: as published.")
]
Seed = Annotated[
    int,
    typer.Option(
        min=0,
        help="Random seed of evaluations, independent of that of the training. Only scores of the "
        "same seed can be compared.",
    ),
]
Baselines = Annotated[
    bool, typer.Option("--baselines", help=f"Also evaluate the baselines {', '.join(_BASELINES)}.")
]
Unseen = Annotated[
    Path | None,
    typer.Option(
        help="For the local suite: file of journals that were excluded from all training."
    ),
]
Judged = Annotated[
    Path | None,
    typer.Option(help="For the local suite: folder of queries with relevance judgments."),
]
Split = Annotated[Part, typer.Option(help="Split of a published benchmark to evaluate on.")]
BaselineInput = Annotated[
    BaselineText,
    typer.Option(help="For the miread suite: abstract_only, as the paper does for most baselines."),
]
Pooling = Annotated[
    str, typer.Option(help="Pooling (cls, mean, …) for model folders that do not specify it.")
]
Exact = Annotated[bool, typer.Option("--exact", help="Compute in float32.")]
Beside = Annotated[
    bool,
    typer.Option(
        "--beside",
        help="If the output folder has a report for different model files or another precision, "
        "keep that report and write the new one next to it.",
    ),
]
Device = Annotated[str, typer.Option(help="PyTorch device; default: a GPU if available.")]


def evaluate(
    models: Models = [],  # noqa: B006 - typer reads the default, it is never changed
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
    beside: Beside = False,
    as_json: AsJson = False,
    progress: AsLines = False,
) -> None:
    """Evaluate models with published protocols, on the same data.

    Each model gets a report: an HTML page, scores as JSON, and the values of the individual items,
    from which `sciread-trainer compare` computes which differences are significant. Run the same
    command again to evaluate only what the reports lack. Tasks without data are skipped, and the
    reason is given. Vectors are cached.
    """
    names = _named(models, baselines)
    from trainer.distributed import Ranks  # torch takes seconds to load
    from trainer.suites.catalog import open_suite
    from trainer.suites.suite import SuiteSettings

    settings = SuiteSettings(seeds, split, baseline_input == "abstract_only")
    requested = [name.strip() for name in tasks.split(",") if name.strip()]
    with Ranks.from_environment(device) as ranks, answering(as_json):
        quiet = as_json or not ranks.main
        with _TaskDisplay(len(names), quiet, as_lines=progress and ranks.main) as display:
            opened = open_suite(suite, corpus, settings, unseen=unseen_journals, queries=queries)
            work = _Work(opened.choose(requested), output, seed, display, beside=beside)
            done = work.measure(names, ranks, display, pooling=pooling, exact=exact)
        if ranks.main:
            _print(done, work, as_json)
    lacking = requested and (work.absent or work.failed_tasks)
    raise typer.Exit(1 if work.failed or lacking else 0)


def _named(models: list[str], baselines: bool) -> list[str]:
    """Names of the models and baselines, each once."""
    names = list(dict.fromkeys((*models, *(_BASELINES if baselines else ()))))
    if not names:
        raise typer.BadParameter("Specify a model, or add --baselines.", param_hint="MODEL...")
    return names


def suites(
    name: Annotated[
        str, typer.Argument(help="Suite to describe file by file; default: list all suites.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Output JSON.")] = False,
) -> None:
    """List the benchmark suites and the data they require."""
    chosen = (suite_spec(name),) if name else SUITES
    if as_json:
        keys = ("key", "title", "summary", "needs")
        described = [
            {key: getattr(s, key) for key in keys} | {"files": files_of(s)} for s in chosen
        ]
        print(json.dumps(described))
        return
    if name:
        print(files_of(chosen[0]))
        return
    table = Table("suite", "tasks", "data", box=None, padding=(0, 2, 1, 0))
    for spec in (*chosen, OWN):
        about = f"[bold]{escape(spec.title)}.[/] {escape(spec.summary)}"
        key = CUSTOM if spec is OWN else spec.key
        table.add_row(f"[bold]{key}[/]", about, escape(spec.needs))
    Console(highlight=False).print(table, "Files of a suite: sciread-trainer suites NAME")


class _Work:
    """The tasks of an evaluation, the reasons for `absent` ones, and the reports' folder.

    `failed` holds the reason for each model without any result. `failed_tasks` lists the tasks
    that failed for a model with other results: its id and title, the task and the reason.
    """

    def __init__(
        self,
        suite: Suite,
        output: Path | None,
        seed: int,
        display: _TaskDisplay,
        *,
        beside: bool,
    ) -> None:
        """Load the tasks. Raises TrainerError if no task has data."""
        from trainer.evaluate import open_tasks

        self._suite, self._seed, self._beside = suite, seed, beside
        self.output = output or Path("reports") / _slug(suite.name)
        self.failed: dict[str, str] = {}
        self.failed_tasks: list[dict[str, str]] = []
        self._tasks, self.absent = open_tasks(suite)
        for title, why in self.absent.items():
            display.note(f"{title} is skipped: {why}")
        if not self._tasks:
            raise TrainerError(
                f"The data contains no task of {suite.name}.", "; ".join(self.absent.values())
            )

    def measure(
        self,
        names: list[str],
        ranks: Ranks,
        display: _TaskDisplay,
        *,
        pooling: str,
        exact: bool,
    ) -> list[EvaluationResult]:
        """Measure one model after the other; a failure is reported and does not stop the others."""
        from trainer.encoders.opening import open_encoder
        from trainer.evaluate import evaluate as measure

        done: list[EvaluationResult] = []
        taken: set[str] = set()
        for name in names:
            try:
                encoder = open_encoder(
                    name,
                    ranks=ranks,
                    pooling=pooling,
                    exact=exact,
                    note=display.note,
                    read=display.read,
                )
                folder = self._own_folder(encoder.subject, taken)
                found = measure(
                    encoder,
                    self._suite.name,
                    self._tasks,
                    folder,
                    ranks,
                    seed=self._seed,
                    progress=display,
                )
            except TrainerError as error:
                self.failed[name] = f"{error} {error.hint}".strip()
                display.warn(name, self.failed[name])
                continue
            finally:
                display.next_model()
            done.append(found)
            subject = encoder.subject
            self.failed_tasks += [
                {"model": subject.id, "title": subject.title, "task": task, "why": why}
                for task, why in found.failed.items()
            ]
        if not done:
            reasons = " ".join(f"{name}: {why}" for name, why in self.failed.items())
            raise TrainerError("No model could be evaluated.", reasons)
        return done

    def _own_folder(self, subject: EvaluatedModel, taken: set[str]) -> Path:
        """Folder for a model's report, unique within this call."""
        from trainer.evaluate import is_free

        name = slug = _slug(subject.id)
        number = 1
        while slug in taken or (self._beside and not is_free(self.output / slug, subject)):
            number += 1
            slug = f"{name}-{number}"
        taken.add(slug)
        return self.output / slug


def _print(done: list[EvaluationResult], work: _Work, as_json: bool) -> None:
    from trainer.reports.report import HTML, save_together
    from trainer.reports.table import left_out, terminal

    page = done[0].folder / HTML
    if len(done) > 1:
        page = save_together([one.folder for one in done], work.output)
    if as_json:
        answer = _described(done, work) | {"page": str(page)}
        typer.echo(json.dumps(answer))
        return
    console = Console(highlight=False)
    reports = [one.report for one in done]
    console.print(terminal(reports))
    for line in left_out(reports):
        console.print(escape(line), style="dim")
    console.print(f"Report page: {escape(str(page))}", soft_wrap=True)


def _described(done: list[EvaluationResult], work: _Work) -> dict[str, Any]:
    absent = dict(work.absent)
    for one in done:
        title = one.report.subject.title
        absent |= {f"{title}, {task}": why for task, why in one.absent.items()}
    folders = {one.report.subject.id: str(one.folder) for one in done}
    return {
        "reports": folders,
        "failed": work.failed,
        "failed_tasks": work.failed_tasks,
        "absent": absent,
    }


class _TaskDisplay(ProgressDisplay):
    """Progress of an evaluation: a line per task, and the share of all tasks done."""

    def __init__(self, models: int, quiet: bool, *, as_lines: bool) -> None:
        super().__init__(quiet, every=30.0, as_lines=as_lines)
        self._models, self._model = models, 0
        self._subject, self._tasks, self._number, self._title = "", 1, 0, ""
        self._begun = time.monotonic()

    def begin(self, subject: EvaluatedModel, tasks: int) -> None:
        self._subject, self._tasks, self._number = subject.title, tasks, 0

    def next_model(self) -> None:
        self._model += 1
        self._number = 0

    def begin_task(self, title: str) -> None:
        self._begun, self._title = time.monotonic(), title
        self._show(title, 0.0, new=True)

    def read(self, texts: int, of: int) -> None:
        """Show the number of texts encoded for the current task."""
        self._show(f"{self._title}, {texts:,} of {of:,} texts embedded", texts / of)

    def done(self, title: str, remark: str = "") -> None:
        self._number += 1
        how = remark or duration(time.monotonic() - self._begun)
        self.note(f"{self._subject}, {self._number} of {self._tasks}: {title}, {how}")

    def _show(self, text: str, part: float, *, new: bool = False) -> None:
        tasks = (self._number + part) / self._tasks
        self.at(self._subject, text, (self._model + tasks) / self._models, new=new)


def _slug(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "model"
