import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from huggingface_hub import HfApi, constants
from huggingface_hub.utils import httpx
from safetensors.numpy import load, save

from tests.support.models.tiny_model import tiny_package
from tests.support.servers import faults
from tests.support.servers.hub_server import HubServer, Model
from trainer import cli
from trainer.contract.catalog import METHODS
from trainer.contract.errors import TrainerError
from trainer.contract.package import find_model, read_package
from trainer.encoder import Encoder
from trainer.packages import pull as pulling

TYPE = "sentence_transformers.models."
ROBOT = "Adding `safetensors` variant of this model"


@pytest.fixture
def hub():
    with HubServer() as server:
        yield server


@pytest.fixture
def files(tmp_path):
    """The files of a BERT with its head, as on the hub."""
    source = tmp_path / "tiny-source"
    tiny_package(tmp_path / "tiny")
    weights = load((source / "model.safetensors").read_bytes())
    named = {f"bert.{name}": value for name, value in weights.items()}
    named["classifier.weight"] = np.ones((7, 32), np.float32)
    return {
        "config.json": (source / "config.json").read_bytes(),
        "tokenizer.json": (source / "tokenizer.json").read_bytes(),
        "tokenizer_config.json": b'{"tokenizer_class": "BertTokenizer"}',
        "model.safetensors": save(named, {"format": "pt"}),
        "README.md": b"# A model",
    }


@pytest.fixture
def process(hub, tmp_path):
    """Run the command in a separate process; return (exit code, stdout + stderr)."""

    def pull(*arguments):
        environment = os.environ | {
            "HF_ENDPOINT": hub.url.rstrip("/"),
            "HF_HOME": str(tmp_path / "hub"),
            "SCIREAD_HOME": str(tmp_path / "home"),
            "HF_HUB_DISABLE_XET": "1",
        }
        command = [sys.executable, "-m", "trainer", "pull", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=250)
        return done.returncode, done.stdout + done.stderr

    return pull


@pytest.fixture
def pull(hub, tmp_path, monkeypatch, capsys):
    """The same in this process. The hub's client reads the environment when it is imported, which
    was long ago, so its settings are patched."""
    url, cache = hub.url.rstrip("/"), str(tmp_path / "hub" / "hub")
    place = constants.HUGGINGFACE_CO_URL_TEMPLATE.removeprefix(constants.ENDPOINT)
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + place)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", cache)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(pulling, "HF_HUB_CACHE", cache)
    monkeypatch.setenv("SCIREAD_HOME", str(tmp_path / "home"))

    def pull(*arguments):
        monkeypatch.setattr("sys.argv", ["sciread-trainer", "pull", *arguments])
        with pytest.raises(SystemExit) as left:
            cli.main()
        output = capsys.readouterr()
        return left.value.code, output.out + output.err

    return pull


def test_published_model_becomes_a_package_without_its_head(hub, files, process, tmp_path):
    hub.models["arazd/MIReAD"] = Model({"main": files}, card={"license": "mit"})
    code, output = process("arazd/MIReAD")
    assert code == 0, output
    assert "UNEXPECTED" not in output  # the table that transformers prints

    package = read_package(tmp_path / "home" / "models" / "arazd--MIReAD")
    assert (package.pooling, package.template) == ("cls", "{title}{sep}{abstract}")
    assert (package.method, package.licence, package.dim) == ("miread", "mit", 32)
    assert package.base == f"arazd/MIReAD@{hub.models['arazd/MIReAD'].commit('main')}"
    weights = load((package.folder / "model.safetensors").read_bytes())
    assert not [name for name in weights if "classifier" in name]
    assert Encoder(package).encode([("deep graph learning", "")]).shape == (1, 32)
    assert "classifier" not in (package.folder / "README.md").read_text()


