"""The catalogue of methods: settings that check themselves, recipes that fit them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainer.contract.catalog import METHODS, MethodSpec, method_spec, recipe_of
from trainer.contract.errors import TrainerError
from trainer.contract.settings import Setting, Value

ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just([1])


@pytest.mark.parametrize(
    ("setting", "given_value", "value"),
    [
        (Setting("n", 2, ""), "7", 7),
        (Setting("n", 2, ""), 7.0, 7),
        (Setting("x", 2.0, ""), "2e-5", 2e-5),
        (Setting("x", 2.0, ""), 3, 3.0),
        (Setting("b", True, ""), "false", False),
        (Setting("b", False, ""), "Yes", True),
        (Setting("s", "", ""), "starter", "starter"),
        (Setting("s", "a", "", choices=("a", "b")), "b", "b"),
    ],
)
def test_a_setting_takes_what_a_form_or_a_command_line_gives(
    setting: Setting, given_value: object, value: Value
) -> None:
    found = setting.check(given_value)
    assert found == value
    assert type(found) is type(setting.default)


@pytest.mark.parametrize(
    ("setting", "wrong", "hint"),
    [
        (Setting("n", 2, ""), "7.5", "It is a whole number."),
        (Setting("n", 2, "", at_least=1), 0, "It is a whole number of at least 1."),
        (Setting("x", 2.0, "", at_most=3), "4", "It is a number of at most 3."),
        (Setting("x", 2.0, "", 1, 3), "nan", "It is a number from 1 to 3."),
        (Setting("x", 2.0, ""), True, "It is a number."),
        (Setting("b", True, ""), "perhaps", "It is true or false."),
        (Setting("s", "a", "", choices=("a", "b")), "c", "It is one of a, b."),
        (Setting("s", "", ""), 3, "It is a text."),
    ],
)
def test_a_wrong_value_is_refused_with_what_would_be_right(
    setting: Setting, wrong: object, hint: str
) -> None:
    with pytest.raises(TrainerError, match=f"^{setting.name} cannot be ") as refused:
        setting.check(wrong)
    assert refused.value.hint == hint


@given(default=st.booleans() | st.integers() | st.floats() | st.text(), value=ANYTHING)
def test_a_setting_gives_its_own_type_or_refuses(default: Value, value: object) -> None:
    setting = Setting("any", default, "")
    try:
        found = setting.check(value)
    except TrainerError:
        return
    assert type(found) is type(default)
    assert setting.check(found) == found


@pytest.mark.parametrize("spec", METHODS, ids=lambda spec: spec.key)
def test_a_methods_defaults_are_the_papers(spec: MethodSpec) -> None:
    names = [setting.name for setting in spec.settings]
    assert len(set(names)) == len(names)
    assert next(iter(spec.recipes)) == f"{spec.key}-paper"
    assert spec.resolve(f"{spec.key}-paper") == {s.name: s.default for s in spec.settings}
    assert all(setting.help.endswith(".") for setting in spec.settings)


@pytest.mark.parametrize("spec", METHODS, ids=lambda spec: spec.key)
def test_every_recipe_is_of_settings_that_there_are(spec: MethodSpec) -> None:
    for name, recipe in spec.recipes.items():
        assert spec.resolve(name).items() >= recipe.settings.items()
        for setting, values in recipe.grid.items():
            assert all(spec.resolve(name, {setting: value})[setting] == value for value in values)


def test_the_papers_numbers() -> None:
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


def test_changes_come_before_the_recipe_and_the_recipe_before_defaults() -> None:
    spec, name = recipe_of("specter-released")
    found = spec.resolve(name, {"epochs": "1.5"})
    assert (found["epochs"], found["batch_size"], found["margin"]) == (1.5, 512, 1.0)


def test_a_name_that_is_not_known_is_answered_with_those_that_are() -> None:
    with pytest.raises(TrainerError, match="no method 'spectre'") as refused:
        method_spec("spectre")
    assert refused.value.hint.startswith("Did you mean specter? Known are: specter, multi2spe,")
    with pytest.raises(TrainerError, match="no recipe 'specter-papers'"):
        recipe_of("specter-papers")
    with pytest.raises(TrainerError, match="no setting 'lr'"):
        method_spec("specter").resolve("specter-paper", {"lr": 1})


def test_the_catalogue_is_read_without_torch() -> None:
    script = "import sys, trainer.contract.catalog; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
