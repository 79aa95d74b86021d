from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import DistilBertConfig, DistilBertModel

from tests.support.golden import golden
from tests.support.models.tiny_model import tiny_package
from trainer.contract.errors import PackageRefused
from trainer.contract.package import Package, starter_package, write_package
from trainer.encoder import Encoder, TextReader
from trainer.model import backbone
from trainer.model.bert import After
from trainer.model.packed import Packed, pack
from trainer.model.padded import Padded

PAPERS = [
    ("Deep graph learning", "We study the citation graph of papers."),
    ("Neural networks", ""),
    ("", "We study."),
    ("", ""),
    ("The paper, the network", "the citation of the citation " * 40),
    ("deep " * 90, "we study"),
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    return Encoder(tiny_package(tmp_path_factory.mktemp("models") / "tiny"))


@pytest.fixture(scope="module")
def starter() -> Encoder:
    return Encoder(starter_package())


def reader_of(package: Package) -> TextReader:
    return TextReader(package.folder, package.template, package.max_tokens, package.cls_tokens)


@pytest.mark.parametrize(
    ("template", "key"),
    [
        ("{title}{sep}{abstract}", "hf_specter_miread"),
        ("{title} {abstract}", "no_sep_embed_script"),
    ],
)
def test_texts_become_the_reference_tokens(
    shared: Path, tmp_path: Path, template: str, key: str
) -> None:
    case = golden(shared, "input_format_tokens")
    package = tiny_package(
        tmp_path / "m",
        vocabulary=case["inputs"]["vocab"],
        template=template,
        max_tokens=case["inputs"]["max_length"],
    )
    docs = [(doc["title"], doc["abstract"] or "") for doc in case["inputs"]["docs"]]
    expected = [row[key] for row in case["expected"] if key in row]
    assert reader_of(package).ids(docs[: len(expected)]) == expected


@pytest.mark.parametrize("file", ["tokenizer_config.json", "special_tokens_map.json"])
def test_separator_is_that_of_the_tokenizer(tmp_path: Path, file: str) -> None:
    package = tiny_package(tmp_path / "m")
    (package.folder / "tokenizer_config.json").unlink(missing_ok=True)
    (package.folder / file).write_text(
        json.dumps({"sep_token": {"content": "[MASK]"}, "pad_token": "[PAD]"})
    )
    assert reader_of(package).ids([("deep", "graph")]) == [[2, 5, 4, 6, 3]]


def test_encode_gives_unit_vectors_in_order(tiny: Encoder) -> None:
    vectors = tiny.encode(PAPERS)
    assert vectors.shape == (len(PAPERS), 32)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    backwards = tiny.encode(PAPERS[::-1])[::-1]
    assert (vectors * backwards).sum(1).min() > 0.9999
    assert tiny.encode([]).shape == (0, 32)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.text(), st.text()), max_size=12))
def test_any_text_has_a_vector(tiny: Encoder, papers: list[tuple[str, str]]) -> None:
    vectors = tiny.encode(papers)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_lone_surrogate_is_ignored(tiny: Encoder) -> None:
    assert np.isfinite(tiny.encode([("deep \ud800 graph", "")])).all()


def test_vector_of_a_paper_is_independent_of_its_batch(starter: Encoder) -> None:
    papers = [(f"On the citation of {n} networks", "We study the graph. " * n) for n in range(40)]
    together = starter.encode(papers)
    alone = np.concatenate([starter.encode([paper]) for paper in papers])
    assert (together * alone).sum(1).min() > 0.9999


@pytest.mark.parametrize("pooling", ["cls", "mean", "mean_no_special"])
def test_own_bert_equals_transformers(tmp_path: Path, pooling: str) -> None:
    package = tiny_package(tmp_path / "m", pooling=pooling)
    ours = Encoder(package, "cpu", exact=True)
    theirs = Encoder(package, "cpu", exact=True)
    assert isinstance(ours._backbone, backbone.InferenceBert)
    theirs._backbone = Padded(package.folder).eval()
    np.testing.assert_allclose(ours.encode(PAPERS), theirs.encode(PAPERS), atol=2e-6)


def test_bfloat16_gives_nearly_the_same_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    papers = [(f"The graph of {n} papers", "A study of networks. " * n) for n in range(1, 30)]
    found = []
    for has_bf16 in (True, False):
        monkeypatch.setattr(backbone, "cpu_multiplies_bf16", lambda has=has_bf16: has)
        found.append(Encoder(starter_package(), "cpu").encode(papers))
    assert (found[0] * found[1]).sum(1).mean() > 0.999


def test_starter_model_recognises_related_texts(starter: Encoder) -> None:
    query, near, far = starter.encode(
        [
            ("predicting protein structure", ""),
            ("Highly accurate folding of amino acid chains", "We predict protein shapes."),
            ("A survey of river erosion", "Sediment is carried downstream."),
        ]
    )
    assert query @ near > query @ far + 0.3


def test_other_architecture_is_run_by_transformers(tmp_path: Path) -> None:
    package = tiny_package(tmp_path / "m")
    config = DistilBertConfig(
        vocab_size=16, dim=32, hidden_dim=64, n_heads=4, n_layers=1, max_position_embeddings=64
    )
    source = tmp_path / "distil"
    DistilBertModel(config).save_pretrained(source)
    (source / "tokenizer.json").write_bytes((package.folder / "tokenizer.json").read_bytes())
    other = Encoder(write_package(replace(package, folder=tmp_path / "d"), source), "cpu")
    assert not isinstance(other._backbone, backbone.InferenceBert)
    np.testing.assert_allclose(np.linalg.norm(other.encode(PAPERS), axis=1), 1, atol=1e-5)


def test_model_with_too_few_positions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackageRefused, match="64"):
        Encoder(tiny_package(tmp_path / "m", max_tokens=65))


def test_tokenizer_without_tokens_for_several_cls_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackageRefused, match=r"\[unused1\]"):
        Encoder(tiny_package(tmp_path / "m", pooling="multi_cls", cls_tokens=3))


def test_out_of_memory_halves_the_batch(tmp_path: Path) -> None:
    encoder = Encoder(tiny_package(tmp_path / "m"))
    expected, run = encoder.encode(PAPERS), encoder._backbone

    def small(texts: Packed, after: After) -> torch.Tensor:
        if len(texts.lengths) > 1:
            raise torch.OutOfMemoryError
        return run(texts, after)

    encoder._backbone = small
    found = encoder.encode(PAPERS)
    assert (found * expected).sum(1).min() > 0.9999
    encoder._backbone = lambda texts, after: small(pack([[2, 3]] * 2), after)
    with pytest.raises(torch.OutOfMemoryError):
        encoder.encode(PAPERS)
