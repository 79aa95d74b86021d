"""The command that lists training methods."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from trainer.contract.catalog import METHODS, MethodSpec, method_spec, recipe_of
from trainer.contract.recipes import KnownRecipe
from trainer.contract.setting_texts import CHOICE_LABELS
from trainer.contract.settings import Setting, Value


def methods(
    name: Annotated[str, typer.Argument(help="Method or recipe; default: list all methods.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Output JSON.")] = False,
) -> None:
    """List the training methods, or the recipes and settings of one method."""
    specs = METHODS if not name else (_spec(name),)
    if as_json:
        print(json.dumps([_described(spec) for spec in specs], indent=2))
        return
    console = Console()
    console.print(_recipes(specs))
    if not name:
        console.print("Settings of a method or recipe: sciread-trainer methods NAME")
        return
    console.print(_settings(specs[0], name if name in specs[0].recipes else ""))


def _spec(name: str) -> MethodSpec:
    recipes = {recipe for spec in METHODS for recipe in spec.recipes}
    return recipe_of(name)[0] if name in recipes else method_spec(name)


def _recipes(specs: tuple[MethodSpec, ...]) -> Table:
    table = Table("recipe", "description", box=None)
    for spec in specs:
        needs = ", ".join(sorted(need.value for need in spec.needs))
        table.add_row(f"[bold]{spec.title}[/]", f"[bold]{spec.summary}[/] Requires {needs}.")
        for name, recipe in spec.recipes.items():
            table.add_row(f"  {name}", recipe.summary + _grid(recipe))
        table.add_section()
    return table


def _grid(recipe: KnownRecipe) -> str:
    tried = [f"{name} {' or '.join(map(_text, values))}" for name, values in recipe.grid.items()]
    return f" Tries {', '.join(tried)}." if tried else ""


def _settings(spec: MethodSpec, recipe: str) -> Table:
    """Table of all settings; values that differ from the paper's are bold."""
    values = spec.resolve(recipe)
    table = Table("setting", "value", "description", box=None)
    table.columns[1].no_wrap = True  # a truncated name could not be fetched
    for setting in spec.settings:
        value, default = values[setting.name], setting.default
        shown = _text(value) if value == default else f"[bold]{_text(value)}[/]"
        paper = "" if value == default else f" [dim]Paper: {_text(default)}.[/]"
        about = escape(f"{setting.text.label}. {setting.text.help} ")
        about += f"[dim]{_allowed(setting)}[/]{paper}"
        table.add_row(setting.name, shown, about)
    return table


def _allowed(setting: Setting) -> str:
    """The allowed values as a sentence, choices with their names; empty if any text is allowed."""
    if isinstance(setting.default, str) and not setting.choices:
        return ""
    labels = CHOICE_LABELS.get(setting.name, {})
    choices = ", ".join(f"{one} ({labels[one]})" for one in setting.choices)
    allowed = f"one of {choices}" if choices else setting.allowed
    # rich reads brackets as markup, as those of [CLS].
    return escape(f"{allowed[0].upper()}{allowed[1:]}.")


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value or "-"
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _described(spec: MethodSpec) -> dict[str, Any]:
    return {
        "key": spec.key,
        "title": spec.title,
        "summary": spec.summary,
        "needs": sorted(need.value for need in spec.needs),
        "settings": [
            {
                "name": setting.name,
                "default": setting.default,
                "label": setting.text.label,
                "unit": setting.text.unit,
                "help": setting.text.help,
                "at_least": setting.at_least,
                "at_most": setting.at_most,
                "choices": list(setting.choices),
            }
            for setting in spec.settings
        ],
        "recipes": {
            name: {
                "summary": recipe.summary,
                "settings": spec.resolve(name),
                "grid": {key: list(values) for key, values in recipe.grid.items()},
            }
            for name, recipe in spec.recipes.items()
        },
    }