def test_pulled_model_gives_the_same_vectors(hub, files, pull, tmp_path):
    hub.models["allenai/specter"] = Model({"main": files})
    assert pull("allenai/specter", "--output", str(tmp_path / "specter"))[0] == 0
    papers = [("deep graph learning", "we study the network"), ("papers", "")]
    tiny = tiny_package(tmp_path / "same", pooling="cls", max_tokens=64)
    ours = Encoder(read_package(tmp_path / "specter")).encode(papers)
    assert np.allclose(ours, Encoder(tiny).encode(papers), atol=1e-3)


def test_pulled_model_is_found_by_its_name(hub, files, pull, tmp_path, monkeypatch):
    hub.models["malteos/scincl"] = Model({"main": files})
    assert pull("malteos/scincl")[0] == 0
    monkeypatch.setenv("SCIREAD_HOME", str(tmp_path / "home"))
    assert find_model("malteos/scincl").method == "scincl"


def test_old_config_and_vocabulary_files_are_read(hub, files, pull, tmp_path):
    config = json.loads(files["config.json"])
    del config["model_type"], config["architectures"]
    vocabulary = json.loads(files["tokenizer.json"])["model"]["vocab"]
    files = {
        "config.json": json.dumps(config).encode(),
        "vocab.txt": "\n".join(sorted(vocabulary, key=vocabulary.get)).encode(),
        "model.safetensors": files["model.safetensors"],
    }
    hub.models["allenai/scibert_scivocab_uncased"] = Model({"main": files})
    code, output = pull("allenai/scibert_scivocab_uncased", "--output", str(tmp_path / "scibert"))
    assert code == 0, output
    encoder = Encoder(read_package(tmp_path / "scibert"))
    assert encoder.text.ids([("Deep graph", "")])[0][1:3] == [
        vocabulary["deep"],
        vocabulary["graph"],
    ]


def test_pickled_weights_are_refused_with_a_hint(hub, files, pull, tmp_path):
    del files["model.safetensors"]
    files["pytorch_model.bin"] = pickle.dumps(Path("a"), 2)  # which is more than numbers
    hub.models["allenai/specter"] = Model({"main": files})
    code, output = pull("allenai/specter")
    assert code == 1
    assert "pytorch_model.bin" in output and "could run code" in output
    assert "safetensors/convert" in output
    assert not list((tmp_path / "home" / "models").iterdir())


def test_pull_takes_conversion_of_the_hub_bot(hub, files, pull, tmp_path):
    old = {"pytorch_model.bin": b"pickle", **files}
    del old["model.safetensors"]
    model = Model({"main": old, "refs/pr/3": files})
    model.offers = [(3, "SFconvertbot", ROBOT, model.commit("main"))]
    hub.models["allenai/specter"] = model
    code, output = pull("allenai/specter")
    assert code == 0, output
    package = read_package(tmp_path / "home" / "models" / "allenai--specter")
    assert package.base.endswith(model.commit("refs/pr/3"))


@pytest.mark.parametrize("author, made_of_main", [("Mallory", True), ("SFconvertbot", False)])
def test_pull_ignores_conversion_by_others_or_of_other_weights(
    hub, files, pull, author, made_of_main
):
    old = {"pytorch_model.bin": b"pickle", "config.json": files["config.json"]}
    model = Model({"main": old, "refs/pr/3": files})
    model.offers = [(3, author, ROBOT, model.commit("main") if made_of_main else "0" * 40)]
    hub.models["allenai/specter"] = model
    code, output = pull("allenai/specter")
    assert code == 1 and "pytorch_model.bin" in output
    assert not [asked for asked in hub.requests if asked.path.endswith(".safetensors")]


def test_pull_reads_pooling_of_the_model(hub, files, pull, tmp_path):
    files["1_Pooling/config.json"] = b'{"pooling_mode_cls_token": true}'
    files["sentence_bert_config.json"] = b'{"max_seq_length": 20}'
    hub.models["somebody/model"] = Model({"main": files})
    code, output = pull("somebody/model", "--output", str(tmp_path / "made"))
    assert code == 0, output
    package = read_package(tmp_path / "made")
    assert (package.pooling, package.max_tokens) == ("cls", 20)


