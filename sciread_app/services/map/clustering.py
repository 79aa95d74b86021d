"""Coarse and fine clusters of papers on a map, labelled with words of their titles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.query.parser import STOP_WORDS

Labels = NDArray[np.int16]

_FINE_MOST, _COARSE_MOST = 120, 12
_WORDS = 3  # at most, in a label
_CANDIDATE_TERMS = 6  # highest-scoring terms of a cluster that are candidates for its label
_MIN_TITLES = 2  # titles of a cluster that a term must occur in
_PHRASE_SHARE = 0.5  # a phrase replaces its words if it has at least this share of their score
_ADJACENT_SHARE = (
    0.35  # share of a word's titles in which it is adjacent to another, to form a phrase
)

# Words of titles that name the type of a paper rather than its topic.
_GENERIC_WORDS = """
    analysis application applications approach approaches based case certain class comment
    comparison data de der des die effect effects efficient et evidence extended fast first
    framework from general generalized high ii iii improved introduction la large le les low
    method methods model modeling models multi new non note novel on one paper part performance
    problem problems proof properties recent remarks report research result results review
    revisited role simple small some state studies study survey system systems techniques theory
    three topic topics toward towards two types und use used using via
"""
_GENERIC = frozenset(_GENERIC_WORDS.split())
_NOT_TEXT = re.compile(r"\$[^$]*\$|\\[a-zA-Z]+|<[^>]*>")
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")


def how_many(papers: int) -> tuple[int, int]:
    """Return the numbers of coarse and fine clusters for this number of papers."""
    fine = int(np.clip(round((papers / 3) ** 0.5), 3, _FINE_MOST))
    coarse = int(np.clip(round(1.2 * np.log2(max(papers, 8) / 8)), 3, _COARSE_MOST))
    return min(coarse, fine), fine


def group(points: NDArray[np.float32]) -> tuple[NDArray[np.float32], Labels]:
    """Cluster points into fine clusters, and these into coarse ones.

    Returns the centres of the fine clusters, [clusters, dim], and the coarse cluster of each.
    """
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from threadpoolctl import threadpool_limits

    coarse, fine = how_many(len(points))
    fine = min(fine, len(np.unique(points, axis=0)))
    with threadpool_limits(1):  # leaves a core to the window
        found = KMeans(fine, n_init=2, random_state=0).fit(points)
        centres = found.cluster_centers_.astype(np.float32)
        if fine <= coarse:
            return centres, np.arange(fine, dtype=np.int16)
        parents = AgglomerativeClustering(coarse, linkage="ward").fit_predict(centres)
    return centres, parents.astype(np.int16)


def nearest_group(points: NDArray[np.float32], centres: NDArray[np.float32]) -> Labels:
    """Return the index of the nearest centre for each point."""
    far = np.einsum("ij,ij->i", centres, centres) - 2 * (points @ centres.T)
    labels: Labels = far.argmin(axis=1).astype(np.int16)
    return labels


def names(titles: Sequence[str], labels: Labels, count: int) -> list[str]:
    """Return a distinct label for each of `count` clusters; empty if its titles suggest none.

    A label is two or three words that are much more frequent in the cluster's titles than in all
    titles. `labels` holds the cluster of each title.
    """
    within = [Counter[str]() for _ in range(count)]
    for title, label in zip(titles, labels.tolist(), strict=True):
        within[label].update(_terms(title))
    everywhere = sum(within, Counter[str]())
    sizes = np.bincount(labels, minlength=count).tolist()
    forms = _forms(titles)
    taken: set[str] = set()
    named = [""] * count
    for label in sorted(range(count), key=lambda label: -sizes[label]):
        scores = _score_terms(within[label], everywhere, sizes[label], len(titles))
        named[label] = _name(scores, within[label], forms, taken)
        taken.add(named[label])
    return named


def heart(places: NDArray[np.float32]) -> tuple[float, float]:
    """Return the position at which a cluster is densest; its mean may lie outside of it."""
    low, size = places.min(axis=0), max(float(np.ptp(places, axis=0).max()), 1e-9)
    cells = ((places - low) / size * 7.999).astype(np.int64)
    flat = cells[:, 0] * 8 + cells[:, 1]
    fullest = np.bincount(flat, minlength=64).argmax()
    near = np.abs(cells - [fullest // 8, fullest % 8]).max(axis=1) <= 1
    x, y = np.median(places[near], axis=0).tolist()
    return x, y


def _terms(title: str) -> set[str]:
    """Return the informative words of a title, normalised, and the pairs of adjacent ones."""
    words = [_one_form(word.lower()) for word in _WORD.findall(_NOT_TEXT.sub(" ", title))]
    informative = [word if _is_informative(word) else "" for word in words]
    pairs = pairwise(informative)
    return {word for word in informative if word} | {f"{a} {b}" for a, b in pairs if a and b}


def _is_informative(word: str) -> bool:
    return len(word) > 2 and word not in STOP_WORDS and word not in _GENERIC


def _one_form(word: str) -> str:
    """Return a common form for singular and plural, which need not be a word."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("sses"):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _forms(titles: Sequence[str]) -> dict[str, str]:
    """Return the most frequent spelling of each normalised word, in lower case except for words
    such as DNA."""
    seen: dict[str, Counter[str]] = {}
    for title in titles:
        for word in _WORD.findall(_NOT_TEXT.sub(" ", title)):
            shown = word if sum(letter.isupper() for letter in word) > 1 else word.lower()
            seen.setdefault(_one_form(word.lower()), Counter())[shown] += 1
    return {form: shown.most_common(1)[0][0] for form, shown in seen.items()}


