"""Citations as journals want them: a reference for the list at the end, a mark for the text."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from string import ascii_lowercase
from typing import Any

from sciread_app.domain.copying import STYLES, Style
from sciread_app.domain.paper import Paper
from sciread_app.errors import Cancelled, LibraryError
from sciread_app.formats.csl_writer import item
from sciread_app.language import tr, trn
from sciread_app.paths import resource
from sciread_app.tasks import Task

log = logging.getLogger(__name__)

__all__ = ["Cited", "Style", "cite", "plain"]

MOST = 1_000  # papers at once; the longest style takes a fifth of a second for each
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"^(?:\[\d+\]|\d+\.)(?=\S)")
_OUTSIDE = re.compile(r"([?!.]?)”((?:</\w+>)*)([.,])")
_DOUBLED = re.compile(r"([?!.](?:</i>)?)(?<!\.)\.")
_IDEOGRAM = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_KEPT = "\ue003", "\ue004"
_CASE_KEPT = str.maketrans({_KEPT[0]: '<span class="nocase">', _KEPT[1]: "</span>"})
_DISGUISE = str.maketrans("&<>", "\ue000\ue001\ue002")
_UNDISGUISE = {0xE000: "&amp;", 0xE001: "&lt;", 0xE002: "&gt;"}
_CSL = "{http://purl.org/net/xbiblio/csl}"


@dataclass(frozen=True, slots=True)
class Cited:
    """As HTML, which keeps italics: a reference a paper, and the mark for all of them together."""

    references: tuple[str, ...]
    in_text: str


def cite(papers: Sequence[Paper], style: Style, task: Task | None = None) -> Cited:
    """Cite these papers together. Styles by author and date put the references in their order.

    Raises LibraryError for a paper that the style cannot be applied to, and for too many papers;
    Cancelled.
    """
    if not papers:
        return Cited((), "")
    if len(papers) > MOST:
        raise LibraryError(
            trn(
                "{n:,} paper is too many to be written in a style.",
                "{n:,} papers are too many to be written in a style.",
                len(papers),
            ),
            tr("Choose {most:,} at most, or export them as BibTeX.", most=MOST),
        )
    # A style remembers what it is writing.
    with _rendering:
        try:
            return _render(papers, style, task or Task())
        except Cancelled:
            raise
        except Exception as error:  # odd records make citeproc raise anything
            log.warning("a citation in the style %s failed", style, exc_info=True)
            raise LibraryError(
                tr("This cannot be written in the style {style}.", style=STYLES[style]),
                tr(
                    "Copy it as BibTeX, or look whether a field of the paper is not as it should "
                    "be."
                ),
            ) from error


def plain(html: str) -> str:
    """A citation without its italics."""
    return unescape(_TAG.sub("", html))


_rendering = threading.Lock()


def _render(papers: Sequence[Paper], style: Style, task: Task) -> Cited:
    # Imported when first used: it takes 0.2 s.
    from citeproc import Citation, CitationItem, CitationStylesBibliography, formatter
    from citeproc.source.json import CiteProcJSON

    loaded, letters = _load(style), _year_letters(papers)
    items = [
        _item(paper, number) | letters.get(number, {}) for number, paper in enumerate(papers, 1)
    ]
    written = CitationStylesBibliography(loaded, CiteProcJSON(items), formatter.html)
    mark = Citation([CitationItem(item["id"]) for item in items])
    written.register(mark)
    if not _is_numeric(loaded):
        written.sort()
    american = style is not Style.nature
    in_text = _in_range(str(written.cite(mark, lambda missing: None)), len(papers))
    # A processor is to set the number apart from what follows; this one does not.
    references = []
    for done, one in enumerate(written.items):
        # Translators: writing papers as a style of citations has them
        task.step(done, len(papers), tr("Citing"))
        (entry,) = loaded.render_bibliography([one])
        references.append(_mended(_NUMBER.sub(r"\g<0> ", str(entry)), american))
    return Cited(tuple(references), _mended(in_text, american))


@cache
def _load(style: Style) -> Any:
    """The style, without what citeproc-py does not know: `initialize="false"`, and delimiters
    between the parts of a date. Both can be said in other words."""
    from citeproc import CitationStylesStyle
    from citeproc.model import Name

    Name.initialize = _initialize
    loaded = CitationStylesStyle(str(resource(f"styles/{style}.csl")), validate=False)
    root = loaded.root
    names = list(root.iter(f"{_CSL}name"))
    if any(name.get("initialize") == "false" for name in names):
        mark = root.attrib.pop("initialize-with")
        for name in names:
            if name.get("initialize") != "false":
                name.set("initialize-with", mark)
    for date in root.iter(f"{_CSL}date"):
        if between := date.attrib.pop("delimiter", ""):
            for part in list(date)[1:]:
                part.set("prefix", part.get("prefix", between))
    return loaded


def _initialize(name: Any, given: str, mark: str, context: Any) -> str:
    """In place of citeproc-py's, which sets points around what has no capital: ". maria ."."""
    hyphens = name.get_option("initialize-with-hyphen", context)
    return "-".join(
        _initials(part, mark) for part in (given if hyphens else given.replace("-", " ")).split("-")
    )


