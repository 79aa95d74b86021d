"""Collect transformers with its text models, without those for images and audio.

The text models are found in the tables of the library. Replaces the hook of PyInstaller.
"""

import ast
import re
from pathlib import Path

from PyInstaller.utils.hooks import copy_metadata, get_package_paths

ROOT = Path(get_package_paths("transformers")[1])
MODELS = ROOT / "models"
# Tables of encoder models, from a model's type to its class.
_TABLES = ("MODEL_FOR_MASKED_LM_MAPPING_NAMES", "MODEL_FOR_TEXT_ENCODING_MAPPING_NAMES")
# Decoders on which published text encoders are based.
_DECODERS = ("gemma3", "llama", "mistral", "qwen2", "qwen3")


def text_models() -> set[str]:
    """Return the folders of text models below `models`, and of those that they import."""
    names = {"auto", *_DECODERS, *_types()}
    found: set[str] = set()
    while new := {name for name in names - found if (MODELS / name).is_dir()}:
        found |= new
        for name in new:
            for file in _files(name):
                names.update(re.findall(r"^\s*from \.\.(\w+)", file.read_text("utf-8"), re.M))
    return found


def _types() -> set[str]:
    tree = ast.parse((MODELS / "auto" / "modeling_auto.py").read_text("utf-8"))
    types = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in _TABLES:
            types |= {
                pair.elts[0].value.replace("-", "_")
                for pair in ast.walk(node.value)
                if isinstance(pair, ast.Tuple) and len(pair.elts) == 2
            }
    return types


def _files(name: str) -> list[Path]:
    unused = ("convert_", "modular_", "image_processing", "video_processing", "processing_")
    return [file for file in (MODELS / name).glob("*.py") if not file.stem.startswith(unused)]


def _modules(name: str) -> list[str]:
    whole = f"transformers.models.{name}"
    return [f"{whole}.{file.stem}".removesuffix(".__init__") for file in _files(name)]


# transformers lists its models by reading its own source.
module_collection_mode = "pyz+py"
_kept = text_models()
hiddenimports = [module for name in sorted(_kept) for module in _modules(name)]
excludedimports = [
    f"transformers.models.{folder.name}"
    for folder in MODELS.iterdir()
    if folder.is_dir() and folder.name not in _kept
]
datas = []
for needed in ("transformers", "huggingface-hub", "numpy", "packaging", "pyyaml", "regex",
               "safetensors", "tokenizers", "tqdm", "filelock"):  # fmt: skip
    datas += copy_metadata(needed)
