"""Models of every architecture, made with the libraries of their authors, give the same vectors."""

from __future__ import annotations

import json
import pickle
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Dense, Normalize, Transformer
from sentence_transformers.sentence_transformer.modules import LayerNorm, Pooling
from tokenizers import processors
from transformers import (
    AutoModel,
    BertConfig,
    CamembertConfig,
    DistilBertConfig,
    Gemma3TextConfig,
    MistralConfig,
    ModernBertConfig,
    MPNetConfig,
    NomicBertConfig,
    PreTrainedTokenizerFast,
    Qwen3Config,
    RobertaConfig,
    T5Config,
    T5EncoderModel,
    XLMRobertaConfig,
)

from tests.support.models.tiny_model import SPECIAL, WORDS, tokenizer
from trainer.contract.errors import PackageRefused
from trainer.encoder import Encoder
from trainer.encoders.opening import package_of

PAPERS = [
    ("deep graph learning", "we study the network of papers"),
    ("neural", ""),
    ("study of the deep network", "graph learning " * 9),
]
QUERIES = ["deep network", "the study of graph learning"]
_SIZE = {
    "vocab_size": len(SPECIAL) + len(WORDS),
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "max_position_embeddings": 66,
    "pad_token_id": 0,
}
_DECODER = _SIZE | {"num_key_value_heads": 2, "head_dim": 8, "bos_token_id": 2, "eos_token_id": 3}
_T5 = {
    "vocab_size": _SIZE["vocab_size"],
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 48,
    "num_layers": 2,
    "num_heads": 4,
    "pad_token_id": 0,
    "decoder_start_token_id": 0,
}
ARCHITECTURES = {
    "BERT": (BertConfig(**_SIZE), "mean"),
    "BERT with another activation": (BertConfig(**_SIZE, hidden_act="relu"), "cls"),
    "RoBERTa": (RobertaConfig(**_SIZE), "cls"),
    "XLM-R": (XLMRobertaConfig(**_SIZE), "mean"),
    "CamemBERT": (CamembertConfig(**_SIZE), "mean"),
    "MPNet": (MPNetConfig(**_SIZE), "mean"),
    "DistilBERT": (
        DistilBertConfig(
            vocab_size=_SIZE["vocab_size"], dim=32, n_layers=2, n_heads=4, hidden_dim=48
        ),
        "cls",
    ),
    "ModernBERT": (
        ModernBertConfig(**_SIZE, local_attention=8, cls_token_id=2, sep_token_id=3),
        "mean",
    ),
    "NomicBERT": (NomicBertConfig(**_SIZE), "mean"),
    "T5": (T5Config(**_T5), "mean"),
    "Qwen3": (Qwen3Config(**_DECODER), "lasttoken"),
    "Mistral": (MistralConfig(**_DECODER), "lasttoken"),
    "Gemma 3": (
        Gemma3TextConfig(**_DECODER, use_bidirectional_attention=True, sliding_window=8),
        "mean",
    ),
}


def make_transformer(folder, config, *, padding="right", ends_with_eos=False):
    """Write a transformer of random weights with a tokenizer."""
    torch.manual_seed(1)
    made = T5EncoderModel(config) if config.model_type == "t5" else AutoModel.from_config(config)
    for parameter in made.parameters():
        parameter.data.normal_(std=0.3)
    made.save_pretrained(folder)
    words = tokenizer([*SPECIAL, *WORDS])
    if ends_with_eos:
        words.post_processor = processors.TemplateProcessing(
            single="$A [SEP]", special_tokens=[("[SEP]", 3)]
        )
    names = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
    PreTrainedTokenizerFast(
        tokenizer_object=words,
        padding_side=padding,
        model_max_length=40,
        **{f"{name}_token": token for name, token in names.items()},
    ).save_pretrained(folder)