@pytest.mark.parametrize("lowers", [True, False])
def test_lower_casing_model_requires_lower_casing_tokenizer(hub, files, pull, tmp_path, lowers):
    files["1_Pooling/config.json"] = b'{"pooling_mode_cls_token": true}'
    files["sentence_bert_config.json"] = b'{"max_seq_length": 20, "do_lower_case": true}'
    tokenizer = json.loads(files["tokenizer.json"])
    tokenizer["normalizer"] = {"type": "Lowercase"} if lowers else None
    files["tokenizer.json"] = json.dumps(tokenizer).encode()
    hub.models["somebody/model"] = Model({"main": files})
    code, output = pull("somebody/model", "--output", str(tmp_path / "made"))
    if lowers:
        assert code == 0, output
        encoder = Encoder(read_package(tmp_path / "made"))
        assert np.allclose(*encoder.encode([("Deep Graph", ""), ("deep graph", "")]), atol=1e-6)
    else:
        assert code == 1 and "do_lower_case" in output


@pytest.mark.parametrize(
    ("mode", "code"), [("pooling_mode_mean_tokens", 1), ("pooling_mode_cls_token", 0)]
)
def test_prompt_excluded_from_pooling_is_refused(hub, files, pull, tmp_path, mode, code):
    files["1_Pooling/config.json"] = json.dumps({mode: True, "include_prompt": False}).encode()
    files["modules.json"] = modules("Transformer", "Pooling")
    hub.models["somebody/model"] = Model({"main": files})
    assert pull("somebody/model", "--output", str(tmp_path / "plain"))[0] == 0  # it has no prompt
    described = {"prompts": {"query": "deep "}, "default_prompt_name": "query"}
    files["config_sentence_transformers.json"] = json.dumps(described).encode()
    hub.models["somebody/model"] = Model({"main": files})
    found, output = pull("somebody/model", "--output", str(tmp_path / "made"))
    assert found == code and ("prompt" in output or code == 0), output


def modules(*kinds):
    parts = [
        {"idx": at, "name": str(at), "path": f"{at}_{kind}" if at else "", "type": TYPE + kind}
        for at, kind in enumerate(kinds)
    ]
    return json.dumps(parts).encode()


def test_unsupported_module_is_named_before_weights_are_fetched(hub, files, pull):
    files["1_Pooling/config.json"] = b'{"pooling_mode_mean_tokens": true}'
    files["modules.json"] = modules("Transformer", "Pooling", "BoW", "Normalize")
    hub.models["somebody/model"] = Model({"main": files})
    code, output = pull("somebody/model")
    assert code == 1 and "BoW" in output and "somebody/model" in output
    assert not [asked for asked in hub.requests if asked.path.endswith(".safetensors")]


def test_default_prompt_is_kept_and_others_are_named(hub, files, pull, tmp_path):
    files["1_Pooling/config.json"] = b'{"pooling_mode_mean_tokens": true}'
    files["modules.json"] = modules("Transformer", "Pooling", "Normalize")
    prompts = {"text": "deep {graph} ", "other": "study "}
    described = {"prompts": prompts, "default_prompt_name": "text"}
    files["config_sentence_transformers.json"] = json.dumps(described).encode()
    hub.models["somebody/model"] = Model({"main": files})
    code, output = pull("somebody/model", "--output", str(tmp_path / "made"))
    assert code == 0, output
    package = read_package(tmp_path / "made")
    assert package.template == "deep {{graph}} {title} {abstract}"
    plain = tiny_package(tmp_path / "plain", template="{title} {abstract}", max_tokens=64)
    ours = Encoder(package).encode([("network", "of papers")])
    expected = Encoder(plain).encode([("deep {graph} network", "of papers")])
    assert np.allclose(ours, expected, atol=1e-3)
    card = (package.folder / "README.md").read_text()
    assert "other" in card.partition("prompts that are not used")[2].splitlines()[0]


