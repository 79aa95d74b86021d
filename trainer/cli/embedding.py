"""The command for bulk embedding."""

from __future__ import annotations

import json
import os
import signal
import threading
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from trainer.cli.progress import AsJson, ProgressDisplay, counted
from trainer.contract.errors import TrainerError
from trainer.contract.package import find_model
from trainer.embedding import SHARD_PAPERS
from trainer.loop.progress import duration

if TYPE_CHECKING:
    from trainer.embed import EmbeddingJob, EmbeddingProgress, WorkerResult
    from trainer.embedding.shards import Checked

EXAMPLES = """Examples: a corpus; all files of a folder, on two GPUs; verifying the result.

sciread-trainer embed --model starter --input corpora/mine --output vectors

CUDA_VISIBLE_DEVICES=0 sciread-trainer embed --model runs/a/package --input papers/*.parquet --output vectors &

CUDA_VISIBLE_DEVICES=1 sciread-trainer embed --model runs/a/package --input papers/*.parquet --output vectors

sciread-trainer embed --output vectors --verify
"""  # noqa: E501

_SHOWN = 5  # problems


class Dtype(StrEnum):
    float16 = "float16"
    float32 = "float32"


class Engine(StrEnum):
    local = "local"
    ray = "ray"


Output = Annotated[Path, typer.Option("--output", "-o", help="Output folder for the vectors.")]
Model = Annotated[str, typer.Option(help="Model folder or name, or 'starter'.")]
Inputs = Annotated[
    list[Path],
    typer.Option(
        "--input",
        help="Corpus, JSON Lines file (.gz supported), Parquet table or SciRead library "
        "(library.sqlite3); can be repeated.",
    ),
]
More = Annotated[
    list[Path] | None,
    typer.Argument(metavar="FILE", help="More inputs, following --input.", show_default=False),
]
ShardPapers = Annotated[
    int,
    typer.Option(
        min=1, help="Papers per shard. If a worker is killed, only its current shard is lost."
    ),
]
Type = Annotated[Dtype, typer.Option("--dtype", help="Data type of the stored values.")]
Device = Annotated[str, typer.Option(help="PyTorch device; default: a GPU if available.")]
Verify = Annotated[
    bool,
    typer.Option(
        "--verify",
        help="Only verify that every paper was embedded exactly "
        "once and that the files are unchanged.",
    ),
]
RunOn = Annotated[
    Engine,
    typer.Option(help="local: this process is the only worker. ray: workers on a Ray cluster."),
]
Workers = Annotated[int, typer.Option(min=1, help="Number of workers, with --engine ray.")]


def embed_papers(
    output: Output,
    model: Model = "",
    inputs: Inputs = [],  # noqa: B006 - typer reads the default, it is never changed
    more: More = None,
    shard_papers: ShardPapers = SHARD_PAPERS,
    dtype: Type = Dtype.float16,
    device: Device = "",
    engine: RunOn = Engine.local,
    workers: Workers = 1,
    check: Verify = False,
    as_json: AsJson = False,
) -> None:
    """Embed any number of papers with any number of workers.

    Run the same command once per GPU, on any machines that share the output folder: each worker
    takes shards that no other worker has taken. Run it again to resume after an interruption; other
    workers take over the shards of a worker that died. The vectors are written to
    shards/*/vectors.npy, one row of unit length per paper, and the papers' IDs to ids.json in the
    same folder.
    """
    if check:
        from trainer.embedding.shards import verify

        raise typer.Exit(_print_checked(verify(output), as_json))
    paths = (*inputs, *(more or ()))
    if not model or not paths:
        raise TrainerError(
            "Embedding requires --model and --input.",
            "For example: sciread-trainer embed --model starter --input papers.jsonl --output DIR",
        )
    from trainer.embed import EmbeddingJob  # torch takes seconds to load

    work = EmbeddingJob(
        find_model(model), paths, output, dtype.value, shard_papers, device or _own_gpu()
    )
    if engine is Engine.ray:
        from trainer.embed_ray import embed_on_ray

        _print_done(embed_on_ray(work, workers), output, as_json)
        return
    raise typer.Exit(_embed_here(work, as_json))


def _embed_here(work: EmbeddingJob, as_json: bool) -> int:
    from trainer.embed import Stopped, embed

    stop = threading.Event()
    asked: list[int] = []

    def on_signal(number: int, _: Any) -> None:
        asked.append(number)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, on_signal)
    with ProgressDisplay(as_json) as shown:

        def progress(at: EmbeddingProgress) -> None:
            shown.at("Embedding", _progress_text(at), at.done / max(at.papers, 1))

        try:
            done = embed(work, stop=stop, progress=progress, note=shown.note)
        except Stopped:
            shown.note(
                "Stopped. Run the same command again to continue with the unfinished shards."
            )
            return 128 + (asked[0] if asked else signal.SIGTERM)
    _print_done(done, work.output, as_json)
    return 0


def _own_gpu() -> str:
    """Device of this process if torchrun or srun started one process per GPU."""
    number = os.environ.get("LOCAL_RANK") or os.environ.get("SLURM_LOCALID") or ""
    seen = os.environ.get("CUDA_VISIBLE_DEVICES", "0,1")
    # Slurm may expose a single GPU to each process, which then has index 0.
    if not number.isdecimal() or "," not in seen:
        return ""
    import torch

    return f"cuda:{number}" if torch.cuda.device_count() > 1 else ""


def _progress_text(at: EmbeddingProgress) -> str:
    message = (
        f"{at.done:,} of {at.papers:,} papers · {at.tokens / max(at.seconds, 0.001):,.0f} "
        "tokens/s by this worker"
    )
    return message if at.left is None else f"{message} · {duration(at.left)} left"


def _print_done(done: WorkerResult, output: Path, as_json: bool) -> None:
    if as_json:
        values = {"shards": done.shards, "papers": done.papers, "tokens": done.tokens}
        typer.echo(json.dumps(values | {"skipped": done.skipped}))
        return
    console = Console(highlight=False, stderr=True)
    for problem in done.skipped[:_SHOWN]:
        message = f"[yellow]{escape(problem.entry)}:[/] {escape(problem.reason)}"
        console.print(message, soft_wrap=True)
    if len(done.skipped) > _SHOWN:
        more = f"{len(done.skipped) - _SHOWN:,} more papers were skipped; the manifests list them."
        console.print(f"[yellow]{more}[/]")
    console.print(
        f"This worker embedded {counted(done.papers, 'paper')} ({counted(done.tokens, 'token')}) "
        f"in {counted(done.shards, 'shard')}. All vectors are in {escape(str(output))}.",
        soft_wrap=True,
    )


def _print_checked(found: Checked, as_json: bool) -> int:
    if as_json:
        typer.echo(json.dumps(vars(found)))
    else:
        for problem in found.problems:
            typer.echo(problem)
        typer.echo(
            f"{counted(found.papers, 'paper')} in {counted(found.shards, 'shard')}, "
            f"{found.skipped:,} skipped: "
            + (
                counted(len(found.problems), "problem")
                if found.problems
                else "complete, without duplicates"
            )
            + "."
        )
    return 1 if found.problems else 0
