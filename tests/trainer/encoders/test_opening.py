from __future__ import annotations

import json
import pickle
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.support.distributed.evaluation_ranks import PAPERS as MANY
from tests.support.distributed.ranks import ended, start_ranks
from tests.support.models.tiny_model import tiny_package
from trainer.contract.errors import PackageRefused, TrainerError
from trainer.contract.package import Package, starter_package, write_package
from trainer.encoder import Encoder
from trainer.encoders.model_encoder import ModelEncoder
from trainer.encoders.opening import open_encoder
from trainer.encoders.vector_cache import VectorCache
from trainer.evaluations.base import EvaluationTask, TextInput
from trainer.evaluations.metrics.matrices import l2_normalize
from trainer.packages.export import export
from trainer.version import trainer_version

pytestmark = pytest.mark.usefixtures("forked_python")

PAPERS = [
    TextInput("a", "Deep graph learning", "We study the network of papers."),
    TextInput("long", "The paper", "we study " * 60),
    TextInput("none", " ", ""),
    TextInput("same", "Deep graph learning", "We study the network of papers."),
]
QUERIES = [TextInput("q", "neural network"), TextInput("none", "")]


@pytest.fixture
def tiny(tmp_path: Path) -> Package:
    return tiny_package(tmp_path / "tiny")


@pytest.fixture
def cache(tmp_path: Path) -> VectorCache:
    return VectorCache(tmp_path / "cache")


@pytest.fixture
def sentence_model(tmp_path: Path, tiny: Package) -> Path:
    """A folder in the format of sentence-transformers, without package.json."""
    made = export(
        tmp_path / "tiny-source",
        replace(tiny, folder=tmp_path / "st", template="{title} {abstract}"),
    )
    for name in ("package.json", "metrics.json", "README.md"):
        (made.folder / name).unlink()
    return made.folder


def test_package_vectors_are_not_normalized(tiny, cache):
    made = open_encoder(str(tiny.folder), cache=cache, exact=True).encode(PAPERS, QUERIES)
    encoder = Encoder(tiny, exact=True)
    expected = encoder.encode([(paper.title, paper.abstract) for paper in PAPERS[:2]])
    rows = made.papers.matrix[:2]
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    assert np.abs(lengths - 1).min() > 0.1
    assert np.allclose(rows / lengths, expected, atol=1e-5)

    assert open_encoder(str(tiny.folder), cache=cache, exact=True).encode(PAPERS).queries is None


def test_papers_without_text_have_no_vector_and_equal_texts_equal_ones(tiny, cache):
    made = open_encoder(str(tiny.folder), cache=cache).encode(PAPERS, QUERIES)
    assert (made.papers.ids, made.papers.empty) == (["a", "long", "same"], {"none"})
    assert (made.queries.ids, made.queries.empty) == (["q"], {"none"})
    assert np.array_equal(made.papers.matrix[0], made.papers.matrix[2])


def test_encode_counts_tokens_and_truncated_texts(tiny, cache):
    cost = open_encoder(str(tiny.folder), cache=cache).encode(PAPERS, QUERIES).cost
    assert (cost.texts, cost.cut) == (3, 1)  # equal texts are encoded once
    assert cost.tokens > tiny.max_tokens
    assert cost.seconds > 0
    assert cost.texts_per_second == pytest.approx(3 / cost.seconds)
    again = open_encoder(str(tiny.folder), cache=cache).encode(PAPERS, QUERIES).cost
    assert again == cost


def test_truncated_papers_are_counted_but_not_queries(tiny, cache):
    encoder = open_encoder(str(tiny.folder), cache=cache)
    twice = [PAPERS[1], PAPERS[1]._replace(id="again"), PAPERS[0]]
    assert encoder.encode(twice, [TextInput("q", "study " * 90)]).cost.cut == 2


def test_text_of_maximum_length_is_not_truncated(tiny, cache):
    encoder = open_encoder(str(tiny.folder), cache=cache)
    fits = TextInput("fits", "deep " * (tiny.max_tokens - 3))  # besides [CLS] and two [SEP]
    cost = encoder.encode([fits]).cost
    assert (cost.tokens, cost.cut) == (tiny.max_tokens, 0)
    assert encoder.encode([TextInput("not", fits.title + "deep")]).cost.cut == 1


def test_encode_after_kill_reuses_cached_vectors(tiny, cache, monkeypatch):
    encoded: list[int] = []
    encode = Encoder.encode_ids

    def twice_then_killed(self, ids):
        if len(encoded) == 2:
            raise KeyboardInterrupt
        encoded.append(len(ids))
        return encode(self, ids)

    monkeypatch.setattr(Encoder, "encode_ids", twice_then_killed)
    with pytest.raises(KeyboardInterrupt):
        open_encoder(str(tiny.folder), cache=cache).encode(MANY)
    done = sum(encoded)

    encoded.clear()
    monkeypatch.setattr(
        Encoder, "encode_ids", lambda self, ids: encoded.append(len(ids)) or encode(self, ids)
    )
    messages: list[str] = []
    open_encoder(str(tiny.folder), cache=cache, note=messages.append).encode(MANY)
    assert sum(encoded) == len(MANY) - done
    assert done > 0
    assert f"{done:,} are cached" in messages[0]


