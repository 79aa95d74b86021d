"""First pages as word processors, repositories and scanners make them, set by Qt."""

from __future__ import annotations

import html
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import pypdfium2

from benchmarks.pdf_metadata import latex
from benchmarks.pdf_metadata.institutes import Institute
from benchmarks.pdf_metadata.records import Record, Writer


@dataclass(frozen=True, slots=True)
class Layout:
    make: Callable[[Record, Path], None]
    options: dict[str, str] = field(default_factory=dict)  # as in latex.py


def _print(page: str, target: Path, *, title: str = "") -> None:
    """Print HTML on A4 with 25 mm margins."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QMarginsF, QSizeF
    from PySide6.QtGui import QGuiApplication, QPageLayout, QPageSize, QPdfWriter, QTextDocument

    application = QGuiApplication.instance() or QGuiApplication([])
    writer = QPdfWriter(str(target))
    writer.setTitle(title)
    writer.setResolution(300)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(25, 20, 25, 20), QPageLayout.Unit.Millimeter)
    document = QTextDocument()
    document.documentLayout().setPaintDevice(writer)
    document.setPageSize(QSizeF(writer.width(), writer.height()))
    document.setDocumentMargin(0)
    document.setHtml(page)
    document.print_(writer)
    del application


def _line(institute: Institute) -> str:
    return html.escape(", ".join(dict.fromkeys(filter(None, institute))))


def _text(record: Record) -> str:
    sentences = ". ".join(html.escape(s) for s in record.sentences[:25])
    references = "<br>".join(html.escape(f"{i}. {o}") for i, o in enumerate(record.others[:8], 1))
    return f"<h3>1. Introduction</h3><p>{sentences}.</p><h3>References</h3><p>{references}</p>"


def _abstract(record: Record) -> str:
    return f"<p><b>Abstract</b></p><p>{html.escape(record.abstract)}</p>"


def _page(record: Record, head: str, font: str = "Liberation Serif, Nimbus Roman") -> str:
    text = f"{head}{_abstract(record)}{_text(record)}"
    return f'<body style="font-family:{font}; font-size:11pt">{text}</body>'


def _name(writer: Writer) -> str:
    return html.escape(writer.name)


def _title(record: Record, size: int = 16, align: str = "center") -> str:
    return f'<p align="{align}" style="font-size:{size}pt"><b>{html.escape(record.title)}</b></p>'


def _marked(record: Record, target: Path) -> None:
    names = ", ".join(
        f"{_name(w)}<sup>{w.marks}{'*' if w.corresponding else ''}</sup>" for w in record.writers
    )
    places = "<br>".join(
        f"<sup>{i}</sup>{_line(place)}" for i, place in enumerate(record.institutes, 1)
    )
    head = f"{_title(record)}<p align=center>{names}</p><p align=center>{places}</p>"
    _print(_page(record, head), target, title="Microsoft Word - paper.docx")


def _separate(record: Record, target: Path) -> None:
    blocks = "".join(
        f"<p align=center><b>{_name(w)}</b><br><i>{_line(record.institutes[w.affiliations[0] - 1])}"
        f"</i><br>{html.escape(w.email)}</p>"
        for w in record.writers
    )
    _print(_page(record, _title(record, 18) + blocks), target)


def _surname_first(record: Record, target: Path) -> None:
    names = ", ".join(
        f"{html.escape(w.family)} {w.initials.replace(' ', '')}" for w in record.writers
    )
    head = f"{_title(record, 14, 'left')}<p>{names}</p><p><i>{_line(record.institutes[0])}</i></p>"
    _print(_page(record, head, "DejaVu Sans"), target)


def _inverted(record: Record, target: Path) -> None:
    names = "; ".join(html.escape(f"{w.family}, {w.given}") for w in record.writers)
    place = _line(record.institutes[0])
    head = f"{_title(record, 15)}<p align=center>{names}</p><p align=center>{place}</p>"
    _print(_page(record, head), target)


def _same_size(record: Record, target: Path) -> None:
    """A manuscript in one size, its title in bold capitals."""
    names = " and ".join(_name(w) for w in record.writers)
    head = (
        f"<p><b>{html.escape(record.title.upper())}</b></p><p>{names}</p>"
        f"<p>{_line(record.institutes[0])}</p>"
    )
    _print(_page(record, head), target, title=record.title)


def _labeled(record: Record, target: Path) -> None:
    """A form that names each field, in one size, left-aligned."""
    names = ", ".join(_name(w) for w in record.writers)
    head = (
        f"<p><b>Title:</b> {html.escape(record.title)}</p><p><b>Authors:</b> {names}</p>"
        f"<p><b>Affiliation:</b> {_line(record.institutes[0])}</p>"
        f"<p><b>Contact:</b> {html.escape(record.writers[0].email)}</p>"
    )
    _print(_page(record, head, "Liberation Sans, Nimbus Sans"), target)


def _table(record: Record, target: Path) -> None:
    """Names, affiliations and addresses in a table of three columns."""
    cells = [
        f"<td width=33% align=center><b>{_name(w)}</b><br>"
        f"{_line(record.institutes[w.affiliations[0] - 1])}<br>{html.escape(w.email)}</td>"
        for w in record.writers
    ]
    rows = "".join(f"<tr>{''.join(cells[i : i + 3])}</tr>" for i in range(0, len(cells), 3))
    table = f"<table width=100% cellpadding=6>{rows}</table>"
    _print(_page(record, _title(record) + table), target, title="paper_final_v3")


def _family_names_bold(record: Record, target: Path) -> None:
    """Names with the family name alone in bold, the presenting author underlined."""
    names = ", ".join(
        f"{'<u>' * (i == 0)}{html.escape(w.given)} <b>{html.escape(w.family)}</b>"
        f"{'</u>' * (i == 0)} ({w.marks})"
        for i, w in enumerate(record.writers)
    )
    places = "<br>".join(f"({i}) {_line(place)}" for i, place in enumerate(record.institutes, 1))
    email = html.escape(record.writers[0].email)
    head = (
        f"<p align=right>Abstract No. 217</p>{_title(record, 14)}<p align=center>{names}</p>"
        f"<p align=center>{places}</p><p align=center>Presenting author: {email}</p>"
    )
    _print(_page(record, head, "Liberation Sans, Nimbus Sans"), target)


# What the pages in other scripts print, which no real record has.
_CHINESE_TITLE = "基于深度学习的文本分类方法研究"
_CHINESE = ("王伟", "李娜", "张敏", "刘洋", "陈静")
_RUSSIAN_TITLE = "О сходимости одного итерационного метода"
_JAPANESE_TITLE = "深層学習を用いた文書分類手法の研究"
_JAPANESE = (("太郎", "山田"), ("花子", "佐藤"), ("健一", "鈴木"), ("直美", "高橋"))
_RUSSIAN = (("А. В.", "Иванов"), ("С. П.", "Петрова"), ("Н. И.", "Сидоренко"))


def _chinese(record: Record, target: Path) -> None:
    names = "，".join(_CHINESE[: max(1, len(record.writers))])
    head = (
        '<p align="center" style="font-size:18pt"><b>' + _CHINESE_TITLE + "</b></p>"
        f'<p align="center">{names}</p>'
        '<p align="center">（清华大学 计算机科学与技术系，北京 100084）</p>'
    )
    _print(_page(record, head, "Droid Sans Fallback"), target)


def _chinese_marked(record: Record, target: Path) -> None:
    """A Chinese journal: names between spaces with marks, and all again in English."""
    names = "  ".join(
        f"{n}<sup>{i}</sup>" for i, n in enumerate(_CHINESE[: len(record.writers)], 1)
    )
    head = (
        "<p>第35卷 第2期</p>"
        f'<p align="center" style="font-size:18pt">{_CHINESE_TITLE}</p>'
        f'<p align="center">{names}</p>'
        '<p align="center">(1. 北京大学 物理学院, 北京 100871; 2. 复旦大学, 上海 200433)</p>'
        "<p><b>摘 要：</b>本文研究了一种新的分类方法。</p><p><b>关键词：</b>分类；学习</p>"
        f'<p align="center"><b>{html.escape(record.title)}</b></p>'
    )
    _print(_page(record, head, "Droid Sans Fallback"), target)


def _japanese(record: Record, target: Path) -> None:
    names = "　".join(
        f"{family} {given}<sup>{i}</sup>"
        for i, (given, family) in enumerate(_JAPANESE[: len(record.writers)], 1)
    )
    head = (
        '<p align="center" style="font-size:18pt"><b>' + _JAPANESE_TITLE + "</b></p>"
        f'<p align="center" style="font-size:12pt">{names}</p>'
        '<p align="center"><sup>1</sup>東京大学　<sup>2</sup>京都大学</p>'
    )
    _print(_page(record, head, "Droid Sans Fallback"), target)


def _russian(record: Record, target: Path) -> None:
    names = ", ".join(f"{given} {family}" for given, family in _RUSSIAN[: len(record.writers)])
    head = (
        "<p>УДК 519.6</p>"
        '<p align="center" style="font-size:15pt"><b>' + _RUSSIAN_TITLE + "</b></p>"
        f'<p align="center">{names}</p>'
        '<p align="center"><i>Московский государственный университет</i></p>'
    )
    _print(_page(record, head, "DejaVu Serif"), target)


def _scan(record: Record, target: Path) -> None:
    """The picture of a page, without text."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.pdf")
        _marked(record, page)
        document = pypdfium2.PdfDocument(page)
        picture = Path(folder, "page.pgm")
        bitmap = document[0].render(scale=1.5, grayscale=True)
        pixels = bitmap.to_numpy()
        picture.write_bytes(
            b"P5 %d %d 255\n" % (pixels.shape[1], pixels.shape[0]) + pixels.tobytes()
        )
        document.close()
        _print(f'<img src="{picture}" width="600">', target)


