"""A folder of many files of all kinds, with what becomes of each when the folder is imported."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import zlib
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

from tests.support.generate.pdf import At, body, make_pdf


class Made(NamedTuple):
    """A file. `titles` are those of its papers; of one without, the report names a reason among
    its failures (`failed`), or among the files that were not read."""

    path: Path
    titles: tuple[str, ...] = ()
    failed: bool = False


def make_folder(folder: Path, size: int) -> list[Made]:
    """Make at least `size` files, in subfolders, and return what is expected of each."""
    numbers = count(1)
    made: list[Made] = []
    while len(made) < size:
        below = folder / f"part {len(made) // 60}"
        below.mkdir(parents=True, exist_ok=True)
        made += _round(below, numbers)
    return made


def _round(folder: Path, numbers: Iterator[int]) -> Iterator[Made]:
    for suffix, write in _READABLE.items():
        number = next(numbers)
        file = folder / f"export {number}{suffix}"
        titles = (_title(number), f"{_title(number)} Again")
        content = write(titles)
        data = content if isinstance(content, bytes) else content.encode()
        file.write_bytes(gzip.compress(data) if suffix.endswith(".gz") else data)
        yield Made(file, titles)
    yield from _encodings(folder, numbers)
    yield from _pdfs(folder, numbers)
    yield from _names(folder, numbers)
    for name, data in _BROKEN.items():
        number = next(numbers)
        file = folder / f"{number} {name}"
        file.write_bytes(data)
        yield Made(file, failed=True)
    for name, data in _OTHER.items():
        file = folder / f"{next(numbers)} {name}"
        file.write_bytes(data)
        yield Made(file)
    yield from _special(folder, numbers)


def _encodings(folder: Path, numbers: Iterator[int]) -> Iterator[Made]:
    for encoding, word in (
        ("utf-8-sig", "Ärzte"),
        ("utf-16", "Ärzte"),
        ("latin-1", "Ärzte"),
        ("cp1251", "Исследование пчёл в горах и долинах"),
        ("gb18030", "蜜蜂在强风中的飞行研究"),
    ):
        number = next(numbers)
        title = f"{_title(number)} {word}"
        file = folder / f"{encoding} {number}.ris"
        # Old Macs ended lines with a carriage return.
        file.write_bytes(_ris((title,)).replace("\n", "\r").encode(encoding))
        yield Made(file, (title,))


def _pdfs(folder: Path, numbers: Iterator[int]) -> Iterator[Made]:
    number = next(numbers)
    data = _pdf(_title(number))
    for name in (f"{number}.pdf", f"{number} (copy).PDF"):
        (folder / name).write_bytes(data)
        yield Made(folder / name, (_title(number),))
    scan = folder / f"Scan of {_title(number)}.pdf"
    scan.write_bytes(make_pdf([], info={"Subject": _title(number)}))
    yield Made(scan, (scan.stem,))
    broken = (b"", b"%PDF-1.5 and no more", data[:80], b"<html>Log in</html>", os.urandom(500))
    for nth, content in enumerate(broken):
        file = folder / f"{number} damaged {nth}.pdf"
        file.write_bytes(content)
        yield Made(file, failed=True)


def _names(folder: Path, numbers: Iterator[int]) -> Iterator[Made]:
    number = next(numbers)
    for name in ("n" * 240, "tab\tand\nline", "蜜蜂 🐝", "'; DROP TABLE papers --", "%s {0} $HOME"):
        number = next(numbers)
        title = _title(number)
        file = folder / f"{name}{number}.bib"
        file.write_text(_bibtex((title,)))
        yield Made(file, (title,))


def _special(folder: Path, numbers: Iterator[int]) -> Iterator[Made]:
    number = next(numbers)
    title = _title(number)
    target = folder / f"{number} target.bib"
    target.write_text(_bibtex((title,)))
    link = folder / f"{number} link.bib"
    link.symlink_to(target)
    yield Made(target, (title,))
    yield Made(link, (title,))
    dangling = folder / f"{number} dangling.bib"
    dangling.symlink_to(folder / "nowhere")
    yield Made(dangling, failed=True)
    circle = folder / f"{number} circle.bib"
    circle.symlink_to(circle)
    yield Made(circle, failed=True)
    above = folder / f"{number} parent"
    above.symlink_to(folder.parent, target_is_directory=True)
    yield Made(above)
    pipe = folder / f"{number} pipe.ris"
    os.mkfifo(pipe)
    yield Made(pipe)
    (folder / f"{number} folder.pdf").mkdir()
    secret = folder / f"{number} secret.bib"
    secret.write_text(_bibtex((_title(next(numbers)),)))
    secret.chmod(0)
    readable = os.access(secret, os.R_OK)  # as for the superuser
    yield Made(secret, (_title(number + 1),) if readable else (), failed=not readable)


def _title(number: int) -> str:
    """Titles that are no duplicates of each other."""
    words = ("Amber", "Basalt", "Copper", "Dolomite", "Emerald", "Feldspar", "Garnet", "Halite",
             "Indigo", "Jasper")  # fmt: skip
    return " ".join(words[int(digit)] for digit in str(number)) + f" Study Number {number} of Rocks"


def _bibtex(titles: tuple[str, ...]) -> str:
    return "\n".join(
        f"@article{{k{n}, title = {{{t}}}, year = 2001}}" for n, t in enumerate(titles)
    )


def _ris(titles: tuple[str, ...]) -> str:
    return "".join(f"TY  - JOUR\nTI  - {title}\nPY  - 2001\nER  - \n\n" for title in titles)


def _table(heads: dict[str, str], named: str, separator: str = ",") -> Callable[..., str]:
    def write(titles: tuple[str, ...]) -> str:
        stream = io.StringIO(newline="")
        table = csv.DictWriter(stream, heads, delimiter=separator, lineterminator="\n")
        table.writeheader()
        for title in titles:
            row = {name: value.replace("#", _digits(title)) for name, value in heads.items()}
            table.writerow(row | {named: title})
        return stream.getvalue()

    return write


def _xml(outer: str, inner: str) -> Callable[[tuple[str, ...]], str]:
    def write(titles: tuple[str, ...]) -> str:
        records = "".join(inner.format(title=title, n=len(title)) for title in titles)
        return f"<?xml version='1.0'?>\n{outer.format(records=records)}"

    return write


def _json_lines(titles: tuple[str, ...]) -> str:
    return "".join(json.dumps({"id": f"x:{t}", "title": t, "year": 2001}) + "\n" for t in titles)


def _digits(title: str) -> str:
    """A number for a record of this title."""
    return str(10**6 + zlib.crc32(title.encode()) % 10**7)


def _pdf(title: str) -> bytes:
    return make_pdf([At(title, 18, y=740), *body()])


_ZOTERO_RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:z="http://www.zotero.org/namespaces/export#" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:bib="http://purl.org/net/biblio#">{records}</rdf:RDF>"""
_READABLE: dict[str, Callable[[tuple[str, ...]], str | bytes]] = {
    ".bib": _bibtex,
    ".bibtex.txt": _bibtex,
    ".ris": _ris,
    ".json": lambda titles: json.dumps(
        [{"id": t, "type": "article-journal", "title": t} for t in titles]
    ),
    ".jsonl": _json_lines,
    ".jsonl.gz": _json_lines,
    ".enw": lambda titles: "".join(f"%0 Journal Article\n%T {t}\n%D 2001\n\n" for t in titles),
    ".nbib": lambda titles: "".join(
        f"PMID- {_digits(t)}\nTI  - {t}\nDP  - 2001\n\n" for t in titles
    ),
    ".ciw": lambda titles: (
        "FN Clarivate Analytics Web of Science\nVR 1.0\n"
        + "".join(f"PT J\nTI {t}\nPY 2001\nER\n\n" for t in titles)
        + "EF\n"
    ),
    " scopus.csv": _table(
        {"Authors": "Lee A.", "Title": "", "Year": "2001", "Source title": "B", "EID": ""}, "Title"
    ),
    " zotero.csv": _table(
        {"Key": "", "Item Type": "journalArticle", "Publication Year": "2001", "Title": ""}, "Title"
    ),
    " wos.tsv.txt": _table(
        {"PT": "J", "AU": "Lee, A", "TI": "", "SO": "B", "PY": "2001", "UT": "WOS:#"}, "TI", "\t"
    ),
    " endnote.xml": _xml(
        "<xml><records>{records}</records></xml>",
        "<record><ref-type name='Journal Article'>17</ref-type>"
        "<titles><title>{title}</title></titles></record>",
    ),
    " mods.xml": _xml(
        "<modsCollection xmlns='http://www.loc.gov/mods/v3'>{records}</modsCollection>",
        "<mods><titleInfo><title>{title}</title></titleInfo></mods>",
    ),
    " zotero.rdf": _xml(
        _ZOTERO_RDF,
        "<bib:Article rdf:about='#{n}'><z:itemType>journalArticle</z:itemType>"
        "<dc:title>{title}</dc:title></bib:Article>",
    ),
}
_BROKEN = {
    "empty.bib": b"",
    "cut.bib": b"@article{k, title = {No end",
    "blank.ris": b" \n \n",
    "no list.json": b'[{"title": ',
    "cut.jsonl.gz": gzip.compress(b'{"title": "Cut off"}\n' * 5000)[:12],
    "zip.ris": b"PK\x03\x04" + bytes(range(256)),
    "nulls.enw": bytes(3000),
    "packed.bib.gz": gzip.compress(b"@article{k, title = {Packed}}"),
}
_OTHER = {
    "picture.png": b"\x89PNG\r\n\x1a\n",
    "report.docx": b"PK\x03\x04",
    "notes.txt": b"Buy honey.\n",
    "measurements.csv": b"time,weight\n1,2\n",
    "page.xml": b"<html><body>Hello</body></html>",
    "settings.json": b'{"theme": "dark"}',
    "LICENSE": b"All rights reserved.\n",
    "library.enl": b"\x00\x01",
    "empty.csv": b"",
}