def _initials(given: str, mark: str) -> str:
    """Words without a capital are particles, unless there is none in the whole name. Names of
    China, Japan and Korea have no initials."""
    if _IDEOGRAM.search(given):
        return given
    bare, done = given == given.lower(), ""
    for word in given.replace(".", " ").split():
        done += word[0].upper() + mark if bare or word[0].isupper() else f" {word} "
    return " ".join(done.split())


def _year_letters(papers: Sequence[Paper]) -> dict[int, dict[str, str]]:
    """2018a, 2018b: what tells papers apart whose marks in the text would be the same, by their
    number; citeproc-py writes the letters, but does not find out where they are needed."""
    alike: dict[tuple[object, ...], list[tuple[str, int]]] = {}
    for number, paper in enumerate(papers, start=1):
        if paper.year and paper.authors:
            names = [author.last_name for author in paper.authors]
            mark = (paper.year, *(names if len(names) < 3 else (names[0], None)))
            alike.setdefault(mark, []).append((paper.title.casefold(), number))
    return {
        number: {"year-suffix": letter}
        for same in alike.values()
        if len(same) > 1
        for letter, (_, number) in zip(ascii_lowercase, sorted(same), strict=False)
    }


def _is_numeric(style: Any) -> bool:
    return style.root.find(f".//{_CSL}category[@citation-format='numeric']") is not None


def _item(paper: Paper, number: int) -> dict[str, Any]:
    """What citeproc takes of a paper: the variables it knows, texts as they are."""
    from citeproc import VARIABLES

    known = {name.replace("_", "-") for name in VARIABLES} - {"abstract", "keyword", "note"}
    made = {name: value for name, value in item(paper, number).items() if name in known}
    made |= {"id": str(number), "type": paper.kind, "title": paper.title or "Untitled"}
    if paper.venue:
        made["container-title"] = paper.venue
    if "page" in made:
        made["page"] = re.sub(r"\s*[-–—]+\s*", "-", made["page"])
    if arxiv := paper.identifier("arxiv"):
        _cite_preprint(made, paper, arxiv)
    elif paper.kind == "article" and paper.venue:
        made["type"] = "article-journal"
    elif paper.kind == "article":
        made["type"] = "document"  # a preprint of nowhere
    return {name: _disguised(value) for name, value in made.items() if value}


def _cite_preprint(made: dict[str, Any], paper: Paper, arxiv: str) -> None:
    if paper.kind == "article":
        # A DOI here is that of the journal's article, which is another version.
        made.pop("DOI", None)
        made["number"], made["publisher"] = _as_it_is(f"arXiv:{arxiv}"), _as_it_is("arXiv")
    else:
        made.pop("number", None)
    if "DOI" not in made:
        made.setdefault("URL", f"https://arxiv.org/abs/{arxiv}")


def _as_it_is(text: str) -> str:
    return f"{_KEPT[0]}{text}{_KEPT[1]}"


def _disguised(value: Any) -> Any:
    """citeproc takes some texts for HTML and others not: none has a letter of HTML in it."""
    if isinstance(value, str):
        return value.translate(_DISGUISE).translate(_CASE_KEPT)
    if isinstance(value, list):
        return [_disguised(one) for one in value]
    if isinstance(value, dict):
        return {name: _disguised(one) for name, one in value.items()}
    return value


def _in_range(mark: str, count: int) -> str:
    """[1]–[4] for [1], [2], [3], [4]: citeproc-py does not do it."""
    listed = re.compile(r"(\[?)1(\]?),.*?(\[?)" + str(count) + r"(?!\d)(\]?)")
    return listed.sub(rf"\g<1>1\2–\g<3>{count}\4", mark) if count > 2 else mark


def _mended(entry: str, american: bool) -> str:
    """With points and commas inside quotation marks, and no point after another."""
    entry = " ".join(entry.split()).translate(_UNDISGUISE)
    if american:
        entry = _OUTSIDE.sub(r"\1\3”\2", entry)
    return _DOUBLED.sub(r"\1", entry)