def make_model(folder, config, pooling="mean", *modules, prompts=None, **values):
    """Write a model of sentence-transformers, and open it there."""
    plain = folder.with_name(folder.name + "-plain")
    make_transformer(plain, config, **values)
    transformer = Transformer(str(plain), model_kwargs={"dtype": torch.float32})
    pool = Pooling(transformer.get_embedding_dimension(), pooling_mode=pooling)
    model = SentenceTransformer(modules=[transformer, pool, *modules], prompts=prompts or {})
    model.save(str(folder))
    return opened(folder)


def opened(folder):
    return SentenceTransformer(str(folder), device="cpu", model_kwargs={"dtype": torch.float32})


def ours(package, queries=False):
    encoder = Encoder(package, "cpu", exact=True)
    if queries:
        return encoder.encode([(text, "") for text in QUERIES], queries=True)
    return encoder.encode(PAPERS)


def theirs(model, queries=False, texts=None):
    if queries:
        return model.encode_query(QUERIES, normalize_embeddings=True)
    texts = texts or [f"{title} {abstract}".strip() for title, abstract in PAPERS]
    return model.encode_document(texts, normalize_embeddings=True)


def check_same(package, model):
    """The package, and the package opened with sentence-transformers, equal the model."""
    again = opened(package.folder)
    for queries in (False, True):
        expected = theirs(model, queries)
        assert np.abs(ours(package, queries) - expected).max() < 1e-5
        assert np.abs(theirs(again, queries) - expected).max() < 1e-5


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_package_of_architecture_equals_sentence_transformers(tmp_path, name):
    config, pooling = ARCHITECTURES[name]
    decoder = pooling == "lasttoken"
    model = make_model(
        tmp_path / "model",
        config,
        pooling,
        prompts={"query": "study: "},
        padding="left" if decoder else "right",
        ends_with_eos=decoder,
    )
    check_same(package_of(tmp_path / "model", tmp_path / "package"), model)


@pytest.mark.parametrize(
    "pooling",
    ["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken", ("cls", "max")],
)
def test_package_with_pooling_equals_sentence_transformers(tmp_path, pooling):
    model = make_model(tmp_path / "model", BertConfig(**_SIZE), pooling)
    package = package_of(tmp_path / "model", tmp_path / "package")
    assert package.dim == 32 * (1 if isinstance(pooling, str) else 2)
    check_same(package, model)


def test_modules_after_pooling_are_applied_in_order(tmp_path):
    torch.manual_seed(2)
    norm = LayerNorm(24)
    norm.norm.weight.data.normal_()
    modules = (
        Dense(32, 48, bias=False, activation_function=torch.nn.Identity()),
        Normalize(),
        Dense(48, 24),
        norm,
        Normalize(),
    )
    model = make_model(tmp_path / "model", BertConfig(**_SIZE), "mean", *modules)
    package = package_of(tmp_path / "model", tmp_path / "package")
    assert package.dim == 24 and len(package.head) == 4
    check_same(package, model)


def test_unknown_activation_is_refused(tmp_path):
    make_model(tmp_path / "model", BertConfig(**_SIZE), "mean", Dense(32, 8))
    path = tmp_path / "model" / "2_Dense" / "config.json"
    config = json.loads(path.read_text()) | {"activation_function": "somebody.Own"}
    path.write_text(json.dumps(config))
    with pytest.raises(PackageRefused, match="somebody"):
        package_of(tmp_path / "model", tmp_path / "package")


def test_modules_are_known_by_their_type_not_by_their_folder(tmp_path):
    model = make_model(tmp_path / "model", BertConfig(**_SIZE), "mean", Dense(32, 8))
    (tmp_path / "model" / "2_Dense").rename(tmp_path / "model" / "projection")
    path = tmp_path / "model" / "modules.json"
    path.write_text(path.read_text().replace("2_Dense", "projection"))
    package = package_of(tmp_path / "model", tmp_path / "package")
    assert (package.dim, package.head) == (8, ("2_Dense",))
    check_same(package, model)


