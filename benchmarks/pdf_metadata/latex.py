"""First pages set by LaTeX, from the templates beside this file.

A template starts with a line `=== name | option=value | ...`. Options:
    doi         pattern of the paper's DOI, and that the page prints it
    id          "arxiv" if the page has arXiv's stamp
    venue       the venue printed, "no" if none is
    year        a fixed year, or "no" if the page prints none
    given       "initials" if the page prints initials instead of given names
    fewest, most  number of authors
    medical     use biomedical papers
    names       "varied" for names of many countries and forms, "single" for some of one word
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from calendar import month_abbr
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2

from benchmarks.pdf_metadata import drawn
from benchmarks.pdf_metadata.institutes import Institute
from benchmarks.pdf_metadata.records import Record, Writer

TEMPLATES = Path(__file__).with_name("templates")
_SECONDS = 120  # for one document
_FONTS = r"\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{graphicx,xcolor,eso-pic}"
_STAMP = (
    r"\AddToShipoutPictureFG*{\put(14,200){\rotatebox{90}{\fontsize{20}{20}\selectfont\color{gray}"
    r"%s}}}"
)
_ESCAPES = {
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "“": "``",
    "”": "''",
}


@dataclass(frozen=True, slots=True)
class Template:
    name: str
    source: str
    options: dict[str, str]


@cache
def templates() -> dict[str, Template]:
    found = {}
    for path in sorted(TEMPLATES.glob("*.tex")):
        for part in path.read_text(encoding="utf-8").split("=== ")[1:]:
            head, _, source = part.partition("\n")
            name, *options = (piece.strip() for piece in head.split("|"))
            found[name] = Template(name, source, dict(o.split("=", 1) for o in options))
    for number in range(drawn.COUNT):
        name = f"drawn-{number:03}"
        found[name] = Template(name, *drawn.source(number))
    return found


def typeset(template: Template, record: Record, target: Path) -> None:
    """Write the PDF of the record in this layout; RuntimeError if LaTeX could not."""
    source = _rendered(template, record)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "paper.tex").write_text(source, encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-draftmode", "paper.tex"]
        rounds = 2 if "acmart" in source or "aastex" in source else 1
        for number in range(rounds):
            last = number == rounds - 1
            subprocess.run(
                [c for c in command if not last or c != "-draftmode"],
                cwd=folder, capture_output=True, timeout=_SECONDS, check=False,
            )  # fmt: skip
        made = Path(folder, "paper.pdf")
        if not made.is_file():
            log = Path(folder, "paper.log")
            text = log.read_text(errors="replace") if log.is_file() else ""
            raise RuntimeError(f"{template.name}: {_first_error(text)}")
        target.write_bytes(made.read_bytes())


def _first_error(log: str) -> str:
    found = re.search(r"^!.*(?:\n.*){0,6}", log, re.M)
    return found[0] if found else log[-500:]


def _rendered(template: Template, record: Record) -> str:
    environment = jinja2.Environment(
        variable_start_string="<<", variable_end_string=">>", block_start_string="<%",
        block_end_string="%>", comment_start_string="<#", comment_end_string="#>",
        line_statement_prefix="%%", autoescape=False, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters["letter"] = lambda number: chr(96 + number)
    shown = _shown(record)
    stamp = _STAMP % _stamp_text(record)
    return environment.from_string(template.source).render(
        r=shown, fonts=_FONTS, stamp=stamp, body=_body(record), top=_top, foot=_foot,
        stamp_only=r"\usepackage{eso-pic,graphicx,xcolor}" + stamp,
    )  # fmt: skip


def _stamp_text(record: Record) -> str:
    day = f"{1 + record.month * 2} {month_abbr[record.month]} {record.year}"
    return f"arXiv:{record.arxiv}v1~~[{record.category}]~~{day}"


def _top(text: str) -> str:
    return (
        r"\AddToShipoutPictureBG*{\put(45,\LenToUnit{\dimexpr\paperheight-20pt})"
        r"{\raisebox{-\height}{\parbox[t]{\dimexpr\paperwidth-90pt}{" + text + "}}}}"
    )


def _foot(text: str) -> str:
    return (
        r"\AddToShipoutPictureFG*{\put(55,18){\parbox[b]{\dimexpr\paperwidth-110pt}"
        r"{\footnotesize\raggedright " + text + "}}}"
    )


def escaped(text: str) -> str:
    return "".join(_ESCAPES.get(character, character) for character in text)


def _body(record: Record) -> str:
    sentences = [escaped(s) for s in record.sentences]
    parts = [r"\section{Introduction}", _paragraph(sentences[:9])]
    parts += [_paragraph(sentences[9:16]), r"\section{Related work}", _paragraph(sentences[16:34])]
    parts.append(r"\section*{References}{\small")
    parts += [rf"\noindent[{i}] {escaped(o)}\par" for i, o in enumerate(record.others, start=1)]
    return "\n".join([*parts, "}"])


def _paragraph(sentences: list[str]) -> str:
    return (
        " ".join(f"{s}{f' [{i + 1}]' if i % 3 == 0 else ''}." for i, s in enumerate(sentences))
        + r"\par"
    )


def _shown(record: Record) -> Any:
    """The record's fields, escaped for LaTeX, with the combinations that templates need."""
    places = [_place(institute) for institute in record.institutes]
    writers = [_writer(writer, places) for writer in record.writers]
    names = [writer.name for writer in writers]
    number = sum(map(ord, record.title))
    words = escaped(record.title).split()
    return SimpleNamespace(
        title=escaped(record.title), title_start=" ".join(words[: len(words) // 2]),
        title_end=" ".join(words[len(words) // 2 :]), abstract=escaped(record.abstract),
        writers=writers,
        institutes=places, groups=list(_groups(writers)), year=record.year,
        month=record.month, yy=f"{record.year % 100:02}", doi=escaped(record.doi),
        nth=f"{record.year - 1987}th", c=f"{100 + number % 900}", d=f"{1000 + number % 9000}",
        joined=", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1],
        vancouver=", ".join(f"{w.family} {re.sub(r'[. ]', '', w.initials)}" for w in writers),
        semicolons="; ".join(f"{w.family}, {w.initials}" for w in writers),
        lead=writers[0].family + (r" \textit{et al.}" if len(writers) > 1 else ""),
        sentences=[escaped(s) for s in record.sentences],
    )  # fmt: skip


def _place(institute: Institute) -> Any:
    parts = [escaped(part) for part in institute]
    department, name, city, country = parts
    return SimpleNamespace(
        department=department, short=name or department, city=city, country=country,
        line=", ".join(dict.fromkeys(filter(None, parts))),
    )  # fmt: skip


def _writer(writer: Writer, places: list[Any]) -> Any:
    return SimpleNamespace(
        given=escaped(writer.given), family=escaped(writer.family), name=escaped(writer.name),
        full=escaped(writer.full), user=writer.email.partition("@")[0],
        initials=writer.initials, marks=writer.marks, letters=writer.letters, degree=writer.degree,
        first=writer.affiliations[0], email=escaped(writer.email),
        corresponding=writer.corresponding, place=places[writer.affiliations[0] - 1],
        places=[places[number - 1] for number in writer.affiliations],
    )  # fmt: skip


def _groups(writers: list[Any]) -> Iterator[Any]:
    """Consecutive writers of one institute."""
    for _, members in groupby(writers, key=lambda writer: id(writer.place)):
        group = list(members)
        yield SimpleNamespace(line=group[0].place.line, writers=group)
