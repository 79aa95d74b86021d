"""Names of groups of papers: phrases of their titles that tell a group from the others.

Phrases are found without the grammar of any language: other words often follow "two dimensional"
and precede "hole entropy", so neither is a whole phrase.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.text.stop_words import EMPTY_WORDS, STOP_WORDS
from sciread_app.language import tr
from sciread_app.tasks import Task

Labels = NDArray[np.int16]

NAMING_VERSION = 1  # of the names: a map that was named by an earlier version is named again
_MOST_WORDS = 3  # of a phrase
_CANDIDATES = 200  # best phrases of a group that are tried
_MOST_CHARACTERS = 46  # of a name of two phrases
_LONGER_PHRASES_COUNT = (1.0, 1.7, 2.0)  # weight of a phrase of one, two and three words
_LEAST_PAPERS, _LEAST_SHARE = 2, 0.012  # of a group that contain its name
_LEAST_PAPERS_WORD, _LEAST_SHARE_WORD = 3, 0.03  # the same for a word
# Frequency of a phrase, and of a single word, in their group relative to all others.
_LEAST_LIFT, _LEAST_LIFT_WORD = 3.0, 5.0
_NEARLY = 0.4  # score of a phrase, relative to that of a better single word that it replaces
_RIVAL = 0.8  # frequency of a name in its group relative to the group where it is most frequent
_SURE = 100  # weight of a spelling in running text, relative to one in a title in capitals
_COVERED = 0.4  # share of a phrase's titles in which it is part of a longer one, which replaces it
_COHERENT = 0.4  # the same for the words around a stop word, as in "theory of mind"
# Shares of the occurrences of a phrase after which, and before which, no further word follows.
_ENDS, _BEGINS = 0.45, 0.2
_ENOUGH = 0.5  # share of a group's titles from which a second phrase is not needed
_SECOND = 0.4  # titles that a second phrase adds, relative to those of the first

# Function words of titles in other languages, and words that add nothing at the edge of a phrase.
_NOT_AT_EDGES = """
    al along among approach approaches aspects auf aus avec based bei beyond case certain
    comment como comparing comparison con considering dans das de dei del della den der des di
    die different du durch effect effects efficient ein eine einer el en et evidence exploring
    fast first fuer für generalized high ii iii il im impact improve improved improving
    influence introduction investigating investigation la large las le les like los low make
    making many measuring modeling modelling multiple nach new non note novel one overview par
    para part per perspective por pour preliminary progress properties recent regarding remark
    remarks report review revisited role several simple small sobre solving some statistical
    studies study studying sur survey task tasks three topics toward towards two um uma un una
    und understanding une use used using various vers via von well works zu zum zur
"""
# Nouns that name the type of a paper or belong to every field: part of a name, never a name.
_NOT_ALONE = """
    algorithm algorithms analysis application applications approximation approximations
    assessment behavior behaviour bound bounds calculation calculations characterization class
    classes classification coefficients computation computer computers computing condition
    conditions constraints construction control correlation correlations coupling data dataset
    datasets design detection development dimension dimensions distribution distributions
    dynamics effect effects energy entropy equation equations errors estimate estimates
    estimation evaluation evolution existence experience experiment experimental experiments
    expression extension extensions factor factors features field fields form formation
    framework function functions generation group groups history image images information
    integral integrals interaction interactions knowledge language languages learning level
    levels line lines machines mass masses material materials measurement measurements mechanism
    mechanisms memory method methods model modeling modelling models modes motion network
    networks noise number numbers observation observations optimization order parameter
    parameters particle particles performance phase point points prediction problem problems
    process processes production products proof properties property quantum rate rates
    reconstruction relation relations representation representations response sample scale
    science selection sequence sequences series set sets signal simulation simulations solution
    solutions source sources space spaces spectra spectrum stability state states structure
    structures study surface surfaces system systems technology test tests text theorem theorems
    theories theory time times training transition transitions treatment units