@pytest.mark.parametrize("path", ["..\\..\\other", "\\\\server\\share", "C:/other", "/other"])
def test_module_outside_the_folder_is_refused(tmp_path, path):
    make_model(tmp_path / "model", BertConfig(**_SIZE), "mean", Dense(32, 8))
    file = tmp_path / "model" / "modules.json"
    modules = json.loads(file.read_text())
    modules[2]["path"] = path
    file.write_text(json.dumps(modules))
    with pytest.raises(PackageRefused, match="outside its folder"):
        package_of(tmp_path / "model", tmp_path / "package")


@pytest.mark.parametrize("path", ["\\\\server\\share", "//server/share", "C:\\base"])
def test_unsafe_path_of_base_model_is_refused(tmp_path, path):
    specter2_like(tmp_path / "adapter", path)
    with pytest.raises(PackageRefused, match="unsafe path"):
        package_of(tmp_path / "adapter", tmp_path / "package", "cls")


def test_prompts_of_queries_and_papers_differ(tmp_path):
    prompts = {"query": "graph {of}: ", "passage": "paper: ", "other": "study: "}
    make_model(tmp_path / "model", BertConfig(**_SIZE), prompts=prompts)
    package = package_of(tmp_path / "model", tmp_path / "package")
    model = opened(tmp_path / "model")
    # encode_document prefers the empty prompt that sentence-transformers adds as "document".
    texts = [f"paper: {title} {abstract}".strip() for title, abstract in PAPERS]
    assert np.abs(ours(package) - theirs(model, texts=texts)).max() < 1e-5
    assert np.abs(ours(package, queries=True) - theirs(model, queries=True)).max() < 1e-5
    assert (
        np.abs(
            ours(package, queries=True) - Encoder(package).encode([(text, "") for text in QUERIES])
        ).max()
        > 1e-3
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_weights_in_half_precision_stay_small(tmp_path, dtype):
    make_model(tmp_path / "model", Qwen3Config(**_DECODER), "lasttoken")
    path = tmp_path / "model" / "model.safetensors"
    weights = {name: value.to(dtype) for name, value in load_file(path).items()}
    save_file(weights, path, metadata={"format": "pt"})
    package = package_of(tmp_path / "model", tmp_path / "package")
    kept = load_file(package.folder / "model.safetensors")
    assert {value.dtype for value in kept.values()} == {dtype}
    check_same(package, opened(tmp_path / "model"))


@pytest.mark.parametrize("format", ["shards", "pytorch_model.bin"])
def test_weights_in_shards_or_torch_archive_are_read(tmp_path, format):
    model = make_model(tmp_path / "model", RobertaConfig(**_SIZE))
    path = tmp_path / "model" / "model.safetensors"
    weights = load_file(path)
    path.unlink()
    if format == "shards":
        half = len(weights) // 2
        parts = [dict(list(weights.items())[:half]), dict(list(weights.items())[half:])]
        names = [f"model-0000{number}-of-00002.safetensors" for number in (1, 2)]
        for name, part in zip(names, parts, strict=True):
            save_file(part, path.with_name(name), metadata={"format": "pt"})
        where = {key: name for name, part in zip(names, parts, strict=True) for key in part}
        index = {"metadata": {"total_size": 1}, "weight_map": where}
        path.with_name("model.safetensors.index.json").write_text(json.dumps(index))
    else:
        torch.save(weights, path.with_name(format))
    package = package_of(tmp_path / "model", tmp_path / "package")
    assert (package.folder / "model.safetensors").exists()
    check_same(package, model)


class _Malicious:
    def __reduce__(self):
        return (open, ("harm", "w"))


def test_torch_archive_with_code_is_refused_and_not_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_model(tmp_path / "model", BertConfig(**_SIZE))
    (tmp_path / "model" / "model.safetensors").unlink()
    torch.save({"weight": _Malicious()}, tmp_path / "model" / "pytorch_model.bin")
    with pytest.raises(PackageRefused, match="could run code"):
        package_of(tmp_path / "model", tmp_path / "package")
    assert not (tmp_path / "harm").exists()


def write_lora(folder, base, targets, **values):
    """Write a LoRA adapter as PEFT does, for the linear layers whose names end with one of
    `targets`; return the changes of their weights."""
    torch.manual_seed(5)
    folder.mkdir()
    described = {
        "peft_type": "LORA",
        "base_model_name_or_path": str(base),
        "r": 4,
        "lora_alpha": 12,
        "target_modules": targets,
        **values,
    }
    (folder / "adapter_config.json").write_text(json.dumps(described))
    weights, changes = {}, {}
    for name, weight in load_file(base / "model.safetensors").items():
        module = name.removesuffix(".weight")
        if weight.dim() == 2 and module.rpartition(".")[2] in targets:
            down, up = torch.randn(4, weight.shape[1]) / 9, torch.randn(weight.shape[0], 4)
            weights[f"base_model.model.{module}.lora_A.weight"] = down
            weights[f"base_model.model.{module}.lora_B.weight"] = up
            changes[name] = up @ down
    save_file(weights, folder / "adapter_model.safetensors")
    return changes


def merged_by_hand(base, folder, changes):
    """Copy the base model, with the changes added to its weights."""
    shutil.copytree(base, folder)
    weights = load_file(base / "model.safetensors")
    weights |= {name: weights[name] + change for name, change in changes.items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


@pytest.mark.parametrize("architecture", ["BERT", "Qwen3"])
@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ({}, 3),
        ({"use_rslora": True}, 6),
        ({"alpha_pattern": {"query|q_proj": 4}}, 1),
        ({"alpha_pattern": {r"^(encoder\.layer|layers)\..*": 4}}, 1),
    ],
)
def test_lora_is_added_to_the_weights_of_its_base(tmp_path, architecture, values, scale):
    config, pooling = ARCHITECTURES[architecture]
    base = tmp_path / "base"
    make_transformer(base, config)
    target = {"BERT": "query", "Qwen3": "q_proj"}[architecture]
    changes = write_lora(tmp_path / "adapter", base, [target], **values)
    assert changes
    merged_by_hand(base, tmp_path / "merged", {n: scale * value for n, value in changes.items()})
    package = package_of(tmp_path / "adapter", tmp_path / "package", pooling)
    expected = package_of(tmp_path / "merged", tmp_path / "expected", pooling)
    plain = package_of(base, tmp_path / "plain", pooling)
    assert np.abs(ours(package) - ours(expected)).max() < 1e-5
    assert np.abs(ours(package) - ours(plain)).max() > 1e-2


