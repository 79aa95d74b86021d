"""Rare words that papers have in common."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sciread_app.domain.paper import PaperId
from sciread_app.domain.text.stop_words import EMPTY_WORDS
from sciread_app.storage.library import Library

# A word in more of the papers than this says nothing about any two of them.
_COMMON = 0.05
_SHOWN = 4
_WORD = re.compile(r"[^\W\d_]{4,}")


def shared_words(
    library: Library, paper: PaperId, others: Sequence[PaperId]
) -> dict[PaperId, tuple[str, ...]]:
    """The rarest words common to this paper and each of the others, rarest first."""
    own, *theirs = (_words(" ".join(text)) for text in library.texts([paper, *others]))
    common = [own & words for words in theirs]
    held = library.document_frequencies(sorted(set().union(*common)))
    most = max(_COMMON * library.count(), 3)
    return {
        other: tuple(
            sorted(
                (word for word in words if 1 < held.get(word, 0) <= most),
                key=lambda word: (held[word], word),
            )[:_SHOWN]
        )
        for other, words in zip(others, common, strict=True)
    }


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if word not in EMPTY_WORDS}
