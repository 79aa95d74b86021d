"""Papers as text for the clipboard or the terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence

from sciread_app.domain.clipboard_formats import Copied, CopyAs, CopyCitation, CopyWhat
from sciread_app.domain.metadata.identifiers import identifier_link
from sciread_app.domain.paper import Identifier, Paper
from sciread_app.domain.text.tex import readable
from sciread_app.errors import StyleRefused
from sciread_app.formats.html import html_page
from sciread_app.language import tr
from sciread_app.services.export import export
from sciread_app.services.export.citation_styles import CitationStyles
from sciread_app.services.export.citations import cite, plain
from sciread_app.services.export.export import Format
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

_NUMBER = re.compile(r"\d+")
_NUMBERED = re.compile(r"\W*\d+\b")  # [1], (1) and 1, but not (Lee, 2020)
_LINKED = ("doi", "arxiv", "pmid", "pmcid")
_FORMATS = {
    CopyAs(format.value): format
    for format in (Format.bibtex, Format.biblatex, Format.ris, Format.csl_json)
}


def copy(
    library: Library, ids: Sequence[int], what: CopyWhat, styles: CitationStyles, task: Task
) -> Copied:
    """These papers in this form, one a line if it is short.

    Raises StyleRefused for an unusable style, and LibraryError for papers that it cannot format.
    """
    if isinstance(what, CopyCitation):
        return _cited(library.get(ids), what, styles, task)
    if what in _FORMATS:
        stream = io.StringIO()
        export.write(library, ids, _FORMATS[what], stream, task)
        return Copied(stream.getvalue())
    papers = library.get(ids)
    lines = [line for line in map(_LINES[what], papers) if line]
    return Copied("\n".join(lines), without=len(papers) - len(lines))


def quote(
    library: Library,
    paper: int,
    passage: str,
    pages: str,
    style: str,
    styles: CitationStyles,
    task: Task,
) -> str:
    """A passage of a paper with its citation: “…” (Lee, 2020, p. 3).

    `pages` are those of the passage, such as 3 or 3-4, which each style writes in its own way;
    `style` is the key of a style. A numeric style, whose citation does not name the paper, adds
    the reference. Raises as `copy` does.
    """
    papers, quoted = library.get([paper]), f"“{' '.join(passage.split())}”"
    if not papers:
        return quoted
    cited = cite(papers, styles.load(style), task, pages=pages)
    inside, reference = plain(cited.in_text), "\n".join(map(plain, cited.references))
    if _NUMBERED.match(inside):
        if len(_NUMBER.findall(inside)) == 1:  # without the pages
            inside = f"({'pp.' if '-' in pages else 'p.'} {pages.replace('-', '–')})"
        return f"{quoted} {inside}\n\n{reference}"
    # A citation without brackets is a footnote.
    return f"{quoted} {inside}" if inside[:1] in "([" else f"{quoted}\n\n{inside}"


def _cited(
    papers: Sequence[Paper], what: CopyCitation, styles: CitationStyles, task: Task
) -> Copied:
    style = styles.load(what.style)
    cited = cite(papers, style, task, references=not what.in_text, in_text=what.in_text)
    if what.in_text:
        return Copied(plain(cited.in_text), cited.in_text)
    html = "".join(f"<p>{entry}</p>" for entry in cited.references)
    return Copied("\n".join(map(plain, cited.references)), html)


def bibliography(
    library: Library, ids: Sequence[int], style: str, styles: CitationStyles, task: Task
) -> str:
    """The reference list of these papers as an HTML page. Raises as `copy` does."""
    loaded = styles.load(style)
    if not loaded.has_bibliography:
        raise StyleRefused(
            tr("The style {style} has no reference list.", style=loaded.title),
            tr("Select another citation style in Settings."),
        )
    entries = cite(library.get(ids), loaded, task, in_text=False).references
    return html_page(loaded.title, "\n".join(f"<p>{entry}</p>" for entry in entries))


def link(paper: Paper) -> str:
    """The most permanent address of a paper; empty if none is known."""
    named = dict(reversed(paper.written_identifiers))  # the first of each kind
    for kind in _LINKED:
        if value := named.get(kind):
            return identifier_link(Identifier(kind, value))[1]
    url = paper.extra.get("url", "")
    return url if url.startswith(("https://", "http://")) else ""


def _doi(paper: Paper) -> str:
    """The DOI of a paper, or that which arXiv gives every preprint."""
    arxiv = paper.identifier("arxiv")
    return paper.written_doi or (f"10.48550/arXiv.{arxiv}" if arxiv else "")


_LINES: dict[CopyAs, Callable[[Paper], str]] = {
    CopyAs.doi: _doi,
    CopyAs.link: link,
    CopyAs.title: lambda paper: readable(paper.title),
}
