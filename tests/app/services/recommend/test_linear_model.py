"""The linear model without scikit-learn learns the same as scikit-learn."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from sciread_app.services.recommend.linear_model import linear_svm, tfidf

TEXTS = [
    "Bees dance. The bees, the BEES!",
    "A star is born: on the dance of stars",
    "",
    "Über Bienen und 3 Sterne, α-decay in x_1",
    "a b c",
    "Ｂees\u00a0dance naïvely\nbees dance",
]


def test_tfidf_equals_scikit_learn():
    theirs = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, dtype=np.float32)
    expected = theirs.fit_transform(TEXTS)
    counts, words = tfidf(TEXTS)
    assert sorted(words) == theirs.get_feature_names_out().tolist()
    assert np.allclose(counts.toarray()[:, np.argsort(words)], expected.toarray(), atol=1e-6)


def test_tfidf_of_texts_without_words_is_empty():
    counts, words = tfidf(["", "a"])
    assert (counts.shape, words) == ((2, 0), [])


@pytest.mark.parametrize("cost", [0.003, 0.11, 1.0, 30.0])
@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
def test_linear_svm_equals_scikit_learn(cost, kind):
    draw = np.random.default_rng(0)
    papers = draw.normal(size=(120, 40)) * (draw.random((120, 40)) < 0.3)
    wanted = papers[:, 0] + draw.normal(size=120) > 0.5
    weights = draw.uniform(0.1, 5, size=120)
    theirs = LinearSVC(C=cost, tol=1e-10, max_iter=1_000_000, random_state=0)
    theirs.fit(papers, wanted, sample_weight=weights)

    found = linear_svm(kind(papers), np.where(wanted, 1.0, -1.0), cost * weights)

    assert np.allclose(found, theirs.coef_[0], atol=1e-4 * np.abs(found).max())


def test_recommender_does_not_import_scikit_learn():
    code = "import sys, sciread_app.services.recommend.recommender; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
