"""Keys of records: blocking keys, fingerprints, serialization and merging.

The pairwise comparison is in record_linkage.py.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b
from operator import attrgetter
from typing import Any

from sciread_app.domain.metadata.paper_updates import version
from sciread_app.domain.paper import Author, Identifier, Paper

# Identifiers unique to one record. An ISBN identifies a book, and so all its chapters.
NAMING = frozenset({"doi", "arxiv", "pmid", "pmcid"})
# Formats in which identifiers are local to the file: two files can use one for two papers.
FILES = frozenset({"", "bibtex", "ris", "csl-json", "endnote", "jsonl", "mods", "pdf"})

# Fields of which a merged paper takes one value; of lists it takes all values.
PLAIN = ("title", "abstract", "authors", "kind", "published", "venue")
_LISTS = ("identifiers", "fields", "keywords", "files")
# The names in `extra` that tell the state of a record, or belong to another field: imports change
# them even if the user has edited `extra`.
_OF_SOURCES = frozenset((
    "and-others", "doi", "erratum_in", "expression_of_concern_in", "publication_types",
    "references", "retraction_in", "update_in", "update_of", "updated", "version", "withdrawn",
))  # fmt: skip

_UPDATE_OF, _UPDATE_IN = "update_of", "update_in"  # NLM's UpdateOf and UpdateIn
_KEY_LENGTH = 24
_NOT_ALNUM = re.compile(r"[^0-9a-z]+")
_NOT_WORD = re.compile(r"[\W_]+")


class MatchVerdict(StrEnum):
    same = "same"
    versions = "versions"
    maybe = "maybe"
    different = "different"


def is_preprint(paper: Paper) -> bool:
    return bool(paper.identifier("arxiv")) and (paper.source == "arxiv" or paper.kind == "article")


def linked(paper: Paper) -> set[str]:
    """The PMIDs that PubMed lists as other versions of this paper: preprint and article."""
    extra = paper.extra
    if _UPDATE_OF not in extra and _UPDATE_IN not in extra:
        return set()
    return {pmid for name in (_UPDATE_OF, _UPDATE_IN) for pmid in extra.get(name, "").split()}


def title_key(title: str) -> str:
    """The letters and digits of a title, equal for two typings of the same title."""
    if title.isascii():
        return _NOT_ALNUM.sub("", title.lower())
    return _NOT_WORD.sub("", unicodedata.normalize("NFKD", title).lower())


@lru_cache(4096)  # requested several times per batch for the same titles
def block_keys(title: str) -> tuple[int, int]:
    """Two blocking keys, from the start and the end of a title; similar titles share at least
    one."""
    key = title_key(title)
    return _hash(key[:_KEY_LENGTH]), _hash(key[-_KEY_LENGTH:])


def author_key(paper: Paper) -> int:
    """A blocking key of the first author's last name and initial and the year; 0 if one is
    missing."""
    keys = author_keys(paper)
    return keys[0] if keys else 0


def author_keys(paper: Paper) -> tuple[int, ...]:
    """The `author_key` of a paper, and those of the years before and after: an article may be dated
    to the year before it was printed."""
    year = paper.year
    if not paper.authors or not year:
        return ()
    first = paper.authors[0]
    return _author_hashes(first.family, first.given, year)


@lru_cache(16_384)  # requested several times per batch for the same authors
def _author_hashes(family: str, given: str, year: int) -> tuple[int, ...]:
    name = f"{title_key(family)}\x00{title_key(given)[:1]}"
    return tuple(_hash(f"{name}\x00{one}") or 1 for one in (year, year - 1, year + 1))


def text_hash(paper: Paper) -> int:
    """Hash of the text that is encoded; 63 bits, never 0."""
    return _hash(f"{paper.title}\x00{paper.abstract}") or 1


def fingerprint(paper: Paper) -> int:
    """Hash of the whole record, to recognize an unchanged record when it is read again."""
    authors = [
        f"{family}\x1f{given}\x1f{particle}\x1f{suffix}\x1f{literal}"
        for family, given, particle, suffix, literal in paper.authors
    ]
    return _hash(
        "\x1d".join(
            (
                *_texts(paper),
                *map("\x1e".join, _lists(paper)),
                *authors,
                *map("\x1f".join, paper.identifiers),
                *map("\x1f".join, sorted(paper.extra.items())),
            )
        )
    )


def record(paper: Paper) -> str:
    """The whole record as JSON, without the library's own id."""
    return _as_json([getattr(paper, name) for name in _RECORDED])