def test_lora_is_used_like_its_base_with_modules_after_the_pooling(tmp_path):
    make_model(
        tmp_path / "base", BertConfig(**_SIZE), "mean", Dense(32, 8), prompts={"query": "study: "}
    )
    changes = write_lora(tmp_path / "adapter", tmp_path / "base", ["query"])
    merged_by_hand(
        tmp_path / "base", tmp_path / "merged", {name: 3 * value for name, value in changes.items()}
    )
    package = package_of(tmp_path / "adapter", tmp_path / "package")
    expected = package_of(tmp_path / "merged", tmp_path / "expected")
    assert (package.dim, package.query_template) == (8, "study: {title}")
    for queries in (False, True):
        assert np.abs(ours(package, queries) - ours(expected, queries)).max() < 1e-5


def test_lora_for_an_installed_model_is_used_like_it(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIREAD_HOME", str(tmp_path / "home"))
    make_model(tmp_path / "base", BertConfig(**_SIZE), "max", Dense(32, 8))
    write_lora(tmp_path / "adapter", tmp_path / "base", ["query"])
    file = tmp_path / "adapter" / "adapter_config.json"
    described = json.loads(file.read_text()) | {"base_model_name_or_path": "somebody/base"}
    file.write_text(json.dumps(described))
    package_of(tmp_path / "base", tmp_path / "home" / "models" / "somebody--base")
    package = package_of(tmp_path / "adapter", tmp_path / "package")
    assert (package.pooling, package.dim, package.head) == ("max", 8, ("2_Dense",))


def test_lora_of_another_base_is_refused_with_the_names_of_both(tmp_path):
    make_transformer(tmp_path / "base", BertConfig(**_SIZE))
    write_lora(tmp_path / "adapter", tmp_path / "base", ["query"])
    make_transformer(tmp_path / "other", BertConfig(**_SIZE | {"hidden_size": 16}))
    file = tmp_path / "adapter" / "adapter_config.json"
    described = json.loads(file.read_text()) | {"base_model_name_or_path": str(tmp_path / "other")}
    file.write_text(json.dumps(described))
    with pytest.raises(PackageRefused, match=r"adapter.*other"):
        package_of(tmp_path / "adapter", tmp_path / "package", "cls")


@pytest.mark.parametrize("architecture", ["BERT", "Qwen3"])
def test_lora_made_by_peft_is_merged_as_peft_does(tmp_path, architecture):
    peft = pytest.importorskip("peft")
    config, pooling = ARCHITECTURES[architecture]
    make_transformer(tmp_path / "base", config)
    targets = {"BERT": ["query", "dense"], "Qwen3": ["q_proj", "down_proj"]}[architecture]
    lora = peft.LoraConfig(
        r=4, lora_alpha=12, target_modules=targets, use_rslora=True, alpha_pattern={targets[0]: 5}
    )
    base = AutoModel.from_pretrained(tmp_path / "base", dtype=torch.float32)
    adapted = peft.get_peft_model(base, lora)
    for name, parameter in adapted.named_parameters():
        if "lora_" in name:
            parameter.data.normal_(std=0.3)
    adapted.save_pretrained(tmp_path / "adapter")
    merged = adapted.merge_and_unload()
    merged.save_pretrained(tmp_path / "merged")
    for path in (tmp_path / "base").glob("tokenizer*"):
        shutil.copy(path, tmp_path / "merged")
    package = package_of(tmp_path / "adapter", tmp_path / "package", pooling)
    expected = package_of(tmp_path / "merged", tmp_path / "expected", pooling)
    plain = package_of(tmp_path / "base", tmp_path / "plain", pooling)
    assert np.abs(ours(package) - ours(expected)).max() < 1e-5
    assert np.abs(ours(package) - ours(plain)).max() > 1e-2


def specter2_like(folder, base):
    """Write an adapter as the library Adapters does for SPECTER2, and return its weights."""
    torch.manual_seed(3)
    folder.mkdir()
    weights = {}
    for layer in range(2):
        name = f"bert.encoder.layer.{layer}.output.adapters.[PRX]"
        for part, shape in (("down.0", (4, 32)), ("up", (32, 4))):
            weights[f"{name}.adapter_{part}.weight"] = torch.randn(shape)
            weights[f"{name}.adapter_{part}.bias"] = torch.randn(shape[0])
    torch.save(weights, folder / "pytorch_adapter.bin")
    described = {
        "config": {
            "original_ln_before": True,
            "original_ln_after": True,
            "residual_before_ln": True,
            "output_adapter": True,
            "mh_adapter": False,
            "non_linearity": "relu",
            "reduction_factor": 8,
        },
        "model_name": str(base),
        "model_type": "bert",
        "name": "[PRX]",
    }
    (folder / "adapter_config.json").write_text(json.dumps(described))
    return weights


def test_bottleneck_adapter_of_specter2_is_applied(tmp_path):
    make_transformer(tmp_path / "base", BertConfig(**_SIZE))
    weights = specter2_like(tmp_path / "adapter", tmp_path / "base")
    package = package_of(tmp_path / "adapter", tmp_path / "package", "cls")

    model = AutoModel.from_pretrained(tmp_path / "base", dtype=torch.float32).eval()
    for number, layer in enumerate(model.encoder.layer):
        name = f"bert.encoder.layer.{number}.output.adapters.[PRX].adapter_"
        part = {key.removeprefix(name): value for key, value in weights.items()}

        def forward(hidden, before, output=layer.output, part=part):
            total = output.dense(hidden) + before
            down = output.LayerNorm(total) @ part["down.0.weight"].T + part["down.0.bias"]
            up = down.relu() @ part["up.weight"].T + part["up.bias"]
            return output.LayerNorm(up + total)

        layer.output.forward = forward
    reader = Encoder(package, "cpu", exact=True).text
    with torch.no_grad():
        expected = [
            model(torch.tensor([ids])).last_hidden_state[0, 0] for ids in reader.ids(PAPERS)
        ]
    expected = torch.nn.functional.normalize(torch.stack(expected), dim=1).numpy()
    assert np.abs(ours(package) - expected).max() < 1e-5


def test_package_with_an_adapter_is_not_offered_to_other_programs(tmp_path):
    """They would ignore the adapter, and return other vectors."""
    make_transformer(tmp_path / "base", BertConfig(**_SIZE))
    specter2_like(tmp_path / "adapter", tmp_path / "base")
    package = package_of(tmp_path / "adapter", tmp_path / "package", "cls")
    modules = json.loads((package.folder / "modules.json").read_text())
    assert not any(module["type"].endswith(".Pooling") for module in modules)
    assert "SentenceTransformer(" not in (package.folder / "README.md").read_text()


@pytest.mark.parametrize(
    "body", [b"<html></html>", b"version https://git-lfs", b"", b"PK\x03\x04x"]
)
def test_damaged_torch_weights_are_refused_as_damaged(tmp_path, body):
    make_transformer(tmp_path / "model", BertConfig(**_SIZE))
    (tmp_path / "model" / "model.safetensors").unlink()
    (tmp_path / "model" / "pytorch_model.bin").write_bytes(body)
    with pytest.raises(PackageRefused) as caught:
        package_of(tmp_path / "model", tmp_path / "package", "cls")
    assert "run code" not in str(caught.value)


@pytest.mark.parametrize("protocol", [2, 4])
def test_pickle_is_refused_because_it_could_run_code(tmp_path, protocol, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_transformer(tmp_path / "model", BertConfig(**_SIZE))
    (tmp_path / "model" / "model.safetensors").unlink()
    (tmp_path / "model" / "pytorch_model.bin").write_bytes(pickle.dumps(_Malicious(), protocol))
    with pytest.raises(PackageRefused, match="could run code"):
        package_of(tmp_path / "model", tmp_path / "package", "cls")
    assert not (tmp_path / "harm").exists()


def test_class_named_in_the_config_is_not_looked_up(tmp_path):
    """A package names its type of model, which must be one of a list; nothing else is imported."""
    make_transformer(tmp_path / "model", RobertaConfig(**_SIZE))
    package = package_of(tmp_path / "model", tmp_path / "package", "cls")
    config = json.loads((package.folder / "config.json").read_text())
    for name in ("EvilEncoderModel", "T5EncoderModel"):
        (package.folder / "config.json").write_text(json.dumps(config | {"architectures": [name]}))
        assert ours(package).shape == (3, 32)


def test_model_without_weights_is_refused(tmp_path):
    make_transformer(tmp_path / "model", BertConfig(**_SIZE))
    (tmp_path / "model" / "model.safetensors").unlink()
    with pytest.raises(PackageRefused, match="no weights"):
        package_of(tmp_path / "model", tmp_path / "package", "cls")


def test_adapter_without_its_base_names_it(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIREAD_HOME", str(tmp_path / "home"))
    specter2_like(tmp_path / "adapter", "somebody/base")
    with pytest.raises(PackageRefused, match="somebody/base") as caught:
        package_of(tmp_path / "adapter", tmp_path / "package", "cls")
    assert "pull somebody/base" in caught.value.hint
