"""Fast estimates of the number of entries in a file, for progress bars."""

from __future__ import annotations

from pathlib import Path

from sciread_app.formats.files.streams import UNREADABLE, open_bytes

# A marker that occurs once per entry, by suffix.
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
    """The approximate number of entries; 0 if unknown."""
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
        return count  # the reader reports the error
    return count
