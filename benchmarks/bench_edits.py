"""Duration of edits of many papers, and of undoing them."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sciread_app.services.library.editor import LibraryEditor
from sciread_app.storage.library import Library
from tests.support.generate.papers import paper

WORDS = " ".join(f"word{n}" for n in range(150))


def main(count: int = 100_000) -> None:
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder) / "library.sqlite3")
        for start in range(0, count, 500):
            library.put(
                [
                    paper(
                        f"A paper called {n}",
                        abstract=f"{WORDS} {n}",
                        authors="Curie, Marie; Noether, Emmy",
                        published=str(1950 + n % 70),
                        source="made",
                        source_id=str(n),
                    )
                    for n in range(start, start + 500)
                ]
            )
        measure(LibraryEditor(library), range(1, count + 1))
        library.close()


def measure(editor: LibraryEditor, ids: range) -> None:
    verbs: dict[str, Callable[[range], object]] = {
        "tag": lambda ids: editor.tag(ids, "to read"),
        "collect": lambda ids: editor.collect(ids, "thesis/chapter 2"),
        "mark_read": editor.mark_read,
        "rate": lambda ids: editor.rate(ids, 4),
        "trash": editor.trash,
        "edit venue": lambda ids: editor.edit(ids, venue="Nature"),
        "merge one pair": lambda ids: editor.merge(ids[0], [ids[1]]),
    }
    for chosen in (ids[:2], ids):
        for name, verb in verbs.items():
            if name.startswith("merge") and chosen is ids:
                continue
            seconds = [timed(partial(verb, chosen))]
            seconds += [timed(editor.undo), timed(editor.redo), timed(editor.undo)]
            print(
                f"{name:15} {len(chosen):7,} papers: done, taken back, again "
                + "  ".join(f"{s:7.3f} s" for s in seconds[:3]),
                flush=True,
            )


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