@cache
def _covers() -> dict[str, str]:
    text = (latex.TEMPLATES / "covers.html").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in text.split("=== ")[1:])
    return {name: sheet for name, _, sheet in parts}


def _covered(cover: str, record: Record, target: Path) -> None:
    """A repository's cover sheet before an article set by LaTeX."""
    names = [html.escape(w.name) for w in record.writers]
    code = record.doi.rpartition(".")[2] or "123"
    profiles = "".join(
        f'<p style="font-size:9pt">{name}<br>{_line(record.institutes[0])}<br>'
        f"{12 + i} PUBLICATIONS "
        f"{100 + i} CITATIONS</p>"
        for i, name in enumerate(names[:3])
    )
    apa = [f"{html.escape(w.family)}, {w.initials}" for w in record.writers]
    sheet = _covers()[cover].format(
        title=html.escape(record.title), names=", ".join(names), year=record.year,
        later=record.year + 4, c=code[-3:], publisher="", count=len(names), profiles=profiles,
        first=names[0], place=_line(record.institutes[0]),
        apa=", ".join(apa[:-1]) + (", &amp; " if len(apa) > 1 else "") + apa[-1],
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        first, second = Path(folder, "cover.pdf"), Path(folder, "article.pdf")
        _print(f'<body style="font-family:Nimbus Sans; font-size:10pt">{sheet}</body>', first)
        latex.typeset(latex.templates()["article-authblk-plain"], record, second)
        document, article = pypdfium2.PdfDocument(first), pypdfium2.PdfDocument(second)
        document.import_pages(article)
        document.save(target)
        article.close()
        document.close()


def _cover(name: str, doi: str, venue: str = "Journal of Results") -> Layout:
    return Layout(partial(_covered, name), {"doi": doi, "venue": venue, "most": "9"})


_RESULTS = "10.1016/j.res.{year}.0{c}"
LAYOUTS = {
    "word-marks": Layout(_marked, {"year": "no", "most": "12"}),
    "word-separate": Layout(_separate, {"year": "no", "most": "5"}),
    "word-surname-first": Layout(_surname_first, {"year": "no", "given": "initials", "most": "9"}),
    "word-inverted": Layout(_inverted, {"year": "no", "most": "6"}),
    "word-same-size": Layout(_same_size, {"year": "no", "most": "4"}),
    "chinese": Layout(_chinese, {"year": "no", "most": "5", "language": "zh"}),
    "chinese-marked": Layout(_chinese_marked, {"year": "no", "most": "4", "language": "zh"}),
    "russian": Layout(_russian, {"year": "no", "most": "3", "language": "ru"}),
    "word-labels": Layout(_labeled, {"year": "no", "most": "6", "names": "varied"}),
    "word-table": Layout(_table, {"year": "no", "most": "7"}),
    "word-bold-family": Layout(_family_names_bold, {"year": "no", "names": "varied"}),
    "japanese": Layout(_japanese, {"year": "no", "most": "4", "language": "ja"}),
    "scan": Layout(_scan, {"year": "no", "scanned": "1", "most": "5"}),
    "cover-hal": _cover("cover-hal", _RESULTS),
    "cover-jstor": Layout(
        partial(_covered, "cover-jstor"), {"venue": "Journal of Results", "most": "9"}
    ),
    "cover-researchgate": _cover("cover-researchgate", _RESULTS),
    "cover-university": _cover("cover-university", _RESULTS),
    "cover-taylor": _cover("cover-taylor", "10.1080/00401706.{year}.1{c}"),
}


def foreign_truth(language: str, count: int) -> tuple[str, list[list[str]]]:
    """The title and the authors of the pages in another script, for this number of authors."""
    if language == "zh":
        return _CHINESE_TITLE, [[name[1:], name[0]] for name in _CHINESE[:count]]
    if language == "ja":
        return _JAPANESE_TITLE, [list(name) for name in _JAPANESE[:count]]
    return _RUSSIAN_TITLE, [list(name) for name in _RUSSIAN[:count]]
