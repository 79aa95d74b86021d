"""What a model's own files say of its use, as transformers and sentence-transformers keep them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from trainer.contract.errors import PackageRefused
from trainer.contract.package import POOLINGS

MODULES = "modules.json"
PROMPTS = "config_sentence_transformers.json"
# A title or a query alone ends with one separator, not with two.
LONE_TITLE = "{title}{sep_if_abstract}{abstract}"

_TRANSFORMER, _POOLING, _NORMALIZE = "Transformer", "Pooling", "Normalize"
_MODES = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}


@dataclass(frozen=True)
class Published:
    """How a published model wants to be used, as its authors use it."""

    method: str
    pooling: str
    template: str = "{title}{sep}{abstract}"
    max_tokens: int = 512
    licence: str = ""
    note: str = ""


class Described(NamedTuple):
    """How a model is used, and the folder that its transformer lies in."""

    use: Published
    transformer: Path


def described(folder: Path, title: str, pooling: str = "") -> Described:
    """How the model in `folder`, named `title` in errors, is used, as its own files say.

    `pooling` is needed where nothing says how the model's tokens become one vector. Raises
    PackageRefused, also for a part that SciRead cannot compute.
    """
    if pooling and pooling not in POOLINGS:
        raise PackageRefused(
            f"There is no pooling {pooling!r}.", f"Known are: {', '.join(POOLINGS)}."
        )
    modules = modules_of(folder, title)
    transformer = _inside(folder, modules.get(_TRANSFORMER, ""), title)
    found = _pooling(_inside(folder, modules.get(_POOLING, "1_Pooling"), title))
    if _POOLING in modules and not (pooling or found):
        raise PackageRefused(
            f"The model {title} makes its vectors in a way that SciRead cannot.",
            f"See its {modules[_POOLING]}/config.json; cls and mean are known. Or evaluate a file "
            "of its vectors.",
        )
    if not (pooling or found):
        raise PackageRefused(
            f"Nothing in {title} says how its tokens become one vector.",
            "Say it: --pooling cls, mean or mean_no_special, as the model's page tells (SPECTER, "
            "SciNCL and MIReAD: cls).",
        )
    if not (modules or found):
        template = LONE_TITLE if pooling == "mean_no_special" else Published.template
        return Described(Published("", pooling, template), transformer)
    prompt, note = _prompts(folder)
    template = prompt.replace("{", "{{").replace("}", "}}") + "{title} {abstract}"
    limit = _limit(transformer)
    return Described(Published("", pooling or found, template, limit, note=note), transformer)


def scales(folder: Path) -> bool:
    """Whether the model in `folder` would bring its vectors to unit length by itself, which a
    package of it leaves to who wants it. Raises PackageRefused."""
    return _NORMALIZE in modules_of(folder, str(folder))


def modules_of(folder: Path, title: str) -> dict[str, str]:
    """The parts of a sentence-transformers model: which kind lies where; none if it is plain.

    Raises PackageRefused for parts that SciRead cannot compute.
    """
    path = folder / MODULES
    if not path.exists():
        return {}
    try:
        parts = json.loads(path.read_text(encoding="utf-8"))
        found = {part["type"].rpartition(".")[2]: str(part["path"]) for part in parts}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise PackageRefused(
            f"The {MODULES} of {title} is damaged: {error}.", "Copy the model again."
        ) from error
    strange = found.keys() - {_TRANSFORMER, _POOLING, _NORMALIZE}
    if strange or _TRANSFORMER not in found:
        raise PackageRefused(
            f"The model {title} has a part that SciRead cannot compute: "
            f"{', '.join(sorted(strange)) or 'another than a transformer'}.",
            "Evaluate a file of its vectors instead.",
        )
    return found


def read_json(path: Path) -> dict[str, Any]:
    """What a file describes; nothing, where there is no such file or it is damaged."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _inside(folder: Path, path: str, title: str) -> Path:
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        raise PackageRefused(f"The model {title} names a part outside its folder: {path}")
    return folder / path


def _pooling(folder: Path) -> str:
    """The pooling that this folder of sentence-transformers describes; empty if none of ours."""
    found = read_json(folder / "config.json")
    chosen = [name for name in found if name.startswith("pooling_mode_") and found[name]]
    if len(chosen) == 1:
        return _MODES.get(chosen[0], "")
    mode = found.get("pooling_mode")
    return mode if isinstance(mode, str) and mode in _MODES.values() else ""


def _limit(folder: Path) -> int:
    """How many word pieces a sentence-transformers folder says it reads; else 512."""
    limit = read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    return limit if isinstance(limit, int) and limit > 0 else 512


def _prompts(folder: Path) -> tuple[str, str]:
    """What sentence-transformers puts before every text where nobody asks for something else; and
    a note of those prompts that are put before none."""
    found = read_json(folder / PROMPTS)
    prompts = found.get("prompts")
    if not isinstance(prompts, dict):
        return "", ""
    default = found.get("default_prompt_name")
    prompt = prompts.get(default) if isinstance(default, str) else ""
    others = sorted(name for name, text in prompts.items() if text and name != default)
    note = f"It has prompts that are not used: {', '.join(others)}." if others else ""
    return (prompt if isinstance(prompt, str) else ""), note
