"""Comparison of two models: significant differences are named, and incomparable scores refused."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.support.generate.report import items, report, result, score, subject
from trainer.cli import app
from trainer.contract.errors import TrainerError
from trainer.contract.evaluations import evaluation_spec
from trainer.contract.report import NO_VECTOR, QUERY_WITHOUT_VECTOR
from trainer.evaluations.metrics.significance import Items, write_items
from trainer.reports import comparison_text
from trainer.reports.compare import compare

EASE = np.random.default_rng(1).random(200)
BETTER = EASE + 0.05 + 0.1 * np.random.default_rng(2).normal(size=200)
AS_GOOD = EASE + 0.1 * np.random.default_rng(4).normal(size=200)


def save_report(
    folder, metrics, task="cite", suite="local", model=None, seeds=1, spread=None, **changes
):
    """Write a report of one task from the item values of each metric."""
    found = {
        name: values if isinstance(values, Items) else items(values)
        for name, values in metrics.items()
    }
    scores = tuple(
        replace(score(name, each), seeds=seeds, spread=spread) for name, each in found.items()
    )
    tested = result(task, scores=scores, **changes)
    made = report(tested, suite=suite, subject=subject(title=folder.name, **model or {}))
    made.write(folder)
    write_items(folder, {task: found})
    return folder


def test_significant_difference_is_named(tmp_path):
    found = compare(
        save_report(tmp_path / "a", {"map": EASE}), save_report(tmp_path / "b", {"map": BETTER})
    )
    (map_,) = found.compared
    assert map_.is_significant and map_.second_is_better
    assert 0 < map_.difference.low < map_.difference.value < map_.difference.high
    back = compare(tmp_path / "b", tmp_path / "a").compared[0]
    assert back.is_significant and back.second_is_better is False


def test_chance_is_not_called_a_difference(tmp_path):
    found = compare(
        save_report(tmp_path / "a", {"map": EASE}), save_report(tmp_path / "b", {"map": AS_GOOD})
    )
    (map_,) = found.compared
    assert not map_.is_significant and map_.second_is_better is None


def test_multiple_comparisons_make_a_doubtful_difference_insignificant(tmp_path):
    shift = EASE + np.random.default_rng(9).normal(0.016, 0.1, 200)
    alone = compare(
        save_report(tmp_path / "a", {"map": EASE}), save_report(tmp_path / "b", {"map": shift})
    )
    assert alone.compared[0].is_significant
    others = {f"m{n}": EASE for n in range(9)}
    others_too = {f"m{n}": AS_GOOD for n in range(9)}
    many = compare(
        save_report(tmp_path / "c", {"map": EASE} | others),
        save_report(tmp_path / "d", {"map": shift} | others_too),
    )
    assert many.compared[0].difference.p_value == alone.compared[0].difference.p_value < 0.05
    assert not many.compared[0].is_significant


def test_lower_is_better_metric_prefers_the_lower_score(tmp_path):
    one = save_report(tmp_path / "a", {"mean_cosine": EASE}, evaluation="health")
    other = save_report(tmp_path / "b", {"mean_cosine": BETTER}, evaluation="health")
    assert compare(one, other).compared[0].second_is_better is False


def test_only_items_of_both_models_are_compared(tmp_path):
    one = save_report(tmp_path / "a", {"map": EASE})
    other = save_report(tmp_path / "b", {"map": items(BETTER).at(np.arange(150)[::-1])})
    (found,) = compare(one, other).compared
    assert (found.difference.n, found.unpaired) == (150, 50)
    assert found.difference.first == pytest.approx(EASE[:150].mean())


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"sha256": "77" * 32}, "the data differ"),
        ({"protocol": 2}, "the protocol versions of ranking differ"),
        ({"split": "validation"}, "the splits differ: test and validation"),
        ({"evaluation": "svm"}, "the evaluations differ: ranking and svm"),
        ({"seed": 2}, "the random seeds differ: 1 and 2"),
        ({"seeds": 5}, "the numbers of repetitions differ: 1 and 5"),
        ({"suite": "scidocs"}, "from different suites: local and scidocs"),
        ({"task": "mag"}, "only b was evaluated on the task"),
    ],
)
def test_compare_different_measures_is_refused_with_reason(tmp_path, changes, why):
    one = save_report(tmp_path / "a", {"map": EASE})
    with pytest.raises(TrainerError, match=why):
        compare(one, save_report(tmp_path / "b", {"map": EASE}, **changes))


def test_difference_within_seed_variance_is_not_significant(tmp_path):
    def of(name, values, spread):
        return save_report(
            tmp_path / name, {"purity@10": values}, evaluation="purity", seeds=4, spread=spread
        )

    steady = compare(of("a", EASE, 0.0), of("b", BETTER, 0.0)).compared[0]
    shaky = compare(of("c", EASE, 0.1), of("d", BETTER, 0.1)).compared[0]
    assert steady.is_significant and not shaky.is_significant
    # The means of both four runs are uncertain by half their spread.
    assert shaky.difference.high - shaky.difference.low == pytest.approx(
        2 * 1.96 * 0.1 / 2**0.5, rel=0.2
    )


@pytest.mark.parametrize("evaluation", ["retrieval", "neighbours", "purity"])
def test_compare_tasks_of_different_papers_is_refused(tmp_path, evaluation):
    one = save_report(tmp_path / "a", {"x": EASE}, evaluation=evaluation)
    other = save_report(
        tmp_path / "b", {"x": BETTER}, evaluation=evaluation, excluded={NO_VECTOR: 900}
    )
    with pytest.raises(
        TrainerError, match="the numbers of papers without a vector differ: 0 and 900"
    ):
        compare(one, other)


def test_compare_different_exclusions_is_noted(tmp_path):
    one = save_report(tmp_path / "a", {"map": EASE})
    other = save_report(tmp_path / "b", {"map": BETTER}, excluded={QUERY_WITHOUT_VECTOR: 12})
    assert compare(one, other).notes == ["Cite: A excludes nothing, B 12 queries without a vector."]


def test_compare_lists_refused_tasks(tmp_path):
    for name, values in (("a", EASE), ("b", BETTER)):
        folder = save_report(tmp_path / name, {"map": values, "ndcg": values})
        write_items(folder, {"cite": {"map": items(values)}})
    found = compare(tmp_path / "a", tmp_path / "b")
    assert [each.metric.name for each in found.compared] == ["map"]
    assert [(each.what, each.reason) for each in found.refused] == [
        ("Cite, nDCG", "the metric has no values for individual items")
    ]


def test_compare_different_precision_is_noted(tmp_path):
    def of(name, precision, space):
        model = {"space": space, "about": {"precision": precision}}
        return save_report(tmp_path / name, {"map": EASE}, model=model)

    half, whole = of("a", "bfloat16", "x"), of("b", "float32", "x")
    assert compare(half, whole).notes == [
        "Both are the same model, but A was computed in bfloat16, B in float32."
    ]
    other = of("c", "float32", "y")
    assert compare(half, other).notes == ["A was computed in bfloat16, B in float32."]
    assert compare(whole, other).notes == []


def test_compare_command_names_better_model_and_writes_page(tmp_path):
    one = save_report(tmp_path / "a", {"map": EASE}, model={"about": {"precision": "bfloat16"}})
    other = save_report(tmp_path / "b", {"map": BETTER}, model={"about": {"precision": "float32"}})
    folders = [str(one), str(other)]
    done = CliRunner().invoke(app, ["compare", *folders, "-o", str(tmp_path / "both")])
    assert done.exit_code == 0, done.output
    assert "1 of 1 differences are significant: b is better in 1." in done.output
    assert "A was computed in bfloat16, B in float32." in done.output
    assert max(map(len, done.stdout.splitlines()[:5])) <= 80
    page = (tmp_path / "both" / "report.html").read_text()
    text = (tmp_path / "both" / "report.md").read_text()
    for made in (page, text):
        assert "Significant differences" in made
        assert "b is better in 1." in made and "B in float32." in made
    output = json.loads(CliRunner().invoke(app, ["compare", *folders, "--json"]).output)
    assert output["notes"] == ["A was computed in bfloat16, B in float32."]
    (map_,) = output["compared"]
    assert map_["real"] and map_["second_is_better"] and map_["n"] == 200


def test_comparison_page_shows_intervals_and_verdicts(tmp_path):
    one = save_report(tmp_path / "a", {"map": EASE, "ndcg": EASE})
    other = save_report(tmp_path / "b", {"map": BETTER, "ndcg": AS_GOOD})
    found = compare(one, other)
    markup = comparison_text.section(found)
    root = ElementTree.fromstring(markup)
    rows = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")][1:]
    assert [row[-1] for row in rows] == ["b", "not significant"]
    assert rows[0][-3] == comparison_text.between(found.compared[0])
    (svg,) = root.iter("{http://www.w3.org/2000/svg}svg")
    drawn = [at.get("class") for at in svg.iter() if "gap" in (at.get("class") or "")]
    assert drawn == ["gap s1", "gap grey"]


def test_zero_difference_has_no_sign():
    map_ = evaluation_spec("ranking").metric("map")
    shown = [comparison_text.signed(map_, value) for value in (-0.0, -1e-6, 1e-6, 0.01, -0.01)]
    assert shown == ["0.00", "0.00", "0.00", "+1.00", "-1.00"]
