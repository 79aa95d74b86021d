"""The catalogue of methods: validation of settings, and recipes."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainer.contract.catalog import METHODS, MethodSpec, method_spec, recipe_of
from trainer.contract.errors import TrainerError
from trainer.contract.setting_texts import CHOICE_LABELS, SETTING_TEXTS
from trainer.contract.settings import Setting, Value

ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just([1])


@pytest.mark.parametrize(
    ("setting", "given_value", "value"),
    [
        (Setting("n", 2), "7", 7),
        (Setting("n", 2), 7.0, 7),
        (Setting("x", 2.0), "2e-5", 2e-5),
        (Setting("x", 2.0), 3, 3.0),
        (Setting("b", True), "false", False),
        (Setting("b", False), "Yes", True),
        (Setting("s", ""), "starter", "starter"),
        (Setting("s", "a", choices=("a", "b")), "b", "b"),
    ],
)
def test_setting_converts_values_of_forms_and_command_lines(
    setting: Setting, given_value: object, value: Value
) -> None:
    found = setting.check(given_value)
    assert found == value
    assert type(found) is type(setting.default)


@pytest.mark.parametrize(
    ("setting", "wrong", "hint"),
    [
        (Setting("n", 2), "7.5", "Allowed: a whole number."),
        (Setting("n", 2, at_least=1), 0, "Allowed: a whole number of at least 1."),
        (Setting("x", 2.0, at_most=3), "4", "Allowed: a number of at most 3."),
        (Setting("x", 2.0, 1, 3), "nan", "Allowed: a number from 1 to 3."),
        (Setting("x", 2.0), True, "Allowed: a number."),
        (Setting("b", True), "perhaps", "Allowed: true or false."),
        (Setting("s", "a", choices=("a", "b")), "c", "Allowed: one of a, b."),
        (Setting("s", ""), 3, "Allowed: text."),
    ],
)
def test_invalid_value_is_refused_with_hint(setting: Setting, wrong: object, hint: str) -> None:
    with pytest.raises(TrainerError, match=f"^{setting.name} cannot be ") as refused:
        setting.check(wrong)
    assert refused.value.hint == hint


@given(default=st.booleans() | st.integers() | st.floats() | st.text(), value=ANYTHING)
def test_setting_returns_its_type_or_refuses(default: Value, value: object) -> None:
    setting = Setting("any", default)
    try:
        found = setting.check(value)
    except TrainerError:
        return
    assert type(found) is type(default)
    assert setting.check(found) == found


@pytest.mark.parametrize("spec", METHODS, ids=lambda spec: spec.key)
def test_defaults_of_a_method_are_those_of_its_paper(spec: MethodSpec) -> None:
    names = [setting.name for setting in spec.settings]
    assert len(set(names)) == len(names)
    first = next(iter(spec.recipes))
    assert first == ("library" if spec.key == "library" else f"{spec.key}-paper")
    assert spec.resolve(first) == {s.name: s.default for s in spec.settings}


@pytest.mark.parametrize("spec", METHODS, ids=lambda spec: spec.key)
def test_recipes_use_only_existing_settings(spec: MethodSpec) -> None:
    for name, recipe in spec.recipes.items():
        assert spec.resolve(name).items() >= recipe.settings.items()
        for setting, values in recipe.grid.items():
            assert all(spec.resolve(name, {setting: value})[setting] == value for value in values)


def test_recipes_have_the_numbers_of_the_papers() -> None:
    def numbers(recipe: str, *names: str) -> list[Value]:
        spec, name = recipe_of(recipe)
        settings = spec.resolve(name)
        return [settings[name] for name in names]

    plan = ("learning_rate", "epochs", "batch_size", "warmup", "weight_decay", "clip")
    assert numbers("specter", *plan) == [2e-5, 2, 32, 0.1, 0.01, 1]
    assert numbers("specter-released", *plan) == [2e-5, 4, 512, 0, 0, 0]
    assert numbers("specter-allennlp", *plan) == [3e-5, 2, 32, 0.1, 0.01, 1]
    assert numbers("multi2spe", *plan) == [2e-5, 2, 32, 0.1, 0, 0]
    for recipe in ("specter-small", "multi2spe-small"):
        assert numbers(recipe, "weight_decay", "clip") == [0, 0]
    adam = ("beta1", "beta2", "epsilon")
    for recipe in ("specter", "multi2spe", "miread", "physbert"):
        assert numbers(recipe, *adam) == [0.9, 0.999, 1e-8]
    assert numbers("physbert", "mlm_beta2", "mlm_epsilon") == [0.98, 1e-6]
    assert numbers("physbert", "category_text") == ["abstract"]
    assert numbers("multi2spe", "facet_init") == ["identity_effective"]
    assert numbers("multi2spe-released", "facet_init") == ["released"]
    assert numbers("miread", *plan) == [1e-6, 1, 16, 100, 0.01, 0]
    assert numbers("miread-released", *plan)[0] == 5e-6
    assert numbers("physbert", *plan) == [2e-4, 2, 8_192, 0.1, 0.01, 0]
    assert numbers("physbert", "together", "temperature", "evaluations") == [256, 0.05, 3]
    assert recipe_of("physbert-subdomain")[0].recipes["physbert-subdomain"].grid == {
        "learning_rate": (1e-4, 2e-4),
        "batch_size": (16, 32),
    }


def test_changes_override_recipe_and_recipe_overrides_defaults() -> None:
    spec, name = recipe_of("specter-released")
    found = spec.resolve(name, {"epochs": "1.5"})
    assert (found["epochs"], found["batch_size"], found["margin"]) == (1.5, 512, 1.0)


def test_unknown_name_is_answered_with_suggestions() -> None:
    with pytest.raises(TrainerError, match="method 'spectre' does not exist") as refused:
        method_spec("spectre")
    assert refused.value.hint.startswith("Did you mean specter? Available: specter, multi2spe,")
    with pytest.raises(TrainerError, match="recipe 'specter-papers' does not exist"):
        recipe_of("specter-papers")
    with pytest.raises(TrainerError, match="setting 'lr' does not exist"):
        method_spec("specter").resolve("specter-paper", {"lr": 1})


def test_catalogue_is_imported_without_torch() -> None:
    script = "import sys, trainer.contract.catalog; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_every_setting_and_choice_has_its_texts_and_none_is_left_over() -> None:
    settings = [setting for spec in METHODS for setting in spec.settings]
    assert {setting.name for setting in settings} == set(SETTING_TEXTS)
    for setting in settings:
        assert setting.text.label and setting.text.help.endswith(".")
        assert set(setting.choices) <= set(CHOICE_LABELS.get(setting.name, {}))
