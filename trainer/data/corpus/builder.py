"""Building a corpus: records in any order are sorted, deduplicated and written as columns."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from trainer.contract.errors import TrainerError
from trainer.contract.files import sha256_of
from trainer.data.corpus.citation_graph import LONGEST_ID, PIECE, Graph, Lines, lines
from trainer.data.corpus.columns import (
    Csr,
    ListWriter,
    TextColumn,
    TextWriter,
    numbers,
    write_numbers,
    write_texts,
)
from trainer.data.corpus.corpus import (
    DESCRIPTION,
    FORMAT,
    TRIPLES,
    Corpus,
    Split,
    find_venues,
)
from trainer.data.corpus.ids import IdTable, hashes, padded
from trainer.data.corpus.passages import PassageWriter, write_passages
from trainer.data.corpus.records import InputRecord, Triple, clean_id, id_of, one_line
from trainer.data.corpus.split import SplitRule

PROBLEMS = "problems.jsonl"
ReportProblem = Callable[[str, str, str], None]
_ARRIVING = "arriving"
_TEXTS = ("ids", "titles", "abstracts", "questions")
_LISTS = ("fields", "labels")
_NUMBERS = ("years.int16", "venues.int32", "question_papers.int32")
_EDGES = ("cites", "second_hand")
_TRIPLES_AT_ONCE = 100_000


class Builder:
    """Collects papers and writes a corpus, completely or not at all.

    Of several records of a paper one is kept: the first, or the first with an abstract. A context
    manager: an unfinished corpus is deleted on exit.
    """

    def __init__(self, output: Path) -> None:
        if output.exists():
            raise TrainerError(
                f"{output} already exists.", "Use another name, or delete the existing folder."
            )
        self.read = 0
        self.dropped: Counter[str] = Counter()
        self._output = output
        output.parent.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(output.with_name(output.name + ".lock"))
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise TrainerError(
                f"Another program is currently creating {output}.",
                "Wait for that program to finish, or stop it.",
            ) from error
        self._folder = output.with_name(output.name + ".new")
        shutil.rmtree(self._folder, ignore_errors=True)
        self._arriving = self._folder / _ARRIVING
        self._arriving.mkdir(parents=True)
        self._open()

    def __enter__(self) -> Builder:
        return self

    def __exit__(self, *_: object) -> None:
        self._close_arriving()
        self._problems.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._lock.release()
        Path(self._lock.lock_file).unlink(missing_ok=True)

    def add(self, record: InputRecord) -> str:
        """Add a paper. Return the reason why it was dropped, or "" if it was not."""
        self.read += 1
        title, abstract = one_line(record.title), one_line(record.abstract)
        if not title and not abstract:
            return self._drop("neither a title nor an abstract")
        paper_id = id_of(record)
        if len(paper_id.encode("utf-8", "replace")) > LONGEST_ID:
            return self._drop(f"an ID of more than {LONGEST_ID} bytes")
        self._texts["ids"].write(paper_id)
        self._texts["titles"].write(title)
        self._texts["abstracts"].write(abstract)
        year = record.year if 0 < record.year < 10_000 else 0
        self._numbers["years.int16"].write(year.to_bytes(2, "little"))
        venue = one_line(record.venue)
        code = self._code("venues", venue) if venue else -1
        self._numbers["venues.int32"].write(code.to_bytes(4, "little", signed=True))
        self._add_list("fields", record.fields)
        self._add_list("labels", record.labels)
        for question in filter(None, map(one_line, record.questions)):
            self._texts["questions"].write(question)
            self._numbers["question_papers.int32"].write(self._arrived.to_bytes(4, "little"))
        self._passages.add(self._arrived, record.full_text)
        self.cite(paper_id, record.cites, record.second_hand)
        self._arrived += 1
        return ""

    def cite(self, paper_id: str, cites: Iterable[str], second_hand: Iterable[str] = ()) -> None:
        """Add the citations of a paper, which may be added before, later or never."""
        citing = clean_id(paper_id)
        for name, others in (("cites", cites), ("second_hand", second_hand)):
            lines = "".join(f"{citing}\t{clean_id(other)}\n" for other in others)
            self._edges[name].write(lines.encode("utf-8", "replace"))

    def add_triple(self, triple: Triple) -> None:
        """Add a triplet of papers, which may be added before, later or never."""
        line = "\t".join(map(clean_id, triple))
        self._triples.write(f"{line}\n".encode("utf-8", "replace"))

    def unread(self) -> None:
        """Count an unreadable entry."""
        self.read += 1
        self._drop("unreadable")

    def problem(self, file: str, entry: str, why: str) -> None:
        """Log an entry that could not be read; the log is kept beside the corpus."""
        line = json.dumps({"file": file, "entry": entry, "why": why}, ensure_ascii=False)
        self._problems.write(line.encode("utf-8", "replace").decode() + "\n")

    def unknown_venues(self, names: Collection[str]) -> list[str]:
        """Return those of the names that are not the venue of any paper so far."""
        return find_venues(names, list(self._codes["venues"])).unknown

    def finish(
        self,
        *,
        citations: Iterable[Lines] = (),
        citation_bytes: int = 0,
        exclude_venues: Collection[str] = (),
        need_abstract: bool = False,
        split: SplitRule | None = None,
        files: Sequence[Mapping[str, Any]] = (),
        report: ReportProblem | None = None,
    ) -> Corpus:
        """Sort the records, write the columns and rename the folder to its final name.

        `citation_bytes` is the approximate size of `citations`. `files` describes the inputs, for
        the corpus's description. Papers in a venue of `exclude_venues`, case-insensitively, are
        dropped entirely, even if another input has them too. Raises TrainerError if all papers that
        `split` names for a part are missing; single missing ones are reported to `report`: file,
        entry and reason.
        """
        split = split or SplitRule()
        self._close_arriving()
        winners, row_of = self._choose(exclude_venues, need_abstract)
        self._write_papers(winners, split, report or self.problem)
        self._write_questions(row_of)
        table = IdTable(TextColumn(self._folder, "ids"))
        counts = {
            "citations": self._write_graph(table, "cites", citations, citation_bytes),
            "second_hand": self._write_graph(table, "second_hand", (), 0),
        }
        if triples := self._write_triples(table):
            counts["triples"] = triples
        if full_texts := write_passages(self._arriving, self._folder, winners, row_of):
            counts["full_texts"] = full_texts
        shutil.rmtree(self._arriving)
        self._problems.close()
        if not (self._folder / PROBLEMS).stat().st_size:
            (self._folder / PROBLEMS).unlink()
        self._describe(len(winners), counts, exclude_venues, split, files)
        Corpus.open(self._folder, verify=False)
        self._folder.rename(self._output)
        return Corpus.open(self._output, verify=False)

    def _open(self) -> None:
        self._texts = {name: TextWriter(self._arriving, name) for name in _TEXTS}
        self._lists = {name: ListWriter(self._arriving, name, "int32") for name in _LISTS}
        self._numbers = {n: (self._arriving / n).open("wb", 1 << 20) for n in _NUMBERS}
        self._edges = {n: (self._arriving / n).open("wb", 1 << 20) for n in _EDGES}
        self._triples = (self._arriving / "triples").open("wb", 1 << 20)
        self._problems = (self._folder / PROBLEMS).open("w", encoding="utf-8")
        self._codes: dict[str, dict[str, int]] = {"fields": {}, "labels": {}, "venues": {}}
        self._passages = PassageWriter(self._arriving)
        self._arrived = 0

    def _drop(self, why: str) -> str:
        self.dropped[why] += 1
        return why

    def _code(self, kind: str, name: str) -> int:
        codes = self._codes[kind]
        return codes.setdefault(name, len(codes))

    def _add_list(self, kind: str, names: Iterable[str]) -> None:
        codes = dict.fromkeys(self._code(kind, name) for name in map(one_line, names) if name)
        self._lists[kind].add(np.fromiter(codes, np.int32, len(codes)).tobytes())

    def _close_arriving(self) -> None:
        for writer in (*self._texts.values(), *self._lists.values()):
            writer.close()
        self._passages.close()
        for file in (*self._numbers.values(), *self._edges.values(), self._triples):
            file.close()

    def _choose(
        self, exclude_venues: Collection[str], need_abstract: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the records that become papers, by row; and the row of every record, -1 for
        none."""
        paper = _numbered(TextColumn(self._arriving, "ids"))
        bare = TextColumn(self._arriving, "abstracts").lengths == 0
        order = np.lexsort((bare, paper))  # stable: records of one paper keep their order
        winners = order[np.searchsorted(paper[order], np.arange(paper.max(initial=-1) + 1))]
        self.dropped["duplicate paper"] += len(order) - len(winners)
        kept = np.ones(len(winners), bool)
        excluded = np.flatnonzero(find_venues(exclude_venues, list(self._codes["venues"])).meant)
        venues = numbers(self._arriving / "venues.int32")
        kept[paper[np.isin(venues, excluded)]] = False
        self.dropped["excluded journal"] += int(np.count_nonzero(~kept))
        if need_abstract:
            empty = kept & bare[winners]
            kept[empty] = False
            self.dropped["no abstract"] += int(np.count_nonzero(empty))
        row = np.where(kept, np.cumsum(kept) - 1, -1)
        return winners[kept], row[paper]

    def _write_papers(
        self, winners: NDArray[np.int64], split: SplitRule, report: ReportProblem
    ) -> None:
        for name in ("ids", "titles", "abstracts"):
            texts = TextColumn(self._arriving, name)
            with TextWriter(self._folder, name) as writer:
                for arrival in winners.tolist():
                    writer.add(texts.bytes(arrival))
        years = numbers(self._arriving / "years.int16")[winners]
        write_numbers(self._folder / "years.int16", years)
        ids = TextColumn(self._folder, "ids")
        write_numbers(self._folder / "split.uint8", split.parts(ids))
        for part, name in split.unknown(ids):
            report(f"papers listed for {part.name}", name, "No paper of the corpus has this ID.")
        venues = numbers(self._arriving / "venues.int32")[winners]
        write_numbers(self._folder / "venues.int32", self._write_names("venues", venues))
        for name in _LISTS:
            lists = Csr.open(self._arriving, name)
            codes = self._write_names(name, lists.gather(winners)[1])
            with ListWriter(self._folder, name, "int32") as writer:
                writer.extend(codes, lists.counts[winners])

    def _write_names(self, kind: str, codes: NDArray[np.int32]) -> NDArray[np.int32]:
        """Write the names that are used, sorted, and return the codes in that order."""
        names = list(self._codes[kind])
        used = sorted(np.unique(codes[codes >= 0]).tolist(), key=names.__getitem__)
        write_texts(self._folder, f"{kind.removesuffix('s')}_names", [names[c] for c in used])
        code = np.full(len(names) + 1, -1, np.int32)  # the last one is for -1: none
        code[used] = np.arange(len(used))
        return code[codes]

    def _write_questions(self, row_of: NDArray[np.int64]) -> None:
        texts = TextColumn(self._arriving, "questions")
        papers = row_of[numbers(self._arriving / "question_papers.int32")]
        asked = sorted({(int(p), texts.bytes(n)) for n, p in enumerate(papers) if p >= 0})
        with TextWriter(self._folder, "questions") as writer:
            for _, question in asked:
                writer.add(question)
        rows = np.fromiter((paper for paper, _ in asked), np.int32, len(asked))
        write_numbers(self._folder / "question_papers.int32", rows)

    def _write_graph(
        self, table: IdTable, name: str, citations: Iterable[Lines], size: int
    ) -> dict[str, Any]:
        own = self._arriving / name
        graph = Graph(table, self._folder / "parts", own.stat().st_size + size)
        try:
            with own.open("rb") as stream:
                for found in chain(lines(iter(partial(stream.read, PIECE), b"")), citations):
                    graph.add(found)
            return graph.write(self._folder, name)
        finally:
            graph.close()

    def _write_triples(self, table: IdTable) -> dict[str, Any] | None:
        """Write the column of triplets, without repetitions, and return the numbers read, kept and
        dropped; None, without a column, if there are none."""
        parts = []
        with (self._arriving / "triples").open("rb") as lines:
            while some := list(islice(lines, _TRIPLES_AT_ONCE)):
                names = [name for line in some for name in line.rstrip(b"\n").split(b"\t")]
                lengths = np.fromiter(map(len, names), np.int64, len(names))
                utf8 = padded(np.frombuffer(b"".join(names), np.uint8))
                found = table.rows(hashes(utf8, np.cumsum(lengths) - lengths, lengths))
                parts.append(found.reshape(-1, 3))
        if not parts:
            return None
        rows = np.concatenate(parts)
        known = rows[(rows >= 0).all(1)]
        apart = known[(known[:, 0] != known[:, 1]) & (known[:, 0] != known[:, 2])]
        kept = np.unique(apart, axis=0)
        write_numbers(self._folder / TRIPLES, kept)
        dropped = {
            "paper not in the corpus": len(rows) - len(known),
            "paper that is its own positive or negative": len(known) - len(apart),
            "duplicate triplet": len(apart) - len(kept),
        }
        return {
            "read": len(rows),
            "kept": len(kept),
            "dropped": {why: count for why, count in dropped.items() if count},
        }

    def _describe(
        self,
        papers: int,
        graphs: Mapping[str, Any],
        exclude_venues: Collection[str],
        split: SplitRule,
        files: Sequence[Mapping[str, Any]],
    ) -> None:
        parts = np.bincount(numbers(self._folder / "split.uint8"), minlength=len(Split))
        hashes = {
            path.name: {"bytes": path.stat().st_size, "sha256": sha256_of(path)}
            for path in sorted(self._folder.iterdir())
            if path.name != PROBLEMS
        }
        listed = "".join(f"{name} {file['sha256']}\n" for name, file in sorted(hashes.items()))
        described = {
            "format": FORMAT,
            "papers": papers,
            # One hash of the contents of the corpus, independent of their source.
            "sha256": hashlib.sha256(listed.encode()).hexdigest(),
            "split": {
                part.name: {"share": share, "papers": int(parts[part])}
                for part, share in zip(Split, split.shares, strict=True)
            },
            "split_by": split.described,
            "excluded_venues": sorted(exclude_venues),
            "counts": {
                "read": self.read,
                "kept": papers,
                "dropped": {why: n for why, n in sorted(self.dropped.items()) if n},
                **graphs,
                "files": list(files),
            },
            "files": hashes,
        }
        text = json.dumps(described, indent=2, ensure_ascii=False) + "\n"
        (self._folder / DESCRIPTION).write_text(text, encoding="utf-8")


def _numbered(ids: TextColumn) -> NDArray[np.int64]:
    """Return for each text its index among the distinct ones, in the order of their bytes."""
    width = max(1, int(ids.lengths.max(initial=1)))
    names = np.fromiter(map(ids.bytes, range(len(ids))), f"S{width}", len(ids))
    return np.unique(names, return_inverse=True)[1]
