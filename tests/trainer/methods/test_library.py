"""The multi-task method: its tasks, its loss, and the protection of search."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch.nn import functional as F

from tests.support.generate.corpus import make_corpus
from tests.support.models.small_loop import learn, make, setup
from tests.support.models.small_runs import small_base, small_corpus, small_recipe
from tests.support.models.tiny_model import SPECIAL, WORDS, tiny_package
from trainer.contract.errors import TrainerError
from trainer.contract.package import read_package
from trainer.contract.run import RECORDS, Run
from trainer.data.corpus.corpus import Corpus, Split
from trainer.data.examples import Batch, PaperExamples, name_texts
from trainer.data.hard_negatives import mine
from trainer.data.tokens import TextPart, Texts, TokenCache
from trainer.data.typed_queries import typed_queries
from trainer.distributed import Ranks
from trainer.encoder import Encoder
from trainer.grid import train_grid
from trainer.loop.setup import Options
from trainer.methods.anchor import anchored
from trainer.methods.base import Loss, ValidationMetric
from trainer.methods.base_vectors import base_vectors
from trainer.methods.search_scores import QUERIES, SearchScores
from trainer.train import train

SCORED = ValidationMetric("retrieval", "ndcg@10", 1)
ABSTRACT = (
    "deep graph network study of protein folding and learning models . "
    "learning models of protein folding need deep graph network study ."
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_base(tmp_path_factory.mktemp("base") / "tiny")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return Corpus.open(small_corpus(tmp_path_factory.mktemp("papers") / "corpus"))


def tasks_of(method: Any) -> set[str]:
    return set(method.records["tasks"])


def test_library_uses_all_kinds_of_data(corpus: Corpus, base: Path) -> None:
    found = tasks_of(make(corpus, base, "library-small", examples=60))
    assert found >= {"citations", "venues", "categories", "titles", "questions"}


def test_library_learns_from_titles_and_abstracts_alone(tmp_path: Path, base: Path) -> None:
    alone = make_corpus(tmp_path / "corpus", 40)
    method = make(alone, base, "library-small", examples=60, anchor=0.0)
    assert tasks_of(method) <= {"titles", "sentences"}
    losses = learn(method.stages[0], 60)
    assert losses[-1] < 0.7 * losses[0]


def test_batches_have_pairs_of_one_task(corpus: Corpus, base: Path) -> None:
    train_ = make(corpus, base, "library-small", examples=60).stages[0].train
    order = train_.order(1, 0, 4)  # type: ignore[attr-defined]
    sources = train_.sources[order]  # type: ignore[attr-defined]
    assert len(set(sources[:4].tolist())) == 1


def test_anchor_is_zero_at_the_base_and_grows_with_the_change(corpus: Corpus, base: Path) -> None:
    stage = make(corpus, base, "library-small", examples=24).stages[0]
    numbers = np.arange(8)
    batch = stage.train.batch(numbers, numbers, 0)
    assert batch.guide is not None
    none = Loss(torch.zeros(()), 8)
    start = anchored(none, batch.guide, batch, 100.0).total
    changed = anchored(
        none, F.normalize(batch.guide + torch.eye(*batch.guide.shape), dim=1), batch, 100.0
    )
    assert float(start) == pytest.approx(0, abs=1e-4)
    assert float(changed.total) > 0.1
    assert anchored(none, batch.guide, replace(batch, guide=None), 100.0) is none


def test_cited_papers_are_no_negatives(corpus: Corpus, base: Path) -> None:
    method = make(corpus, base, "library-small", examples=60)
    stage = method.stages[0]
    numbers = np.arange(len(stage.train))
    batch = stage.train.batch(numbers, numbers, 0)
    rivals = batch.papers[:, 1:].T.flatten().numpy()
    unrelated = stage.loss._unrelated(batch, rivals)  # type: ignore[attr-defined]
    for place, paper in enumerate(batch.papers[:, 0].tolist()):
        if paper >= 0:
            assert not unrelated[place][np.isin(rivals, corpus.cites[paper])].any()


def test_pairs_by_journal_or_category_have_no_hard_negatives(corpus: Corpus, base: Path) -> None:
    method = make(corpus, base, "library-small", examples=60)
    train_, loss = method.stages[0].train, method.stages[0].loss
    labels = train_.labels  # type: ignore[attr-defined]

    def lost(numbers: Any, negatives: Any) -> float:
        rows = train_.rows.copy()  # type: ignore[attr-defined]
        rows[numbers, 2] = negatives
        batch = replace(train_, rows=rows, guide=None).batch(  # type: ignore[type-var]
            numbers, np.arange(len(numbers)), 0
        )
        with torch.no_grad():
            return float(loss(method.encoder.vectors(batch.texts), batch).total)

    for numbers, same in ((labels >= 0, True), (labels < 0, False)):
        some = np.flatnonzero(numbers)[:8]
        others = corpus.rows(Split.train)[: len(some)]
        given = [lost(some, negatives) for negatives in (others, others[::-1] + 1)]
        assert (given[0] == pytest.approx(given[1], abs=1e-5)) == same


def test_negatives_are_mined_once_and_kept_beside_the_corpus(
    tmp_path: Path, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = Corpus.open(small_corpus(tmp_path / "corpus"))
    mined: list[int] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        mined.append(1)
        return mine(*arguments, **options)

    monkeypatch.setattr("trainer.methods.library.mine", counted)
    first, again = (make(corpus, base, "library-small", examples=60) for _ in range(2))
    rows = [method.stages[0].train.rows for method in (first, again)]  # type: ignore[attr-defined]
    assert len(mined) == 1 and np.array_equal(*rows)
    make(corpus, base, "library-small", examples=60, pooling="cls")
    assert len(mined) == 2


def test_papers_cited_together_by_held_out_papers_may_be_negatives(
    tmp_path: Path, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = Corpus.open(small_corpus(tmp_path / "corpus"))
    given: list[Any] = []

    def seen(cache: Any, cites: Any, *others: Any, **options: Any) -> Any:
        given.append(cites)
        return mine(cache, cites, *others, **options)

    monkeypatch.setattr("trainer.methods.library.mine", seen)
    make(corpus, base, "library-small", examples=60)
    citing = np.unique(given[0].nonzero()[0])
    assert len(citing) and (corpus.split[citing] == Split.train).all()


def test_base_vectors_depend_on_the_precision(tmp_path: Path, base: Path) -> None:
    corpus = Corpus.open(small_corpus(tmp_path / "corpus"))
    for precision in ("fp32", "bf16"):
        given = setup(corpus, base, "library-small", precision=precision)
        texts = given.texts(given.reading())
        base_vectors(given, texts, "mean", name_texts(np.arange(10), TextPart.both))
    assert len(list(corpus.folder.glob("vectors/*/vectors.*"))) == 2


def test_sentence_and_rest_divide_a_paper(tmp_path: Path) -> None:
    base = tiny_package(tmp_path / "tiny", vocabulary=[*SPECIAL, *WORDS, "."]).folder
    corpus = make_corpus(tmp_path / "corpus", [{"title": "deep study", "abstract": ABSTRACT}])
    texts = Texts(TokenCache.open(corpus, base), join="space")
    sentence, rest, both = (
        texts.ids(0, part)[1:-1].tolist()
        for part in (TextPart.sentence, TextPart.rest, TextPart.both)
    )
    assert 0 < len(sentence) < len(both)
    assert sorted(sentence + rest) == sorted(both)
    rows, parts = np.zeros(2, np.int64), np.array([TextPart.sentence, TextPart.rest])
    assert texts.lengths(rows, parts).tolist() == [len(sentence) + 2, len(rest) + 2]


def test_typed_queries_are_not_in_their_papers(corpus: Corpus) -> None:
    rows = corpus.rows(Split.train)
    typed = typed_queries(corpus, rows, rows[:0], 50, 1)
    documents = list(typed.documents.values())
    assert len(typed.queries) == 50
    for query, answer in zip(typed.queries, typed.answers.tolist(), strict=True):
        title, abstract = documents[answer]
        assert query not in (title, abstract)


def test_model_worse_at_queries_gets_more_of_its_base(
    corpus: Corpus, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        SearchScores, "__call__", lambda *_: {QUERIES: next(values), "citations": 0.5}
    )
    # The base; then the mixtures with 0, 25, 50, 75 and 90 percent of it.
    values = iter([0.9, 0.5, 0.6, 0.95, 0.9, 0.9])
    recipe = small_recipe("specter", corpus.folder, base, keep_search=True)
    run = Run.create(tmp_path / "run", recipe)
    assert train(run, Ranks.single_process("cpu"), Options("cpu")).finished
    found, start = (load_file(folder / "model.safetensors") for folder in (run.package, base))
    metrics = json.loads((run.package / "metrics.json").read_text("utf-8"))
    (row,) = [row for row in metrics if row.get("task") == QUERIES]
    assert (row["before"], row["value"]) == (0.9, 0.95)
    assert run.report is not None
    assert run.report["scores"] == {QUERIES: 0.95, "citations": 0.5}
    assert any(not torch.equal(found[name], start[name]) for name in start)


def test_report_has_the_scores_of_a_protected_model_without_its_base(
    corpus: Corpus, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The base; then the mixtures with 0, 25, 50, 75 and 90 percent of it.
    values = iter([0.5, 0.9, 0.8, 0.7, 0.6, 0.5])
    monkeypatch.setattr(SearchScores, "__call__", lambda *_: {QUERIES: next(values)})
    monkeypatch.setattr(SearchScores, "scored", property(lambda self: {QUERIES: SCORED}))
    changes = {"keep_search": True, "start_share": 0.0}
    run = Run.create(tmp_path / "run", small_recipe("specter", corpus.folder, base, **changes))
    assert train(run, Ranks.single_process("cpu"), Options("cpu")).finished
    assert run.report is not None
    assert run.report["scores"] == {QUERIES: 0.9}


def test_report_has_the_scores_of_the_mixed_model(
    corpus: Corpus, base: Path, tmp_path: Path
) -> None:
    recipe = small_recipe("library", corpus.folder, base, keep_search=False)
    recipe = replace(recipe, grid={"start_share": (0.25, 0.75)})
    run = Run.create(tmp_path / "run", recipe)
    assert train_grid(run, Ranks.single_process("cpu"), Options("cpu")).finished
    assert run.report is not None
    for name, part in run.report["grid"].items():
        package = read_package(run.folder / "grid" / name / "package")
        measured = SearchScores(corpus, 20, recipe.seed)(Encoder(package, "cpu").encode)
        assert part["scores"] == pytest.approx(measured, abs=0.02)
    best = run.report["grid"][run.report["best"]]["scores"]
    assert run.report["scores"] == best
    assert sum(best.values()) == max(sum(p["scores"].values()) for p in run.report["grid"].values())


def test_scores_of_search_use_no_test_papers(corpus: Corpus) -> None:
    held_out = corpus.rows(Split.test).tolist()
    texts = {(corpus.title(row), corpus.abstract(row)) for row in held_out}
    encoded: list[tuple[str, str]] = []

    def encode(pairs: Any, *, queries: bool = False) -> Any:
        encoded.extend(pairs)
        return np.eye(len(pairs), 200, dtype=np.float32)

    assert len(SearchScores(corpus, 50, 1)(encode)) == 2
    assert encoded and not texts & set(encoded)


def test_library_training_reports_that_the_base_stays_better(
    corpus: Corpus, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = iter([0.9, 0.5, 0.6, 0.6, 0.7, 0.8])
    monkeypatch.setattr(SearchScores, "__call__", lambda *_: {QUERIES: next(values)})
    monkeypatch.setattr(SearchScores, "scored", property(lambda self: {QUERIES: SCORED}))
    recipe = small_recipe("specter", corpus.folder, base, keep_search=True)
    run = Run.create(tmp_path / "run", recipe)
    assert train(run, Ranks.single_process("cpu"), Options("cpu")).finished
    messages = [e.values["text"] for e in run.events() if e.kind == "warning"]
    assert any("base model" in message for message in messages)


def test_finished_training_names_its_tasks(corpus: Corpus, base: Path, tmp_path: Path) -> None:
    run = Run.create(tmp_path / "run", small_recipe("library", corpus.folder, base))
    assert train(run, Ranks.single_process("cpu"), Options("cpu")).finished
    assert "titles" in json.loads((run.folder / RECORDS).read_text("utf-8"))["tasks"]


@pytest.mark.parametrize(
    "recipe", ["specter-small", "multi2spe-small", "miread-small", "physbert-small"]
)
def test_anchored_recipe_keeps_similarities_of_the_base(
    corpus: Corpus, base: Path, recipe: str
) -> None:
    sizes: dict[str, Any] = {
        "miread-small": {"min_papers": 4, "head_scale": 1.0},
        "physbert-small": {"min_papers": 2, "category_pairs": 60, "together": 60},
    }

    def trained(anchor: float) -> tuple[Batch, torch.Tensor]:
        """The batch, and the similarities of its texts after the training."""
        method = make(corpus, base, recipe, anchor=anchor, **sizes.get(recipe, {}))
        # A classifier moves the vectors later than losses of similarities do.
        learn(method.stages[-1], 30 if recipe == "miread-small" else 12)
        batch = method.stages[-1].train.batch(np.arange(16), np.arange(16), 0)
        with torch.no_grad():
            vectors = F.normalize(method.encoder.vectors(batch.texts).float(), dim=1)
        return batch, vectors @ vectors.T

    batch, kept = trained(3000.0)
    assert batch.guide is not None
    before = batch.guide @ batch.guide.T
    _, free = trained(0.0)
    assert (kept - before).square().mean() < (free - before).square().mean() / 2


@pytest.mark.parametrize(
    ("recipe", "changes"),
    [
        ("specter-small", {"negatives": "drawn"}),
        ("specter-small", {"pooling": "pooler"}),
        ("specter-small", {"pooling": "scalar_mix"}),
        ("miread-small", {"head": "pooler"}),
        ("physbert-small", {"from_scratch": True}),
    ],
)
def test_anchor_that_cannot_be_used_is_refused(
    corpus: Corpus, base: Path, recipe: str, changes: dict[str, Any]
) -> None:
    with pytest.raises(TrainerError, match="anchor"):
        make(corpus, base, recipe, anchor=100.0, **{"keep_search": False} | changes)


def test_questions_in_full_texts_are_a_task(tmp_path: Path, base: Path) -> None:
    corpus = Corpus.open(small_corpus(tmp_path / "corpus", full_texts=True))
    shares = {"citation_share": 0.0, "group_share": 0.0, "title_share": 0.0, "sentence_share": 0.0}
    stage = make(corpus, base, "library-small", examples=60, **shares).stages[0]
    assert isinstance(stage.train, PaperExamples) and stage.train.rows.shape[1] == 3
    asked = np.flatnonzero(stage.train.parts[:, 0] == TextPart.passage_question)
    assert len(asked) >= 20
    questions, passages, negatives = stage.train.rows[asked].T
    assert (corpus.question_passages[questions] == passages).all()
    papers = corpus.passage_papers[passages]
    # The hard negative is the abstract of another paper of the same split.
    assert (corpus.split[negatives] == Split.train).all() and (negatives != papers).all()
    assert set(stage.train.parts[asked, 2]) == {TextPart.abstract}
    losses = learn(stage, 60)
    assert losses[-1] < 0.9 * losses[0]
