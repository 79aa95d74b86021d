"""Reader of BibTeX and BibLaTeX files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from sciread_app.domain.metadata.identifiers import (
    arxiv_id,
    doi_as_written,
    identifier,
    identifiers,
)
from sciread_app.domain.paper import Author, Identifier, Paper, Skipped
from sciread_app.formats.bibtex.blocks import BibtexEntry, Broken, Comment, blocks
from sciread_app.formats.bibtex.fields import (
    DATE_FIELDS,
    IN_BOOKS,
    TYPES,
    is_verbatim,
    kind_of,
    published,
    unused_date_fields,
    verbatim,
)
from sciread_app.formats.bibtex.writer import write
from sciread_app.formats.files.encoding import open_text
from sciread_app.formats.values import file_links, latex, names
from sciread_app.formats.values import keywords as keyword_list
from sciread_app.language import tr

__all__ = ["SUFFIXES", "read", "write"]

NAME = "bibtex"
SUFFIXES = (".bib", ".bibtex", ".biblatex")

_SURVEY_WORDS = ("crossref", "xdata", "filedirectory")
_FOLDER = re.compile(r"jabref-meta:\s*fileDirectory[^:]*:((?:\\.|[^;\\])*)", re.I)
# Fields of the whole work that its parts do not inherit.
_NOT_INHERITED = (
    "title subtitle shorttitle titleaddon doi url ee eprint eprinttype archiveprefix isbn file pdf "
    "abstract keywords pmid pmcid crossref xref xdata ids note timestamp biburl bibsource"
)
_MOST_PARENTS = 100  # real entries have one to three
_ARCHIVES = {"pubmed": "pmid", "pmid": "pmid", "pmc": "pmcid", "pmcid": "pmcid"}
_PAGES = re.compile(r"(\w+)\s*(?:-{1,3}|[–—])\s*(\w+)")
_DOI_ADDRESS = re.compile(r"\bdoi\.(?:\w+\.)?org/(10\.[^?&]+)", re.I)
_PUBMED = re.compile(r"(?:ncbi\.nlm\.nih\.gov/pubmed|pubmed\.ncbi\.nlm\.nih\.gov)/(\d+)")
_PMID = re.compile(r"\bPMID:?\s*(\d+)", re.I)
_PMCID = re.compile(r"\bPMCID:?\s*(PMC\d+)", re.I)
_ARXIV = re.compile(
    r"\barXiv(?:\.org)?[:/\s](?:abs/|pdf/)?\s*([a-z.-]+/\d{7}|\d{4}\.\d{4,5})", re.I
)


def read(path: Path) -> Iterator[Paper | Skipped]:
    """The papers of a file in order, each entry either a Paper or Skipped.

    Only entries referred to by crossref or xdata are held in memory.
    """
    survey = _survey(path)
    with open_text(path) as lines:
        for block in blocks(lines):
            if isinstance(block, BibtexEntry):
                if block.type != "xdata":
                    yield _paper_or_skipped(block, survey, path)
            elif isinstance(block, Broken):
                why = tr("{why}. Fix the entry and import the file again.", why=block.reason)
                yield Skipped(str(path), block.key, why)


class _Survey(NamedTuple):
    """Data from elsewhere in the file that entries depend on."""

    folders: tuple[Path, ...]
    parents: Mapping[str, BibtexEntry]  # by lower-case key


def _survey(path: Path) -> _Survey:
    folders = [path.absolute().parent]
    parents: dict[str, BibtexEntry] = {}
    if _mentions(path, _SURVEY_WORDS):
        parent_keys: set[str] = set()
        with open_text(path) as lines:
            for block in blocks(lines):
                if isinstance(block, BibtexEntry):
                    parent_keys.update(_parent_keys(block))
                elif isinstance(block, Comment) and (match := _FOLDER.search(block.text)):
                    folder = match[1].replace("\\\\", "/").replace("\\", "")
                    if not file_links.is_network_share(folder):
                        folders.insert(0, folders[-1] / folder)
        if parent_keys:
            with open_text(path) as lines:
                found = (block for block in blocks(lines) if isinstance(block, BibtexEntry))
                parents = {e.key.lower(): e for e in found if e.key.lower() in parent_keys}
    return _Survey(tuple(folders), parents)


def _mentions(path: Path, words: Iterable[str]) -> bool:
    with open_text(path) as lines:
        while some := lines.readlines(1 << 20):
            text = "".join(some).lower()
            if any(word in text for word in words):
                return True
    return False


def _parent_keys(entry: BibtexEntry) -> list[str]:
    listed = f"{entry.fields.get('xdata', '')},{entry.fields.get('crossref', '')}"
    return [key.strip().lower() for key in listed.split(",") if key.strip()]


def _inherit(
    entry: BibtexEntry, parents: Mapping[str, BibtexEntry], seen: set[str]
) -> dict[str, str]:
    """The entry's fields, complemented by those of its parents. `seen` are the keys of entries that
    have been read."""
    fields = dict(entry.fields)
    for key in _parent_keys(entry):
        parent = parents.get(key)
        if parent is None or key in seen or len(seen) > _MOST_PARENTS:
            continue
        seen.add(key)
        given = _inherit(parent, parents, seen)
        if parent.type != "xdata":
            if "title" in given:
                given.setdefault("booktitle", given["title"])
            given = {
                name: text for name, text in given.items() if name not in _NOT_INHERITED.split()
            }
        fields = given | fields
    return fields


def _paper_or_skipped(entry: BibtexEntry, survey: _Survey, path: Path) -> Paper | Skipped:
    if entry.type == "set":
        why = tr(
            "Line {number}: an @set entry only groups other entries, which are imported "
            "separately.",
            number=entry.line,
        )
        return Skipped(str(path), entry.key, why)
    fields = entry.fields
    if survey.parents and ("crossref" in fields or "xdata" in fields):
        fields = _inherit(entry, survey.parents, {entry.key.lower()})
    files, missing = _files(fields, survey.folders)
    title = _title(fields) or (_stem(missing or files[0]) if missing or files else "")
    if not title:
        why = tr(
            "Line {number}: the entry has no title. Add a title and import the file again.",
            number=entry.line,
        )
        return Skipped(str(path), entry.key, why)
    return _paper(entry, fields, title, files, missing)


def _paper(
    entry: BibtexEntry, fields: dict[str, str], title: str, files: tuple[str, ...], missing: str
) -> Paper:
    authors, others = _authors(fields.pop("author", ""))
    dated = {n: latex.decode(fields.pop(n)) for n in DATE_FIELDS if n in fields}
    date = published(dated)
    abstract = latex.decode(fields.pop("abstract", ""))
    keywords = latex.decode(fields.pop("keywords", "") or fields.pop("keyword", ""))
    known, fields_of_study = _identify(entry, fields)
    arxiv = any(kind == "arxiv" for kind, _ in known)
    doi = any(kind == "doi" for kind, _ in known)
    kind = kind_of(entry.type, _venue_text(fields), arxiv=arxiv, doi=doi)
    venue = _venue(fields, kind)
    extra = {n: t for n, raw in fields.items() if (t := _extra(n, raw))}
    extra |= unused_date_fields(dated, date)
    if missing:
        extra["file"] = missing
    if others:
        extra["and-others"] = "true"
    if TYPES[kind] != entry.type:
        extra["entrytype"] = entry.type
    return Paper(
        title=title,
        abstract=abstract,
        authors=authors,
        kind=kind,
        published=date,
        venue=venue,
        identifiers=known,
        fields=fields_of_study,
        keywords=keyword_list.split(keywords),
        extra=extra,
        files=files,
        source="bibtex",
        source_id=entry.key,
    )


def _title(fields: dict[str, str]) -> str:
    """The title with its subtitle, or the fallback of the entry; removed from `fields`."""
    subtitle = latex.decode(fields.get("subtitle", ""))
    for name in ("title", "booktitle", "maintitle", "shorttitle", "issuetitle"):
        if title := latex.decode(fields.get(name, "")):
            del fields[name]
            fields.pop("subtitle", None)
            return f"{title}: {subtitle}" if subtitle else title
    return ""


def _stem(link: str) -> str:
    """The name of a linked file without folder and suffix."""
    paths = [part for part in re.split(r"(?<!\\)[:;]", link) if "." in part]
    return Path(paths[0].replace("\\", "/")).stem if paths else ""


def _authors(text: str) -> tuple[tuple[Author, ...], bool]:
    if not text:
        return (), False
    listed, others = names.split_list(" ".join(latex.grouped(text).split()))
    found = [author for name in listed for author in names.parse(name, latex.plain)]
    return tuple(author for author in found if author.family), others


def _venue_text(fields: Mapping[str, str]) -> str:
    return latex.decode(fields.get("journal") or fields.get("journaltitle") or "")


def _venue(fields: dict[str, str], kind: str) -> str:
    journals = ("journal", "journaltitle")
    order = ("booktitle", *journals) if kind in IN_BOOKS else (*journals, "booktitle")
    for name in order:
        if venue := latex.decode(fields.get(name, "")):
            del fields[name]
            return "arXiv" if _ARXIV.search(venue) else venue
    return ""


def _extra(name: str, raw: str) -> str:
    if name == "pages":
        pages = " ".join(raw.split())
        match = _PAGES.fullmatch(pages)
        return f"{match[1]}-{match[2]}" if match else latex.decode(pages)
    return verbatim(raw) if is_verbatim(name) else latex.decode(raw)


def _files(fields: dict[str, str], folders: tuple[Path, ...]) -> tuple[tuple[str, ...], str]:
    """The linked files that exist, and the broken links as written."""
    if "file" not in fields and "pdf" not in fields and "evastar_pdf" not in fields:
        return (), ""
    files, missing = file_links.resolve(verbatim(fields.pop("file", "")), folders)
    for name in ("pdf", "evastar_pdf"):
        more, _ = file_links.resolve(verbatim(fields.get(name, "")), folders)
        if more:
            del fields[name]
            files = tuple(dict.fromkeys(files + more))
    return files, missing


def _identify(
    entry: BibtexEntry, fields: dict[str, str]
) -> tuple[tuple[Identifier, ...], tuple[str, ...]]:
    """The entry's identifiers and its subject areas, removed from `fields`."""
    pairs = [*_eprint(fields)]
    addresses = [verbatim(fields[name]) for name in ("doi", *_ADDRESSES) if name in fields]
    for name, kind in (("doi", "doi"), ("pmid", "pmid"), ("pmcid", "pmcid"), ("pmc", "pmcid")):
        if name in fields and identifier(kind, text := verbatim(fields[name])):
            pairs.append((kind, text))
            del fields[name]
    isbns = re.split(r"[\s,;/]+(?=[\dX-]{10})", verbatim(fields.get("isbn", "")))
    if all(identifier("isbn", isbn) for isbn in isbns):
        pairs += [("isbn", isbn) for isbn in isbns]
        del fields["isbn"]
    pairs += _other_identifiers(fields, {kind for kind, _ in pairs})
    keys = [entry.key, *latex.decode(fields.pop("ids", "")).split(",")]
    found = identifiers(*pairs, *(("citekey", key.strip()) for key in keys))
    fields |= doi_as_written(found, *addresses)
    primary = fields.pop("primaryclass", "") or fields.pop("eprintclass", "")
    subjects = latex.decode(fields.pop("subjects", "")).split(";")
    areas = (text.strip() for text in (latex.decode(primary), *subjects))
    return found, tuple(dict.fromkeys(area for area in areas if area))


