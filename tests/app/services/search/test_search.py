"""Search over a real library and a real space; the model knows but a few synonyms."""

from __future__ import annotations

import numpy as np
import pytest

from sciread_app.domain.paper import Order
from sciread_app.domain.query.search_mode import SearchMode
from sciread_app.errors import BadQuery, Cancelled, EncoderFailed
from sciread_app.services.search import relevance
from sciread_app.services.search.embedding_index import EmbeddingIndex
from sciread_app.services.search.relevance import UNRELATED
from sciread_app.services.search.search import MatchExplanation, MatchInfo, SearchService
from sciread_app.storage.library import Library
from sciread_app.tasks import Task
from tests.support.make import paper

CONCEPTS = (
    ("car", "cars", "automobile", "vehicle"),
    ("cat", "cats", "feline", "kitten"),
    ("star", "stars", "astronomy", "galaxy"),
    ("protein", "proteins", "enzyme", "folding"),
)


class Synonyms:
    """A model to which words of one concept mean the same, and other words hardly anything."""

    space, dim = "synonyms", len(CONCEPTS) + 8

    def __init__(self) -> None:
        self.fails = False
        self.asked: list[str] = []

    def encode(self, texts, task=None):
        if self.fails:
            raise EncoderFailed("The model did not start.", "Start again.")
        self.asked += [" ".join(text).strip() for text in texts]
        return np.array([self._vector(" ".join(text)) for text in texts], np.float32)

    def knows_any(self, words):
        return any(word in concept for word in words for concept in CONCEPTS)

    def _vector(self, text: str) -> np.ndarray:
        words = text.lower().replace(".", " ").split()
        vector = np.full(self.dim, 0.05)
        for n, concept in enumerate(CONCEPTS):
            vector[n] += sum(word in concept for word in words)
        vector[len(CONCEPTS) + len(text) % 8] += 0.01 * len(text)  # no two texts quite alike
        return vector / np.linalg.norm(vector)


@pytest.fixture
def model() -> Synonyms:
    return Synonyms()


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
def search(library, space) -> SearchService:
    return SearchService(library, space)


def titles(library: Library, results) -> list[str]:
    return [p.title for p in library.get([hit.paper for hit in results.hits])]


def test_words_find_all_forms_of_a_word_but_no_synonyms(library, search):
    assert titles(library, search.find("cars", mode=SearchMode.text)) == ["A car for everyone"]


def test_meaning_finds_synonyms(library, search):
    found = titles(library, search.find("vehicle", mode=SearchMode.meaning, limit=2))
    assert set(found) == {"The automobile in town", "A car for everyone"}


def test_both_together_put_first_what_fits_in_both(library, search):
    results = search.find("car traffic", limit=3)
    assert set(titles(library, results)[:2]) == {"The automobile in town", "A car for everyone"}
    first = results.hits[0]
    assert first.text_rank and first.meaning_rank
    assert first.score > results.hits[1].score
    assert 90 < search.find("a car in all this traffic").hits[0].percentile <= 100


def test_a_leg_that_did_not_find_a_paper_gives_it_no_rank(search):
    assert all(h.text_rank is None for h in search.find("car", mode=SearchMode.meaning).hits)
    (hit,) = search.find("car", mode=SearchMode.text).hits
    assert (hit.text_rank, hit.meaning_rank, hit.similarity) == (1, None, None)


@pytest.mark.parametrize("mode", list(SearchMode))
def test_conditions_are_met_whatever_is_gone_by(library, search, mode):
    assert titles(library, search.find("car year:2015..2017", mode=mode))[0] == "A car for everyone"
    found = search.find("car kitten galaxy year:2015..2017", mode=mode)
    assert set(titles(library, found)) == {"A car for everyone", "On the kitten", "Galaxy surveys"}
    assert search.find("car author:nobody", mode=mode).hits == []


def test_with_conditions_meaning_still_finds_as_many_as_there_are(search):
    found = search.find("automobile year:2016..", mode=SearchMode.meaning)
    assert len(found.hits + found.weaker) == 4


def test_what_is_left_out_stays_out_of_both_legs(library, search):
    found = titles(library, search.find("car -traffic"))
    assert "A car for everyone" in found and "The automobile in town" not in found


