"""Citations as journals want them: a reference for the list at the end, a citation in the text."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any

from sciread_app.domain.paper import Author, Paper
from sciread_app.domain.tex import SUPERSCRIPTS, readable
from sciread_app.errors import Cancelled, LibraryError, StyleRefused
from sciread_app.formats.csl_style import CslStyle
from sciread_app.formats.csl_writer import item
from sciread_app.language import tr, trn
from sciread_app.services.citeproc import STEP, Processor
from sciread_app.tasks import Task

log = logging.getLogger(__name__)

MOST = 1_000  # papers at once; the longest style takes a twentieth of a second for each
# Long texts that no style prints. citeproc.js would also look for further fields in notes.
_UNUSED = ("abstract", "keyword", "note", "annote", "custom", "citation-key")
_CODES = ("id", "type", "DOI", "URL", "ISBN", "ISSN", "PMID", "PMCID")  # never TeX
_TAG = re.compile(r"<[^>]*>")
_SUPERSCRIPTS = str.maketrans(SUPERSCRIPTS)
_SUPERSCRIPT = re.compile(f"<sup>([{re.escape(''.join(SUPERSCRIPTS))}]+)</sup>")
_BLOCK = re.compile(r"</?div[^>]*>")
_NOCASE = re.compile(r'<span class="nocase">(.*?)</span>', re.S)
# “Is it so?,” has a comma too many.
_AFTER_QUESTION = re.compile(r"(?<=[?!]),(?=[”’])")
# E. coli, in titles of which each word gets a capital.
_SPECIES = re.compile(r"\b[A-Z]\. ?[a-z]{3,}\b")
_KEPT = "\ue003", "\ue004"
_CASE_KEPT = str.maketrans({_KEPT[0]: '<span class="nocase">', _KEPT[1]: "</span>"})
# What stands in a text is no markup: private letters take the place of its signs.
_DISGUISE = str.maketrans("&<>", "\ue000\ue001\ue002")
_UNDISGUISE = {0xE000: "&amp;", 0xE001: "&lt;", 0xE002: "&gt;"}
# As BibTeX and PubMed name it: what citeproc.js knows as English begins with "en-".
_ENGLISH = frozenset(["en", "eng", "english", "american", "british", "usenglish", "ukenglish"])


@dataclass(frozen=True, slots=True)
class Cited:
    """References and the citation of all papers together, as HTML, which keeps italics.

    A style that writes footnotes may have no references.
    """

    references: tuple[str, ...]
    in_text: str


def cite(papers: Sequence[Paper], style: CslStyle, task: Task | None = None) -> Cited:
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
    try:
        items = [csl_item(paper, number) for number, paper in enumerate(papers, start=1)]
        return render(Processor(style, sorting=len(items) > 1), items, task or Task())
    except Cancelled:
        raise
    except Exception as error:  # odd records make citeproc.js raise anything
        log.warning("a citation in the style %s failed", style.title, exc_info=True)
        raise LibraryError(
            tr("This cannot be written in the style {style}.", style=style.title),
            tr("Copy it as BibTeX, or look whether a field of the paper is not as it should be."),
        ) from error


def try_out(style: CslStyle) -> None:
    """Cite two papers in a style from outside. Raises StyleRefused if that fails."""
    names = (Author("Watson", "J. D."), Author("Crick", "F. H. C."))
    papers = [
        Paper(title=title, authors=names, kind=kind, published="1953", venue="Nature")
        for title, kind in (("Molecular structure", "article-journal"), ("What is life?", "book"))
    ]
    try:
        cited = cite(papers, style)
    except LibraryError as error:
        raise StyleRefused(
            tr("No citation can be written in the style “{style}”.", style=style.title),
            str(error.__cause__ or "").splitlines()[0] if error.__cause__ else "",
        ) from error
    if not plain("".join((*cited.references, cited.in_text))).strip():
        raise StyleRefused(tr("The style “{style}” writes nothing.", style=style.title))


def plain(html: str) -> str:
    """A citation without its markup. Superscripts within it become those of Unicode, since 10⁻³ is
    not 10−3; a citation that is a superscript as a whole, as in Nature, becomes plain figures."""
    if not html.startswith("<sup>"):
        html = _SUPERSCRIPT.sub(lambda found: found[1].translate(_SUPERSCRIPTS), html)
    return unescape(_TAG.sub("", html))


def render(processor: Processor, items: Sequence[dict[str, Any]], task: Task) -> Cited:
    """Cite items of CSL-JSON, each with another `id`."""
    processor.take(items)
    for done in range(0, len(items), STEP):
        # Translators: writing papers as a style of citations has them
        task.step(done, len(items), tr("Citing"))
        processor.add(min(done + STEP, len(items)))
    references = processor.references() or []
    return Cited(tuple(map(_inline, references)), _inline(processor.citation()))


def csl_item(paper: Paper, number: int) -> dict[str, Any]:
    """A paper as citeproc.js takes it: what styles use of it, as text to be read."""
    made = {name: value for name, value in item(paper, number).items() if name not in _UNUSED}
    made |= {"id": str(number), "title": paper.title or "Untitled"}
    if paper.venue:
        made["container-title"] = paper.venue
    for names in filter(_are_people, made.values()):
        for name in names:
            name["given"] = _capitalized(name.get("given", ""))
    if "page" in made:
        made["page"] = re.sub(r"\s*[-–—]+\s*", "-", made["page"])
    if language := str(made.get("language", "")).strip().lower():
        made["language"] = "en-US" if language in _ENGLISH else language
    if arxiv := paper.identifier("arxiv"):
        _cite_preprint(made, paper, arxiv)
    elif paper.kind == "article" and made["type"] == "article":
        # without a venue it is a preprint of nowhere
        made["type"] = "article-journal" if paper.venue else "document"
    texts = {
        name: value if name in _CODES else _each(value, readable) for name, value in made.items()
    }
    texts["title"] = _SPECIES.sub(_as_it_is, texts["title"])
    return {name: _each(value, _disguised) for name, value in texts.items() if value}


def _are_people(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _capitalized(given: str) -> str:
    """Initials are made of capitals; a name written without any would have none."""
    return given.title() if given == given.lower() else given


def _cite_preprint(made: dict[str, Any], paper: Paper, arxiv: str) -> None:
    if paper.kind == "article":
        # A DOI here is that of the journal's article, which is another version.
        made.pop("DOI", None)
        made["number"], made["publisher"] = f"arXiv:{arxiv}", "arXiv"
    elif made.get("number") == f"arXiv:{arxiv}":
        del made["number"]
    if "DOI" not in made:
        made.setdefault("URL", f"https://arxiv.org/abs/{arxiv}")


def _as_it_is(match: re.Match[str]) -> str:
    return f"{_KEPT[0]}{match[0]}{_KEPT[1]}"


def _disguised(text: str) -> str:
    return text.translate(_DISGUISE).translate(_CASE_KEPT)


def _each(value: Any, change: Callable[[str], str]) -> Any:
    """`value` with each text in it changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_each(one, change) for one in value]
    if isinstance(value, dict):
        return {name: _each(one, change) for name, one in value.items()}
    return value


def _inline(entry: str) -> str:
    """One line, without the blocks that set numbers apart from references."""
    entry = _NOCASE.sub(r"\1", _BLOCK.sub(" ", entry))
    entry = " ".join(entry.split()).translate(_UNDISGUISE)
    entry = entry.replace("&#38;", "&amp;").replace("&#60;", "&lt;").replace("&#62;", "&gt;")
    return _AFTER_QUESTION.sub("", entry)