def _eprint(fields: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The identifier in `eprint`, as pairs of a possible kind and its value."""
    eprint = verbatim(fields.get("eprint", ""))
    if not eprint:
        return
    archive = (fields.get("eprinttype") or fields.get("archiveprefix") or "arxiv").strip().lower()
    kind = _ARCHIVES.get(archive, "arxiv")
    # hep-th/9901001 is sometimes split into archive, or class, and number.
    for text in (eprint, f"{archive}/{eprint}", f"{fields.get('primaryclass', '')}/{eprint}"):
        if identifier(kind, text):
            yield kind, text
            for name in ("eprint", "eprinttype", "archiveprefix"):
                fields.pop(name, None)
            if kind == "arxiv" and arxiv_id(text)[1]:
                fields["eprint"] = eprint  # The version is in no other field.
            return


_ADDRESSES = ("url", "ee", "bdsk-url-1")


def _other_identifiers(fields: Mapping[str, str], known: set[str]) -> Iterator[tuple[str, str]]:
    """Identifiers in fields intended for other data."""
    for name in _ADDRESSES:
        address = fields.get(name, "")
        if "doi" not in known and (match := _DOI_ADDRESS.search(address)):
            yield "doi", verbatim(match[1])
        if "arxiv" not in known and "arxiv.org/" in address:
            yield "arxiv", verbatim(address)
        if "pmid" not in known and (match := _PUBMED.search(address)):
            yield "pmid", match[1]
    note = fields.get("note", "")
    if "PM" in note:
        yield from (("pmid", match) for match in _PMID.findall(note))
        yield from (("pmcid", match) for match in _PMCID.findall(note))
    if "arxiv" not in known:
        for name in ("journal", "note", "howpublished", "volume"):
            text = fields.get(name, "")
            if match := _ARXIV.search(text):
                yield "arxiv", match[1]
            elif name == "volume" and text.startswith("abs/"):
                yield "arxiv", text.removeprefix("abs/")
