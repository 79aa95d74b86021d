"""Search over a real library and embedding index, with a model that knows a few synonyms."""

from __future__ import annotations

import pytest

from sciread_app.domain.paper import Order
from sciread_app.domain.query.parser import parse
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.domain.search_hit import MatchInfo
from sciread_app.errors import BadQuery, Cancelled, EncoderFailed
from sciread_app.services.search import search as search_module
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.services.search.results import MatchExplanation, shared_words
from sciread_app.services.search.search import UNRELATED, SearchService
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.generate.papers import paper
from tests.support.models.fake_encoder import SynonymEncoder


class TextSearch(SearchService):
    """A search service that also takes the text of a query."""

    def find(self, query, **options):
        return super().find(parse(query) if isinstance(query, str) else query, **options)

    def explain(self, query, ids):
        return super().explain(parse(query), ids)


@pytest.fixture
def model() -> SynonymEncoder:
    return SynonymEncoder()


@pytest.fixture
def papers(library: Library) -> dict[str, int]:
    """Ids by title."""
    batch = [
        paper("The automobile in town", abstract="On traffic. A vehicle waits.", published="2010"),
        paper(
            "A car for everyone", abstract="It is cheap.", published="2015", authors="Ford, Henry"
        ),
        paper("On the kitten", abstract="Feline ways.", published="2016", doi="10.1000/kitten"),
        paper("Galaxy surveys", abstract="Many stars.", published="2017", fields=("astro-ph.GA",)),
        paper("Folding of an enzyme", abstract="Chains.", published="2018", authors="Curie, Marie"),
        paper("Waiting in queues", abstract="Town halls.", published="2019"),
    ]
    return dict(zip((p.title for p in batch), library.put(batch).ids, strict=True))


@pytest.fixture
def space(library, papers, model, tmp_path) -> EmbeddingIndex:
    space = EmbeddingIndex(library, model, tmp_path / "indexes")
    space.encode_missing()
    return space


@pytest.fixture
def search(library, space) -> TextSearch:
    return TextSearch(library, space)


def titles(library: Library, results) -> list[str]:
    return [p.title for p in library.get([hit.paper for hit in results.hits])]


def test_text_mode_matches_word_forms_but_no_synonyms(library, search):
    assert titles(library, search.find("cars", mode=SearchMode.text)) == ["A car for everyone"]


def test_meaning_mode_finds_synonyms(library, search):
    found = titles(library, search.find("vehicle", mode=SearchMode.meaning, limit=2))
    assert set(found) == {"The automobile in town", "A car for everyone"}


def test_hybrid_search_ranks_papers_matching_both_ways_first(library, search):
    results = search.find("car traffic", limit=3)
    assert set(titles(library, results)[:2]) == {"The automobile in town", "A car for everyone"}
    first = results.hits[0]
    assert first.text_rank and first.meaning_rank
    assert first.score > results.hits[1].score
    assert 90 < search.find("a car in all this traffic").hits[0].percentile <= 100


def test_hit_has_no_rank_from_a_mode_that_did_not_find_it(search):
    assert all(h.text_rank is None for h in search.find("car", mode=SearchMode.meaning).hits)
    (hit,) = search.find("car", mode=SearchMode.text).hits
    assert (hit.text_rank, hit.meaning_rank, hit.similarity) == (1, None, None)


@pytest.mark.parametrize("mode", list(SearchMode))
def test_search_conditions_hold_in_every_mode(library, search, mode):
    assert titles(library, search.find("car year:2015..2017", mode=mode))[0] == "A car for everyone"
    found = search.find("car kitten galaxy year:2015..2017", mode=mode)
    assert set(titles(library, found)) == {"A car for everyone", "On the kitten", "Galaxy surveys"}
    assert search.find("car author:nobody", mode=mode).hits == []


def test_conditions_keep_all_keyword_matches_before_the_library_is_indexed(
    library, papers, model, tmp_path
):
    search = TextSearch(library, EmbeddingIndex(library, model, tmp_path / "empty"))
    found = search.find("galaxy town year:2010..", mode=SearchMode.text)
    assert set(titles(library, found)) == {
        "Galaxy surveys", "The automobile in town", "Waiting in queues",
    }  # fmt: skip


def test_meaning_mode_with_condition_returns_every_matching_paper(search):
    found = search.find("automobile year:2016..", mode=SearchMode.meaning)
    assert len(found.hits + found.weaker) == 4