def from_record(text: str) -> Paper:
    """The paper serialized by `record`."""
    values = dict(zip(_RECORDED, json.loads(text), strict=True))
    values["authors"] = tuple(Author(*author) for author in values["authors"])
    values["identifiers"] = tuple(Identifier(*pair) for pair in values["identifiers"])
    for name in ("fields", "keywords", "files"):
        values[name] = tuple(values[name])
    return Paper(**values)


def merge(kept: Paper, new: Paper, *, edited: frozenset[str] = frozenset()) -> Paper:
    """`kept` complemented by `new`. No value of `kept` is lost, and edited fields are unchanged.

    A newer version of the same record (same source, same id there) replaces values; any other
    record only fills empty ones. Citation keys and notices, such as of a retraction, are added to
    edited fields too.
    """
    fresh = _is_newer_state(kept, new)
    values = {}
    for name in PLAIN:
        old, offered = getattr(kept, name), getattr(new, name)
        if name not in edited and offered and (fresh or not old):
            values[name] = offered
    is_more_exact = len(new.published) > len(kept.published)
    if "published" not in edited and is_more_exact and new.published.startswith(kept.published):
        values.setdefault("published", new.published)
    if "kind" not in edited and not fresh and kept.kind == "article" and new.kind != "article":
        values["kind"] = new.kind
    for name in _LISTS:
        offered = getattr(new, name)
        if name in edited:  # identifiers are edited without the citation keys among them
            offered = [one for one in offered if name == "identifiers" and one.kind == "citekey"]
        values[name] = tuple(dict.fromkeys((*getattr(kept, name), *offered)))
    extra = {**kept.extra, **new.extra} if fresh else {**new.extra, **kept.extra}
    if "extra" in edited:
        given = {name: text for name, text in extra.items() if name in _OF_SOURCES}
        extra = {**kept.extra, **given}
    if not (new if "authors" in values else kept).has_more_authors:
        extra.pop("and-others", None)  # it belongs to the list of authors that was not taken
    if "identifiers" in edited:  # another spelling of the DOI belongs to one that was not taken
        extra.pop("doi", None)
        if "doi" in kept.extra:
            extra["doi"] = kept.extra["doi"]
    values["extra"] = extra
    return replace(kept, **values)


def unmerge(paper: Paper, own: Paper, other: Paper) -> Paper:
    """`paper` without the values that came from `other`.

    `own` is the paper's own record before the merge. Values changed since the merge, which are in
    neither record, stay.
    """
    values: dict[str, Any] = {}
    for name in PLAIN:
        if getattr(paper, name) and getattr(paper, name) == getattr(other, name):
            values[name] = getattr(own, name)
    for name in _LISTS:
        foreign = set(getattr(other, name)) - set(getattr(own, name))
        values[name] = tuple(entry for entry in getattr(paper, name) if entry not in foreign)
    theirs = {key for key, value in paper.extra.items() if other.extra.get(key) == value}
    kept = {key: value for key, value in paper.extra.items() if key not in theirs}
    values["extra"] = kept | {key: own.extra[key] for key in theirs if key in own.extra}
    return replace(paper, **values)


_texts = attrgetter("title", "abstract", "kind", "published", "venue", "source", "source_id")
_lists = attrgetter("fields", "keywords", "files")
_as_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_RECORDED = tuple(name for name in Paper.__dataclass_fields__ if name != "id")


def _is_newer_state(kept: Paper, new: Paper) -> bool:
    if new.source in FILES or (kept.source, kept.source_id) != (new.source, new.source_id):
        return False
    return version(new) >= version(kept)


def _hash(text: str) -> int:
    """A 63-bit hash, which fits SQLite's signed integer."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
