"""Evaluation reports as files: lossless, and refused if invalid."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.generate.report import report, result, subject
from trainer.contract.errors import TrainerError
from trainer.contract.report import REPORT, EvaluatedModel, Report, Result, Score

numbers = st.floats(allow_nan=False, allow_infinity=False)
counts = st.integers(0, 10**9)
texts = st.text(max_size=20)
values = st.one_of(texts, counts, numbers, st.booleans())
scores = st.builds(
    Score,
    metric=texts,
    value=numbers,
    n=counts,
    low=st.none() | numbers,
    high=st.none() | numbers,
    spread=st.none() | numbers,
    seeds=counts,
)
results = st.builds(
    Result,
    **dict.fromkeys(("task", "title", "evaluation", "split", "sha256"), texts),
    **dict.fromkeys(("protocol", "seed"), counts),
    seconds=numbers,
    scores=st.lists(scores, max_size=3).map(tuple),
    excluded=st.dictionaries(texts, counts, max_size=3),
    notes=st.lists(texts, max_size=2).map(tuple),
)
reports = st.builds(
    Report,
    subject=st.builds(
        EvaluatedModel,
        **dict.fromkeys(("id", "title", "kind", "found", "space", "method", "base"), texts),
        dim=counts,
        about=st.dictionaries(texts, values, max_size=3),
    ),
    **dict.fromkeys(("suite", "created", "trainer", "machine"), texts),
    results=st.lists(results, max_size=3).map(tuple),
)


@settings(max_examples=40)
@given(reports)
def test_report_round_trip_is_lossless(tmp_path_factory, made):
    folder = tmp_path_factory.mktemp("report")
    file = made.write(folder)
    assert Report.read(folder) == made
    assert Report.read(file) == made


def test_newer_format_is_refused_by_number(tmp_path):
    file = report().write(tmp_path)
    described = json.loads(file.read_text())
    file.write_text(json.dumps(described | {"format": 2}))
    with pytest.raises(TrainerError, match="format 2, not 1") as refused:
        Report.read(tmp_path)
    assert "Update SciRead" in refused.value.hint


def test_report_of_a_training_is_refused(tmp_path):
    (tmp_path / REPORT).write_text('{"format": 1, "scores": {}}')
    with pytest.raises(TrainerError, match="not an evaluation report"):
        Report.read(tmp_path)


def test_missing_report_is_named(tmp_path):
    with pytest.raises(TrainerError, match=r"report\.json could not be read"):
        Report.read(tmp_path)


def places(described, before=()):
    """Yield the path of every value in it."""
    inner = described.items() if isinstance(described, dict) else enumerate(described)
    for key, value in inner:
        yield (*before, key)
        if isinstance(value, dict | list):
            yield from places(value, (*before, key))


WHOLE = json.loads(json.dumps({"kind": "evaluation", "format": 1})) | {
    "suite": "local",
    "created": "2026-03-01",
    "trainer": "0.1.0",
    "subject": {"id": "a", "title": "A", "kind": "package"},
    "results": [
        {
            **dict.fromkeys(("task", "title", "evaluation", "split", "sha256"), "x"),
            **{"protocol": 1, "seed": 1, "seconds": 1.5, "excluded": {"queries": 2}},
            "scores": [{"metric": "map", "value": 0.5, "n": 10, "low": None, "high": 0.6}],
        }
    ],
}


@pytest.mark.parametrize("way", list(places(WHOLE)), ids=str)
@given(wrong=st.sampled_from([None, [], {}, [1], "", True, float("inf"), -1, 10**400]))
def test_damaged_report_is_refused_or_read_without_crash(tmp_path_factory, way, wrong):
    damaged = json.loads(json.dumps(WHOLE))
    inner = damaged
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = wrong
    file = tmp_path_factory.mktemp("damaged") / REPORT
    file.write_text(json.dumps(damaged))
    try:
        Report.read(file)
    except TrainerError as error:
        assert str(file) in str(error)


@pytest.mark.parametrize("missing", ["suite", "subject", "results", "created"])
def test_missing_field_is_named(tmp_path, missing):
    file = report().write(tmp_path)
    described = json.loads(file.read_text())
    del described[missing]
    file.write_text(json.dumps(described))
    with pytest.raises(TrainerError, match=f"'{missing}' is missing"):
        Report.read(file)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_score_must_be_a_finite_number(number):
    with pytest.raises(ValueError, match="invalid value"):
        Score("map", number, 3)
    with pytest.raises(ValueError, match="invalid value"):
        Score("map", 0.5, 3, low=number)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"evaluation": "svm"}, "the evaluations differ: ranking and svm"),
        ({"protocol": 2}, "the protocol versions of ranking differ: 1 and 2"),
        ({"split": "validation"}, "the splits differ: test and validation"),
        ({"sha256": "77" * 32}, "the data differ: SHA-256 5f5f5f5f5f5f and 777777777777"),
        ({}, ""),
        ({"seconds": 9.0, "seed": 5}, ""),
    ],
)
def test_scores_are_comparable_only_under_equal_conditions(change, why):
    assert why in result().incomparable_reason(result(**change))
    assert bool(why) == bool(result().incomparable_reason(result(**change)))


def test_report_finds_results_and_scores_by_name():
    made = report(result("cite"), result("mag"), subject=subject(title="A"))
    assert made.result("mag").score("ndcg").value == 0.9
    assert made.result("mesh") is None
    assert made.result("mag").score("auc") is None
