"""The content extracted from one PDF, and its serialization."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sciread_app.domain.paper import Author, Identifier, Paper
from sciread_app.formats.pdf import problems
from sciread_app.formats.pdf.metadata.text_cleanup import clean


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfContent:
    """The content of a PDF; an unreadable file has a paper with the file's name as title.

    `text` is that of all pages, for full-text search. `problem` is an error message, empty if there
    was none; problems.py translates it. `sha256` is empty if even the file's bytes could not be
    read. `remark` is a sentence on metadata of the file that were not used, also translated by
    problems.py.
    """

    path: Path
    paper: Paper
    text: str = ""
    pages: int = 0
    size: int = 0  # bytes
    sha256: str = ""
    problem: str = ""
    remark: str = ""


def unreadable_content(path: Path, problem: str, *, size: int = 0, sha256: str = "") -> PdfContent:
    """The content of an unreadable file: its name and the problem."""
    paper = Paper(
        title=title_of_name(path.name),
        source="pdf",
        extra={"pdf_evidence": "title: the file's name"},
    )
    return completed(PdfContent(path=path, paper=paper, size=size, sha256=sha256, problem=problem))


def title_of_name(name: str) -> str:
    """A fallback title: Smith_2019__deep%20nets.pdf is "Smith 2019 deep nets"."""
    stem = name[:-4] if name.lower().endswith(".pdf") else name
    words = clean(stem.replace("%20", " ").replace("_", " ").replace("+", " ")).split()
    return " ".join(words) or clean(name).strip() or "PDF without a name"


def completed(content: PdfContent) -> PdfContent:
    """The content with the file and the problem added to its paper."""
    problem, name = content.problem, str(content.path.absolute())
    files: tuple[str, ...] = (name,)
    if clean(name) != name:
        # Such a name is not valid text, and no database accepts it.
        files = ()
        problem = problem or problems.BAD_NAME
    extra = dict(content.paper.extra) | ({"pdf_problem": problem} if problem else {})
    return replace(content, paper=replace(content.paper, files=files, extra=extra), problem=problem)


def to_wire(content: PdfContent) -> dict[str, Any]:
    """All but the path, which the receiver knows."""
    return {
        "paper": asdict(content.paper),
        "text": content.text,
        "pages": content.pages,
        "problem": content.problem,
        "remark": content.remark,
    }


def from_wire(path: Path, fields: Mapping[str, Any]) -> PdfContent:
    """The inverse of `to_wire`; ValueError for anything else: the sender has read an untrusted
    file."""
    try:
        content = PdfContent(
            path=path,
            paper=_paper(fields["paper"]),
            text=_text(fields["text"]),
            pages=_number(fields["pages"]),
            size=_number(fields["size"]),
            sha256=_text(fields["sha256"]),
            problem=_text(fields["problem"]),
            remark=_text(fields["remark"]),
        )
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise ValueError("this is not what was read out of a PDF") from error
    return completed(content)


def _paper(fields: Mapping[str, Any]) -> Paper:
    return Paper(
        title=_text(fields["title"]),
        abstract=_text(fields["abstract"]),
        kind=_text(fields["kind"]),
        published=_text(fields["published"]),
        venue=_text(fields["venue"]),
        authors=tuple(_author(author) for author in fields["authors"]),
        identifiers=tuple(
            Identifier(_text(kind), _text(value)) for kind, value in fields["identifiers"]
        ),
        fields=tuple(map(_text, fields["fields"])),
        keywords=tuple(map(_text, fields["keywords"])),
        extra={_text(name): _text(value) for name, value in fields["extra"].items()},
        source="pdf",
    )


def _author(parts: Any) -> Author:
    family, given, particle, suffix = map(_text, parts[:4])
    return Author(family, given, particle, suffix, literal=parts[4] is True)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return clean(value)


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError("no number")
    return value