def test_vectors_of_another_precision_are_cached_separately(tiny, cache, monkeypatch):
    open_encoder(str(tiny.folder), cache=cache, exact=True).encode(PAPERS)
    (key,) = (path.name for path in cache.folder.iterdir())
    assert key.startswith(f"{tiny.space}-float32-") and key.endswith(trainer_version())


@pytest.mark.parametrize("changed", ["tokenizer.json", "config.json"])
def test_changed_model_files_are_encoded_again_as_another_subject(tmp_path, cache, changed):
    one = tiny_package(tmp_path / "one")
    first = open_encoder(str(one.folder), cache=cache, exact=True)
    source = tmp_path / "one-source"
    text = (source / changed).read_text()
    if changed == "config.json":
        text = text.replace("1e-12", "0.5")
    else:  # swap two words, which leaves the weights unchanged
        text = re.sub('"deep"|"graph"', lambda m: {'"deep"': '"graph"'}.get(m[0], '"deep"'), text)
    (source / changed).write_text(text)
    other = write_package(replace(one, folder=tmp_path / "other"), source)
    assert other.space == one.space
    second = open_encoder(str(other.folder), cache=cache, exact=True)
    before, after = (made.encode(PAPERS).papers.matrix for made in (first, second))
    assert not np.array_equal(before[0], after[0])
    assert first.subject.about["files"] != second.subject.about["files"]


def test_model_trained_on_an_unseen_journal_is_excluded(tmp_path, cache):
    run = tiny_package(tmp_path / "run" / "package").folder.parent
    encoder = open_encoder(str(run / "package"), cache=cache)
    task = EvaluationTask(
        "unseen", "probe", "unseen", "", PAPERS, None, unseen=frozenset({"Nature"})
    )
    assert encoder.unsupported_reason(task) == ""
    (run / "records.json").write_text(json.dumps({"classes": ["cell", "NATURE"]}))
    assert encoder.unsupported_reason(task) == (
        "the model was trained on Nature, which must be unseen"
    )
    assert encoder.unsupported_reason(replace(task, unseen=frozenset())) == ""


def test_encode_with_full_disk_notes_it_and_returns_vectors(tiny, cache, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache, "write", full)
    messages: list[str] = []
    made = open_encoder(str(tiny.folder), cache=cache, note=messages.append).encode(PAPERS)
    assert len(made.papers.ids) == 3
    assert "No space left" in messages[-1]


def test_subject_describes_the_model(tiny, cache):
    subject = open_encoder(str(tiny.folder), cache=cache, exact=True).subject
    assert (subject.id, subject.kind, subject.dim) == ("tiny", "package", 32)
    assert subject.space == tiny.space
    about = subject.about
    assert about["parameters"] == 32 * (16 + 64 + 2) + 2 * 32 + 2 * (
        4 * (32 * 32 + 32) + 2 * 32 * 64 + 64 + 32 + 4 * 32
    )
    assert about["bytes"] == (tiny.folder / "model.safetensors").stat().st_size
    assert (about["pooling"], about["precision"], about["device"]) == ("mean", "float32", "cpu")


def test_starter_model_is_an_encoder(cache):
    subject = open_encoder("starter", cache=cache).subject
    assert subject.space == starter_package().space
    assert 22e6 < subject.about["parameters"] < 23e6


def test_plain_folder_without_pooling_is_refused(tmp_path, tiny, cache):
    plain = tmp_path / "tiny-source"
    with pytest.raises(PackageRefused, match="does not specify its pooling") as caught:
        open_encoder(str(plain), cache=cache)
    assert "--pooling" in caught.value.hint
    encoder = open_encoder(str(plain), cache=cache, pooling="mean", exact=True)
    assert (encoder.subject.kind, encoder.subject.id) == ("folder", "tiny-source")
    found = encoder.encode(PAPERS).papers.matrix
    package = open_encoder(str(tiny.folder), cache=VectorCache(tmp_path / "other"), exact=True)
    expected = package.encode(PAPERS).papers.matrix
    # The model's limit is 64 tokens, the package's 48.
    assert np.allclose(found[0], expected[0], atol=1e-5)


def test_sentence_transformers_folder_equals_the_library(sentence_model, cache):
    encoder = open_encoder(str(sentence_model), cache=cache, exact=True)
    ours = l2_normalize(encoder.encode(PAPERS).papers.matrix)

    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(str(sentence_model), device="cpu").encode(
        [f"{paper.title} {paper.abstract}" for paper in PAPERS[:2]]
    )
    assert (ours[:2] * theirs).sum(1).min() > 0.99999
    assert "Normalize" in encoder.subject.about["left_out"]