def test_excluded_word_excludes_papers_in_hybrid_search(library, search):
    found = titles(library, search.find("car -traffic"))
    assert "A car for everyone" in found and "The automobile in town" not in found


def test_phrase_must_occur_exactly(library, search):
    assert titles(library, search.find('"automobile in town"')) == ["The automobile in town"]
    assert search.find('"town automobile"').hits == []


def test_conditions_without_words_list_newest_papers_first(library, search):
    results = search.find("year:2016..2018", limit=2)
    assert titles(library, results) == ["Folding of an enzyme", "Galaxy surveys"]
    assert results.total == 3


def test_empty_query_lists_all_papers(search, papers):
    results = search.find("", limit=100)
    assert [hit.paper for hit in results.hits] == sorted(papers.values(), reverse=True)


def test_identifier_query_finds_exactly_its_paper(library, search, papers):
    results = search.find("https://doi.org/10.1000/KITTEN")
    assert [hit.paper for hit in results.hits] == [papers["On the kitten"]]
    assert results.note == ""


def test_unknown_identifier_query_is_explained(search):
    results = search.find("arXiv:1706.03762")
    assert results.hits == []
    assert "arXiv ID 1706.03762" in results.note and "add its PDF" in results.note


def test_invalid_query_raises_bad_query(search):
    with pytest.raises(BadQuery, match=r"year:2019\.\.2015"):
        search.find("year:2019..2015")


def test_pasted_abstract_finds_its_paper(library, search):
    pasted = "We ask how a kitten grows. " * 5 + "Feline ways are shown. Traffic is not the matter."
    assert titles(library, search.find(pasted))[0] == "On the kitten"


@pytest.fixture
def broken(library, space, model) -> TextSearch:
    model.fails = True
    return TextSearch(library, space)


def test_search_without_model_uses_words_and_notes_it(library, papers):
    results = TextSearch(library, None).find("car")
    assert titles(library, results) == ["A car for everyone"]
    assert "Keyword results only" in results.note


def test_search_with_failing_model_uses_words_and_notes_reason(library, broken):
    results = broken.find("car year:2015..")
    assert titles(library, results) == ["A car for everyone"]
    assert "Keyword results only" in results.note and "did not start" in results.note


def test_text_mode_needs_no_model_and_has_no_note(broken):
    assert broken.find("car", mode=SearchMode.text).note == ""


def test_meaning_mode_without_model_raises_encoder_failed(library, broken):
    for search in (broken, TextSearch(library, None)):
        with pytest.raises(EncoderFailed):
            search.find("car", mode=SearchMode.meaning)


def test_paper_without_vector_is_found_by_words(library, search):
    library.put([paper("Car washing")])
    results = search.find("washing car")
    assert titles(library, results)[0] == "Car washing"
    assert results.hits[0].similarity is None


def test_search_skips_papers_in_trash(library, search, space, papers):
    library.trash([papers["A car for everyone"]])
    space.sync()
    for mode in SearchMode:
        assert "A car for everyone" not in titles(library, search.find("car", mode=mode))


def test_versions_of_one_work_are_one_hit(library, space, search):
    preprint = paper("Stellar car parks", abstract="Stars.", arxiv="1901.00001", authors="Wu, A")
    article = paper("Stellar car parks", abstract="Stars!", doi="10.1000/park", authors="Wu, A")
    ids = library.put([preprint, article]).ids
    assert len(set(ids)) == 2 and len(set(library.works(ids).values())) == 1
    space.encode_missing()
    for mode in SearchMode:
        found = titles(library, search.find("stellar car parks", mode=mode))
        assert found.count("Stellar car parks") == 1
    results = search.find("stellar", mode=SearchMode.text)
    assert results.total == len(results.ids) == 1  # what filters count
    alike = search.similar([ids[0]]).hits
    assert not {hit.paper for hit in alike} & set(ids)


def test_search_can_be_cancelled(search):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        search.find("car", task=task)


def test_similar_ranks_by_meaning_without_the_given_paper(library, search, papers, model):
    model.fails = True  # the vectors exist: no model is needed
    given = papers["A car for everyone"]
    results = search.similar([given], limit=3)
    assert titles(library, results)[0] == "The automobile in town"
    assert given not in {hit.paper for hit in results.hits}
    assert len(results.hits) == 3
    assert [hit.meaning_rank for hit in results.hits] == [1, 2, 3]


def test_similar_to_several_papers_prefers_paper_near_all(library, space, search, papers):
    (both,) = library.put([paper("A galaxy of cars", abstract="Stars and a car.")]).ids
    space.encode_missing()
    like = [papers["A car for everyone"], papers["Galaxy surveys"]]
    assert search.similar(like, limit=1).hits[0].paper == both


