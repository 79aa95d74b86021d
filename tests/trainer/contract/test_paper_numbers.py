"""The papers' numbers: complete, and shown only with comparable scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.generate.report import report, result, subject
from tests.support.paper_numbers import RESOURCE, compact, text
from trainer.contract.evaluations import evaluation_spec
from trainer.contract.paper_numbers import beside
from trainer.contract.report import WITHOUT_ABSTRACT, WITHOUT_TITLES, Score
from trainer.evaluate import average

LISTED = Path(__file__).parents[3].parent / "shared" / "paper_numbers.json"


def numbers_beside(suite="scidocs", task="cite", metric="map", model=None, n=1_000, **changes):
    tested = result(task, scores=(Score(metric, 0.8, n),), **changes)
    subject_ = subject(**(model or {"method": "specter"}))
    return beside(report(tested, suite=suite, subject=subject_), tested, metric)


def test_resource_equals_the_list_of_all_published_values():
    if not LISTED.exists():
        pytest.skip("the list of the papers' numbers is not beside the repository")
    listed = json.loads(LISTED.read_text("utf-8"))["records"]
    assert text(compact(listed)) == RESOURCE.read_text("utf-8")
    kept = json.loads(RESOURCE.read_text("utf-8"))["tables"]
    values = [value for table in kept for row in table["rows"] for value in row["values"]]
    assert sorted(filter(None, values)) == sorted(cell["value"] for cell in listed if cell["value"])


def test_mapped_columns_are_metrics_of_known_evaluations():
    for table in json.loads(RESOURCE.read_text("utf-8"))["tables"]:
        for column in table["columns"]:
            if "ours" in column:
                _, _, evaluation, metric = column["ours"]
                assert metric in {m.name for m in evaluation_spec(evaluation).metrics}, column


def test_published_model_has_its_own_row_first():
    first = numbers_beside(model={"id": "allenai--specter", "method": "specter"})[0]
    assert first.value == pytest.approx(0.92) and first.model == "SPECTER (HF allenai/specter)"
    assert first.same_model and first.same_data


def test_model_of_a_method_has_the_number_of_its_paper_first():
    first = numbers_beside()[0]
    assert first.value == pytest.approx(0.884)
    assert first.where == "SPECTER (Cohan et al. 2020), Table 1: SPECTER, SciDocs test"
    assert first.same_data and not first.same_model


@pytest.mark.parametrize(
    "changes",
    [
        {"suite": "local"},
        {"excluded": {"queries without a vector": 3}},
        {"n": 500},
        {"task": "mag", "evaluation": "svm", "metric": "macro_f1", "n": 3_750},
    ],
    ids=[
        "another suite",
        "part of the data",
        "fewer queries than about 1,000",
        "not all 3,751",
    ],
)
def test_number_of_other_data_is_marked(changes):
    assert numbers_beside(**changes) and all(
        not number.same_data for number in numbers_beside(**changes)
    )


def test_mag_with_all_papers_is_the_same_data():
    svm = {"task": "mag", "evaluation": "svm", "metric": "macro_f1"}
    assert numbers_beside(**svm, n=3_751)[0].same_data


PROBE = {"suite": "miread", "task": "mag", "metric": "macro_f1", "evaluation": "probe"}
PURITY = {"suite": "miread", "task": "mesh-clusters", "metric": "purity@10", "evaluation": "purity"}


@pytest.mark.parametrize("measured", [PROBE | {"n": 3_750}, PURITY | {"n": 3_400}])
def test_miread_numbers_are_those_of_validation_papers(measured):
    model = {"method": "miread"}
    assert numbers_beside(**measured, model=model, split="validation")[0].same_data
    assert not numbers_beside(**measured, model=model, split="test")[0].same_data


def test_papers_miread_code_excludes_are_no_difference():
    bare, titles = {WITHOUT_ABSTRACT: 9}, {WITHOUT_TITLES: 3_750}
    probe = PROBE | {"n": 3_750, "split": "validation"}
    ours = {"method": "miread"}
    assert numbers_beside(**probe, model=ours, excluded=bare)[0].same_data
    assert not numbers_beside(**probe, model=ours, excluded=bare | titles)[0].same_data
    baseline = {"id": "allenai--scibert_scivocab_uncased"}
    assert numbers_beside(**probe, model=baseline, excluded=bare | titles)[0].same_data
    assert not numbers_beside(**probe, model=baseline, excluded=bare)[0].same_data


def test_randomly_drawn_papers_are_other_data():
    probe = {"suite": "miread", "metric": "macro_f1", "evaluation": "probe", "split": "all"}
    for task in ("categories", "unseen-journals"):
        assert not numbers_beside(**probe, task=task, model={"method": "miread"})[0].same_data


def test_average_is_of_the_same_data_if_all_its_scores_are():
    def whole(clicks):
        parts = [
            result("mag", evaluation="svm", scores=(Score("macro_f1", 0.8, 3_751),)),
            result("mesh", evaluation="svm", scores=(Score("macro_f1", 0.8, 3_450),)),
            *(
                result(task, scores=(Score("map", 0.8, 1_000), Score("ndcg", 0.8, 1_000)))
                for task in ("co-view", "co-read", "cite", "co-cite")
            ),
            result(
                "recomm",
                evaluation="recommendation",
                scores=(Score("adj_ndcg", 0.5, clicks), Score("adj_p@1", 0.5, clicks)),
            ),
        ]
        mean = average("scidocs", {part.task: part for part in parts})
        made = report(*parts, mean, suite="scidocs", subject=subject(method="specter"))
        return beside(made, mean, "average")[0]

    assert whole(1_000).same_data and whole(1_000).value == pytest.approx(0.802)
    assert not whole(100).same_data


@pytest.mark.parametrize(
    "changes",
    [
        {"evaluation": "retrieval"},
        {"metric": "ndcg@10"},
        {"task": "mag"},
        {"model": {"method": "miread"}},
        {"model": {"method": "", "id": "tf-idf"}},
    ],
    ids=["evaluation", "metric", "task", "method", "no method"],
)
def test_other_measures_and_methods_have_no_number(changes):
    assert numbers_beside(**changes) == []


def test_starter_model_has_its_number_of_the_physbert_paper():
    (number,) = numbers_beside(
        suite="physbert",
        task="citations",
        evaluation="cosine_accuracy",
        metric="cosine_accuracy",
        model={"id": "starter", "method": "starter"},
    )
    assert number.model == "MiniLM-L6-v2" and number.same_model