def test_a_phrase_must_be_there(library, search):
    assert titles(library, search.find('"automobile in town"')) == ["The automobile in town"]
    assert search.find('"town automobile"').hits == []


def test_conditions_alone_list_what_meets_them_the_latest_first(library, search):
    results = search.find("year:2016..2018", limit=2)
    assert titles(library, results) == ["Folding of an enzyme", "Galaxy surveys"]
    assert results.total == 3


def test_an_empty_box_lists_everything(search, papers):
    results = search.find("", limit=100)
    assert [hit.paper for hit in results.hits] == sorted(papers.values(), reverse=True)


def test_an_identifier_goes_straight_to_its_paper(library, search, papers):
    results = search.find("https://doi.org/10.1000/KITTEN")
    assert [hit.paper for hit in results.hits] == [papers["On the kitten"]]
    assert results.note == ""


def test_an_identifier_that_is_not_here_is_explained(search):
    results = search.find("arXiv:1706.03762")
    assert results.hits == []
    assert "arXiv id 1706.03762" in results.note and "Add" in results.note


def test_a_wrong_query_is_explained(search):
    with pytest.raises(BadQuery, match=r"year:2019\.\.2015"):
        search.find("year:2019..2015")


def test_a_pasted_abstract_finds_the_paper_it_comes_from(library, search):
    pasted = "We ask how a kitten grows. " * 5 + "Feline ways are shown. Traffic is not the matter."
    assert titles(library, search.find(pasted))[0] == "On the kitten"


@pytest.fixture
def broken(library, space, model) -> SearchService:
    model.fails = True
    return SearchService(library, space)


def test_without_a_model_words_alone_answer_and_say_so(library, papers):
    results = SearchService(library, None).find("car")
    assert titles(library, results) == ["A car for everyone"]
    assert "words alone" in results.note


def test_when_the_model_fails_words_alone_answer_and_say_why(library, broken):
    results = broken.find("car year:2015..")
    assert titles(library, results) == ["A car for everyone"]
    assert "words alone" in results.note and "did not start" in results.note


def test_asking_for_words_alone_needs_no_model_and_no_note(broken):
    assert broken.find("car", mode=SearchMode.text).note == ""


def test_asking_for_meaning_alone_without_a_model_is_explained(library, broken):
    for search in (broken, SearchService(library, None)):
        with pytest.raises(EncoderFailed):
            search.find("car", mode=SearchMode.meaning)


def test_a_paper_without_a_vector_is_found_by_its_words(library, search):
    library.put([paper("Car washing")])
    results = search.find("washing car")
    assert titles(library, results)[0] == "Car washing"
    assert results.hits[0].similarity is None


def test_papers_in_the_trash_are_not_found(library, search, space, papers):
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
    alike = search.similar([ids[0]]).hits
    assert not {hit.paper for hit in alike} & set(ids)


def test_a_search_can_be_stopped(search):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        search.find("car", task=task)


def test_similar_papers_mean_the_same_and_leave_out_what_was_given(library, search, papers, model):
    model.fails = True  # the vectors are there: no model is needed
    given = papers["A car for everyone"]
    results = search.similar([given], limit=3)
    assert titles(library, results)[0] == "The automobile in town"
    assert given not in {hit.paper for hit in results.hits}
    assert len(results.hits) == 3
    assert [hit.meaning_rank for hit in results.hits] == [1, 2, 3]


def test_similar_to_several_is_near_to_all_of_them(library, space, search, papers):
    (both,) = library.put([paper("A galaxy of cars", abstract="Stars and a car.")]).ids
    space.encode_missing()
    like = [papers["A car for everyone"], papers["Galaxy surveys"]]
    assert search.similar(like, limit=1).hits[0].paper == both


def test_what_is_not_meant_pushes_its_like_away(library, space, search, papers):
    batch = [
        paper("Car and cat", abstract="Automobile, kitten. Vehicle."),
        paper("Car and galaxy", abstract="Automobile. Stars. Vehicle."),
    ]
    cat, galaxy = library.put(batch).ids
    space.encode_missing()
    car = papers["A car for everyone"]

    def place(paper, unlike):
        found = [hit.paper for hit in search.similar([car], unlike).hits]
        return found.index(paper) if paper in found else len(found)

    assert place(cat, [papers["On the kitten"]]) > place(galaxy, [papers["On the kitten"]])
    assert place(galaxy, [papers["Galaxy surveys"]]) > place(cat, [papers["Galaxy surveys"]])


