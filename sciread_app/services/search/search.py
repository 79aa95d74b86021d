"""Search by keywords, by meaning, by both, or by example papers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sciread_app.domain.paper import Order, PaperId
from sciread_app.domain.query.builder import likes
from sciread_app.domain.query.parser import Condition, Query, Term, terms_of
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.domain.ranking import fuse, rocchio, selective_expression
from sciread_app.domain.search_hit import MatchInfo, SearchHit
from sciread_app.domain.text.folding import spellings
from sciread_app.errors import EncoderFailed
from sciread_app.language import tr
from sciread_app.services.search.embedding_index import EmbeddingIndex, Sampled
from sciread_app.services.search.paper_names import unknown_names, with_examples
from sciread_app.services.search.results import (
    MatchExplanation,
    SearchResults,
    matches,
    reasons,
)
from sciread_app.storage.id_sets import Ids
from sciread_app.storage.library import Library
from sciread_app.tasks import Task

# Results of the search by meaning that are ranked. More would not change the first ten.
_BY_MEANING = 200
# Results of the keyword search that are ranked. More would not change the first ten.
_BY_WORDS = 1000
# Papers whose BM25 score is computed for one query: some 1.3 µs each.
_SCORED = 12_000
# The number of papers that hold a common word is slow to count, and hardly changes.
_COMMON = 1000
# The sample of papers from which the mean vector of the library is computed.
_SAMPLE = 1000
# The weight of a typed word against the words of example papers.
_TYPED = 4
_NAMES = {"doi": "DOI", "arxiv": tr("arXiv ID"), "pmid": "PMID", "pmcid": "PMCID", "isbn": "ISBN"}
# Queries unrelated to any paper, of several lengths. The similarity of the nearest paper to such a
# query depends on the model and on the library, and bounds the similarity that means nothing. In
# libraries of 1,400 to 5,200 papers and with the starter model that is 0.10 to 0.38 whatever the
# length; half of the relevant papers of judged queries lie above 0.42, 0.49 and 0.57.
UNRELATED = (
    *("zzzzqqqq", "xqvbrt", "wkjdfh plokijuh", "asdf qwer zxcv", "qqqqq xxxx zzzz", "brmpf"),
    *("umbrella", "pancakes", "my red bicycle", "two train tickets", "leaking kitchen tap"),
    *("wedding guest list", "lost house keys", "summer holiday photos", "blue garden chair"),
    "the neighbour's dog barked at the postman again",
    "please remember to buy milk and eggs today",
    "we missed the last bus home after dinner",
    "her new shoes did not fit the dress",
    "he painted the garden fence green last weekend",
    "could you book a table for four tonight",
    "our landlord is away until next Tuesday",
    "lorem ipsum dolor sit amet consectetur adipiscing elit",
    "thank you for the lovely card and the flowers that you sent for my birthday last week",
)
_ROUNDING = 1e-3  # of a similarity, when a text is encoded in another batch
_QUANTILE = 0.85  # a library may well be about the subject of some of them
# A paper is similar to another one if fewer than one in twenty pairs of the library, or fewer than
# one in twenty papers compared with it, are that similar.
ALIKE = 95.0
_NEAREST = 0.05
_FEW = 30  # papers among which nothing is rare
# Queries of fewer words are too unlike papers to be compared with pairs of papers.
COMPARABLE_WORDS = 4
_HOW_TO_ADD = tr(
    "To find the paper here, add its PDF, or a BibTeX, RIS, or PubMed file that contains it."
)


@dataclass(frozen=True, slots=True)
class RankedList:
    """The ranking of one retrieval method: papers, best first, and their scores."""

    ids: Ids
    scores: NDArray[np.float64]

    @classmethod
    def of(cls, ids: Iterable[int] = (), scores: Iterable[float] = ()) -> RankedList:
        return cls(np.fromiter(ids, np.int64), np.fromiter(scores, np.float64))

    def ranks(self) -> dict[int, int]:
        return {paper: rank for rank, paper in enumerate(self.ids.tolist(), start=1)}


class SearchService:
    """Searches the library and, if there is a model, its embedding index.

    Without an index, or when the model fails, the search uses keywords only and notes it.
    """

    def __init__(self, library: Library, space: EmbeddingIndex | None) -> None:
        self._library = library
        self._space = space
        self._common: dict[str, int] = {}  # document frequencies of common words
        self._floors: Sampled[tuple[float, float]] = Sampled()
        self._centre: Sampled[NDArray[np.float32]] = Sampled()
        self._latest: tuple[str, NDArray[np.float32]] | None = None

    def find(
        self,
        query: Query,
        *,
        limit: int = 50,
        mode: SearchMode = SearchMode.hybrid,
        order: Order = Order.relevance,
        task: Task | None = None,
    ) -> SearchResults:
        """Run a query; without words, return all papers that meet its conditions.

        An order other than relevance covers all papers that contain every word, and the best
        `limit` of the others; of results by meaning or by example alone, just the best. Raises
        BadQuery if an example is not in the library, and EncoderFailed if only meaning was
        requested and no model is available.
        """
        task = task or Task()
        query = with_examples(self._library, query)
        results = self._answered(query, limit, mode, order, task)
        if missing := unknown_names(self._library, query.conditions):
            return replace(results, note=f"{missing} {results.note}".strip())
        return results

    def _answered(
        self, query: Query, limit: int, mode: SearchMode, order: Order, task: Task
    ) -> SearchResults:
        if query.identifier:
            return self._named(query)
        if any(one.of_trash and not one.negated for one in query.conditions):
            return self._in_trash(query, limit, order)
        if query.terms:
            results = self._searched(query, mode, limit, task)
            if order is not Order.relevance and mode is not SearchMode.meaning:
                return self._whole(results, limit, order)
        elif query.like:
            results = self._alike(query, limit)
        else:
            return self._listed(query, limit, order)
        return self._sorted(results, order)

    def similar(
        self, like: Sequence[PaperId], unlike: Sequence[PaperId] = (), *, limit: int = 50
    ) -> SearchResults:
        """Return papers similar to `like` and dissimilar to `unlike`. Needs no model process.

        The similarity of a hit is its mean similarity to the papers in `like`.
        """
        query = Query(likes(like, unlike), like=tuple(like), unlike=tuple(unlike))
        return self.find(query, limit=limit)

    def explain(self, query: Query, ids: Sequence[PaperId]) -> Mapping[PaperId, MatchExplanation]:
        """Explain why each of these papers matches the query. The model encodes every sentence of
        their abstracts, so pass displayed papers only."""
        if not query.terms:
            return {paper: MatchExplanation() for paper in ids}
        vector = self._understood(query, SearchMode.hybrid)[0]

        def nearness(texts: Sequence[str]) -> NDArray[np.float32]:
            assert self._space and vector is not None
            similarities: NDArray[np.float32] = self._space.encode_sentences(texts) @ vector
            return similarities

        nearness_or_none = nearness if vector is not None else None
        return reasons(self._library, query.sought, nearness_or_none, ids)

    def _named(self, query: Query) -> SearchResults:
        assert query.identifier
        name = f"{_NAMES[query.identifier.kind]} {query.identifier.value}"
        papers, note = self._library.with_identifier(query.identifier), ""
        if not papers:
            # Translators: the name is such as "DOI 10.1000/x"
            note = " ".join(
                [tr("No paper in your library has the {name}.", name=name), _HOW_TO_ADD]
            )
        ids = np.array(papers, np.int64)
        if papers and query.conditions:
            ids = np.intersect1d(ids, self._library.matching(query.conditions))
            # Translators: the name is such as "DOI 10.1000/x"
            note = (
                ""
                if len(ids)
                else tr("The paper with the {name} does not match the filters.", name=name)
            )
        hits = [SearchHit(PaperId(id), score=1.0) for id in ids.tolist()]
        return SearchResults(hits, len(hits), note, query, ids)

    def _listed(self, query: Query, limit: int, order: Order) -> SearchResults:
        """Return all papers that meet the conditions, without negative examples."""
        if query.conditions:
            ids = self._library.ordered(self._library.matching(query.conditions), order)
        else:
            ids = self._library.ids(order)
        if query.unlike:
            ids = ids[~np.isin(ids, query.unlike)]
        return _list(ids, limit, query)

    def _in_trash(self, query: Query, limit: int, order: Order) -> SearchResults:
        """Return the papers that contain all words; papers in the trash are not ranked."""
        return _list(self._library.ordered(self._holding(query), order), limit, query)

    def _holding(self, query: Query) -> Ids:
        """Return the papers that contain every word and meet the conditions."""
        words = [
            Condition("text", f"{term.text}*" if term.prefix else term.text)
            for term in dict.fromkeys(query.terms)
        ]
        return self._library.matching([*query.conditions, *words])

    def _whole(self, ranked: SearchResults, limit: int, order: Order) -> SearchResults:
        """Sort all matches, not just the top 100, by this order. The version shown for each work
        is chosen again: the one first in this order."""
        query, best = ranked.query, {hit.paper: hit for hit in ranked.hits}
        ids = np.union1d(self._holding(query), np.array(list(best), np.int64))
        ids = ids[~np.isin(ids, [*query.like, *query.unlike])]
        ids = self._library.ordered(ids, order)
        ids = self._library.first_of_works(ids)
        hits = [best.pop(PaperId(id), SearchHit(PaperId(id))) for id in ids[:limit].tolist()]
        listed = set(np.intersect1d(ids, list(best)).tolist())
        further = [hit for paper, hit in best.items() if paper in listed]
        return replace(ranked, hits=hits, total=len(ids), ids=ids, whole=True, further=further)

    def _searched(self, query: Query, mode: SearchMode, limit: int, task: Task) -> SearchResults:
        vector, note = (None, "") if mode is SearchMode.text else self._understood(query, mode)
        task.raise_if_cancelled()
        allowed = self._library.matching(query.conditions) if query.conditions else None
        terms = query.terms
        if vector is not None:
            vector = rocchio(vector, self._known(query.like), self._known(query.unlike))
        elif query.like or query.unlike:
            terms = self._steered_terms(query)
        words, holding = RankedList.of(), np.empty(0, np.int64)
        if mode is not SearchMode.meaning:
            words, holding = self._by_words(terms, query.conditions, allowed, limit)
            task.raise_if_cancelled()
        meaning = RankedList.of()
        if vector is not None:
            meaning = self._by_meaning(vector, allowed, max(_BY_MEANING, 2 * limit))
        return self._ranked(query, vector, words, meaning, holding, limit, note)

    def _alike(self, query: Query, limit: int) -> SearchResults:
        """Return papers similar to the examples, without the examples and their versions."""
        vectors, given = self._known(query.like), [*query.like, *query.unlike]
        allowed = self._library.matching(query.conditions) if query.conditions else None
        wide = 2 * limit + len(given)
        if self._space is None or not len(vectors):
            note = tr("Similar by keyword only: the papers are not indexed yet.")
            terms = self._steered_terms(query)
            leg, _ = self._by_words(terms, query.conditions, allowed, wide)
            alike, ranked = np.full(len(leg.ids), math.nan), "text_rank"
        else:
            some = len(vectors) < len(query.like)
            note = tr("Papers that are not indexed yet were ignored.") if some else ""
            target = rocchio(None, vectors, self._known(query.unlike))
            leg = self._by_meaning(target, allowed, wide)
            alike, ranked = self._space.vectors(leg.ids)[0] @ vectors.mean(0), "meaning_rank"
        kept = self._one_a_work(leg.ids, limit, without=given)
        hits = [
            self._hit(int(leg.ids[n]), leg.scores[n], float(alike[n]), True, **{ranked: rank})
            for rank, n in enumerate(kept, start=1)
        ]
        of = self._space.count() if self._space and allowed is None else len(leg.ids)
        hits = [
            replace(hit, weak=not _are_alike(hit.percentile, rank, of))
            for rank, hit in enumerate(hits, start=1)
        ]
        if query.unlike:  # the order is not that of the similarity to the examples
            hits = [replace(hit, percentile=None) for hit in hits]
        found = [hit for hit in hits if not hit.weak]
        weaker = [hit for hit in hits if hit.weak]
        ids = np.array([hit.paper for hit in found], np.int64)
        return SearchResults(found, len(found), note, query, ids, weaker=weaker)

    def _known(self, papers: Sequence[PaperId]) -> NDArray[np.float32]:
        """Return the vectors of these papers; papers without a vector are skipped."""
        if self._space is None:
            return np.empty((0, 1), np.float32)
        vectors, known = self._space.vectors(papers)
        return vectors[known]

    def _steered_terms(self, query: Query) -> tuple[Term, ...]:
        """Return the typed terms, and those of positive examples that no negative example has."""
        liked, unliked = (
            terms_of(" ".join(part for texts in self._library.texts(papers) for part in texts))
            for papers in (query.like, query.unlike)
        )
        unwanted = set(unliked) - set(query.terms)
        return (*query.terms * _TYPED, *(term for term in liked if term not in unwanted))

    def _sorted(self, results: SearchResults, order: Order) -> SearchResults:
        if order is Order.relevance:
            return results
        hits = {hit.paper: hit for hit in results.hits}
        ids = self._library.ordered(np.array(list(hits), np.int64), order)
        return replace(results, hits=[hits[PaperId(id)] for id in ids.tolist()])

    def _understood(self, query: Query, mode: SearchMode) -> tuple[NDArray[np.float32] | None, str]:
        """Return the vector of the query, or None and the reason why there is none."""
        try:
            if self._space is None:
                message = tr("No search model is available.")
                raise EncoderFailed(message, tr("Select a model."))
            if not self._space.count():
                message = tr("No papers are indexed yet.")
                raise EncoderFailed(message, tr("Index the library first."))
            return self._vector(query.meaning), ""
        except EncoderFailed as failure:
            if mode is SearchMode.meaning:
                raise
            why = f"{failure} {failure.hint}".strip()
            return None, tr("Keyword results only. {why}", why=why)

    def _vector(self, text: str) -> NDArray[np.float32]:
        latest = self._latest
        if latest is None or latest[0] != text:
            assert self._space
            self._latest = latest = text, self._space.encode_query(text)
        return latest[1]

    def _by_meaning(self, vector: NDArray[np.float32], allowed: Ids | None, k: int) -> RankedList:
        assert self._space
        if allowed is None:
            ids, similarities = self._space.nearest(vector, k)
        else:
            ids, similarities = self._space.nearest_among(vector, allowed, k)
        return RankedList(ids, similarities.astype(np.float64))

    def _by_words(
        self,
        terms: Sequence[Term],
        conditions: Sequence[Condition],
        allowed: Ids | None,
        limit: int,
    ) -> tuple[RankedList, Ids]:
        """Return the best papers by BM25, and the ids, ascending, of all papers that contain one of
        the rarer words."""
        papers = self._library.count()  # the index may still lack most of them
        at_most: float = _SCORED
        if allowed is not None:
            at_most *= papers / max(len(allowed), 1)
        if limit > _BY_WORDS:
            at_most = math.inf  # a request for thousands waits for all of them
        words = [word.lower() for term in terms for way in spellings(term.text) for word in way]
        expression = selective_expression(terms, self._document_frequencies(words), papers, at_most)
        most = max(_BY_WORDS, limit)
        found = self._library.search_text(expression, most, conditions)
        leg = RankedList.of((id for id, _ in found), (score for _, score in found))
        if len(found) < most:
            return leg, np.sort(leg.ids)
        return leg, self._library.matching(conditions, expression)

    def _document_frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """Return the document frequency of each word."""
        words = set(words)
        unknown = [word for word in words if word not in self._common]
        counts = self._library.document_frequencies(unknown) if unknown else {}
        self._common.update({word: n for word, n in counts.items() if n >= _COMMON})
        return {word: counts.get(word) or self._common.get(word, 0) for word in words}

    def _floor(self, *, words_known: bool) -> float:
        """Return the similarity to a query that papers also reach with unrelated texts.

        `words_known`: whether the library or the model knows a query word. If no word is known, a
        paper is relevant only if it is nearer than any paper is to an unrelated text.
        """
        assert self._space
        try:
            usual, highest = self._floors.get(self._space.count(), self._unrelated_similarities)
        except EncoderFailed:
            return -np.inf
        return usual if words_known else highest

    def _unrelated_similarities(self) -> tuple[float, float]:
        """Return a high quantile of the best similarities of unrelated texts, and the maximum."""
        assert self._space
        nearest = (
            self._space.nearest(vector, 1) for vector in self._space.encode_queries(UNRELATED)
        )
        best = [similarities[0] for ids, similarities in nearest if len(ids)]
        if not best:
            return -np.inf, -np.inf
        usual, highest = np.quantile(best, (_QUANTILE, 1.0))
        return float(usual), float(highest) + _ROUNDING

    def _knows_any_word(self, query: Query) -> bool:
        """Return whether the model or the library knows a word of the query."""
        assert self._space
        ways = [spellings(term.text) for term in query.terms]
        words = {word.lower() for way in ways for spelling in way for word in spelling}
        if self._space.knows_any(words):
            return True
        return any(self._library.document_frequencies(sorted(words)).values())

    def _ranked(
        self,
        query: Query,
        vector: NDArray[np.float32] | None,
        words: RankedList,
        meaning: RankedList,
        holding: Ids,
        limit: int,
        note: str,
    ) -> SearchResults:
        """Fuse keyword and semantic rankings; each paper is scored in both, whichever found it.
        Separates relevant results from weak ones."""
        by_words, by_meaning = words.ranks(), meaning.ranks()
        ids = np.array(sorted({**by_words, **by_meaning}), np.int64)
        bm25, similarity = np.zeros(len(ids)), np.full(len(ids), np.nan)
        bm25[np.searchsorted(ids, words.ids)] = words.scores
        average = 0.0
        if vector is not None and self._space:
            vectors, known = self._space.vectors(ids)
            similarity[known] = vectors[known] @ vector
            average = float(self._centre.get(self._space.count(), self._average) @ vector)
        scores = fuse(bm25, similarity, average)
        order = np.lexsort((ids, -scores))
        given = [*query.like, *query.unlike]
        order = order[~np.isin(ids[order], given)]
        weak = np.zeros(len(ids), bool)
        if vector is not None and self._space:
            words_known = len(words.ids) > 0 or self._knows_any_word(query)
            floor = self._floor(words_known=words_known)
            weak = ~np.isin(ids, holding) & ~(similarity >= floor)
        comparable = _is_comparable(query)

        def hits_of(places: NDArray[np.int64], without: Sequence[PaperId]) -> list[SearchHit]:
            """The hits at these positions, best first: only the first version of each work, at most
            `limit`, and no version of the works in `without`."""
            kept = places[self._one_a_work(ids[places], limit, without)].tolist()
            papers = [int(ids[n]) for n in kept]
            return [
                self._hit(
                    paper,
                    scores[n],
                    float(similarity[n]),
                    comparable,
                    by_words.get(paper),
                    by_meaning.get(paper),
                )
                for n, paper in zip(kept, papers, strict=True)
            ]

        hits = hits_of(order[~weak[order]], given)
        matched = matches(self._library, query, [hit.paper for hit in hits])
        hits = [replace(hit, match=matched.get(hit.paper, MatchInfo.other)) for hit in hits]
        weaker = hits_of(order[weak[order]], [*given, *(hit.paper for hit in hits)])
        answering = ids[order[~weak[order]]]
        further = np.setdiff1d(holding, [*answering.tolist(), *given], assume_unique=True)
        found = self._library.first_of_works(np.concatenate([answering, further]))
        return SearchResults(
            hits,
            len(found),
            note or self._nearest_of(hits, weaker),
            query,
            found,
            weaker=[replace(hit, weak=True) for hit in weaker],
        )

    def _nearest_of(self, hits: list[SearchHit], weaker: list[SearchHit]) -> str:
        if hits or not weaker:
            return ""
        [(title, _)] = self._library.texts([weaker[0].paper])
        return tr("No results. The closest paper is “{title}”.", title=title)

    def _hit(
        self,
        paper: int,
        score: float,
        similarity: float,
        comparable: bool,
        text_rank: int | None = None,
        meaning_rank: int | None = None,
    ) -> SearchHit:
        """Return a hit. `similarity`: nan if there is no vector; `comparable`: whether it can be
        compared with that of pairs of papers."""
        if self._space is None or math.isnan(similarity):
            return SearchHit(PaperId(paper), float(score), text_rank, meaning_rank)
        percentile = 100 * self._space.percentile(similarity) if comparable else None
        return SearchHit(
            PaperId(paper), float(score), text_rank, meaning_rank, similarity, percentile
        )

    def _one_a_work(self, ids: Ids, limit: int, without: Sequence[PaperId] = ()) -> list[int]:
        """Return the positions of the first `limit` papers, only the first version of each work,
        and none of the works in `without`."""
        kept: list[int] = []
        works = self._library.works(without)
        seen = {works.get(paper, -paper) for paper in without}
        step = limit + 20
        for start in range(0, len(ids), step):
            part = ids[start : start + step].tolist()
            works = self._library.works(part)
            for position, paper in enumerate(part, start):
                work = works.get(paper)
                if work is not None and work not in seen:
                    seen.add(work)
                    kept.append(position)
                if len(kept) == limit:
                    return kept
        return kept

    def _average(self) -> NDArray[np.float32]:
        """Return the mean vector of a sample of the library."""
        assert self._space
        ids = self._library.matching(())
        sample = np.random.default_rng(0).choice(ids, min(_SAMPLE, len(ids)), replace=False)
        vectors, known = self._space.vectors(sample)
        mean: NDArray[np.float32] = vectors.sum(0) / max(int(known.sum()), 1)
        return mean


def _list(ids: Ids, limit: int, query: Query) -> SearchResults:
    hits = [SearchHit(PaperId(id)) for id in ids[:limit].tolist()]
    return SearchResults(hits, len(ids), "", query, ids, whole=True)


def _is_comparable(query: Query) -> bool:
    """Whether the similarity to this query may be compared with that of pairs of papers."""
    steered = query.like or query.unlike
    return not steered and len(query.meaning.split()) >= COMPARABLE_WORDS


def _are_alike(percentile: float | None, rank: int, papers: int) -> bool:
    """Return whether the paper with this rank among `papers` is similar to the examples: more
    similar than most pairs of papers, or among the few nearest."""
    return percentile is None or percentile >= ALIKE or papers < _FEW or rank <= _NEAREST * papers
