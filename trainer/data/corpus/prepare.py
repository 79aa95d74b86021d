"""Making a corpus from files, with counts of everything read, kept and dropped."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from trainer.contract.errors import TrainerError
from trainer.contract.files import UNREADABLE
from trainer.data.corpus.builder import Builder
from trainer.data.corpus.citation_graph import PIECE, Lines, TooLongError, lines
from trainer.data.corpus.corpus import Corpus
from trainer.data.corpus.progress import PrepareProgress
from trainer.data.corpus.records import CitedIds, InputRecord, RecordProblem, Triple
from trainer.data.corpus.split import SplitRule
from trainer.data.inputs import InputKind, kind_named, kind_of
from trainer.data.inputs.source import Source, unreadable_reason

# Records between two reports of progress; full texts take longer.
_EVERY, _EVERY_TEXT = 2_000, 100
_NO_IDS = "This line does not contain two IDs separated by a tab: citing, tab, cited."
_NO_CITATIONS = (
    "The file contains no citations. The format is one citation per line: citing, tab, cited."
)
_EXCLUDED = "excluded journals"


def prepare(
    inputs: Sequence[str],
    output: Path,
    *,
    citations: Sequence[str] = (),
    collection: str = "",
    full_text: bool = False,
    exclude_venues: Collection[str] = (),
    need_abstract: bool = False,
    split: SplitRule | None = None,
    watch: PrepareProgress | None = None,
) -> Corpus:
    """Make a corpus of all papers in the files `inputs` and all `citations` between them.

    `split` assigns papers to training, validation and test; None: the default split. A file may be
    given as "kind=path" if its kind is not recognized. Of libraries, only the papers of the
    `collection` are used, if one is given. With `full_text`, the full texts of papers are included
    where an input has them, but not those of test papers. Raises TrainerError, leaving nothing
    behind, for missing or unknown files and for an unwritable output. Damaged entries and files are
    reported to `watch` and left out.
    """
    watch = watch or PrepareProgress()
    found = [_opened(name, collection, full_text) for name in inputs]
    found += [(kind_named("citations"), _source(path)) for path in citations]
    try:
        with Builder(output) as builder:
            return _Preparation(builder, watch).run(found, exclude_venues, need_abstract, split)
    except OSError as error:
        raise TrainerError(
            f"The corpus {output} could not be written: {error.strerror or error}.",
            "Check the free disk space and the permissions of the folder.",
        ) from error


class _Preparation:
    def __init__(self, builder: Builder, watch: PrepareProgress) -> None:
        self._builder = builder
        self._watch = watch
        self._files: list[dict[str, Any]] = []

    def run(
        self,
        found: Sequence[tuple[InputKind, Source]],
        exclude_venues: Collection[str],
        need_abstract: bool,
        split: SplitRule | None,
    ) -> Corpus:
        """Read the papers of all files, then their citations, and return the corpus.

        Citations come last, because only those between papers of the corpus are kept.
        """
        graphs = [(kind, source) for kind, source in found if kind.read is None]
        for kind, source in found:
            if kind.read is not None:
                self._read(kind, source)
        for name in self._builder.unknown_venues(exclude_venues):
            self._report(
                _EXCLUDED, name, "No paper is from this journal, so no paper was excluded."
            )
        self._watch.note("Writing the papers")
        return self._builder.finish(
            citations=self._lines(graphs),
            citation_bytes=sum(source.unpacked_bytes for _, source in graphs),
            exclude_venues=exclude_venues,
            need_abstract=need_abstract,
            split=split,
            files=self._files,
            report=self._report,
        )

    def _read(self, kind: InputKind, source: Source) -> None:
        file = self._begin(kind, source)
        number, every = 0, _EVERY_TEXT if source.full_text else _EVERY
        for number, found in enumerate(_readable(kind, source), start=1):
            if isinstance(found, RecordProblem):
                if found.paper:
                    self._builder.unread()
                self._problem(file, found.entry, found.reason)
            elif isinstance(found, CitedIds):
                self._builder.cite(found.id, found.cites, found.second_hand)
                file["citations"] += len(found.cites) + len(found.second_hand)
            elif isinstance(found, Triple):
                self._builder.add_triple(found)
                file["triples"] = file.get("triples", 0) + 1
            else:
                self._add(file, found)
            if number % every == 0:
                self._watch.progress(source.path.name, number, source.share)
        self._watch.progress(source.path.name, number, 1.0)
        if not any(file.get(name) for name in ("papers", "citations", "triples", "problems")):
            self._problem(file, "", "The file contains neither papers nor citations.")

    def _add(self, file: dict[str, Any], record: InputRecord) -> None:
        file["papers"] += 1
        file["citations"] += len(record.cites) + len(record.second_hand)
        if record.full_text:
            file["full_texts"] += 1
        entry = record.id or f"paper {file['papers']}"
        for name in record.no_values:
            self._problem(
                file, entry, f"The value of {name} is NaN or similar and is treated as missing."
            )
        if why := self._builder.add(record):
            self._problem(file, entry, f"This paper has {why}.")

    def _lines(self, graphs: Sequence[tuple[InputKind, Source]]) -> Iterator[Lines]:
        """Iterate over the citations of these files, one file after the other."""
        for kind, source in graphs:
            file = self._begin(kind, source)
            try:
                for found in lines(source.pieces(PIECE)):
                    yield found
                    file["citations"] += len(found.starts)
                    for number in found.wrong.tolist():
                        self._problem(file, f"line {number}", _NO_IDS)
                    self._watch.progress(source.path.name, file["citations"], source.share)
                if not file["citations"]:
                    self._problem(file, "", _NO_CITATIONS)
            except TooLongError as error:
                self._problem(file, f"line {error}", "The line is too long for a citation.")
            except UNREADABLE as error:
                self._problem(file, "", unreadable_reason(error))

    def _begin(self, kind: InputKind, source: Source) -> dict[str, Any]:
        self._watch.note(f"Reading {source.path} ({kind.title})")
        named = {"name": source.path.name, "kind": kind.key}
        if source.part:
            named["part"] = source.part
        file: dict[str, Any] = {**named, "papers": 0, "citations": 0, "problems": 0}
        if source.full_text:
            file["full_texts"] = 0
        self._files.append(file)
        return file

    def _problem(self, file: dict[str, Any], entry: str, why: str) -> None:
        file["problems"] += 1
        self._report(file["name"], entry, why)

    def _report(self, where: str, entry: str, why: str) -> None:
        self._builder.problem(where, entry, why)
        self._watch.problem(where, entry, why)


def _readable(
    kind: InputKind, source: Source
) -> Iterator[InputRecord | CitedIds | Triple | RecordProblem]:
    """Iterate over the file as far as it can be read; an error that ends it is the last problem."""
    assert kind.read is not None
    try:
        yield from kind.read(source)
    except UNREADABLE as error:
        yield RecordProblem("", unreadable_reason(error), paper=False)


def _opened(name: str, collection: str, full_text: bool) -> tuple[InputKind, Source]:
    key, equals, path = name.partition("=")
    if equals and not Path(name).exists():
        kind, source = kind_named(key), _source(path, collection, full_text)
    else:
        source = _source(name, collection, full_text)
        kind = kind_of(source)
    if collection and kind.key != "library":
        raise TrainerError(
            f"{source.path} has no collections.",
            "Only a SciRead library (library.sqlite3) has collections.",
        )
    return kind, source


def _source(name: str, part: str = "", full_text: bool = False) -> Source:
    path = Path(name)
    if not path.is_file():
        if path.is_dir():
            raise TrainerError(f"{path} is a folder.", "List the input files individually.")
        raise TrainerError(f"The file {path} does not exist.", "Check the path of the file.")
    return Source(path, part, full_text)