def _score_terms(
    within: Counter[str], everywhere: Counter[str], size: int, total: int
) -> list[tuple[str, float]]:
    """Score the terms of a cluster by how well they distinguish it from the rest, best first.

    The score is count * log(frequency in the cluster / frequency in all titles).
    """
    least = max(_MIN_TITLES, size // 50)
    found = [
        (term, times * float(np.log((times / size) / (everywhere[term] / total))))
        for term, times in within.items()
        if times >= least or size < 2 * least
    ]
    scores = dict(found)
    for term, value in found:
        # A phrase replaces its words if its score is nearly as high.
        for word in term.split() if " " in term else ():
            if value >= _PHRASE_SHARE * scores.get(word, 0):
                scores.pop(word, None)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def _name(
    scores: list[tuple[str, float]], within: Counter[str], forms: dict[str, str], taken: set[str]
) -> str:
    """Return the best two or three words that are not the label of another cluster."""
    parts: list[str] = []
    for term, value in scores[:_CANDIDATE_TERMS]:
        if value <= 0 or any(word in " ".join(parts).split() for word in term.split()):
            continue
        tried = _with_term(parts, term, within)
        # Two parts are enough; a term that completes one of them to a phrase is still added.
        if len(tried) > 2 or sum(len(part.split()) for part in tried) > _WORDS:
            continue
        if len(tried) == 1 or _sentence(tried, forms) not in taken:
            parts = tried
    name = _sentence(parts, forms)
    return "" if name in taken else name


def _with_term(parts: list[str], term: str, within: Counter[str]) -> list[str]:
    """Add a term to the parts, joined to one of them if the two are often adjacent."""
    for n, part in enumerate(parts):
        for phrase in (f"{part} {term}", f"{term} {part}"):
            if within[phrase] > _ADJACENT_SHARE * min(within[part], within[term]):
                return [*parts[:n], phrase, *parts[n + 1 :]]
    return [*parts, term]


def _sentence(parts: list[str], forms: dict[str, str]) -> str:
    text = ", ".join(" ".join(forms.get(word, word) for word in part.split()) for part in parts)
    return text[:1].upper() + text[1:]
