"""Stand-ins for typed queries, from papers held back: a title, a sentence or a question finds its
paper."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainer.data.corpus.corpus import Corpus
from trainer.data.rng import random_integers, random_permutation

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_LETTERS = range(40, 400)


class TypedQueries(NamedTuple):
    """Queries, the number of the document that answers each, and the documents (title, abstract) by
    the row of their paper."""

    queries: list[str]
    answers: NDArray[np.int64]
    documents: dict[int, tuple[str, str]]


def typed_queries(
    corpus: Corpus, rows: NDArray[np.integer], others: NDArray[np.integer], most: int, seed: int
) -> TypedQueries:
    """Make at most `most` queries of the papers `rows`, to be found among these and the `others`.

    Half of the papers are sought by their title, and half by a sentence of their abstract; a paper
    with a question is sought by this. The text of the query is taken out of the paper.
    """
    questions = dict(
        zip(np.asarray(corpus.question_papers).tolist(), range(len(corpus.questions)), strict=True)
    )
    read = rows[(corpus.abstracts.lengths[rows] > 0) & (corpus.titles.lengths[rows] > 0)]
    read = read[random_permutation(len(read), "typed queries", seed)][:most]
    documents = {
        row: (corpus.title(row), corpus.abstract(row))
        for row in np.union1d(rows, others).astype(np.int64).tolist()
    }
    queries, answers = [], []
    for number, row in enumerate(read.tolist()):
        title, abstract = documents[row]
        if row in questions:
            query = corpus.questions[questions[row]]
            # In PubMedQA the title is the question.
            documents[row] = ("" if title.strip() == query.strip() else title, abstract)
        else:
            sentence = _sentence(abstract, row) if number % 2 else ""
            query = sentence or title
            documents[row] = (title, abstract.replace(sentence, "")) if sentence else ("", abstract)
        queries.append(query)
        answers.append(row)
    places = {row: place for place, row in enumerate(documents)}
    return TypedQueries(queries, np.array([places[row] for row in answers], np.int64), documents)


def _sentence(abstract: str, row: int) -> str:
    """Return a sentence of moderate length; empty without one, or if nothing else would be left."""
    every = _SENTENCE_END.split(abstract.strip())
    fitting = [sentence for sentence in every if len(sentence) in _LETTERS]
    if len(every) < 2 or not fitting:
        return ""
    return fitting[int(random_integers(len(fitting), "query", row))]
