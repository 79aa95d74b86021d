"""When two records are the same paper, versions of one work, or neither.

The rules are those of PRODUCT.md C. They are cautious: what is merged by mistake is hard to see
and hard to take apart, while a pair left alone waits in the review queue.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from functools import lru_cache
from hashlib import blake2b
from operator import attrgetter
from typing import NamedTuple

from rapidfuzz.fuzz import ratio

from sciread_app.domain.news import version
from sciread_app.domain.paper import Author, Identifier, Paper
from sciread_app.domain.retelling import Saying, retell
from sciread_app.language import tr

# Identifiers that name one record and no other. An ISBN names a book, and so all its chapters.
NAMING = frozenset({"doi", "arxiv", "pmid", "pmcid"})
# Files give papers names of their own; two files can use one name for two papers.
FILES = frozenset({"", "bibtex", "ris", "csl-json", "pdf"})

_VERSIONS = ("update_of", "update_in")  # NLM's UpdateOf and UpdateIn
_ALIKE = 93  # titles this similar (0 to 100) may be one title
_UNLIKE = 50  # titles less similar than this are two titles
_ALIKE_STRANGERS = 80  # the same where no author is in common
_TELLING = 20  # a shorter title ("Editorial", "Deep learning") says little
_KEY_LENGTH = 24
_NOT_ALNUM = re.compile(r"[^0-9a-z]+")
_NOT_WORD = re.compile(r"[\W_]+")
# A paper whose title has one of these where the other has none is about the other.
_ABOUT = frozenset(
    (
        *("erratum", "errata", "corrigendum", "corrigenda", "correction", "corrections"),
        *("addendum", "retraction", "retracted", "reply", "response", "comment", "comments"),
        *("rejoinder", "discussion", "supplement", "supplementary", "supporting", "appendix"),
        *("part", "first", "second", "third"),
        *("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"),
    )
)


class Verdict(StrEnum):
    same = "same"
    versions = "versions"
    maybe = "maybe"
    different = "different"


class Judgement(NamedTuple):
    verdict: Verdict
    reason: str  # for the person who reviews it


_DIFFERENT = Judgement(Verdict.different, "")


def judge(a: Paper, b: Paper) -> Judgement:
    """How `a` and `b` belong together. The order does not matter."""
    for kind in ("pmid", "arxiv", "pmcid"):
        if shared := _shared(kind, a, b):
            return Judgement(Verdict.same, f"both are {kind} {shared}")
    if shared := _shared("doi", a, b):
        return _judge_same_doi(a, b, shared)
    if linked(a) & _values("pmid", b) or linked(b) & _values("pmid", a):
        return Judgement(Verdict.versions, "PubMed names one as an update of the other")
    if a.source == b.source and a.source not in FILES and a.source_id and b.source_id:
        if a.source_id == b.source_id:
            return Judgement(Verdict.same, f"both are {a.source} {a.source_id}")
        return _DIFFERENT
    if any(_conflict(kind, a, b) for kind in NAMING):
        return _DIFFERENT
    return _judge_by_title(a, b)


def is_preprint(paper: Paper) -> bool:
    return bool(paper.identifier("arxiv")) and (paper.source == "arxiv" or paper.kind == "article")


def linked(paper: Paper) -> set[str]:
    """The PMIDs that PubMed gives as other versions of this paper: preprint and article."""
    extra = paper.extra
    return {pmid for name in _VERSIONS if name in extra for pmid in extra[name].split()}


def title_key(title: str) -> str:
    """The letters and digits of a title: what is left equal when the same title is typed twice."""
    if title.isascii():
        return _NOT_ALNUM.sub("", title.lower())
    return _NOT_WORD.sub("", unicodedata.normalize("NFKD", title).lower())


@lru_cache(4096)  # a batch asks several times for the same titles
def block_keys(title: str) -> tuple[int, int]:
    """Two numbers, of which titles that may be one share at least one: its start and its end."""
    key = title_key(title)
    return _hash(key[:_KEY_LENGTH]), _hash(key[-_KEY_LENGTH:])


def text_hash(paper: Paper) -> int:
    """Of what the vector is made from; 63 bits, never 0."""
    return _hash(f"{paper.title}\x00{paper.abstract}") or 1


def fingerprint(paper: Paper) -> int:
    """Of all that a record says, so that the same record read again is known at once."""
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
    """All that a record says, as JSON. The library's own id is not part of it."""
    return _as_json([getattr(paper, name) for name in _RECORDED])