"""
_EDGELESS = STOP_WORDS | frozenset(_NOT_AT_EDGES.split())
_EMPTY = EMPTY_WORDS | _EDGELESS
_WEAK = _EMPTY | frozenset(_NOT_ALONE.split())

# Accents of LaTeX, as in Schr\"odinger, and their combining characters.
_ACCENT = re.compile(r"\{?\\([\"'`^~=.])\s*\{?([a-zA-Z])\}?\}?")
_COMBINING = dict(zip("\"'`^~=.", "\u0308\u0301\u0300\u0302\u0303\u0304\u0307", strict=True))
_NOT_TEXT = re.compile(r"\$[^$]*\$|\\[a-zA-Z]+|<[^>]*>")
_WORD = re.compile(r"[^\W_]+(?:[-'’‐‑–][^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s$")


class _Phrase(NamedTuple):
    """A phrase as the papers write it, its words in one form each, and their number."""

    text: str
    words: frozenset[str]
    length: int


def name_groups(
    titles: Sequence[str],
    abstracts: Sequence[str],
    levels: Sequence[tuple[Labels, int]],
    task: Task,
) -> list[list[str]]:
    """Return the names of the groups of each level, see GroupNamer.

    A level has the group of each paper, and the number of groups. Of 25,000 papers, it takes
    seconds and 100 MB.
    """
    task.step(0, 0, tr("Naming the groups"))
    namer = GroupNamer(titles, abstracts)
    names = []
    for labels, count in levels:
        task.raise_if_cancelled()
        names.append(namer.names(labels, count) if count else [])
    return names


class GroupNamer:
    """Names groups of papers. No two groups get the same name.

    Names are phrases of titles. `abstracts`, where given, help to choose among them; few papers
    need that, since their titles have few phrases in common.
    """

    def __init__(self, titles: Sequence[str], abstracts: Sequence[str] = ()) -> None:
        self._papers = len(titles)
        self._taken: set[int] = set()  # phrases that begin a name
        self._named: dict[bytes, str] = {}  # by the papers of the group
        counted = _Counted(titles, abstracts)
        self._phrases = counted.phrases
        # One value per phrase of each title.
        self._rows, self._numbers = counted.rows, counted.numbers
        self._covered = counted.covered

    def names(self, labels: Labels, count: int) -> list[str]:
        """Return a name for each of `count` groups; empty if no phrase distinguishes the group.

        `labels` holds the group of each paper. Names given before are given again only to the same
        papers.
        """
        if not self._phrases:
            return [""] * count
        sizes = np.bincount(labels, minlength=count)
        within = self._count(labels[self._rows], count)
        scores = self._scores(within, sizes)
        named = [""] * count
        for group in np.argsort(-sizes, kind="stable").tolist():
            papers = np.flatnonzero(labels == group).tobytes()
            if papers not in self._named:
                self._named[papers] = self._name(group, labels, sizes, within, scores[group])
            named[group] = self._named[papers]
        return named

    def _count(self, groups: NDArray[np.int16], count: int) -> NDArray[np.int64]:
        """Return the number of titles with each phrase in each group, [groups, phrases]."""
        many = len(self._phrases)
        cells = groups.astype(np.int64) * many + self._numbers
        return np.bincount(cells, minlength=count * many).reshape(count, many)

    def _scores(self, within: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Score how well each phrase names each group, [groups, phrases]; 0: it does not."""
        everywhere = within.sum(axis=0)
        size = sizes[:, None].clip(min=1)
        inside = within / size
        outside = (everywhere - within) / (self._papers - size).clip(min=1)
        lift = inside / np.maximum(outside, 0.5 / self._papers)
        lengths = np.array([phrase.length for phrase in self._phrases])
        least = np.where(
            lengths > 1,
            np.maximum(_LEAST_PAPERS, _LEAST_SHARE * sizes)[:, None],
            np.maximum(_LEAST_PAPERS_WORD, _LEAST_SHARE_WORD * sizes)[:, None],
        )
        fits = (within >= least) & (lift >= np.where(lengths > 1, _LEAST_LIFT, _LEAST_LIFT_WORD))
        fits &= inside >= _RIVAL * inside.max(axis=0)
        weights = np.array(_LONGER_PHRASES_COUNT)[lengths - 1]
        scores: NDArray[np.float64] = np.where(fits, within * np.log(lift.clip(1)) * weights, 0)
        for shorter, longer in self._covered:
            part = fits[:, longer] & (within[:, longer] >= _COVERED * within[:, shorter])
            scores[part, shorter] = 0
        return scores

    def _name(
        self,
        group: int,
        labels: Labels,
        sizes: NDArray[np.int64],
        within: NDArray[np.int64],
        scores: NDArray[np.float64],
    ) -> str:
        """Return the best phrase, with a second one if many titles contain only that."""
        first = self._best(scores)
        if first is None:
            return ""
        self._taken.add(first)
        text = self._phrases[first].text
        if within[group, first] < _ENOUGH * sizes[group]:
            mine = labels[self._rows] == group
            without = np.ones(self._papers, bool)
            without[self._rows[self._numbers == first]] = False
            rest = np.bincount(
                self._numbers[mine & without[self._rows]], minlength=len(self._phrases)
            )
            useful = rest >= max(_SECOND * within[group, first], _LEAST_PAPERS)
            adds = np.where(useful, scores * rest / within[group].clip(min=1), 0)
            second = self._best(adds, apart_from=self._phrases[first])
            if second is not None:
                text = f"{text}, {self._phrases[second].text}"
        return text[:1].upper() + text[1:] if text[:2].islower() else text

    def _best(self, scores: NDArray[np.float64], apart_from: _Phrase | None = None) -> int | None:
        """Return the best phrase; one of several words also if a single word is better. Apart from
        the first phrase of a name, single words say too little."""
        word: int | None = None
        for number in np.argsort(-scores, kind="stable")[:_CANDIDATES].tolist():
            least = 0.0 if word is None else _NEARLY * scores[word]
            if scores[number] <= least:
                break
            if number in self._taken:
                continue
            phrase = self._phrases[number]
            if apart_from is None or (
                not phrase.words & apart_from.words
                and len(phrase.text) + len(apart_from.text) < _MOST_CHARACTERS
            ):
                if phrase.length > 1:
                    return int(number)
                if word is None and apart_from is None:
                    word = int(number)
        return word