def test_pull_reads_transformer_in_subfolder_and_modules(hub, files, pull, tmp_path):
    head = np.random.default_rng(1).normal(size=(8, 32)).astype("f4")
    dense = {"in_features": 32, "out_features": 8, "bias": False}
    files = {f"0_Transformer/{name}": body for name, body in files.items()}
    files |= {
        "modules.json": json.dumps(
            [
                {"path": "0_Transformer", "type": f"{TYPE}Transformer"},
                {"path": "1_Pooling", "type": f"{TYPE}Pooling"},
                {"path": "2_Dense", "type": f"{TYPE}Dense"},
            ]
        ).encode(),
        "1_Pooling/config.json": b'{"pooling_mode": "max"}',
        "2_Dense/config.json": json.dumps(dense).encode(),
        "2_Dense/model.safetensors": save({"linear.weight": head}, {"format": "pt"}),
    }
    hub.models["somebody/model"] = Model({"main": files})
    code, output = pull("somebody/model", "--output", str(tmp_path / "made"))
    assert code == 0, output
    package = read_package(tmp_path / "made")
    assert (package.dim, package.pooling) == (8, "max")
    plain = tiny_package(
        tmp_path / "plain", pooling="max", template="{title} {abstract}", max_tokens=64
    )
    pooled = Encoder(plain, exact=True, raw=True).encode([("network", "of papers")])
    expected = np.tanh(pooled @ head.T)
    ours = Encoder(package, exact=True, raw=True).encode([("network", "of papers")])
    assert np.abs(ours - expected).max() < 1e-5


def test_pull_keeps_first_dimensions(hub, files, pull, tmp_path):
    hub.models["allenai/specter"] = Model({"main": files})
    assert pull("allenai/specter", "--output", str(tmp_path / "full"))[0] == 0
    code, output = pull("allenai/specter", "--output", str(tmp_path / "cut"), "--dimensions", "8")
    assert code == 0, output
    full, cut = read_package(tmp_path / "full"), read_package(tmp_path / "cut")
    assert cut.dim == 8 and cut.space != full.space
    papers = [("deep graph", "network of papers")]
    expected = Encoder(full, raw=True).encode(papers)[:, :8]
    assert np.allclose(Encoder(cut, raw=True).encode(papers), expected, atol=1e-3)
    code, output = pull("allenai/specter", "--output", str(tmp_path / "x"), "--dimensions", "99")
    assert code == 1 and "32" in output


@pytest.mark.parametrize(
    ("name", "query", "paper"),
    [
        ("intfloat/e5-small-v2", "query: ", "passage: "),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence", "{title}"),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("google/embeddinggemma-300m", "task: search result | query: ", "title: {title}"),
        ("Qwen/Qwen3-Embedding-0.6B", "Instruct: ", "{title}"),
    ],
)
def test_known_model_gets_prompts_of_its_authors(hub, files, pull, tmp_path, name, query, paper):
    files["1_Pooling/config.json"] = b'{"pooling_mode": "mean"}'
    files["modules.json"] = modules("Transformer", "Pooling", "Normalize")
    hub.models[name] = Model({"main": files})
    code, output = pull(name, "--output", str(tmp_path / "made"))
    assert code == 0, output
    package = read_package(tmp_path / "made")
    assert package.query_template.startswith(query)
    assert package.template.startswith(paper)