def from_record(text: str) -> Paper:
    """The paper that `record` has written."""
    values = dict(zip(_RECORDED, json.loads(text), strict=True))
    values["authors"] = tuple(Author(*author) for author in values["authors"])
    values["identifiers"] = tuple(Identifier(*pair) for pair in values["identifiers"])
    for name in ("fields", "keywords", "files"):
        values[name] = tuple(values[name])
    return Paper(**values)


def merge(kept: Paper, new: Paper, *, edited: frozenset[str] = frozenset()) -> Paper:
    """`kept` with what `new` adds. Nothing `kept` says is lost, and what a person edited stays.

    A newer state of the same record (same source, same name there) overrides what it says
    otherwise; any other record only fills what was empty.
    """
    fresh = _is_newer_state(kept, new)
    values = {}
    for name in ("title", "abstract", "authors", "kind", "published", "venue"):
        old, offered = getattr(kept, name), getattr(new, name)
        if name not in edited and offered and (fresh or not old):
            values[name] = offered
    if len(new.published) > len(kept.published) and new.published.startswith(kept.published):
        values.setdefault("published", new.published)
    if not fresh and kept.kind == "article" and new.kind != "article":
        values["kind"] = new.kind
    for name in ("identifiers", "fields", "keywords", "files"):
        values[name] = tuple(dict.fromkeys((*getattr(kept, name), *getattr(new, name))))
    values["extra"] = {**kept.extra, **new.extra} if fresh else {**new.extra, **kept.extra}
    return replace(kept, **values)


_texts = attrgetter("title", "abstract", "kind", "published", "venue", "source", "source_id")
_lists = attrgetter("fields", "keywords", "files")
_as_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_RECORDED = tuple(name for name in Paper.__dataclass_fields__ if name != "id")


def _is_newer_state(kept: Paper, new: Paper) -> bool:
    if new.source in FILES or (kept.source, kept.source_id) != (new.source, new.source_id):
        return False
    return version(new) >= version(kept)


def _judge_same_doi(a: Paper, b: Paper, doi: str) -> Judgement:
    if is_preprint(a) != is_preprint(b):
        # arXiv names the DOI of the journal's article beside its own id.
        return Judgement(Verdict.versions, f"the preprint names the article's DOI {doi}")
    if any(_conflict(kind, a, b) for kind in ("arxiv", "pmid")):
        return Judgement(Verdict.maybe, f"both have DOI {doi}, but other names of theirs differ")
    alike = ratio(title_key(a.title), title_key(b.title))
    # The parts of a book, or the abstracts of a meeting, are at times given one DOI.
    strangers = bool(a.authors and b.authors) and not _share_author(a, b)
    if a.title and b.title and alike < (_ALIKE_STRANGERS if strangers else _UNLIKE):
        return Judgement(Verdict.maybe, f"both have DOI {doi}, but their titles differ")
    return Judgement(Verdict.same, f"both have DOI {doi}")


def _judge_by_title(a: Paper, b: Paper) -> Judgement:
    key_a, key_b = title_key(a.title), title_key(b.title)
    if not key_a or not key_b:
        return _DIFFERENT
    equal = key_a == key_b
    if not equal and (ratio(key_a, key_b) < _ALIKE or _about_each_other(a.title, b.title)):
        return _DIFFERENT
    if a.year and b.year and abs(a.year - b.year) > 1:
        return _DIFFERENT
    if not a.authors or not b.authors:
        return Judgement(Verdict.maybe, "the titles are alike, and one has no authors")
    if not _share_author(a, b):
        return _DIFFERENT
    return _judge_alike(a, b, equal)