def test_a_typed_query_is_steered_by_examples_and_counterexamples(library, search, papers):
    car, kitten = papers["A car for everyone"], papers["On the kitten"]

    def first(query):
        return titles(library, search.find(query, mode=SearchMode.meaning))[0]

    assert first("galaxy") == first(f"galaxy -like:{car}") == "Galaxy surveys"
    assert first(f"waiting like:{car}") == "The automobile in town"
    assert "On the kitten" not in titles(library, search.find(f"kitten -like:{kitten}"))


def test_examples_alone_are_what_similar_finds_within_what_is_asked_for(library, search, papers):
    car = papers["A car for everyone"]
    assert search.find(f"like:{car}").hits == search.similar([car]).hits
    assert titles(library, search.find(f"like:{car} year:2016")) == ["On the kitten"]


def test_without_a_model_examples_steer_by_their_words(library, papers):
    galaxy, search = papers["Galaxy surveys"], SearchService(library, None)
    assert titles(library, search.find("town")) != ["Galaxy surveys"]
    library.put([paper("More surveys")])
    assert "More surveys" in titles(library, search.find(f"town like:{galaxy}"))
    assert "Galaxy surveys" not in titles(library, search.find(f"surveys -like:{galaxy}"))


def test_the_best_can_be_put_into_another_order(library, search):
    best = search.find("car kitten galaxy", limit=4)
    newest = search.find("car kitten galaxy", limit=4, order=Order.year)
    assert {hit.paper for hit in best.hits} == {hit.paper for hit in newest.hits}
    years = [paper.year for paper in library.get([hit.paper for hit in newest.hits])]
    assert years == sorted(years, reverse=True)
    assert titles(library, search.find("year:2016..", order=Order.title))[0] == (
        "Folding of an enzyme"
    )


def test_another_order_is_of_all_that_hold_every_word_not_only_of_the_best(library, search):
    batch = [paper(f"Red shift of quasar {n}", published=f"{1950 + n}") for n in range(12)]
    batch += [paper("Red quasar", published="1900"), paper("Red dwarfs", published="2030")]
    stored = library.put(batch).ids
    few = search.find("red quasar", limit=3, mode=SearchMode.text)
    assert len(few.hits) == 3 and not few.whole
    newest = search.find("red quasar", limit=3, mode=SearchMode.text, order=Order.year)
    assert [hit.paper for hit in newest.hits] == stored[11:8:-1]
    assert newest.ids[:12].tolist() == stored[11::-1] and newest.ids[-1] == stored[12]
    assert newest.total == len(newest.ids) == 13 and newest.whole
    # What was ranked is still known to be so, wherever it stands now.
    ranked = {hit.paper: hit for hit in (*newest.hits, *newest.further) if hit.text_rank}
    assert ranked == {hit.paper: hit for hit in few.hits}


def test_another_order_meets_conditions_and_shows_a_work_once(library, search):
    batch = [paper(f"Red quasar {n}", published=f"{1950 + n}") for n in range(6)]
    stored = library.put(batch).ids
    library.duplicates.mark_as_versions(stored[2], stored[3])
    library.trash([stored[5]])
    within = search.find("red quasar year:1951..", limit=2, order=Order.oldest)
    assert within.ids[:3].tolist() == [stored[1], stored[2], stored[4]]
    without = search.find(f"red quasar -like:{stored[1]}", limit=2, order=Order.oldest)
    assert stored[1] not in without.ids and stored[0] in without.ids


def test_of_what_is_found_by_meaning_alone_the_best_are_sorted(search):
    found = search.find("car", limit=2, mode=SearchMode.meaning, order=Order.title)
    assert len(found.hits) == 2 and found.weaker and not found.whole


def test_the_trash_is_searched_by_words_where_it_is_asked_for(library, search, papers):
    library.trash([papers["A car for everyone"], papers["On the kitten"]])
    assert titles(library, search.find("in:trash cheap")) == ["A car for everyone"]
    assert titles(library, search.find("in:trash author:ford")) == ["A car for everyone"]
    assert len(search.find("in:trash").hits) == 2


