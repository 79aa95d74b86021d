"""Errors of the trainer that the user can resolve."""

from __future__ import annotations


class TrainerError(Exception):
    """An error with a one-sentence message and a hint about what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        # Both arguments go to Exception so that the error survives pickling between processes.
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class PackageRefused(TrainerError):
    """A model folder is damaged, unknown or unsafe, and was not loaded."""
