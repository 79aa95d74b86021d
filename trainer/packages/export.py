"""Export of model files as a package that sentence-transformers can open, with a model card."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trainer.contract.evaluations import evaluation_spec
from trainer.contract.package import (
    ADAPTER_CONFIG,
    PUBLISHED_POOLINGS,
    STARTER,
    Package,
    base_folder,
    prompts_of,
    write_package,
)
from trainer.contract.run import write_atomically
from trainer.packages.published_config import POOLING_MODES, read_json

# As in "allenai/specter", which may be of one commit: "allenai/specter@0a1b2c".
_HUB_NAME = re.compile(r"[\w-][\w.-]*/[\w-][\w.-]*(@[0-9a-f]+)?")
# Text in the card's table for the significance of a change.
_REAL: Mapping[object, str] = {True: "significant", False: "not significant"}
# A module that does not exist: sentence-transformers fails with this name. Without it, vectors
# would silently be the mean of all tokens. In another namespace it would be treated as code of the
# model, which the library offers to run.
_NOT_EXPRESSIBLE = "sentence_transformers.has_no_such_pooling__open_this_model_with_sciread.{}"


def export(
    source: Path,
    package: Package,
    *,
    metrics: Sequence[Mapping[str, Any]] = (),
    notes: Sequence[str] = (),
) -> Package:
    """Write the package of the model files in `source`; return it as read back and verified.

    `source` holds config.json, the weights or an adapter, the tokenizer and what pooling needs; the
    files for sentence-transformers, the card and `metrics` are added to it. `notes` are further
    sentences for the card. Raises PackageRefused, also where `package.folder` exists already.
    """
    _describe_to_sentence_transformers(package, source)
    if package.base_weights:
        _name_base(package, source / ADAPTER_CONFIG)
    write_metrics(source, package, metrics, notes)
    return write_package(package, source)


def write_metrics(
    folder: Path,
    package: Package,
    metrics: Sequence[Mapping[str, Any]],
    notes: Sequence[str] = (),
) -> None:
    """Write metrics.json and the model card.

    A metric has the keys evaluation, metric, value and, if known, task, before (the value of the
    base model on the same data), n and split.
    """
    write_atomically(folder / "metrics.json", json.dumps(list(metrics), indent=2) + "\n")
    write_atomically(
        folder / "README.md", card(package, metrics, notes, adapted=_is_adapted(package, folder))
    )


def card(
    package: Package,
    metrics: Sequence[Mapping[str, Any]] = (),
    notes: Sequence[str] = (),
    *,
    adapted: bool = False,
) -> str:
    """Model card: description, training, metrics, usage and limits."""
    parts = [
        _front_matter(package, adapted),
        f"# {package.title}\n\n{_made_how(package)}",
        *notes,
        "## Model details\n\n" + _vectors(package),
        "## Evaluation\n\n" + _table_of(metrics),
        "## Usage\n\n" + _how_to_open(package, adapted),
        "## Limitations\n\n" + _limits(package),
    ]
    return "\n\n".join(parts) + "\n"


def _front_matter(package: Package, adapted: bool) -> str:
    expressible = _is_expressible(package, adapted)
    described: dict[str, Any] = {
        "library_name": "sentence-transformers" if expressible else "transformers",
        "pipeline_tag": "sentence-similarity",
        "tags": ["scientific papers", "feature-extraction", *filter(None, [package.method])]
        + (["lora"] if package.base_weights else []),
    }
    described |= {"base_model": base} if (base := _on_hub(package.base)) else {}
    described |= {"license": package.licence.lower()} if package.licence else {}
    # JSON is YAML too.
    lines = [f"{name}: {json.dumps(value)}" for name, value in described.items()]
    return "\n".join(("---", *lines, "---"))


def _on_hub(base: str) -> str:
    """The base model's id on the hub; empty for local models."""
    if base == STARTER:
        return "sentence-transformers/all-MiniLM-L6-v2"
    return base.partition("@")[0] if _HUB_NAME.fullmatch(base) else ""


def base_name(base: str) -> str:
    """Display name of the base: with its commit if known, and for a path its last part."""
    return base if _HUB_NAME.fullmatch(base) else _on_hub(base) or Path(base).name


def _made_how(package: Package) -> str:
    text = (
        "This model maps the title and abstract of a scientific paper to a vector, so that "
        "similar papers have similar vectors."
    )
    if package.method:
        text += f" It was trained with the method {package.method}"
        text += f" from the base model {base_name(package.base)}." if package.base else "."
    papers = package.corpus.get("papers")
    if papers:
        digest = str(package.corpus.get("sha256", ""))[:12]
        text += f" The training corpus has {papers:,} papers (SHA-256 {digest}…)."
    if package.created:
        text += f" Created on {package.created[:10]}"
        text += f" with {package.trainer}." if package.trainer else "."
    return text


def _vectors(package: Package) -> str:
    separator = ""
    if "{sep}" in package.template:
        separator = ", where `{sep}` is the tokenizer's separator"
    elif "{sep_if_abstract}" in package.template:
        separator = (
            ", where `{sep_if_abstract}` is the tokenizer's separator, omitted for papers "
            "without an abstract"
        )
    rows = {
        "dimensions": package.dim,
        "pooling": package.pooling,
        **({"modules after the pooling": ", ".join(package.head)} if package.head else {}),
        "text": f"`{package.template}`{separator}",
        **({"query": f"`{package.query_template}`"} if package.query_template else {}),
        "maximum tokens": package.max_tokens,
        "similarity": "cosine; vectors have unit length",
    }
    return "\n".join(f"- {name}: {value}" for name, value in rows.items())