def test_similar_with_counterexample_lowers_papers_like_it(library, space, search, papers):
    batch = [
        paper("Car and cat", abstract="Automobile, kitten. Vehicle."),
        paper("Car and galaxy", abstract="Automobile. Stars. Vehicle."),
    ]
    cat, galaxy = library.put(batch).ids
    space.encode_missing()
    car = papers["A car for everyone"]

    def rank(paper, unlike):
        found = [hit.paper for hit in search.similar([car], unlike).hits]
        return found.index(paper) if paper in found else len(found)

    assert rank(cat, [papers["On the kitten"]]) > rank(galaxy, [papers["On the kitten"]])
    assert rank(galaxy, [papers["Galaxy surveys"]]) > rank(cat, [papers["Galaxy surveys"]])


def test_like_and_unlike_papers_steer_a_typed_query(library, search, papers):
    car, kitten = papers["A car for everyone"], papers["On the kitten"]

    def first(query):
        return titles(library, search.find(query, mode=SearchMode.meaning))[0]

    assert first("galaxy") == first(f"galaxy -like:{car}") == "Galaxy surveys"
    assert first(f"waiting like:{car}") == "The automobile in town"
    assert "On the kitten" not in titles(library, search.find(f"kitten -like:{kitten}"))


def test_like_query_equals_similar_within_conditions(library, search, papers):
    car = papers["A car for everyone"]
    assert search.find(f"like:{car}").hits == search.similar([car]).hits
    assert titles(library, search.find(f"like:{car} year:2016")) == ["On the kitten"]


def test_like_query_without_model_uses_words_of_examples(library, papers):
    galaxy, search = papers["Galaxy surveys"], TextSearch(library, None)
    assert titles(library, search.find("town")) != ["Galaxy surveys"]
    library.put([paper("More surveys")])
    assert "More surveys" in titles(library, search.find(f"town like:{galaxy}"))
    assert "Galaxy surveys" not in titles(library, search.find(f"surveys -like:{galaxy}"))


def test_search_results_can_be_sorted(library, search):
    best = search.find("car kitten galaxy", limit=4)
    newest = search.find("car kitten galaxy", limit=4, order=Order.year)
    assert {hit.paper for hit in best.hits} == {hit.paper for hit in newest.hits}
    years = [paper.year for paper in library.get([hit.paper for hit in newest.hits])]
    assert years == sorted(years, reverse=True)
    assert titles(library, search.find("year:2016..", order=Order.title))[0] == (
        "Folding of an enzyme"
    )


def test_sorting_covers_all_papers_with_every_word(library, search):
    batch = [paper(f"Red shift of quasar {n}", published=f"{1950 + n}") for n in range(12)]
    batch += [paper("Red quasar", published="1900"), paper("Red dwarfs", published="2030")]
    stored = library.put(batch).ids
    few = search.find("red quasar", limit=3, mode=SearchMode.text)
    assert len(few.hits) == 3 and not few.whole
    newest = search.find("red quasar", limit=3, mode=SearchMode.text, order=Order.year)
    assert [hit.paper for hit in newest.hits] == stored[11:8:-1]
    assert newest.ids[:12].tolist() == stored[11::-1] and newest.ids[-1] == stored[12]
    assert newest.total == len(newest.ids) == 13 and newest.whole
    # Papers that were ranked keep their ranks after sorting.
    ranked = {hit.paper: hit for hit in (*newest.hits, *newest.further) if hit.text_rank}
    assert ranked == {hit.paper: hit for hit in few.hits}


def test_sorting_keeps_conditions_and_merges_versions(library, search):
    batch = [paper(f"Red quasar {n}", published=f"{1950 + n}") for n in range(6)]
    stored = library.put(batch).ids
    library.duplicates.mark_as_versions(stored[2], stored[3])
    library.trash([stored[5]])
    within = search.find("red quasar year:1951..", limit=2, order=Order.oldest)
    assert within.ids[:3].tolist() == [stored[1], stored[2], stored[4]]
    without = search.find(f"red quasar -like:{stored[1]}", limit=2, order=Order.oldest)
    assert stored[1] not in without.ids and stored[0] in without.ids


def test_sorting_in_meaning_mode_covers_only_best_hits(search):
    found = search.find("car", limit=2, mode=SearchMode.meaning, order=Order.title)
    assert len(found.hits) == 2 and found.weaker and not found.whole


