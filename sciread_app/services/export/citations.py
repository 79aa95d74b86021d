"""Citations in a journal's style: entries of the reference list, and citations in the text."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any

from sciread_app.domain.metadata.identifiers import RESOLVERS
from sciread_app.domain.paper import OTHERS, Author, Paper
from sciread_app.domain.text.tex import SUPERSCRIPTS, readable
from sciread_app.errors import Cancelled, LibraryError, StyleRefused
from sciread_app.formats.csl.fields import PEOPLE
from sciread_app.formats.csl.style import CslStyle
from sciread_app.formats.csl.writer import item
from sciread_app.formats.values.names import split_people
from sciread_app.language import tr, trn
from sciread_app.services.export.citeproc import STEP, Processor
from sciread_app.tasks import Task

log = logging.getLogger(__name__)

MOST = 1_000  # maximum of papers; the slowest style takes a twentieth of a second for each
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
# E. coli, in title case.
_SPECIES = re.compile(r"\b[A-Z]\. ?[a-z]{3,}\b")
_KEPT = "\ue003", "\ue004"
# Text is not markup: private-use characters take the place of its special characters.
_TO_MARKUP = str.maketrans("&<>", "\ue000\ue001\ue002") | str.maketrans(
    {_KEPT[0]: '<span class="nocase">', _KEPT[1]: "</span>"}
)
_UNDISGUISE = {0xE000: "&amp;", 0xE001: "&lt;", 0xE002: "&gt;"}
# As named in BibTeX and PubMed: citeproc.js recognizes English by "en-".
_ENGLISH = frozenset(["en", "eng", "english", "american", "british", "usenglish", "ukenglish"])


@dataclass(frozen=True, slots=True)
class Cited:
    """References, and one citation of all papers together, as HTML, which keeps italics.

    Parts that were not requested are empty. A style that writes footnotes may have no references.
    """

    references: tuple[str, ...] = ()
    in_text: str = ""


def cite(
    papers: Sequence[Paper],
    style: CslStyle,
    task: Task | None = None,
    *,
    references: bool = True,
    in_text: bool = True,
    pages: str = "",
) -> Cited:
    """Cite these papers together; author-date styles sort the references.

    `references`, `in_text`: the parts to format; leaving one out saves a third of the time.
    `pages`: the pages that the citation in the text is about, such as 5 or 5-6.

    Raises LibraryError for a paper that the style cannot format, and for too many papers;
    Cancelled.
    """
    if not papers:
        return Cited()
    if len(papers) > MOST:
        raise LibraryError(
            trn(
                "{n:,} paper is too many to format in a citation style.",
                "{n:,} papers are too many to format in a citation style.",
                len(papers),
            ),
            tr("Select at most {most:,} papers, or export the papers as BibTeX.", most=MOST),
        )
    try:
        items = [csl_item(paper, number) for number, paper in enumerate(papers, start=1)]
        processor = Processor(style, sorting=len(items) > 1)
        return render(
            processor,
            items,
            task or Task(),
            references=references,
            in_text=in_text,
            pages=pages,
        )
    except Cancelled:
        raise
    except Exception as error:  # odd records make citeproc.js raise any exception
        log.warning("could not format a citation in the style %s", style.title, exc_info=True)
        raise LibraryError(
            tr("Could not format the papers in the style {style}.", style=style.title),
            tr("Check the fields of the papers for errors, or copy the papers as BibTeX."),
        ) from error


def try_out(style: CslStyle) -> None:
    """Cite two papers in a new style. Raises StyleRefused if that fails."""
    names = (Author("Watson", "J. D."), Author("Crick", "F. H. C."))
    papers = [
        Paper(title=title, authors=names, kind=kind, published="1953", venue="Nature")
        for title, kind in (("Molecular structure", "article-journal"), ("What is life?", "book"))
    ]
    try:
        cited = cite(papers, style)
    except LibraryError as error:
        raise StyleRefused(
            tr("Could not format a citation in the style “{style}”.", style=style.title),
            str(error.__cause__ or "").splitlines()[0] if error.__cause__ else "",
        ) from error
    if not plain("".join((*cited.references, cited.in_text))).strip():
        raise StyleRefused(tr("The style “{style}” produces no text.", style=style.title))


def plain(html: str) -> str:
    """A citation as plain text.

    Superscripts become Unicode superscripts, since 10⁻³ is not 10−3; a citation that is entirely
    superscript, as in Nature, becomes plain digits.
    """
    if not html.startswith("<sup>"):
        html = _SUPERSCRIPT.sub(lambda found: found[1].translate(_SUPERSCRIPTS), html)
    return unescape(_TAG.sub("", html))


def render(
    processor: Processor,
    items: Sequence[dict[str, Any]],
    task: Task,
    *,
    references: bool = True,
    in_text: bool = True,
    pages: str = "",
) -> Cited:
    """Cite items of CSL-JSON with unique values of `id`; for the options see `cite`."""
    processor.take(items)
    for done in range(0, len(items), STEP):
        # Translators: writing papers as a style of citations has them
        task.step(done, len(items), tr("Formatting citations"))
        processor.add(min(done + STEP, len(items)))
    entries = (processor.references() if references else None) or []
    citation = _inline(processor.citation(pages)) if in_text else ""
    return Cited(tuple(map(_inline, entries)), citation)


def csl_item(paper: Paper, number: int) -> dict[str, Any]:
    """A paper as CSL-JSON for citeproc.js: the fields that styles use, as plain text."""
    made = {name: value for name, value in item(paper, number).items() if name not in _UNUSED}
    made |= {"id": str(number), "title": paper.title or "Untitled"}
    truncated = {name for name in PEOPLE if split_people(paper.extra.get(name, ""))[1]}
    for name in truncated | ({"author"} if paper.has_more_authors else set()):
        if name in made:
            made[name].append(
                {"literal": OTHERS}
            )  # which engine.js makes the "et al." of the style
    if paper.venue:
        made["container-title"] = paper.venue
    for value in made.values():
        if isinstance(value, list) and value and isinstance(value[0], dict):  # names of people
            for name in value:
                # Initials are made of capitals; a name written without any would have none.
                given = name.get("given", "")
                name["given"] = given.title() if given == given.lower() else given
    if "page" in made:
        made["page"] = re.sub(r"\s*[-–—]+\s*", "-", made["page"])
    if language := str(made.get("language", "")).strip().lower():
        made["language"] = "en-US" if language in _ENGLISH else language
    if arxiv := paper.identifier("arxiv"):
        _cite_preprint(made, paper, arxiv)
    elif paper.kind == "article" and made["type"] == "article":
        # without a venue it would look like a preprint from nowhere
        made["type"] = "article-journal" if paper.venue else "document"
    texts = {
        name: value if name in _CODES else _each(value, readable) for name, value in made.items()
    }
    texts["title"] = _SPECIES.sub(rf"{_KEPT[0]}\g<0>{_KEPT[1]}", texts["title"])
    return {
        name: _each(value, lambda text: text.translate(_TO_MARKUP))
        for name, value in texts.items()
        if value
    }


def _cite_preprint(made: dict[str, Any], paper: Paper, arxiv: str) -> None:
    if paper.kind == "article":
        # The DOI of a preprint is that of the journal article, which is another version.
        made.pop("DOI", None)
        made["number"], made["publisher"] = f"arXiv:{arxiv}", "arXiv"
    elif made.get("number") == f"arXiv:{arxiv}":
        del made["number"]
    if "DOI" not in made:
        made.setdefault("URL", RESOLVERS["arxiv"] + arxiv)


def _each(value: Any, change: Callable[[str], str]) -> Any:
    """Apply `change` to each text in `value`."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_each(one, change) for one in value]
    if isinstance(value, dict):
        return {name: _each(one, change) for name, one in value.items()}
    return value


def _inline(entry: str) -> str:
    """An entry on one line, without the blocks that set the number apart from the reference."""
    entry = _NOCASE.sub(r"\1", _BLOCK.sub(" ", entry))
    entry = " ".join(entry.split()).translate(_UNDISGUISE)
    entry = entry.replace("&#38;", "&amp;").replace("&#60;", "&lt;").replace("&#62;", "&gt;")
    return _AFTER_QUESTION.sub("", entry)
