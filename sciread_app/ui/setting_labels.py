"""The names, units and help of training settings, translated."""

from __future__ import annotations

from sciread_app.language import tr, tr_marked
from trainer.contract.package import STARTER
from trainer.contract.setting_texts import CHOICE_LABELS, setting_text


def setting_label(key: str) -> str:
    """The name of a setting."""
    return tr_marked(setting_text(key).label)


def setting_unit(key: str) -> str:
    """The unit of a setting's value; empty if it has none."""
    unit = setting_text(key).unit
    return tr_marked(unit) if unit else ""


def setting_help(key: str) -> str:
    """A sentence on what a setting does; empty if this version does not know the setting."""
    help = setting_text(key).help
    return tr_marked(help) if help else ""


def choice_label(key: str, value: str) -> str:
    """The name of a value of a setting; the value itself if the setting has no such choice."""
    label = CHOICE_LABELS.get(key, {}).get(value)
    return tr_marked(label) if label else value


def base_label(base: str) -> str:
    """The base model without its commit; for a folder, only its name."""
    if base == STARTER:
        return tr("the starter model")
    name = base.partition("@")[0]
    return name if name.count("/") <= 1 else name.rstrip("/").rpartition("/")[2]