def _judge_alike(a: Paper, b: Paper, equal: bool) -> Judgement:
    if is_preprint(a) != is_preprint(b):
        return Judgement(Verdict.versions, "preprint and published paper have title and author")
    if "article" not in (a.kind, b.kind) and a.kind != b.kind:
        return Judgement(Verdict.maybe, f"one title and author, but {a.kind} and {b.kind}")
    telling = len(title_key(a.title)) >= _TELLING and (equal or bool(a.year and b.year))
    whole = equal and a.year == b.year and _last_names(a) == _last_names(b)
    if telling or whole:
        return Judgement(Verdict.same, "title, author and year are alike")
    return Judgement(Verdict.maybe, "title and author are alike, but the title is a common one")


def _about_each_other(a: str, b: str) -> bool:
    """Whether the titles differ in a word like "erratum" or "part II", or in a number."""
    differing = set(_words(a)) ^ set(_words(b))
    return any(word in _ABOUT or any(c.isdigit() for c in word) for word in differing)


def _words(title: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFKD", title).lower())


# What `judge` says of papers that stay two, and what a person has said, see storage/works.py.
SAYINGS: Sequence[Saying] = (
    ("said by you", lambda: tr("said by you")),
    (
        "PubMed names one as an update of the other",
        lambda: tr("PubMed names one as an update of the other"),
    ),
    (
        "the preprint names the article's DOI {doi}",
        lambda doi: tr("the preprint names the article's DOI {doi}", doi=doi),
    ),
    (
        "both have DOI {doi}, but other names of theirs differ",
        lambda doi: tr("both have DOI {doi}, but other names of theirs differ", doi=doi),
    ),
    (
        "both have DOI {doi}, but their titles differ",
        lambda doi: tr("both have DOI {doi}, but their titles differ", doi=doi),
    ),
    (
        "the titles are alike, and one has no authors",
        lambda: tr("the titles are alike, and one has no authors"),
    ),
    (
        "preprint and published paper have title and author",
        lambda: tr("preprint and published paper have title and author"),
    ),
    (
        "one title and author, but {a} and {b}",
        lambda a, b: tr("one title and author, but {a} and {b}", a=a, b=b),
    ),
    (
        "title and author are alike, but the title is a common one",
        lambda: tr("title and author are alike, but the title is a common one"),
    ),
)


def said(reason: str) -> str:
    """The reason of a judgement, which is kept in English, as a person reads it."""
    return retell(reason, SAYINGS)


def _share_author(a: Paper, b: Paper) -> bool:
    theirs = {_last_name(author): author.given for author in b.authors}
    for author in a.authors:
        given = theirs.get(_last_name(author))
        if given is not None and _initials_agree(author.given, given):
            return True
    return False


def _initials_agree(a: str, b: str) -> bool:
    return not a or not b or title_key(a)[:1] == title_key(b)[:1]


def _last_names(paper: Paper) -> list[str]:
    return [_last_name(author) for author in paper.authors]


def _last_name(author: Author) -> str:
    return title_key(author.last_name)


def _shared(kind: str, a: Paper, b: Paper) -> str:
    return min(_values(kind, a) & _values(kind, b), default="")


def _conflict(kind: str, a: Paper, b: Paper) -> bool:
    """Whether both have such a name, and none in common."""
    names_a, names_b = _values(kind, a), _values(kind, b)
    return bool(names_a and names_b) and not names_a & names_b


def _values(kind: str, paper: Paper) -> set[str]:
    return {value for k, value in paper.identifiers if k == kind}


def _hash(text: str) -> int:
    """63 bits, so that it fits SQLite's signed integer."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