def test_pull_adapter_downloads_its_base_model(hub, files, pull, tmp_path):
    """As SPECTER2, whose weights are an archive of torch."""
    import torch

    torch.manual_seed(1)
    weights = {}
    for layer in range(2):
        name = f"bert.encoder.layer.{layer}.output.adapters.[PRX].adapter_"
        for part, shape in (("down.0", (4, 32)), ("up", (32, 4))):
            weights[f"{name}{part}.weight"] = torch.randn(shape)
            weights[f"{name}{part}.bias"] = torch.ones(shape[0])
    torch.save(weights, tmp_path / "pytorch_adapter.bin")
    described = {"config": {}, "model_name": "allenai/specter2_base", "model_type": "bert"}
    hub.models["allenai/specter2_base"] = Model({"main": files})
    hub.models["allenai/specter2"] = Model(
        {
            "main": {
                "adapter_config.json": json.dumps(described).encode(),
                "pytorch_adapter.bin": (tmp_path / "pytorch_adapter.bin").read_bytes(),
            }
        }
    )
    for name in ("specter2", "specter2_base"):
        code, output = pull(f"allenai/{name}", "--output", str(tmp_path / name))
        assert code == 0, output
    adapted, base = (read_package(tmp_path / name) for name in ("specter2", "specter2_base"))
    assert (adapted.pooling, adapted.template) == (base.pooling, base.template)
    papers = [("deep graph", "network of papers")]
    assert not np.allclose(Encoder(adapted).encode(papers), Encoder(base).encode(papers), atol=1e-2)


@pytest.fixture
def lora(files):
    """A LoRA adapter for the base model somebody/base."""
    random = np.random.default_rng(2)
    name = "base_model.model.encoder.layer.0.attention.self.query.lora_"
    weights = {
        f"{name}A.weight": random.normal(size=(4, 32)).astype("f4"),
        f"{name}B.weight": random.normal(size=(32, 4)).astype("f4"),
    }
    described = {"peft_type": "LORA", "base_model_name_or_path": "somebody/base", "lora_alpha": 8}
    return {
        "adapter_config.json": json.dumps(described).encode(),
        "adapter_model.safetensors": save(weights),
    }


def test_pull_adapter_applies_modules_after_the_pooling_of_its_base(
    hub, files, lora, pull, tmp_path
):
    head = np.random.default_rng(1).normal(size=(8, 32)).astype("f4")
    files |= {
        "modules.json": modules("Transformer", "Pooling", "Dense"),
        "1_Pooling/config.json": b'{"pooling_mode": "max"}',
        "2_Dense/config.json": b'{"in_features": 32, "out_features": 8, "bias": false}',
        "2_Dense/model.safetensors": save({"linear.weight": head}, {"format": "pt"}),
    }
    hub.models["somebody/base"] = Model({"main": files}, card={"license": "mit"})
    hub.models["somebody/adapter"] = Model({"main": lora})
    code, output = pull("somebody/adapter", "--output", str(tmp_path / "made"))
    assert code == 0, output
    package = read_package(tmp_path / "made")
    assert (package.dim, package.pooling, package.head) == (8, "max", ("2_Dense",))
    assert package.title == "somebody/adapter" and not package.licence


def test_note_about_a_base_model_is_not_one_about_its_adapter(hub, files, lora, pull, tmp_path):
    lora["adapter_config.json"] = lora["adapter_config.json"].replace(
        b"somebody/base", b"allenai/specter2_base"
    )
    hub.models["allenai/specter2_base"] = Model({"main": files})
    hub.models["somebody/adapter"] = Model({"main": lora})
    code, output = pull("somebody/adapter", "--output", str(tmp_path / "made"))
    assert code == 0, output
    assert "without its task adapters" not in (tmp_path / "made" / "README.md").read_text()


def test_missing_base_of_an_adapter_is_named_with_the_adapter(hub, lora, pull):
    hub.models["somebody/adapter"] = Model({"main": lora})
    code, output = pull("somebody/adapter")
    assert code == 1 and "somebody/base" in output and "somebody/adapter" in output
    assert "does not exist" in output


def test_disk_space_for_the_base_of_an_adapter_is_checked(
    hub, files, lora, pull, monkeypatch, tmp_path
):
    hub.models["somebody/base"] = Model({"main": files})
    hub.models["somebody/adapter"] = Model({"main": lora})
    small = 10 * sum(map(len, lora.values()))  # enough for the adapter alone
    assert small < sum(map(len, files.values()))
    monkeypatch.setattr(
        "trainer.packages.pull.shutil.disk_usage", lambda place: SimpleNamespace(free=small)
    )
    code, output = pull("somebody/adapter", "--pooling", "cls")
    assert code == 1 and "disk space" in output