class _Word(NamedTuple):
    """A word of a title; `key` is the same for singular and plural, with and without hyphen."""

    text: str
    key: str
    edgeless: bool


class _Counted:
    """The phrases of titles that name groups, and the papers that contain them."""

    def __init__(self, titles: Sequence[str], abstracts: Sequence[str]) -> None:
        self._counts: Counter[str] = Counter()
        self._ends: Counter[str] = Counter()
        self._begins: Counter[str] = Counter()
        self._texts: dict[str, Counter[str]] = {}
        self._spelled: dict[str, Counter[str]] = {}
        found = [self._count(title) for title in titles]
        self._in_titles = frozenset(self._counts)
        for mine, abstract in zip(found, abstracts, strict=False):
            mine |= self._count(abstract, abstract=True)
        self.phrases: list[_Phrase] = []
        self._number: dict[str, int] = {}
        papers = Counter(key for mine in found for key in mine)
        for key in papers:
            if self._is_name(key, papers):
                self._number[key] = len(self.phrases)
                self.phrases.append(self._phrase(key))
        pairs = [
            (row, self._number[key])
            for row, mine in enumerate(found)
            for key in sorted(mine)
            if key in self._number
        ]
        both = np.array(pairs, np.int64).reshape(-1, 2)
        self.rows, self.numbers = both[:, 0], both[:, 1]
        self.covered = list(self._parts())

    def _count(self, text: str, *, abstract: bool = False) -> set[str]:
        """Count the phrases of a title and return them. In an `abstract`, single words count only
        if titles contain them, and phrases only without the empty words of abstracts."""
        mine: set[str] = set()
        for segment in _segments(text):
            for key, words, begin, end in _sequences(segment):
                if abstract and key not in self._in_titles and not _is_topical(words):
                    continue
                self._counts[key] += 1
                self._begins[key] += begin
                self._ends[key] += end
                mine.add(key)
                shown = " ".join(word.text.lower() for word in words)
                self._texts.setdefault(key, Counter())[shown] += 1
        for word, spelling, sure in _spellings(text):
            self._spelled.setdefault(word, Counter())[spelling] += _SURE if sure else 1
        return mine

    def _is_name(self, key: str, papers: Counter[str]) -> bool:
        """Whether a phrase can name a group."""
        times = self._counts[key]
        least = _LEAST_PAPERS if key in self._in_titles else _LEAST_PAPERS_WORD
        if papers[key] < least or self._ends[key] < _ENDS * times:
            return False
        words = [_plain(word) for word in self._written(key)]
        if len(words) > 1 and self._begins[key] < _BEGINS * times:
            return False
        weak = _WEAK if len(words) == 1 else _EMPTY
        if all(word in weak or len(word) < 3 for word in words):
            return False
        if any(word in STOP_WORDS for word in words):  # in the middle
            outer = (papers[_one_form(words[0])], papers[_one_form(words[-1])])
            return papers[key] >= _COHERENT * min(outer)
        return len(set(words)) == len(words)

    def _phrase(self, key: str) -> _Phrase:
        words = self._written(key)
        text = " ".join(self._spelled.get(w, Counter([w])).most_common(1)[0][0] for w in words)
        return _Phrase(text, _keys(words), len(words))

    def _written(self, key: str) -> list[str]:
        """Return the words of a phrase in their most frequent form, in lower case."""
        return self._texts[key].most_common(1)[0][0].split()

    def _parts(self) -> Iterator[tuple[int, int]]:
        """Yield the numbers of each phrase that is part of a longer one, and of the longer one."""
        for key, number in self._number.items():
            keys = [_one_form(_plain(word)) for word in self._written(key)]
            for length in range(1, len(keys)):
                for start in range(len(keys) - length + 1):
                    part = "".join(keys[start : start + length])
                    if part in self._number:
                        yield self._number[part], number