def _table_of(metrics: Sequence[Mapping[str, Any]]) -> str:
    if not metrics:
        return "This model has not been evaluated yet."
    rows = ["| task | metric | base | model | difference | n | split |", f"|{'---|' * 7}"]
    for found in metrics:
        spec = evaluation_spec(found["evaluation"])
        metric, before = spec.metric(found["metric"]), found.get("before")
        row = (
            found.get("task") or spec.title,
            metric.title,
            "" if before is None else metric.shown(before),
            metric.shown(found["value"]),
            _REAL.get(found.get("real"), ""),
            found.get("n", ""),
            found.get("split", ""),
        )
        rows.append("| " + " | ".join(str(cell) for cell in row) + " |")
    return "\n".join(rows)


def _how_to_open(package: Package, adapted: bool) -> str:
    text = ""
    if package.base_weights:
        text = (
            f"This model is a LoRA adapter. It requires its base model {base_name(package.base)}, "
            "and, outside of SciRead, the library PEFT (`pip install peft`).\n\n"
        )
    text += (
        "In SciRead: put this folder in the `models/` folder of your library. On the command "
        "line: `sciread-trainer embed --model FOLDER --input FILES --output DIR`."
    )
    if _is_expressible(package, adapted):
        return text + (
            "\n\n```python\nfrom sentence_transformers import SentenceTransformer\n\n"
            "model = SentenceTransformer(FOLDER)\n"
            f"vectors = model.encode([{_example(package)}])\n```"
        )
    unsupported = "adapter" if adapted else f"pooling `{package.pooling}`"
    return text + (
        "\n\n`transformers.AutoModel.from_pretrained(FOLDER)` loads the transformer without "
        f"its {'adapter' if adapted else 'pooling'}. sentence-transformers does not support the "
        f"{unsupported} and refuses to load the model."
    )


def _example(package: Package) -> str:
    separator = '" + model.tokenizer.sep_token + "'
    joined = package.template
    for name in ("{sep}", "{sep_if_abstract}"):
        joined = joined.replace(name, separator)
    joined = joined.replace("{title}", '" + title + "').replace("{abstract}", '" + abstract + "')
    return f'"{joined}"'.replace('"" + ', "").replace(' + ""', "")


def _limits(package: Package) -> str:
    return (
        f"Text beyond {package.max_tokens} tokens is ignored. Vectors of different models, or "
        "of different versions of a model, are not comparable. Similarity indicates what "
        "papers are about, not whether they are correct."
    )


def _is_adapted(package: Package, folder: Path) -> bool:
    """Whether the transformer in a folder has adapters, which other programs would ignore."""
    return "bottleneck_adapter" in _config(package, folder)


def _config(package: Package, folder: Path) -> dict[str, Any]:
    """The contents of config.json of the model in `folder`, or of the base model of an adapter."""
    if package.base_weights:
        folder = base_folder(package, hashes=False)
    return read_json(folder / "config.json")


def _name_base(package: Package, file: Path) -> None:
    """Write the name of the adapter's base model to the configuration that PEFT reads. A path would
    be of no use on another computer, and reveal the folders of this one."""
    _, _, revision = package.base.partition("@")
    named = {"base_model_name_or_path": _on_hub(package.base) or base_name(package.base)}
    _write_json(file, read_json(file) | named | ({"revision": revision} if revision else {}))


def _is_expressible(package: Package, adapted: bool) -> bool:
    """Whether sentence-transformers computes the same vectors."""
    return not adapted and set(package.pooling.split("+")) <= set(PUBLISHED_POOLINGS)


def _describe_to_sentence_transformers(package: Package, source: Path) -> None:
    modules = [("", "sentence_transformers.models.Transformer")]
    if _is_expressible(package, adapted := _is_adapted(package, source)):
        modules.append(("1_Pooling", "sentence_transformers.models.Pooling"))
        for name in (*package.head, f"{len(package.head) + 2}_Normalize"):
            kind = name.partition("_")[2]
            modules.append((name, f"sentence_transformers.models.{kind}"))
        config = _config(package, source)
        modes = package.pooling.split("+")
        described: dict[str, Any] = {
            "word_embedding_dimension": next(
                (config[name] for name in ("hidden_size", "d_model", "dim") if name in config),
                package.dim,
            ),
            "pooling_mode": modes[0] if len(modes) == 1 else modes,
            # For versions of sentence-transformers before 5.7.
            **{name: mode in modes for name, mode in POOLING_MODES.items()},
        }
        (source / "1_Pooling").mkdir(exist_ok=True)
        _write_json(source / "1_Pooling" / "config.json", described)
    else:
        modules.append(
            ("", _NOT_EXPRESSIBLE.format("bottleneck_adapter" if adapted else package.pooling))
        )
    _write_json(
        source / "modules.json",
        [
            {"idx": number, "name": str(number), "path": path, "type": kind}
            for number, (path, kind) in enumerate(modules)
        ],
    )
    limit = {"max_seq_length": package.max_tokens, "do_lower_case": False}
    _write_json(source / "sentence_bert_config.json", limit)
    prompts = zip(("document", "query"), prompts_of(package), strict=True)
    known = {name: text for name, text in prompts if text}
    _write_json(
        source / "config_sentence_transformers.json",
        {"prompts": known, "default_prompt_name": None, "similarity_fn_name": "cosine"},
    )


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