def test_similar_without_vectors_goes_by_words_and_says_so(library, papers):
    results = SearchService(library, None).similar([papers["Waiting in queues"]])
    assert titles(library, results)[0] == "The automobile in town"
    assert "words" in results.note


def test_why_names_the_words_in_the_forms_in_which_they_stand(search, papers):
    id = papers["Galaxy surveys"]
    why = search.why("star survey", [id])[id]
    assert why.words == ("surveys", "stars")
    assert why.in_title == ((7, 14),)
    assert why.in_abstract == ((5, 10),)


def test_why_shows_the_sentence_that_means_most_the_same(search, papers):
    id = papers["The automobile in town"]
    assert search.why("cars", [id])[id].sentence == "A vehicle waits."


def test_without_a_model_why_shows_the_sentence_with_most_of_the_words(library, papers, broken):
    id = papers["The automobile in town"]
    assert broken.why("waits traffic", [id])[id].sentence == "On traffic."
    assert broken.why("vehicle waits traffic", [id])[id].sentence == "A vehicle waits."
    assert broken.why("galaxy", [id])[id] == MatchExplanation()


def test_why_answers_for_conditions_and_identifiers_too(search, papers):
    id = papers["On the kitten"]
    assert search.why("10.1000/kitten", [id])[id].words == ()
    assert search.why("year:2016", [id])[id].words == ()


def test_common_words_only_rank_yet_the_best_paper_stays_first(library, monkeypatch):
    library.put([paper(f"A model of things {n}", abstract="model " * 5) for n in range(60)])
    (best,) = library.put([paper("A lasso model", abstract="Of things.")]).ids
    monkeypatch.setattr("sciread_app.services.search.keyword_search._SCORED", 10)
    results = SearchService(library, None).find("model of lasso things", mode=SearchMode.text)
    assert [hit.paper for hit in results.hits] == [best]
    results = SearchService(library, None).find("model things", mode=SearchMode.text, limit=200)
    assert results.total == 61


def test_conditions_that_leave_nearly_all_papers_find_as_many_as_any(library, space, search):
    library.put(
        [paper(f"Car {n}", abstract=f"Automobile {n}.", published="1990") for n in range(300)]
    )
    space.encode_missing()
    hits = search.find("vehicle -traffic", mode=SearchMode.meaning, limit=200).hits
    assert len(hits) == 200
    found = search.find("vehicle -wheel", mode=SearchMode.meaning, limit=500)
    assert len(found.hits + found.weaker) == 306


def test_what_has_nothing_to_do_with_a_query_is_no_answer(library, search):
    found = search.find("zzzzqqqq vzxw")
    assert (found.hits, found.total, len(found.ids)) == ([], 0, 0)
    assert found.weaker and all(hit.weak for hit in found.weaker)
    [(nearest, _)] = library.texts([found.weaker[0].paper])
    assert nearest in found.note


@pytest.mark.parametrize("text", UNRELATED[:6])
def test_words_that_nobody_knows_find_nothing_though_one_paper_is_near(
    library, search, monkeypatch, text
):
    """One of these texts is nearer to some paper than most are; none has an answer."""
    monkeypatch.setattr(relevance, "_QUANTILE", 0.0)
    found = search.find(text)
    assert found.hits == [] and found.weaker and "No paper matches" in found.note


@pytest.mark.parametrize("known_to", ["model", "library"])
def test_a_word_that_the_model_or_the_library_knows_is_answered_by_meaning(
    library, space, search, model, monkeypatch, known_to
):
    monkeypatch.setattr(relevance, "_QUANTILE", 0.0)
    if known_to == "model":
        monkeypatch.setattr(model, "knows_any", lambda words: "brmpf" in words)
    else:
        library.put([paper("A brmpf")])
    assert search.find("brmpf", mode=SearchMode.meaning).hits


def test_a_surname_with_one_paper_finds_one_paper(library, search):
    found = search.find("henry ford")
    assert titles(library, found) == ["A car for everyone"] and found.total == 1
    assert found.weaker and papers_of(found.weaker).isdisjoint(papers_of(found.hits))


def papers_of(hits):
    return {hit.paper for hit in hits}


