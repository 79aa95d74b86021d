"""Settings of methods, their types and limits, from which forms and checks are built."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from trainer.contract.errors import TrainerError
from trainer.contract.setting_texts import SettingText, setting_text

Value = bool | int | float | str

_YES_NO = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class Setting:
    """A setting. Its default determines its type; `choices`, if any, are its allowed values. The
    texts about it are in `trainer.contract.setting_texts`.

    `formerly` is the value that trainings used before the setting existed; None: it always existed.
    Runs that started before then continue with that value.
    """

    name: str
    default: Value
    at_least: float | None = None
    at_most: float | None = None
    choices: tuple[str, ...] = ()
    formerly: Value | None = None

    def check(self, value: Any) -> Value:
        """Convert a value from a form, file or command line to the type of the setting.

        Raises TrainerError that describes the allowed values.
        """
        typed = self._typed(value)
        fits = typed is not None and self._within(typed) and typed in (self.choices or (typed,))
        if typed is None or not fits:
            raise TrainerError(f"{self.name} cannot be {value!r}.", f"Allowed: {self.allowed}.")
        return typed

    @property
    def text(self) -> SettingText:
        """Its name, help and unit."""
        return setting_text(self.name)

    @property
    def allowed(self) -> str:
        """Description of the allowed values."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        kind = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
        least = "" if self.at_least is None else f" of at least {self.at_least:g}"
        most = "" if self.at_most is None else f" of at most {self.at_most:g}"
        between = f" from {self.at_least:g} to {self.at_most:g}" if least and most else least + most
        return kind[type(self.default)] + between

    def _typed(self, value: Any) -> Value | None:
        """Return the value in the type of the default; None if it cannot be converted."""
        if isinstance(self.default, str):
            return value if isinstance(value, str) else None
        if isinstance(self.default, bool):
            return _YES_NO.get(str(value).strip().lower())
        if isinstance(value, bool):
            return None
        try:
            number = float(value)
        except (TypeError, ValueError):
            return None
        if not math.isfinite(number):
            return None
        if isinstance(self.default, float):
            return number
        return int(number) if number.is_integer() else None

    def _within(self, value: Value) -> bool:
        if isinstance(value, str):
            return True
        low = -math.inf if self.at_least is None else self.at_least
        high = math.inf if self.at_most is None else self.at_most
        return low <= value <= high