def test_unsupported_activation_is_named_before_weights_are_fetched(hub, files, pull):
    files |= {
        "modules.json": modules("Transformer", "Pooling", "Dense"),
        "1_Pooling/config.json": b'{"pooling_mode": "max"}',
        "2_Dense/config.json": b'{"activation_function": "torch.nn.modules.activation.Softmax"}',
    }
    hub.models["somebody/model"] = Model({"main": files})
    code, output = pull("somebody/model")
    assert code == 1 and "Softmax" in output
    assert not [asked for asked in hub.requests if asked.path.endswith(".safetensors")]


def test_pull_fetches_modules_in_folders_of_any_name(hub, files, pull, tmp_path):
    head = np.ones((8, 32), "f4")
    files |= {
        "modules.json": modules("Transformer", "Pooling", "Dense").replace(b"2_Dense", b"project"),
        "1_Pooling/config.json": b'{"pooling_mode": "max"}',
        "project/config.json": b'{"in_features": 32, "out_features": 8, "bias": false}',
        "project/model.safetensors": save({"linear.weight": head}, {"format": "pt"}),
        "other/model.safetensors": b"not needed",
    }
    hub.models["somebody/model"] = Model({"main": files})
    code, output = pull("somebody/model", "--output", str(tmp_path / "made"))
    assert code == 0, output
    assert read_package(tmp_path / "made").dim == 8
    assert not [asked for asked in hub.requests if "/other/" in asked.path]


def test_title_without_abstract_ends_with_one_separator_for_physbert(hub, files, pull, tmp_path):
    hub.models["thellert/physbert_cased"] = Model({"main": files})
    code, output = pull("thellert/physbert_cased", "--output", str(tmp_path / "made"))
    assert code == 0, output
    encoder = Encoder(read_package(tmp_path / "made"))
    lone, blank, both = encoder.text.ids(
        [("deep graph", ""), ("deep graph", " "), ("deep", "graph")]
    )
    assert lone == blank == [2, 5, 6, 3]
    assert both == [2, 5, 3, 6, 3]


def test_pull_without_pooling_is_refused(hub, files, pull, tmp_path):
    hub.models["somebody/model"] = Model({"main": files})
    code, output = pull("somebody/model")
    assert code == 1 and "--pooling cls, mean or mean_no_special" in output
    assert pull("somebody/model", "--pooling", "mean")[0] == 0


@pytest.mark.parametrize(
    "spoil, expected",
    [
        (
            lambda hub, files: hub.models.clear(),
            "The model allenai/specter does not exist on the Hugging Face Hub",
        ),
        (
            lambda hub, files: setattr(hub.models["allenai/specter"], "gated", True),
            "is restricted",
        ),
        (lambda hub, files: files.update({"config.json": b"{}"}), "has no readable config.json"),
        (lambda hub, files: files.update({"config.json": b'{"auto_map": {}}'}), "of its own"),
        (lambda hub, files: files.update({"model.safetensors": b"\x00" * 64}), "cannot load"),
        (lambda hub, files: hub.fail(faults.status(404), 9), "status 404"),
        (lambda hub, files: hub.fail(faults.status(503), 99), "503"),
    ],
)
def test_pull_error_is_one_sentence(hub, files, pull, tmp_path, spoil, expected):
    hub.models["allenai/specter"] = Model({"main": files})
    spoil(hub, files)
    code, printed = pull("allenai/specter")
    assert code == 1
    assert "Traceback" not in printed
    assert expected in printed
    models = tmp_path / "home" / "models"
    assert not models.exists() or not list(models.iterdir())