def test_search_in_trash_matches_words(library, search, papers):
    library.trash([papers["A car for everyone"], papers["On the kitten"]])
    assert titles(library, search.find("in:trash cheap")) == ["A car for everyone"]
    assert titles(library, search.find("in:trash author:ford")) == ["A car for everyone"]
    assert len(search.find("in:trash").hits) == 2


def test_similar_without_vectors_uses_words_and_notes_it(library, papers):
    results = TextSearch(library, None).similar([papers["Waiting in queues"]])
    assert titles(library, results)[0] == "The automobile in town"
    assert "by keyword" in results.note


def test_explanation_lists_matched_word_forms(search, papers):
    id = papers["Galaxy surveys"]
    why = search.explain("star survey", [id])[id]
    assert why.words == ("surveys", "stars")
    assert why.in_title == ((7, 14),)
    assert why.in_abstract == ((5, 10),)


def test_explanation_shows_sentence_nearest_in_meaning(search, papers):
    id = papers["The automobile in town"]
    assert search.explain("cars", [id])[id].sentence == "A vehicle waits."


def test_explanation_without_model_shows_sentence_with_most_words(library, papers, broken):
    id = papers["The automobile in town"]
    assert broken.explain("waits traffic", [id])[id].sentence == "On traffic."
    assert broken.explain("vehicle waits traffic", [id])[id].sentence == "A vehicle waits."
    assert broken.explain("galaxy", [id])[id] == MatchExplanation()


def test_explanation_of_conditions_and_identifiers_has_no_words(search, papers):
    id = papers["On the kitten"]
    assert search.explain("10.1000/kitten", [id])[id].words == ()
    assert search.explain("year:2016", [id])[id].words == ()


def test_common_words_rank_but_keep_best_paper_first(library, monkeypatch):
    library.put([paper(f"A model of things {n}", abstract="model " * 5) for n in range(60)])
    (best,) = library.put([paper("A lasso model", abstract="Of things.")]).ids
    monkeypatch.setattr("sciread_app.services.search.search._SCORED", 10)
    results = TextSearch(library, None).find("model of lasso things", mode=SearchMode.text)
    assert [hit.paper for hit in results.hits] == [best]
    results = TextSearch(library, None).find("model things", mode=SearchMode.text, limit=200)
    assert results.total == 61


def test_broad_condition_keeps_number_of_meaning_hits(library, space, search):
    library.put(
        [paper(f"Car {n}", abstract=f"Automobile {n}.", published="1990") for n in range(300)]
    )
    space.encode_missing()
    hits = search.find("vehicle -traffic", mode=SearchMode.meaning, limit=200).hits
    assert len(hits) == 200
    found = search.find("vehicle -wheel", mode=SearchMode.meaning, limit=500)
    assert len(found.hits + found.weaker) == 306


def test_unrelated_query_finds_no_hits_only_weaker_ones(library, search):
    found = search.find("zzzzqqqq vzxw")
    assert (found.hits, found.total, len(found.ids)) == ([], 0, 0)
    assert found.weaker and all(hit.weak for hit in found.weaker)
    [(nearest, _)] = library.texts([found.weaker[0].paper])
    assert nearest in found.note


@pytest.mark.parametrize("text", UNRELATED[:6])
def test_unknown_words_find_nothing_despite_a_near_paper(library, search, monkeypatch, text):
    """Some of these texts are nearer to a paper than most texts are; none has an answer."""
    monkeypatch.setattr(search_module, "_QUANTILE", 0.0)
    found = search.find(text)
    assert found.hits == [] and found.weaker and "No results" in found.note


@pytest.mark.parametrize("known_to", ["model", "library"])
def test_word_known_to_model_or_library_is_answered_by_meaning(
    library, space, search, model, monkeypatch, known_to
):
    monkeypatch.setattr(search_module, "_QUANTILE", 0.0)
    if known_to == "model":
        monkeypatch.setattr(model, "knows_any", lambda words: "brmpf" in words)
    else:
        library.put([paper("A brmpf")])
    assert search.find("brmpf", mode=SearchMode.meaning).hits


def test_name_query_with_one_match_finds_one_paper(library, search):
    found = search.find("henry ford")
    assert titles(library, found) == ["A car for everyone"] and found.total == 1
    assert found.weaker and papers_of(found.weaker).isdisjoint(papers_of(found.hits))


def papers_of(hits):
    return {hit.paper for hit in hits}


