"""Usage of published models, read from their transformers and sentence-transformers files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from tokenizers import Tokenizer

from trainer.contract.errors import PackageRefused
from trainer.contract.package import POOLINGS

MODULES = "modules.json"
PROMPTS = "config_sentence_transformers.json"
_SENTENCE_BERT = "sentence_bert_config.json"
# A title without abstract, or a query, ends with one separator instead of two.
LONE_TITLE = "{title}{sep_if_abstract}{abstract}"

_TRANSFORMER, _POOLING, _NORMALIZE = "Transformer", "Pooling", "Normalize"
_MODES = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}


@dataclass(frozen=True)
class Published:
    """Usage of a published model by its authors: pooling, template and limits."""

    method: str
    pooling: str
    template: str = "{title}{sep}{abstract}"
    max_tokens: int = 512
    licence: str = ""
    note: str = ""


def described(folder: Path, title: str, pooling: str = "") -> tuple[Published, Path]:
    """Read the usage of the model in `folder`, named `title` in errors, from its files.

    Also returns the folder of its transformer.
    `pooling` is required if the files do not specify it. Raises PackageRefused, also for modules
    that SciRead cannot compute.
    """
    if pooling and pooling not in POOLINGS:
        raise PackageRefused(
            f"The pooling {pooling!r} does not exist.", f"Available: {', '.join(POOLINGS)}."
        )
    modules = modules_of(folder, title)
    transformer = _inside(folder, modules.get(_TRANSFORMER, ""), title)
    pools = _inside(folder, modules.get(_POOLING, "1_Pooling"), title)
    found = _pooling(pools)
    if _POOLING in modules and not (pooling or found):
        raise PackageRefused(
            f"SciRead does not support the pooling of the model {title}.",
            f"See {modules[_POOLING]}/config.json of the model; SciRead supports cls and mean. "
            "Alternatively, evaluate a file of its vectors.",
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
    prompt, note = _prompts(folder)
    _check_case(transformer, title)
    leaves_out = read_json(pools / "config.json").get("include_prompt") is False
    if prompt and leaves_out and (pooling or found) != "cls":  # which is the same with all tokens
        raise PackageRefused(
            f"The model {title} excludes its prompt {prompt!r} from mean pooling, which SciRead "
            "does not support.",
            "Evaluate a file of its vectors instead.",
        )
    template = prompt.replace("{", "{{").replace("}", "}}") + "{title} {abstract}"
    limit = _limit(transformer)
    return Published("", pooling or found, template, limit, note=note), transformer


def scales(folder: Path) -> bool:
    """Whether the model normalizes its vectors, which its package leaves to the caller.

    Raises PackageRefused.
    """
    return _NORMALIZE in modules_of(folder, str(folder))


def modules_of(folder: Path, title: str) -> dict[str, str]:
    """Modules of a sentence-transformers model, kind to path; empty for a plain model.

    Raises PackageRefused for modules that SciRead cannot compute.
    """
    path = folder / MODULES
    if not path.exists():
        return {}
    try:
        parts = json.loads(path.read_text(encoding="utf-8"))
        found = {part["type"].rpartition(".")[2]: str(part["path"]) for part in parts}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise PackageRefused(
            f"The file {MODULES} of {title} is damaged: {error}.", "Copy the model again."
        ) from error
    strange = found.keys() - {_TRANSFORMER, _POOLING, _NORMALIZE}
    if strange or _TRANSFORMER not in found:
        raise PackageRefused(
            f"The model {title} contains modules that SciRead does not support: "
            f"{', '.join(sorted(strange)) or 'no transformer'}.",
            "Evaluate a file of its vectors instead.",
        )
    return found


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object; empty if the file is missing or damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _inside(folder: Path, path: str, title: str) -> Path:
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        raise PackageRefused(f"The model {title} refers to a module outside its folder: {path}")
    return folder / path


def _pooling(folder: Path) -> str:
    """Pooling in a sentence-transformers folder; empty if SciRead does not support it."""
    found = read_json(folder / "config.json")
    chosen = [name for name in found if name.startswith("pooling_mode_") and found[name]]
    if len(chosen) == 1:
        return _MODES.get(chosen[0], "")
    mode = found.get("pooling_mode")
    return mode if isinstance(mode, str) and mode in _MODES.values() else ""


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
    limit = read_json(folder / _SENTENCE_BERT).get("max_seq_length")
    return limit if isinstance(limit, int) and limit > 0 else 512


def _prompts(folder: Path) -> tuple[str, str]:
    """The default prompt of sentence-transformers, and a note that lists unused prompts."""
    found = read_json(folder / PROMPTS)
    prompts = found.get("prompts")
    if not isinstance(prompts, dict):
        return "", ""
    default = found.get("default_prompt_name")
    prompt = prompts.get(default) if isinstance(default, str) else ""
    others = sorted(name for name, text in prompts.items() if text and name != default)
    note = f"The model has prompts that are not used: {', '.join(others)}." if others else ""
    return (prompt if isinstance(prompt, str) else ""), note