def test_pull_unknown_revision_is_reported(hub, files, pull):
    hub.models["allenai/specter"] = Model({"main": files})
    code, output = pull("allenai/specter", "--revision", "v9")
    assert code == 1 and "revision of allenai/specter does not exist" in output


def test_pull_damaged_file_is_detected_and_fetched_again(hub, files, pull):
    hub.models["allenai/specter"] = Model({"main": files})
    weights = files["model.safetensors"]
    spoiled = weights[:-4] + b"\x01\x02\x03\x04"
    hub.fail(
        faults.replaced(spoiled),
        when=lambda asked: asked.path.endswith(".safetensors") and asked.method == "GET",
    )
    code, output = pull("allenai/specter")
    assert code == 1 and "is damaged" in output
    code, output = pull("allenai/specter")
    assert code == 0, output


def test_pull_again_fetches_only_missing_files(hub, files, pull):
    hub.models["allenai/specter"] = Model({"main": files})

    def gets(name):
        return [a for a in hub.requests if a.path.endswith(name) and a.method == "GET"]

    hub.fail(faults.status(404), when=lambda asked: asked.path.endswith(".safetensors"))
    assert pull("allenai/specter")[0] == 1
    code, output = pull("allenai/specter")
    assert code == 0, output
    assert len(gets("tokenizer.json")) == 1


def test_pull_resumes_a_dropped_connection(hub, files, pull):
    # The client writes in pieces of ten megabytes.
    weights = load(files["model.safetensors"]) | {"classifier.weight": np.ones((6, 1 << 20), "f4")}
    files["model.safetensors"] = save(weights, {"format": "pt"})
    hub.models["allenai/specter"] = Model({"main": files})
    hub.fail(
        faults.dropped(after=22_000_000),
        when=lambda asked: asked.path.endswith(".safetensors") and asked.method == "GET",
    )
    code, output = pull("allenai/specter")
    assert code == 0, output
    *_, last = [asked for asked in hub.requests if asked.path.endswith(".safetensors")]
    assert int(last.headers["range"].removeprefix("bytes=").rstrip("-")) >= 10_000_000


@pytest.mark.parametrize("full", ["hub", "models"])
def test_pull_checks_disk_space_first(hub, files, tmp_path, monkeypatch, full):
    hub.models["allenai/specter"] = Model({"main": files})
    monkeypatch.setattr("trainer.packages.pull.HfApi", lambda: HfApi(hub.url.rstrip("/")))
    monkeypatch.setattr("trainer.packages.pull.HF_HUB_CACHE", str(tmp_path / "hub"))
    for name in ("hub", "models"):
        (tmp_path / name).mkdir()
    true = Path.stat

    def stat(self, **values):  # as if each were on a separate disk
        found = true(self, **values)
        if self.name not in ("hub", "models"):
            return found
        return os.stat_result((*found[:2], hash(self.name), *found[3:]))

    def usage(place):
        return SimpleNamespace(free=1_000 if place.name == full else 1 << 40)

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setattr("trainer.packages.pull.shutil.disk_usage", usage)
    with pytest.raises(TrainerError, match=f"of disk space in .*{full}"):
        pulling.pull("allenai/specter", tmp_path / "models" / "specter")
    assert not [asked for asked in hub.requests if asked.path.endswith(".safetensors")]


def test_recipe_bases_are_all_available():
    bases = {spec.resolve(name)["base"] for spec in METHODS for name in spec.recipes}
    assert len(bases) > 2
    assert bases - {"starter"} <= pulling.PUBLISHED.keys()


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(111, "Connection refused"),
        httpx.ConnectError("[Errno -2] Name or service not known"),
    ],
)
def test_pull_unreachable_hub_is_one_sentence(tmp_path, monkeypatch, error):
    def nobody(*_):
        raise error

    monkeypatch.setattr(pulling, "_find", nobody)
    with pytest.raises(TrainerError, match="is not available") as raised:
        pulling.pull("allenai/specter", tmp_path / "made")
    assert "Errno" not in str(raised.value) and "connection" in raised.value.hint