def test_total_counts_word_matches_and_meaning_matches(library, search):
    found = search.find("automobile")
    assert set(titles(library, found)) == {"The automobile in town", "A car for everyone"}
    assert found.total == len(found.ids) == 2


def test_total_exceeds_number_of_ranked_papers(library):
    library.put([paper(f"Bees n{n}") for n in range(1200)])
    search = TextSearch(library, None)
    assert (search.find("bees").total, len(search.find("bees", limit=10).hits)) == (1200, 10)
    assert search.find("bees -n5").total == 1199


def test_hit_reports_match_in_title_or_of_all_words(library, search):
    def match(query):
        return {hit.paper: hit.match for hit in search.find(query).hits}

    everyone, town = sorted(match("car automobile"))[:2][::-1]
    assert match("automobile town")[town] is MatchInfo.in_title
    assert match("town automobile")[town] is MatchInfo.all_words
    assert match("automobile traffic")[town] is MatchInfo.all_words
    assert match("car automobile")[everyone] is MatchInfo.other


def test_short_query_hits_have_no_percentile(search):
    assert all(hit.percentile is None for hit in search.find("car").hits)
    assert all(hit.percentile is None for hit in search.find("a car in town like:1").hits)
    assert search.find("a car in town").hits[0].percentile is not None


def test_like_query_leaves_out_its_examples(library, search, papers):
    car = papers["A car for everyone"]
    for order in Order:
        found = search.find(f"car like:{car}", order=order)
        assert car not in papers_of(found.hits + found.weaker) and car not in found.ids


def test_similar_with_counterexample_has_no_percentile(search, papers):
    car, kitten = papers["A car for everyone"], papers["On the kitten"]
    found = search.similar([car], [kitten])
    assert all(hit.percentile is None for hit in found.hits + found.weaker)
    assert search.similar([car]).hits[0].percentile is not None


def test_similar_omits_papers_no_nearer_than_random_pairs(library, model, tmp_path):
    cars = [paper(f"Car {n}", abstract="automobile " * n) for n in range(3)]
    cats = [paper(f"Cat {n}", abstract="feline " * n) for n in range(60)]
    first, *_ = library.put(cars + cats).ids
    space = EmbeddingIndex(library, model, tmp_path)
    space.encode_missing()
    found = TextSearch(library, space).similar([first])
    assert {"Car 1", "Car 2"} <= set(titles(library, found))
    assert found.total == len(found.hits) <= 4
    assert all(hit.weak for hit in found.weaker) and len(found.hits + found.weaker) == 50


def test_like_accepts_number_citation_key_and_identifier(library, model, tmp_path):
    first, *_ = library.put(
        [
            paper("A car", doi="10.1016/0370-2693(88)91418-2", citekey="ford1908car"),
            paper("An automobile in town"),
            paper("A cat"),
        ]
    ).ids
    space = EmbeddingIndex(library, model, tmp_path)
    space.encode_missing()
    search = TextSearch(library, space)
    by_number = search.find(f"like:{first}").hits
    assert by_number
    for name in ("ford1908car", "10.1016/0370-2693(88)91418-2", "doi:10.1016/0370-2693(88)91418-2"):
        assert search.find(f"like:{name}").hits == by_number


@pytest.mark.parametrize("name", ["99999", "nobody2020", "10.1000/none", "99999999999999999999"])
@pytest.mark.parametrize("query", ["like:{}", "-like:{}", "cars like:{}"])
def test_like_with_unknown_paper_raises_bad_query(search, papers, name, query):
    with pytest.raises(BadQuery) as bad:
        search.find(query.format(name))
    assert name in str(bad.value) and bad.value.hint


def test_unknown_tag_or_collection_is_noted(search, papers, library):
    library.tags.add([papers["A car for everyone"]], 'to "read"')
    library.collections.add([papers["A car for everyone"]], "thesis/methods")
    for query in ('tag:"To Read"', "in:thesis", "in:Thesis/methods/", "in:trash"):
        assert search.find(query).note == ""
    assert "tag “urgent”" in search.find("tag:urgent").note
    assert "collection “thesis/results”" in search.find("cars in:thesis/results").note
    assert "collection “none”" in search.find("-in:none").note


def test_shared_words_leave_out_general_words(library):
    first, second, *_ = library.put(
        [
            paper("Bees went home", abstract="Though we propose that they let honey flow."),
            paper("Honey", abstract="Though somebody went, let us propose a study."),
            paper("Stars"),
        ]
    ).ids
    assert shared_words(library, first, [second])[second] == ("honey",)
