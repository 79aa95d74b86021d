"""Usage of published models, read from their transformers and sentence-transformers files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from tokenizers import Tokenizer

from trainer.contract.errors import PackageRefused
from trainer.contract.package import (
    ADAPTER_CONFIG,
    POOLINGS,
    PUBLISHED_POOLINGS,
    activation_of,
    escape_braces,
    is_pooling,
)

MODULES = "modules.json"
PROMPTS = "config_sentence_transformers.json"
_SENTENCE_BERT = "sentence_bert_config.json"
# A title without abstract, or a query, ends with one separator instead of two.
LONE_TITLE = "{title}{sep_if_abstract}{abstract}"

_TRANSFORMER, _POOLING, _NORMALIZE = "Transformer", "Pooling", "Normalize"
_HEAD = ("Dense", "LayerNorm", _NORMALIZE)
_LIBRARY = "sentence_transformers."
# In the order in which sentence-transformers concatenates them.
POOLING_MODES = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
_DOCUMENT_PROMPTS = ("document", "passage", "corpus")
# Prompts that the authors describe only in the text of their model card: for a model whose name
# matches, the prompt of queries, and the template of papers.
_PLAIN = "{title} {abstract}"
_BGE = "Represent this sentence for searching relevant passages: "
_INSTRUCTION = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
)
_KNOWN_PROMPTS: tuple[tuple[str, str, str], ...] = (
    (r"intfloat/(multilingual-)?e5-(mistral-7b|large)-instruct", _INSTRUCTION, _PLAIN),
    (r"intfloat/(multilingual-)?e5-(small|base|large)(-v2)?", "query: ", "passage: " + _PLAIN),
    (r"BAAI/bge-(small|base|large)-en(-v1\.5)?", _BGE, _PLAIN),
    (r"mixedbread-ai/mxbai-embed-(large|xsmall)-v1", _BGE, _PLAIN),
    (r"Snowflake/snowflake-arctic-embed-(xs|s|m|l|m-long|m-v1\.5)", _BGE, _PLAIN),
    (r"Snowflake/snowflake-arctic-embed-(m|l)-v2\.0", "query: ", _PLAIN),
    (r"nomic-ai/nomic-embed-text-v1(\.5)?", "search_query: ", "search_document: " + _PLAIN),
    (r"nomic-ai/modernbert-embed-base", "search_query: ", "search_document: " + _PLAIN),
    (r"Qwen/Qwen3-Embedding-(0\.6|4|8)B", _INSTRUCTION.removesuffix(" "), _PLAIN),
    (
        r"google/embeddinggemma-300m",
        "task: search result | query: ",
        "title: {title} | text: {abstract}",
    ),
)


class Module(NamedTuple):
    """A module of a sentence-transformers model: the last part of its type, and its folder."""

    kind: str
    path: str


@dataclass(frozen=True)
class Published:
    """Usage of a published model by its authors: pooling, templates and limits.

    `head` are the modules after the pooling.
    """

    method: str
    pooling: str
    template: str = "{title}{sep}{abstract}"
    max_tokens: int = 512
    licence: str = ""
    note: str = ""
    query_template: str = ""
    head: tuple[Module, ...] = ()


def described(folder: Path, title: str, pooling: str = "") -> tuple[Published, str]:
    """Read the usage of the model in `folder`, named `title` in errors, from its files.

    Also returns the folder of its transformer within `folder`; usually this is "". A model of the
    hub goes by its name there: some have prompts that only their card describes.
    `pooling` is required if the files do not specify it. Raises PackageRefused, also for modules
    that SciRead cannot compute.
    """
    if pooling and not is_pooling(pooling):
        raise PackageRefused(
            f"The pooling {pooling!r} does not exist.", f"Available: {', '.join(POOLINGS)}."
        )
    modules = modules_of(folder, title)
    paths = {module.kind: module.path for module in modules}
    transformer = paths.get(_TRANSFORMER, "")
    pools = folder / paths.get(_POOLING, "1_Pooling")
    found = _pooling(pools)
    if _POOLING in paths and not (pooling or found):
        raise PackageRefused(
            f"SciRead does not support the pooling of the model {title}.",
            f"See {paths[_POOLING]}/config.json of the model; SciRead supports "
            f"{', '.join(PUBLISHED_POOLINGS)}. Alternatively, evaluate a file of its vectors.",
        )
    if not (pooling or found):
        raise PackageRefused(
            f"The model {title} does not specify its pooling.",
            "Specify --pooling cls, mean or mean_no_special according to the model's "
            "documentation (SPECTER, SciNCL and MIReAD: cls).",
        )
    if not (modules or found):
        template = LONE_TITLE if pooling == "mean_no_special" else Published.template
        return Published("", pooling, template), transformer
    template, query, note = _templates(folder, title)
    _check_case(folder / transformer, title)
    prompted = template != _PLAIN or query
    leaves_out = read_json(pools / "config.json").get("include_prompt") is False
    if prompted and leaves_out and (pooling or found) not in ("cls", "lasttoken"):
        raise PackageRefused(
            f"The model {title} excludes its prompt from pooling, which SciRead does not support.",
            "Evaluate a file of its vectors instead.",
        )
    use = Published(
        "",
        pooling or found,
        template,
        _limit(folder / transformer),
        note=note,
        query_template=query,
        head=_head(folder, modules, title),
    )
    return use, transformer


def scales(folder: Path) -> bool:
    """Whether the model normalizes its vectors, which its package leaves to the caller.

    Raises PackageRefused.
    """
    modules = modules_of(folder, str(folder))
    return bool(modules) and modules[-1].kind == _NORMALIZE


def modules_of(folder: Path, title: str) -> list[Module]:
    """Modules of a sentence-transformers model, in order; empty for a plain model.

    Raises PackageRefused for modules that SciRead cannot compute.
    """
    path = folder / MODULES
    if not path.exists():
        return []
    try:
        parts = json.loads(path.read_text(encoding="utf-8"))
        types = [str(part["type"]) for part in parts]
        found = [
            Module(kind.rpartition(".")[2], str(part["path"]))
            for kind, part in zip(types, parts, strict=True)
        ]
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise PackageRefused(
            f"The file {MODULES} of {title} is damaged: {error}.", "Copy the model again."
        ) from error
    for module in found:
        place = PurePosixPath(module.path)
        # On Windows a backslash separates folders, and a colon follows a drive.
        if place.is_absolute() or ".." in place.parts or re.search(r"[\\:]", module.path):
            raise PackageRefused(
                f"The model {title} refers to a module outside its folder: {module.path[:200]}",
                "The model may be malicious.",
            )
    kinds = [module.kind for module in found]
    strange = {kind for kind in types if not kind.startswith(_LIBRARY)}
    strange |= set(kinds) - {_TRANSFORMER, _POOLING, *_HEAD}
    ordered = kinds[:1] == [_TRANSFORMER] and set(kinds[2:]) <= set(_HEAD)
    if strange or not ordered:
        raise PackageRefused(
            f"The model {title} contains modules that SciRead does not support: "
            f"{', '.join(sorted(strange)) or ', '.join(kinds)}.",
            "SciRead runs the modules Transformer, Pooling, Dense, LayerNorm and Normalize, and no "
            "code that comes with a model. Evaluate a file of its vectors instead.",
        )
    return found


def _head(folder: Path, modules: list[Module], title: str) -> tuple[Module, ...]:
    """The modules after the pooling, without a normalization at the end, which protocols do
    themselves or leave out. Raises PackageRefused."""
    head = [module for module in modules if module.kind in _HEAD]
    while head and head[-1].kind == _NORMALIZE:
        head.pop()
    for module in head:
        if module.kind == "Dense":
            activation_of(read_json(folder / module.path / "config.json"), title)
    return tuple(head)


def base_of(folder: Path) -> str:
    """The base model of the adapter in a folder, as it names it; empty if there is no adapter.

    Raises PackageRefused for a name that may be a path on another computer.
    """
    config = read_json(folder / ADAPTER_CONFIG)
    name = config.get("base_model_name_or_path") or config.get("model_name")
    name = name if isinstance(name, str) else ""
    # Windows sends the user's credentials to the computer in a path such as //computer/folder.
    if "\\" in name or name.startswith("//"):
        raise PackageRefused(
            f"The adapter refers to its base model by the unsafe path {name[:200]}.",
            f"Write its name, or its path with slashes, as base_model_name_or_path in "
            f"{ADAPTER_CONFIG}.",
        )
    return name


def transformer_of(folder: Path, title: str) -> str:
    """The folder of the transformer within a model's folder; usually this is "". Raises
    PackageRefused."""
    modules = modules_of(folder, title)
    return next((module.path for module in modules if module.kind == _TRANSFORMER), "")


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; empty if the file is missing or damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _pooling(folder: Path) -> str:
    """Pooling in a sentence-transformers folder; empty if SciRead does not support it."""
    found = read_json(folder / "config.json")
    mode = found.get("pooling_mode")
    if mode is None:
        chosen = [name for name in POOLING_MODES if found.get(name)]
        known = {name for name in found if name.startswith("pooling_mode_") and found[name]}
        return "+".join(POOLING_MODES[name] for name in chosen) if known == set(chosen) else ""
    modes = [mode] if isinstance(mode, str) else mode
    valid = isinstance(modes, list) and bool(modes) and set(modes) <= set(PUBLISHED_POOLINGS)
    return "+".join(modes) if valid else ""


def _check_case(folder: Path, title: str) -> None:
    """Raise PackageRefused if sentence-transformers lowercases texts and the tokenizer does not."""
    if not read_json(folder / _SENTENCE_BERT).get("do_lower_case"):
        return
    if (file := folder / "tokenizer.json").exists():
        try:
            normalizer = Tokenizer.from_file(str(file)).normalizer
        except Exception as error:  # tokenizers raises nothing narrower
            raise PackageRefused(
                f"The tokenizer.json of {title} is damaged: {error}.", "Copy the model again."
            ) from error
        lowers = normalizer is not None and normalizer.normalize_str("ABC").endswith("abc")
    else:
        lowers = read_json(folder / "tokenizer_config.json").get("do_lower_case") is True
    if not lowers:
        raise PackageRefused(
            f"The model {title} expects lowercase text (do_lower_case in {_SENTENCE_BERT}), but "
            "its tokenizer keeps uppercase letters.",
            "Evaluate a file of its vectors instead.",
        )


def _limit(folder: Path) -> int:
    """Maximum number of tokens of a sentence-transformers folder; 512 by default."""
    tokenizer = read_json(folder / "tokenizer_config.json")
    for limit in (
        read_json(folder / _SENTENCE_BERT).get("max_seq_length"),
        tokenizer.get("model_max_length"),
    ):
        # Tokenizers without a limit state a number with thirty digits.
        if isinstance(limit, int) and 0 < limit < 1_000_000:
            return limit
    return 512


def _templates(folder: Path, title: str) -> tuple[str, str, str]:
    """The templates of papers and of queries (empty: that of papers), and a note that lists unused
    prompts."""
    found = read_json(folder / PROMPTS)
    declared = found.get("prompts")
    prompts: Mapping[str, Any] = declared if isinstance(declared, dict) else {}
    prompts = {name: text for name, text in prompts.items() if isinstance(text, str) and text}
    for pattern, query, template in _KNOWN_PROMPTS:
        if re.fullmatch(pattern, title):
            return template, escape_braces(str(prompts.get("query", query))) + "{title}", ""
    default = found.get("default_prompt_name")
    default = default if default in prompts else ""
    of_papers = next((name for name in _DOCUMENT_PROMPTS if name in prompts), default)
    if of_papers == "query":
        of_papers = ""
    of_queries = "query" if "query" in prompts else default
    others = sorted(prompts.keys() - {of_papers, of_queries})
    note = f"The model has prompts that are not used: {', '.join(others)}." if others else ""
    template = escape_braces(prompts.get(of_papers, "")) + _PLAIN
    query = escape_braces(prompts.get(of_queries, "")) + "{title}"
    return template, "" if of_queries == of_papers else query, note
