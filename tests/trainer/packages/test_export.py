from dataclasses import replace

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from transformers import AutoModel

from tests.support.models.tiny_model import tiny_package
from trainer.contract.errors import PackageRefused
from trainer.encoder import Encoder
from trainer.packages.export import card, export

PAPERS = [
    ("Deep graph learning", "We study the network of papers."),
    ("Neural networks", ""),
    ("The paper", "we study " * 60),
]


def exported(tmp_path, pooling, **values):
    package = tiny_package(tmp_path / "tiny")
    source = tmp_path / "tiny-source"
    described = {"folder": tmp_path / "made", "id": "made", "pooling": pooling, "max_tokens": 32}
    return export(source, replace(package, **(described | values)))


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_sentence_transformers_gives_the_same_vectors(tmp_path, pooling):
    package = exported(tmp_path, pooling)
    ours = Encoder(package, "cpu", exact=True).encode(PAPERS)

    model = SentenceTransformer(str(package.folder), device="cpu")
    theirs = model.encode([title + model.tokenizer.sep_token + text for title, text in PAPERS])

    assert (ours * theirs).sum(1).min() > 0.99999
    assert np.allclose(np.linalg.norm(theirs, axis=1), 1, atol=1e-5)


def test_transformers_opens_an_exported_package(tmp_path):
    package = exported(tmp_path, "cls")
    model = AutoModel.from_pretrained(package.folder)
    assert model.config.hidden_size == package.dim


def test_sentence_transformers_refuses_unsupported_pooling(tmp_path):
    package = exported(tmp_path, "mean_no_special")
    for trusted in (False, True):
        with pytest.raises(ImportError, match="open_this_model_with_sciread") as refused:
            SentenceTransformer(str(package.folder), trust_remote_code=trusted)
        assert "third-party" not in str(refused.value)


def test_card_describes_model_and_metrics(tmp_path):
    source = tmp_path / "tiny-source"
    package = replace(
        tiny_package(tmp_path / "tiny"),
        folder=tmp_path / "made",
        title="SPECTER of mine",
        method="specter",
        base="allenai/scibert_scivocab_uncased",
        licence="Apache-2.0",
        corpus={"papers": 1234, "sha256": "ab" * 32},
    )
    score = {"evaluation": "ranking", "metric": "map", "value": 0.8712, "n": 300, "split": "test"}
    score |= {"task": "citations", "before": 0.8, "real": True}
    export(source, package, metrics=[score], notes=["A word of ours."])

    card = (package.folder / "README.md").read_text()
    assert card.startswith("---\nlibrary_name: ")
    for result in (
        "# SPECTER of mine",
        "allenai/scibert_scivocab_uncased",
        "1,234 papers",
        "| citations | MAP | 80.00 | 87.12 | significant | 300 | test |",
        "A word of ours.",
        'license: "apache-2.0"',
        "SentenceTransformer" if package.pooling in ("cls", "mean") else "AutoModel",
    ):
        assert result in card


@pytest.mark.parametrize(
    ("base", "named", "expected"),
    [
        ("allenai/specter", "allenai/specter", "allenai/specter"),
        ("arazd/MIReAD@0a1b2c3d", "arazd/MIReAD", "arazd/MIReAD@0a1b2c3d"),
        ("starter", *["sentence-transformers/all-MiniLM-L6-v2"] * 2),
        ("/home/me/runs/first/package", None, "package"),
        ("mine", None, "mine"),
    ],
)
def test_card_names_the_base_model_of_the_hub(tmp_path, base, named, expected):
    package = replace(tiny_package(tmp_path / "tiny"), base=base, method="specter")
    output = card(package)
    lines = [line for line in output.splitlines() if line.startswith("base_model")]
    assert lines == ([f'base_model: "{named}"'] if named else [])
    assert f"with the method specter from the base model {expected}." in output
    assert "/home" not in output


def test_export_never_replaces_an_existing_model(tmp_path):
    package = exported(tmp_path, "cls")
    with pytest.raises(PackageRefused, match="already contains a model"):
        export(tmp_path / "tiny-source", package)
