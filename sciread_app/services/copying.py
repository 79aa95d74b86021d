"""Papers on their way to the clipboard, or to the terminal."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

from sciread_app.domain.copying import Copied, CopyAs, CopyCitation, CopyWhat
from sciread_app.domain.paper import Paper
from sciread_app.domain.tex import readable
from sciread_app.services import export
from sciread_app.services.citation_styles import CitationStyles
from sciread_app.services.export import Format
from sciread_app.services.styles import Cited, cite, plain
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

__all__ = ["Copied", "CopyAs", "CopyCitation", "copy", "link"]

_FORMATS = {
    CopyAs(format.value): format
    for format in (Format.bibtex, Format.biblatex, Format.ris, Format.csl_json)
}


def copy(
    library: Library, ids: Sequence[int], what: CopyWhat, styles: CitationStyles, task: Task
) -> Copied:
    """These papers in this form, one a line where it is short.

    Raises StyleRefused for a style that cannot be used, and LibraryError for papers that cannot be
    cited in it.
    """
    if isinstance(what, CopyCitation):
        return _show(cite(library.get(ids), styles.load(what.style), task), what.in_text)
    if what in _FORMATS:
        stream = io.StringIO()
        export.write(library, ids, _FORMATS[what], stream, task)
        return Copied(stream.getvalue())
    papers = library.get(ids)
    lines = [line for line in map(_LINES[what], papers) if line]
    return Copied("\n".join(lines), without=len(papers) - len(lines))


def _show(cited: Cited, in_text: bool) -> Copied:
    if in_text:
        return Copied(plain(cited.in_text), cited.in_text)
    html = "".join(f"<p>{entry}</p>" for entry in cited.references)
    return Copied("\n".join(map(plain, cited.references)), html)


def link(paper: Paper) -> str:
    """The address that will lead to the paper longest; empty where none is known."""
    for kind, resolver in RESOLVERS.items():
        if value := paper.identifier(kind):
            return resolver + value
    url = paper.extra.get("url", "")
    return url if url.startswith(("https://", "http://")) else ""


RESOLVERS = {
    "doi": "https://doi.org/",
    "arxiv": "https://arxiv.org/abs/",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "pmcid": "https://pmc.ncbi.nlm.nih.gov/articles/",
}
_LINES: dict[CopyAs, Callable[[Paper], str]] = {
    CopyAs.doi: lambda paper: paper.identifier("doi") or _arxiv_doi(paper),
    CopyAs.link: link,
    CopyAs.title: lambda paper: readable(paper.title),
}


def _arxiv_doi(paper: Paper) -> str:
    """arXiv gives every preprint a DOI."""
    arxiv = paper.identifier("arxiv")
    return f"10.48550/arXiv.{arxiv}" if arxiv else ""
