"""Authors as editable text: one per line, family name first."""

from __future__ import annotations

from collections.abc import Sequence

from sciread_app.domain.paper import Author


def written(authors: Sequence[Author]) -> str:
    return "\n".join(map(_line, authors))


def read(text: str, before: Sequence[Author]) -> tuple[Author, ...]:
    """The authors of these lines. A line equal to that of an author in `before` keeps that
    author."""
    known = {_line(author): author for author in before}
    lines = (" ".join(line.split()) for line in text.splitlines())
    return tuple(known.get(line) or _author(line) for line in lines if line)


def _line(author: Author) -> str:
    """ "van der Berg, Jr., Jan"; an organization is in braces."""
    if author.literal:
        return f"{{{author.family}}}"
    return ", ".join(filter(None, (author.last_name, author.suffix, author.given)))


def _author(line: str) -> Author:
    if line.startswith("{") and line.endswith("}"):
        return Author(line[1:-1].strip(), literal=True)
    parts = [part.strip() for part in line.split(",")]
    if len(parts) == 1:
        words = line.split()
        given = " ".join(_first(words))
        last = words[len(_first(words)) :]
    else:
        given, last = parts[-1], parts[0].split()
    suffix = ", ".join(parts[1:-1])
    small = next((n for n, word in enumerate(last[:-1]) if not word[:1].islower()), len(last) - 1)
    return Author(" ".join(last[small:]), given, " ".join(last[:small]), suffix)


def _first(words: Sequence[str]) -> Sequence[str]:
    """The given names of a name in natural order: all before "van der Berg", or but the last
    word."""
    small = (n for n, word in enumerate(words[:-1]) if n and word[:1].islower())
    return words[: next(small, len(words) - 1)]