def test_model_without_normalize_has_no_note(sentence_model, cache):
    path = sentence_model / "modules.json"
    parts = [part for part in json.loads(path.read_text()) if "Normalize" not in part["type"]]
    path.write_text(json.dumps(parts))
    assert "left_out" not in open_encoder(str(sentence_model), cache=cache).subject.about


def test_default_prompt_precedes_every_text(sentence_model, cache):
    plain = open_encoder(str(sentence_model), cache=cache, exact=True)
    described = {"prompts": {"q": "deep graph "}, "default_prompt_name": "q"}
    (sentence_model / "config_sentence_transformers.json").write_text(json.dumps(described))
    prompted = open_encoder(str(sentence_model), cache=cache, exact=True)
    assert prompted.subject.space != plain.subject.space
    found = prompted.encode([TextInput("a", "network")]).papers.matrix
    expected = plain.encode([TextInput("a", "deep graph network")]).papers.matrix
    assert np.allclose(found, expected, atol=1e-5)


def test_unsupported_module_is_refused(sentence_model, cache):
    path = sentence_model / "modules.json"
    parts = json.loads(path.read_text())
    own = {"idx": 3, "name": "3", "path": "3_Own", "type": "somebody.code.Own"}
    path.write_text(json.dumps([*parts, own]))
    with pytest.raises(PackageRefused, match=r"somebody\.code\.Own"):
        open_encoder(str(sentence_model), cache=cache)
    path.write_text(json.dumps([{"type": "a.Transformer", "path": "../elsewhere"}]))
    with pytest.raises(PackageRefused, match="outside"):
        open_encoder(str(sentence_model), cache=cache)


def test_pickled_weights_are_refused(tmp_path, tiny, cache):
    plain = tmp_path / "old"
    shutil.copytree(tmp_path / "tiny-source", plain)
    (plain / "model.safetensors").unlink()
    (plain / "pytorch_model.bin").write_bytes(pickle.dumps(Path("a"), 2))  # more than numbers
    with pytest.raises(PackageRefused, match="could run code"):
        open_encoder(str(plain), cache=cache, pooling="cls")


def test_hub_model_is_pulled_once(tmp_path, tiny, cache, monkeypatch):
    monkeypatch.setenv("SCIREAD_HOME", str(tmp_path / "home"))
    pulled: list[str] = []

    def pull(name: str, folder: Path, **_: object) -> None:
        pulled.append(name)
        shutil.copytree(tiny.folder, folder)

    monkeypatch.setattr("trainer.packages.pull.pull", pull)
    for _ in range(2):
        assert open_encoder("owner/model", cache=cache).subject.id == "tiny"
    assert pulled == ["owner/model"]


@pytest.mark.parametrize("name", ["nothing-of-this-name", "./no/such/folder"])
def test_unknown_name_is_not_requested_from_the_hub(name, cache, monkeypatch, tmp_path):
    monkeypatch.setenv("SCIREAD_HOME", str(tmp_path))
    with pytest.raises(TrainerError, match=r"The model .* does not exist"):
        open_encoder(name, cache=cache)


def test_baselines_are_opened_without_a_model():
    for name in ("tf-idf", "bm25", "random"):
        assert open_encoder(name).subject.id == name


@pytest.mark.slow
def test_two_ranks_encode_the_same_vectors_as_one(tmp_path, tiny):
    """Vectors, outcomes and errors are identical, also if only one rank's cache knows some."""
    found = {}
    for world in (1, 2):
        cache = tmp_path / f"cache of {world}"
        processes = start_ranks(
            world, "tests.support.distributed.evaluation_ranks", str(tiny.folder), str(cache)
        )
        ranks = ended(processes)
        assert [rank.code for rank in ranks] == [0] * world, ranks
        found[world] = [json.loads(rank.out) for rank in ranks]
    assert found[2] == [found[1][0]] * 2
    outcomes = found[1][0]["outcomes"]
    assert outcomes[2] == "There is only one class."
    assert outcomes[1]["sum"] > 0
    assert [outcome["sum"] // outcomes[1]["sum"] for outcome in outcomes[3:]] == [3, 4]


def test_ranks_with_different_caches_agree_on_missing_texts(tmp_path, tiny):
    """A text missing in one rank's cache is encoded by all, with the same result."""
    encoder = open_encoder(str(tiny.folder), cache=VectorCache(tmp_path / "cache"))
    assert isinstance(encoder, ModelEncoder)
    asked: list[list[float]] = []

    class OtherLacksAll:
        rank, world, main, device = 0, 1, True, encoder._ranks.device

        def total(self, numbers: list[float]) -> list[float]:
            asked.append(numbers)
            return [number + 1 for number in numbers]

    encoder.encode(PAPERS)
    encoder._ranks = OtherLacksAll()
    messages: list[str] = []
    encoder._note = messages.append
    encoder.encode(PAPERS)
    assert asked == [[False, False]]
    assert "is encoding 2 texts" in messages[0]