def _accented(text: str) -> str:
    return _ACCENT.sub(lambda found: normalize("NFC", found[2] + _COMBINING[found[1]]), text)


def _segments(text: str) -> Iterator[list[_Word]]:
    """Yield the sequences of words of a text between punctuation and numbers."""
    text = _NOT_TEXT.sub(" ; ", _accented(text))
    segment: list[_Word] = []
    before = 0
    for match in _WORD.finditer(text):
        word = _POSSESSIVE.sub("", match.group())
        plain = _plain(word)
        if plain.isdigit() or text[before : match.start()].strip():
            yield segment
            segment = []
        before = match.end()
        if not plain.isdigit():
            edgeless = plain in _EDGELESS or len(plain) < 2
            segment.append(_Word(word, _one_form(plain), edgeless))
    yield segment


def _sequences(words: list[_Word]) -> Iterator[tuple[str, list[_Word], bool, bool]]:
    """Yield the possible phrases: key, words, and whether no word precedes and follows."""
    many = len(words)
    for start in range(many):
        if words[start].edgeless:
            continue
        begin = start == 0 or words[start - 1].edgeless
        key = ""
        for stop in range(start + 1, min(start + _MOST_WORDS, many) + 1):
            last = words[stop - 1]
            key += last.key
            if not last.edgeless:
                end = stop == many or words[stop].edgeless
                yield key, words[start:stop], begin, end


def _spellings(title: str) -> Iterator[tuple[str, str, bool]]:
    """Yield each word in lower case, its spelling, and whether that is sure: half of the
    words of the title are in lower case, and the word does not begin it."""
    words = [
        _POSSESSIVE.sub("", word) for word in _WORD.findall(_NOT_TEXT.sub(" ", _accented(title)))
    ]
    if len(words) > 1 and title.isupper():
        return
    long = [word for word in words[1:] if len(word) > 3]
    running = sum(word[0].islower() for word in long) * 2 >= len(long)
    for place, word in enumerate(words):
        if any(letter.isdigit() for letter in word):
            yield word.lower(), word, True
        elif word[1:] != word[1:].lower():
            # An abbreviation, or a compound in a title in capitals: Time-Dependent
            parts = re.split(r"[-‐‑–]", word)
            if running or not all(part[1:].islower() for part in parts):
                yield word.lower(), word, True
            else:
                yield word.lower(), word.lower(), False
        elif running and place:
            yield word.lower(), word, True
        else:
            yield word.lower(), word.lower(), False


def _is_topical(words: Sequence[_Word]) -> bool:
    return len(words) > 1 and not any(word.text.lower() in EMPTY_WORDS for word in words)


def _keys(words: Sequence[str]) -> frozenset[str]:
    parts = (part for word in words for part in re.split(r"[-‐‑–]", word))
    return frozenset(_one_form(part) for part in parts if part not in STOP_WORDS)


def _plain(word: str) -> str:
    """Return a word in lower case without hyphens and apostrophes."""
    return re.sub(r"[-'’‐‑–]", "", word).lower()


def _one_form(word: str) -> str:
    """Return a common form for singular and plural, which need not be a word."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("sses"):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
