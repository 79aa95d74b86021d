"""What can go wrong in the trainer in a way that a person can do something about."""

from __future__ import annotations


class TrainerError(Exception):
    """One sentence for a person, and a hint that says what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        # Both go to Exception, so that the error survives pickling on its way between processes.
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class PackageRefused(TrainerError):
    """A model folder is damaged, unknown or not safe to load, and was not loaded."""
