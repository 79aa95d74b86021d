"""How many entries a file holds, roughly and quickly: for a progress bar, not for a ledger."""

from __future__ import annotations

from pathlib import Path

from sciread_app.formats.streams import UNREADABLE, open_bytes

# What stands once in every entry, by the file's suffix.
_MARKS = {
    ".bib": b"\n@",
    ".ris": b"\nTY  -",
    ".nbib": b"\nPMID-",
    ".xml": b"<PubmedArticle>",
    ".atom": b"<entry>",
    ".json": b'"title"',
    ".jsonl": b"\n",
}
_BLOCK = 1 << 20


def estimate(path: Path) -> int:
    """About how many entries the file holds; 0 where nothing tells."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    mark = _MARKS.get(suffixes[-1]) if suffixes else None
    if mark is None:
        return 0
    count = 0
    try:
        with open_bytes(path) as stream:
            while block := stream.read(_BLOCK):
                count += block.count(mark)
    except UNREADABLE:
        return count  # reading it will say what is wrong
    return count
