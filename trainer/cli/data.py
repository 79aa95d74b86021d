"""Commands that prepare and inspect corpora."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from trainer.cli.progress import AsJson, AsLines, ProgressDisplay, answering
from trainer.contract.catalog import METHODS
from trainer.contract.corpus_stats import DEFAULT_SPLIT, CorpusStats, check_requirements
from trainer.contract.package import find_model
from trainer.data.corpus.progress import PrepareProgress

if TYPE_CHECKING:
    from trainer.data.corpus.corpus import Corpus

EXAMPLES = """Examples: your library; downloaded papers and their citations; SPECTER's training set as published;
a collection; your library with the full text of its PDFs.

sciread-trainer prepare library.sqlite3 --output corpora/mine

sciread-trainer prepare arxiv-metadata.json pubmed.xml.gz citations.tsv --output corpora/all --tokens starter

sciread-trainer prepare metadata.json data.json --output corpora/specter

sciread-trainer prepare library.sqlite3 --collection thesis --output corpora/thesis

sciread-trainer prepare library.sqlite3 --full-text --output corpora/texts

Train on all papers, as in the papers; or on all but your own test split:

sciread-trainer prepare library.sqlite3 --split all --output corpora/final

sciread-trainer prepare library.sqlite3 --split 95/5/0 --test-ids mine.txt --output corpora/final
"""  # noqa: E501

_SHOWN = 5  # problems of one file
_SOON = 0.1  # seconds

Inputs = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="SciRead library (library.sqlite3), JSON Lines, arXiv snapshot, PubMed XML, table "
        "(CSV, TSV or Parquet), SPECTER, SciDocs or PhysBERT JSON, pairs or triplets of texts "
        "(sentence-transformers, Tevatron), or citations (citing TAB cited); gzip is supported. "
        "The format is detected from the content; set it explicitly with table=FILE, jsonl=FILE, "
        "citations=FILE and so on.",
    ),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", help="Folder to create; it must not exist yet.")
]
CitationFiles = Annotated[
    list[str],
    typer.Option("--citations", help="File of citations, one per line: citing, tab, cited."),
]
ExcludeVenues = Annotated[
    list[str],
    typer.Option(
        help="Exclude papers from this journal, or from all journals listed in this file."
    ),
]
OfCollection = Annotated[
    str, typer.Option("--collection", help="Only the papers of this collection of the library.")
]
FullText = Annotated[
    bool,
    typer.Option(
        "--full-text",
        help="Include full texts, except those of test papers: the PDFs of a SciRead library, and "
        "full_text in JSON Lines.",
    ),
]
NeedAbstract = Annotated[
    bool, typer.Option("--need-abstract", help="Exclude papers without an abstract.")
]
SplitShares = Annotated[
    str,
    typer.Option(
        "--split",
        metavar="TRAIN/VALIDATION/TEST",
        help="Percentages for the training, validation and test splits, or 'all' to train on "
        "all papers.",
    ),
]
TestIds = Annotated[
    Path | None,
    typer.Option(help="File of IDs, one per line: exactly these papers form the test split."),
]
ValidationIds = Annotated[Path | None, typer.Option(help="File of IDs for the validation split.")]
Tokens = Annotated[
    list[str],
    typer.Option(help="Tokenize all texts with the tokenizer of this model in advance."),
]


def prepare(
    inputs: Inputs,
    output: Output,
    citations: CitationFiles = [],  # noqa: B006 - typer reads the default, it is never changed
    exclude_venues: ExcludeVenues = [],  # noqa: B006
    need_abstract: NeedAbstract = False,
    tokens: Tokens = [],  # noqa: B006
    collection: OfCollection = "",
    full_text: FullText = False,
    split: SplitShares = DEFAULT_SPLIT,
    test_ids: TestIds = None,
    validation_ids: ValidationIds = None,
    as_json: AsJson = False,
    progress: AsLines = False,
) -> None:
    """Create a corpus, the folder of papers for training, and print a summary.

    Duplicate papers are merged. By default, 85% of the papers form the training split, 5% the
    validation split and 10% the test split, determined by a hash of their IDs, so that the split of
    a paper is the same for every method and in every corpus. With --split all, no papers remain for
    validation or for an evaluation on this corpus.
    """
    # Imported here: numpy and the file readers take time.
    from trainer.data.corpus.builder import PROBLEMS
    from trainer.data.corpus.prepare import prepare as make_corpus
    from trainer.data.corpus.split import SplitRule
    from trainer.data.tokens import TokenCache

    with answering(as_json), PreparationDisplay(as_json, progress) as display:
        tokenizers = [_tokenizer(model) for model in tokens]
        rule = SplitRule.of(split, validation_ids, test_ids)
        corpus = make_corpus(
            inputs,
            output,
            citations=citations,
            collection=collection,
            full_text=full_text,
            exclude_venues=_venues(exclude_venues),
            need_abstract=need_abstract,
            split=rule,
            watch=display,
        )
        for tokenizer in tokenizers:
            TokenCache.open(corpus, tokenizer, display.note)
        display.finish(PROBLEMS)
        if as_json:
            typer.echo(json.dumps(_summary(corpus)))
        else:
            _print(corpus)


def corpus(
    folder: Annotated[Path, typer.Argument(help="Corpus folder, as written by `prepare`.")],
    as_json: AsJson = False,
    progress: AsLines = False,
) -> None:
    """Describe a corpus, and list the methods it has enough data for."""
    from trainer.data.corpus.corpus import Corpus, count_training_data

    with answering(as_json), ProgressDisplay(as_json, as_lines=progress) as shown:
        shown.note(f"Reading the corpus {folder}")
        opened = Corpus.open(folder)
        holds = count_training_data(opened)
    if as_json:
        typer.echo(json.dumps(_summary(opened) | {"holds": holds.described()}))
        return
    _print(opened)
    Console(highlight=False).print(_methods_table(holds))


class PreparationDisplay(ProgressDisplay, PrepareProgress):
    """Progress of `prepare`, by file."""

    def __init__(self, quiet: bool, as_lines: bool = False) -> None:
        super().__init__(quiet, every=5.0, as_lines=as_lines)
        self._problems: Counter[str] = Counter()
        self._file, self._begun = "", 0.0

    def note(self, text: str) -> None:
        # A note precedes each file, and the next may have the same name in another folder.
        self._file = ""
        super().note(text)

    def progress(self, file: str, entries: int, share: float) -> None:
        now = time.monotonic()
        if file != self._file:
            self._file, self._begun = file, now
        seconds = now - self._begun
        # The rate is meaningless in the first moments.
        rate = f", {entries / seconds:,.0f} per second" if seconds > _SOON else ""
        self.at(file, f"{entries:,} ({share:.0%}){rate}", share)

    def problem(self, file: str, entry: str, why: str) -> None:
        self._problems[file] += 1
        if self._problems[file] <= _SHOWN:
            self.warn(f"{file}, {entry}" if entry else file, why)

    def finish(self, named_in: str) -> None:
        """Report the number of problems not shown, and the file that lists them."""
        for file, count in self._problems.items():
            if count > _SHOWN:
                self.warn(file, f"{count - _SHOWN:,} more problems are listed in {named_in}.")


def _venues(named: list[str]) -> set[str]:
    """Names, with files replaced by their lines."""
    found: set[str] = set()
    for name in named:
        path = Path(name)
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else [name]
        found.update(line.strip() for line in lines if line.strip())
    return found


def _tokenizer(model: str) -> Path:
    """Folder of a known model, or any folder with a tokenizer.json."""
    folder = Path(model)
    return folder if (folder / "tokenizer.json").is_file() else find_model(model).folder


def _summary(corpus: Corpus) -> dict[str, Any]:
    return {
        "corpus": str(corpus.folder),
        "papers": corpus.papers,
        "sha256": corpus.sha256,
        "split": _split(corpus),
        "split_by": corpus.split_by,
        "venues": len(corpus.venue_names),
        "fields": len(corpus.field_names),
        "labels": len(corpus.label_names),
        "questions": len(corpus.questions),
        **corpus.counts,
    }


def _split(corpus: Corpus) -> dict[str, int]:
    from trainer.data.corpus.corpus import Split

    return {part.name: len(corpus.rows(part)) for part in Split}


def _print(corpus: Corpus) -> None:
    console = Console(highlight=False)
    console.print(_files_table(corpus))
    console.print(_papers_table(corpus))
    split = ", ".join(f"{count:,} {name}" for name, count in _split(corpus).items())
    bare = int((corpus.abstracts.lengths == 0).sum())
    console.print(
        f"{split} (split {corpus.split_by}). {len(corpus.venue_names):,} journals, "
        f"{len(corpus.field_names):,} fields, {len(corpus.label_names):,} labels, "
        f"{len(corpus.questions):,} questions; {bare:,} papers without an abstract.",
        soft_wrap=True,
    )
    if len(corpus.passages):
        console.print(
            f"{corpus.counts['full_texts']['kept']:,} full texts: {len(corpus.passages):,} "
            f"passages, {len(corpus.passage_questions):,} questions.",
            soft_wrap=True,
        )
    console.print(f"Corpus folder: {escape(str(corpus.folder))}", soft_wrap=True)


def _methods_table(holds: CorpusStats) -> Table:
    """Table of the data each recipe needs and the corpus has."""
    table = Table("recipe", "required", "available", "", box=None, padding=(0, 2, 0, 0))
    for spec in METHODS:
        for name in spec.recipes:
            for number, one in enumerate(check_requirements(spec, spec.resolve(name), holds)):
                verdict = {"enough": "", "few": "few", "missing": "too few"}[one.level.value]
                table.add_row("" if number else name, one.need.value, f"{one.have:,}", verdict)
    return table


def _files_table(corpus: Corpus) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("file", overflow="fold")
    table.add_column("kind")
    for name in ("papers", "citations", "problems"):
        table.add_column(name, justify="right")
    for file in corpus.counts["files"]:
        counts = (f"{file[name]:,}" for name in ("papers", "citations", "problems"))
        table.add_row(escape(file["name"]), file["kind"], *counts)
    return table


def _papers_table(corpus: Corpus) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("", "read", "kept", "dropped", "reason"):
        table.add_column(name, justify="right" if name in ("read", "kept", "dropped") else "left")
    said = {**corpus.counts, "papers": corpus.counts}
    optional = [name for name in ("triples", "full_texts") if name in corpus.counts]
    for name in ("papers", "citations", "second_hand", *optional):
        counts = said[name]
        reasons = list(counts["dropped"].items()) or [("", 0)]
        for number, (why, count) in enumerate(reasons if counts["read"] else ()):
            named = (name.replace("_", " "), f"{counts['read']:,}", f"{counts['kept']:,}")
            table.add_row(*(("",) * 3 if number else named), f"{count:,}", why)
    return table
