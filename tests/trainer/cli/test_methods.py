"""The `methods` command."""

from __future__ import annotations

import json

from typer.testing import CliRunner, Result

from trainer import cli
from trainer.contract.catalog import METHODS
from trainer.contract.errors import TrainerError
from trainer.contract.setting_texts import CHOICE_LABELS


def run(*words: str, columns: int = 120) -> Result:
    return CliRunner().invoke(cli.app, ["methods", *words], env={"COLUMNS": str(columns)})


def test_methods_lists_every_method_and_recipe() -> None:
    shown = run().stdout
    for spec in METHODS:
        assert spec.title in shown
        assert all(name in shown for name in spec.recipes)
    assert "Tries learning_rate 0.0001 or 0.0002, batch_size 16 or 32." in " ".join(shown.split())


def test_methods_shows_recipe_values_beside_those_of_the_paper() -> None:
    shown = " ".join(run("specter-allennlp").stdout.split())
    assert "learning_rate 3e-05" in shown
    assert "Paper: 2e-05." in shown
    assert "physbert" not in shown
    assert "Paper:" not in run("specter").stdout


def test_methods_shows_base_model_unwrapped_on_a_narrow_terminal() -> None:
    shown = run("specter", columns=80).stdout
    assert "allenai/scibert_scivocab_uncased " in shown
    assert "Examples per training step, over all devices together." in " ".join(shown.split())


def test_methods_lists_settings_by_the_titles_of_the_window() -> None:
    shown = " ".join(run("multi2spe", columns=200).stdout.split())
    for spec in (one for one in METHODS if one.key == "multi2spe"):
        for setting in spec.settings:
            assert f"{setting.text.label}. {setting.text.help}" in shown
            assert all(
                f"{choice} ({CHOICE_LABELS[setting.name][choice]})" in shown
                for choice in setting.choices
            )


def test_methods_json_has_all_settings_of_a_form() -> None:
    found = json.loads(run("--json").stdout)
    assert [method["key"] for method in found] == [spec.key for spec in METHODS]
    (specter,) = json.loads(run("specter", "--json").stdout)
    margin = next(each for each in specter["settings"] if each["name"] == "margin")
    assert (margin["default"], margin["at_least"], margin["choices"]) == (1.0, 0.0, [])
    assert specter["recipes"]["specter-released"]["settings"]["batch_size"] == 512
    assert specter["needs"] == ["abstracts", "citations"]


def test_methods_unknown_name_lists_known_ones() -> None:
    failed = run("spectre").exception
    assert isinstance(failed, TrainerError)
    assert "Did you mean specter?" in failed.hint
