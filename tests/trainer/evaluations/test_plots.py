"""Data of the plots of reports: correct and of limited size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import auc, average_precision_score, confusion_matrix, roc_auc_score

from trainer.contract.plots import OTHERS
from trainer.evaluations import plots


def test_confusion_orders_labels_by_frequency():
    y_true, predicted = [2, 2, 2, 0, 0, 1], [2, 2, 0, 0, 1, 1]
    found = plots.confusion(y_true, predicted, ["zero", "one", "two"])
    assert found.labels == ["two", "zero", "one"]
    assert found.counts == confusion_matrix(y_true, predicted, labels=[2, 0, 1]).tolist()


def test_rare_labels_are_merged_without_losing_counts():
    rng = np.random.default_rng(1)
    y_true, predicted = rng.integers(0, 90, 700), rng.integers(0, 90, 700)
    found = plots.confusion(y_true, predicted)
    assert len(found.labels) == 24 and found.labels[-1] == OTHERS
    assert np.sum(found.counts) == 700


def test_curves_have_the_reported_area():
    rng = np.random.default_rng(1)
    belongs = rng.random(20_000) < 0.2
    scores = np.round(rng.normal(size=20_000) + belongs, 2)
    found = plots.threshold_curves(scores, belongs)
    area, precision = roc_auc_score(belongs, scores), average_precision_score(belongs, scores)
    assert auc(found.false_alarms, found.found) == pytest.approx(area, abs=0.002)
    assert auc(found.recall, found.precision) == pytest.approx(precision, abs=0.005)
    assert found.belongs == pytest.approx(belongs.mean())
    assert len(found.found) < 200 and len(found.recall) < 200
    assert (found.found[0], found.found[-1]) == (0, 1)


@pytest.mark.parametrize("belongs", [[True, True], [False, False]])
def test_curves_of_one_class_raise_an_error(belongs):
    with pytest.raises(ValueError, match="all pairs are related, or none"):
        plots.threshold_curves([0.1, 0.2], belongs)


def test_distributions_share_bins_and_sum_to_one():
    found = plots.distributions({"a": [0.0, 0.5], "b": [1.0] * 7, "none": []})
    assert set(found.series) == {"a", "b"}
    assert found.edges[0] == 0 and found.edges[-1] == 1
    assert all(sum(shares) == pytest.approx(1, abs=1e-3) for shares in found.series.values())


@pytest.mark.parametrize("make", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("way", ["PCA", "t-SNE"])
def test_scatter_places_papers_of_one_label_together(make, way):
    rng = np.random.default_rng(1)
    labels = np.repeat(["left", "right"], 40)
    vectors = rng.random((80, 6)) + np.where(labels == "left", 9, 0)[:, None]
    found = plots.scatter(make(vectors.astype(np.float32)), list(labels), way=way)
    assert found.way == way
    where = np.column_stack([found.x, found.y])
    label = np.array(found.label)
    centres = [where[label == code].mean(0) for code in (0, 1)]
    nearest = [int(np.argmin([np.linalg.norm(at - c) for c in centres])) for at in where]
    assert nearest == label.tolist()
    assert sorted(found.labels) == ["left", "right"]


def test_scatter_of_many_papers_is_sampled():
    vectors = np.random.default_rng(1).random((3_000, 4))
    found = plots.scatter(vectors, ["a"] * 3_000, way="PCA")
    assert len(found.x) == len(found.label) == 1_000


def test_degenerate_vectors_can_be_plotted():
    found = plots.scatter(np.ones((5, 1)), ["a"] * 5)
    assert found.way == "PCA" and found.x == found.y == [0] * 5