def test_the_total_counts_what_holds_a_word_and_what_means_the_same(library, search):
    found = search.find("automobile")
    assert set(titles(library, found)) == {"The automobile in town", "A car for everyone"}
    assert found.total == len(found.ids) == 2


def test_the_total_is_no_cap_of_what_is_ranked(library):
    library.put([paper(f"Bees n{n}") for n in range(1200)])
    search = SearchService(library, None)
    assert (search.find("bees").total, len(search.find("bees", limit=10).hits)) == (1200, 10)
    assert search.find("bees -n5").total == 1199


def test_a_hit_says_whether_it_holds_all_words_or_has_them_in_its_title(library, search):
    def match(query):
        return {hit.paper: hit.match for hit in search.find(query).hits}

    everyone, town = sorted(match("car automobile"))[:2][::-1]
    assert match("automobile town")[town] is MatchInfo.in_title
    assert match("town automobile")[town] is MatchInfo.all_words
    assert match("automobile traffic")[town] is MatchInfo.all_words
    assert match("car automobile")[everyone] is MatchInfo.other


def test_short_queries_are_not_compared_with_pairs_of_papers(search):
    assert all(hit.percentile is None for hit in search.find("car").hits)
    assert all(hit.percentile is None for hit in search.find("a car in town like:1").hits)
    assert search.find("a car in town").hits[0].percentile is not None


def test_examples_are_left_out_of_what_they_steer(library, search, papers):
    car = papers["A car for everyone"]
    for order in Order:
        found = search.find(f"car like:{car}", order=order)
        assert car not in papers_of(found.hits + found.weaker) and car not in found.ids


def test_with_counterexamples_no_share_is_shown_since_the_order_is_another(search, papers):
    car, kitten = papers["A car for everyone"], papers["On the kitten"]
    found = search.similar([car], [kitten])
    assert all(hit.percentile is None for hit in found.hits + found.weaker)
    assert search.similar([car]).hits[0].percentile is not None


def test_papers_as_unlike_as_any_two_are_not_called_similar(library, model, tmp_path):
    cars = [paper(f"Car {n}", abstract="automobile " * n) for n in range(3)]
    cats = [paper(f"Cat {n}", abstract="feline " * n) for n in range(60)]
    first, *_ = library.put(cars + cats).ids
    space = EmbeddingIndex(library, model, tmp_path)
    space.encode_missing()
    found = SearchService(library, space).similar([first])
    assert {"Car 1", "Car 2"} <= set(titles(library, found))
    assert found.total == len(found.hits) <= 4
    assert all(hit.weak for hit in found.weaker) and len(found.hits + found.weaker) == 50


def test_examples_are_named_by_number_citation_key_or_identifier(library, model, tmp_path):
    first, *_ = library.put(
        [
            paper("A car", doi="10.1016/0370-2693(88)91418-2", citekey="ford1908car"),
            paper("An automobile in town"),
            paper("A cat"),
        ]
    ).ids
    space = EmbeddingIndex(library, model, tmp_path)
    space.encode_missing()
    search = SearchService(library, space)
    by_number = search.find(f"like:{first}").hits
    assert by_number
    for name in ("ford1908car", "10.1016/0370-2693(88)91418-2", "doi:10.1016/0370-2693(88)91418-2"):
        assert search.find(f"like:{name}").hits == by_number


@pytest.mark.parametrize("name", ["99999", "nobody2020", "10.1000/none", "99999999999999999999"])
@pytest.mark.parametrize("query", ["like:{}", "-like:{}", "cars like:{}"])
def test_an_example_that_is_not_in_the_library_is_said(search, papers, name, query):
    with pytest.raises(BadQuery) as bad:
        search.find(query.format(name))
    assert name in str(bad.value) and bad.value.hint


def test_a_tag_or_collection_that_does_not_exist_is_said(search, papers, library):
    library.tags.add([papers["A car for everyone"]], 'to "read"')
    library.collections.add([papers["A car for everyone"]], "thesis/methods")
    for query in ('tag:"To Read"', "in:thesis", "in:Thesis/methods/", "in:trash"):
        assert search.find(query).note == ""
    assert "tag “urgent”" in search.find("tag:urgent").note
    assert "collection “thesis/results”" in search.find("cars in:thesis/results").note
    assert "collection “none”" in search.find("-in:none").note
