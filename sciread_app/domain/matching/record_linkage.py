"""Rules that classify two records as the same paper, versions of one work, or different.

Records are the same paper if they share an identifier, or agree in title, first author and year and
contradict each other in nothing. Merely similar records are left to the user: a wrong merge is hard
to notice, while a pair left alone waits in the list of duplicates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.fuzz import ratio

from sciread_app.domain.matching.duplicate_reasons import Judgement, listed
from sciread_app.domain.matching.record_keys import FILES, NAMING, MatchVerdict, is_preprint, linked
from sciread_app.domain.matching.titles import (
    TitleMatch,
    are_alike,
    form,
    is_generic,
    match,
    split,
    words,
)
from sciread_app.domain.matching.venues import same_venue
from sciread_app.domain.paper import Author, Identifier, Paper

_UNLIKE = 50  # of 100: titles less similar than this are different, even under one DOI
_AKIN_NAMES = 85  # last names this similar may be misspellings of one
_INITIALS = 2  # letters; a longer word is a name
_MISPRINTS = 4  # one author in so many may be misspelled beyond recognition
_YEARS_APART = 2  # between a meeting abstract and its article
_ABSTRACT_WORDS = 40  # a shorter abstract is not compared
# Shared words, as a fraction of those of the shorter. In 171 pairs of records of one paper from two
# databases it is 0.95 and more; a meeting abstract shares fewer with the article it became.
_ONE_ABSTRACT = 0.8

_NUMBER = re.compile(r"\d+")
_PAGE = re.compile(r"[a-z]*\d+", re.I)
_ISSN = re.compile(r"\d{4}-?\d{3}[\dXx]")


_DIFFERENT = Judgement(MatchVerdict.different, "")


def judge(a: Paper, b: Paper) -> Judgement:
    """Classify the pair `a`, `b`. The order does not matter."""
    # Most pairs share no identifier; an import compares each paper with dozens.
    if both := {*a.identifiers}.intersection(b.identifiers):
        for kind in ("pmid", "arxiv", "pmcid"):
            if shared := _least(kind, both):
                return _judge_same_name(a, b, kind, shared)
        if shared := _least("doi", both):
            return _judge_same_doi(a, b, shared)
    if _updates(a, b) or _updates(b, a):
        return Judgement(MatchVerdict.versions, "PubMed lists one as an update of the other")
    if a.source == b.source and a.source not in FILES and a.source_id and b.source_id:
        if a.source_id == b.source_id:
            return Judgement(MatchVerdict.same, f"both have {a.source} {a.source_id}")
        return _DIFFERENT
    return _judge_by_title(a, b)


def share_name(a: Paper, b: Paper) -> bool:
    """Whether both share an identifier, or are one record of one source."""
    if any(_shared(kind, a, b) for kind in NAMING):
        return True
    named = a.source not in FILES and bool(a.source_id)
    return named and (a.source, a.source_id) == (b.source, b.source_id)


def likelihood(a: Paper, b: Paper) -> float:
    """A score from 0 to 1 for sorting pairs by how likely they are duplicates."""
    found = contradictions(a, b)
    score = 0.35 * (match(a.title, b.title) / TitleMatch.equal)
    score += 0.15 * bool(_share_author(a, b)) + 0.05 * first_author_agrees(a, b)
    score += 0.1 * (bool(a.year) and a.year == b.year) + 0.1 * _venues_agree(a, b)
    score += 0.1 * _pages_agree(a, b) + 0.15 * (_have_one_abstract(a, b) is True)
    return max(0.0, score - 0.1 * len(found) - 0.1 * ("pages" in found or "abstracts" in found))


def contradictions(a: Paper, b: Paper) -> tuple[str, ...]:
    """The fields that both have, with contradicting values."""
    names = {
        "years": bool(a.year and b.year) and a.year != b.year,
        "venues": bool(a.venue and b.venue) and not _venues_agree(a, b),
        "volumes": _numbers_differ("volume", a, b),
        "pages": bool(_start(a) and _start(b)) and not _pages_agree(a, b),
        "issues": not _pages_agree(a, b) and _numbers_differ("number", a, b),
        "editions": _numbers_differ("edition", a, b),
        "authors": _authors_differ(a, b),
        "types": "article" not in (a.kind, b.kind) and a.kind != b.kind,
        "DOIs": _conflict("doi", a, b),
        "PMIDs": _conflict("pmid", a, b),
        "PMCIDs": _conflict("pmcid", a, b),
        "arXiv IDs": _conflict("arxiv", a, b),
        "ISBNs": _conflict("isbn", a, b),
        "abstracts": _have_one_abstract(a, b) is False,
    }
    return tuple(name for name, differ in names.items() if differ)


def _judge_same_name(a: Paper, b: Paper, kind: str, name: str) -> Judgement:
    """The verdict on papers with one PMID, PMCID or arXiv id. An arXiv paper may change its title
    and authors between versions; elsewhere a different title and different pages mean a wrong
    identifier."""
    differ = {"authors", "pages", "volumes"} & set(contradictions(a, b))
    titles = a.title and b.title and match(a.title, b.title) < TitleMatch.near
    if kind != "arxiv" and titles and differ:
        reason = f"both have {kind} {name}, but their {listed({'titles', *differ})} differ"
        return Judgement(MatchVerdict.maybe, reason)
    return Judgement(MatchVerdict.same, f"both have {kind} {name}")


def _judge_same_doi(a: Paper, b: Paper, doi: str) -> Judgement:
    if is_preprint(a) != is_preprint(b):
        # arXiv gives the DOI of the journal article beside its own id.
        return Judgement(
            MatchVerdict.versions, f"the preprint record contains the article's DOI {doi}"
        )
    if any(_conflict(kind, a, b) for kind in ("arxiv", "pmid")):
        return Judgement(MatchVerdict.maybe, f"both have DOI {doi}, but other identifiers differ")
    if _has_one_title(a, b):
        return Judgement(MatchVerdict.same, f"both have DOI {doi}")
    return Judgement(MatchVerdict.maybe, f"both have DOI {doi}, but their titles differ")


def _has_one_title(a: Paper, b: Paper) -> bool:
    """Whether the titles of two records with one DOI are compatible. The chapters of a book and the
    abstracts of a meeting are at times given the DOI of the whole."""
    if not a.title or not b.title:
        return True
    found = match(a.title, b.title)
    differ = {"authors", "pages", "volumes", "types"} & set(contradictions(a, b))
    if abs((a.year or 0) - (b.year or 0)) > 1 and a.year and b.year:
        differ.add("years")
    if is_generic(a.title) or is_generic(b.title):
        return found >= TitleMatch.near and not differ
    if found >= TitleMatch.near:
        return True
    if differ:
        return False
    alike = ratio(form(a.title)[0], form(b.title)[0])
    return found == TitleMatch.telling or (alike >= _UNLIKE and first_author_agrees(a, b))


def _judge_by_title(a: Paper, b: Paper) -> Judgement:
    apart = abs(a.year - b.year) if a.year and b.year else 0
    if not a.title or not b.title or apart > _YEARS_APART:
        return _DIFFERENT
    found = match(a.title, b.title)
    if found == TitleMatch.different:
        return _judge_by_place(a, b)
    differ = contradictions(a, b)
    # arXiv and PubMed list each paper once: one of two differing ids may be wrong, but no more.
    if "arXiv IDs" in differ or ("PMIDs" in differ and len(differ) > 1):
        return _DIFFERENT
    if found == TitleMatch.equal and _is_sure(a, b, differ):
        return Judgement(MatchVerdict.same, "title, first author and year match")
    authors = bool(a.authors and b.authors)
    if authors and not _share_author(a, b):
        return _judge_strangers(a, b, found, differ)
    if not _is_maybe(a, b, found, differ):
        return _DIFFERENT
    if found >= TitleMatch.near and apart <= 1 and authors and is_preprint(a) != is_preprint(b):
        return Judgement(
            MatchVerdict.versions, "preprint and published paper share title and author"
        )
    return Judgement(MatchVerdict.maybe, _reason(a, b, found, differ))


def _is_sure(a: Paper, b: Paper, differ: Sequence[str]) -> bool:
    """Whether two papers with equal titles are certainly one."""
    if differ or is_preprint(a) != is_preprint(b) or not a.year or a.year != b.year:
        return False
    if not first_author_agrees(a, b):
        return False
    if is_generic(a.title) or is_generic(b.title):
        return _venues_agree(a, b) and (_pages_agree(a, b) or _have_one_abstract(a, b) is True)
    return True


def _is_maybe(a: Paper, b: Paper, found: TitleMatch, differ: Sequence[str]) -> bool:
    """Whether a pair with similar titles should be reviewed by the user."""
    if is_preprint(a) != is_preprint(b):
        # A preprint has other volume and pages than its article.
        differ = [name for name in differ if name in ("authors", "abstracts")]
    elif is_generic(a.title) or is_generic(b.title):
        # "Editorial" a year or an author apart may be one; on other pages it is another.
        differ = [name for name in differ if name not in ("authors", "years")]
        return found >= TitleMatch.near and not differ
    if found == TitleMatch.equal:
        return True
    if found == TitleMatch.near:
        return len(differ) < 2 or _pages_agree(a, b) or _have_one_abstract(a, b) is True
    return bool(a.authors and b.authors) and (not differ or _are_neighbours(a, b))


def _judge_strangers(a: Paper, b: Paper, found: TitleMatch, differ: Sequence[str]) -> Judgement:
    """The verdict on papers with similar titles and no common author; the authors may be misspelled
    beyond recognition."""
    agree = _venues_agree(a, b) or _pages_agree(a, b) or _have_one_abstract(a, b) is True
    others = [name for name in differ if name != "authors"]
    if found >= TitleMatch.near and agree and not others and not is_generic(a.title):
        return Judgement(MatchVerdict.maybe, "the titles are similar, but the authors differ")
    return _DIFFERENT


def _are_neighbours(a: Paper, b: Paper) -> bool:
    """Whether two papers are in one volume, by the same authors. If their titles are similar, the
    word or number that differs and the pages may be wrong in one of the records."""
    same_place = bool(a.year) and a.year == b.year and _venues_agree(a, b)
    differ = set(contradictions(a, b)) - {"pages", "issues"}
    return same_place and first_author_agrees(a, b) and not differ


def _judge_by_place(a: Paper, b: Paper) -> Judgement:
    """The verdict on papers with different titles: one of them may be a translation, or
    misspelled."""
    # The cheapest test first: most pairs of an import have no venue in common.
    if not _venues_agree(a, b) or is_preprint(a) != is_preprint(b):
        return _DIFFERENT
    if not first_author_agrees(a, b) or is_generic(a.title) or is_generic(b.title):
        return _DIFFERENT
    if are_alike(a.title, b.title) and _are_neighbours(a, b):
        return Judgement(
            MatchVerdict.maybe, _reason(a, b, TitleMatch.telling, contradictions(a, b))
        )
    if not _pages_agree(a, b) and not _have_one_abstract(a, b):
        return _DIFFERENT
    if {"years", "volumes", "pages", "authors"} & set(contradictions(a, b)):
        return _DIFFERENT
    if _pages_agree(a, b):
        return Judgement(MatchVerdict.maybe, "author, venue and pages match, but the titles differ")
    return Judgement(MatchVerdict.maybe, "author, venue and abstract match, but the titles differ")


def _reason(a: Paper, b: Paper, found: TitleMatch, differ: Sequence[str]) -> str:
    if not a.authors or not b.authors:
        return "the titles are similar, but one paper has no authors"
    if differ:
        return f"title and author are similar, but {listed(differ)} differ"
    if is_generic(a.title):
        return "title and author are similar, but the title is common"
    if found == TitleMatch.equal:
        return "title and author are similar"
    return "title and author are similar, but the titles differ in some words"


def _share_author(a: Paper, b: Paper) -> bool:
    return any(_is_akin(one, other) for one in a.authors for other in b.authors)


def first_author_agrees(a: Paper, b: Paper) -> bool:
    """Whether both have a first author, and the last names and initials of these are equal."""
    return bool(a.authors and b.authors) and _is_one(a.authors[0], b.authors[0])


def _is_one(a: Author, b: Author) -> bool:
    """Whether two names are one: equal last names up to case and accents, and first initials."""
    last = {_key(a.last_name), _key(a.family)} & {_key(b.last_name), _key(b.family)}
    return bool(last - {""}) and _initials_agree(a, b)


def _initials_agree(a: Author, b: Author) -> bool:
    return not a.given or not b.given or _key(a.given)[:1] == _key(b.given)[:1]


def _is_akin(a: Author, b: Author) -> bool:
    """Whether two names may be one: misspelled, or with first and last name swapped."""
    ours, theirs = _name_words(a), _name_words(b)
    if not _initials_agree(a, b):
        return len(ours) > 1 and ours == theirs
    alike = ratio(_key(a.last_name), _key(b.last_name), score_cutoff=_AKIN_NAMES)
    return alike > 0 or bool(ours & theirs)


def _name_words(author: Author) -> set[str]:
    found = (*words(author.family), *words(author.given))
    return {word for word in found if len(word) > _INITIALS}


def _authors_differ(a: Paper, b: Paper) -> bool:
    """Whether the author lists differ in more than being cut short."""
    both = list(zip(a.authors, b.authors, strict=False))
    return sum(not _is_akin(one, other) for one, other in both) > len(both) // _MISPRINTS


def _venues_agree(a: Paper, b: Paper) -> bool:
    if not a.venue or not b.venue:
        return False
    return same_venue(a.venue, b.venue) or bool(_issns(a) & _issns(b))


def _issns(paper: Paper) -> set[str]:
    found = _ISSN.findall(paper.extra.get("issn", ""))
    return {issn.replace("-", "").upper() for issn in found}


def _pages_agree(a: Paper, b: Paper) -> bool:
    return bool(_start(a)) and _start(a) == _start(b)


def _start(paper: Paper) -> str:
    """The first page: "580" of "580-2", "e12" of "E0012"."""
    found = _PAGE.match(paper.extra.get("pages", "").strip().removeprefix("pp. "))
    if not found:
        return ""
    letters = found[0].rstrip("0123456789")
    return letters.lower() + (found[0][len(letters) :].lstrip("0") or "0")


def _numbers_differ(name: str, a: Paper, b: Paper) -> bool:
    """Whether volume, issue or edition are given, and differ: "12 Suppl 1" is in volume 12."""
    ours, theirs = a.extra.get(name, ""), b.extra.get(name, "")
    if not ours or not theirs:
        return False
    first, second = _NUMBER.findall(ours), _NUMBER.findall(theirs)
    if first and second:
        return int(first[0][:99]) != int(second[0][:99])  # Python refuses thousands of digits
    return _key(ours) != _key(theirs)


def _have_one_abstract(a: Paper, b: Paper) -> bool | None:
    """Whether the abstracts share nearly all words; None: too few words to decide."""
    ours, theirs = _abstract_words(a.abstract), _abstract_words(b.abstract)
    least = min(len(ours), len(theirs))
    return None if least < _ABSTRACT_WORDS else len(ours & theirs) >= _ONE_ABSTRACT * least


@lru_cache(512)
def _abstract_words(abstract: str) -> frozenset[str]:
    return frozenset(split(abstract))


def _key(text: str) -> str:
    return form(text)[0]


def _shared(kind: str, a: Paper, b: Paper) -> str:
    return _least(kind, {*a.identifiers}.intersection(b.identifiers))


def _least(kind: str, identifiers: set[Identifier]) -> str:
    return min((value for k, value in identifiers if k == kind), default="")


def _updates(a: Paper, b: Paper) -> bool:
    """Whether PubMed links `a` to `b`."""
    found = linked(a)
    return bool(found) and not found.isdisjoint(_values("pmid", b))


def _conflict(kind: str, a: Paper, b: Paper) -> bool:
    """Whether both have identifiers of this kind, and none in common."""
    names_a, names_b = _values(kind, a), _values(kind, b)
    return bool(names_a and names_b) and not names_a & names_b


def _values(kind: str, paper: Paper) -> set[str]:
    return {value for k, value in paper.identifiers if k == kind}
