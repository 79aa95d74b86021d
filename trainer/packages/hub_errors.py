"""Errors of the Hugging Face Hub in terms of what the user can do."""

from __future__ import annotations

from typing import Literal

from huggingface_hub.errors import (
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils import httpx  # type: ignore[attr-defined]

from trainer.contract.errors import TrainerError

HUB_ERRORS = (HfHubHTTPError, httpx.HTTPError, OSError, HFValidationError)


def explained(error: Exception, name: str, doing: Literal["download", "upload"]) -> TrainerError:
    """Return the error for the user, from a `download` of the model `name` or an `upload` to it."""
    cause = error.__cause__
    # The hub's client wraps the failure of one file.
    if isinstance(error, LocalEntryNotFoundError | RuntimeError) and isinstance(cause, Exception):
        error = cause
    if isinstance(error, OfflineModeIsEnabled):
        return TrainerError(
            f"HF_HUB_OFFLINE is set, which prevents {doing}s.", "Unset HF_HUB_OFFLINE."
        )
    status = getattr(getattr(error, "response", None), "status_code", 0)
    known = _of_upload(error, name, status) if doing == "upload" else _of_download(error, name)
    if known:
        return known
    if status == 429:
        return TrainerError(
            "The Hugging Face Hub limits the number of requests (429).",
            "Try again in a few minutes.",
        )
    if status:
        return TrainerError(
            f"The Hugging Face Hub returned the status {status} for {name.rstrip(',')}.",
            "Try again later.",
        )
    again = f"{'pull' if doing == 'download' else 'push'} the model again."
    again += " Downloaded files are kept." if doing == "download" else ""
    failed = f"Could not {doing} {name.rstrip(',')}"
    if isinstance(error, httpx.NetworkError | httpx.ConnectTimeout | ConnectionError):
        return TrainerError(
            f"{failed}: the Hugging Face Hub is not available.",
            f"Check your internet connection, then {again}",
        )
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return TrainerError(f"{failed}: {why.rstrip('.')}.", again[0].upper() + again[1:])


def _of_download(error: Exception, name: str) -> TrainerError | None:
    if isinstance(error, GatedRepoError):
        return TrainerError(
            f"Access to {name} is restricted.",
            "Request access on the model's page, then set HF_TOKEN to your token.",
        )
    if isinstance(error, RepositoryNotFoundError | HFValidationError):
        return TrainerError(
            f"The model {name} does not exist on the Hugging Face Hub, or it is private.",
            "Check the spelling (OWNER/NAME). For a private model, set HF_TOKEN.",
        )
    if isinstance(error, RevisionNotFoundError):
        return TrainerError(
            f"The specified revision of {name} does not exist.",
            "See the model's page for the available revisions.",
        )
    if isinstance(error, EntryNotFoundError):
        return TrainerError(
            f"A file of {name} is no longer on the Hugging Face Hub.", "Pull the model again."
        )
    return None


def _of_upload(error: Exception, name: str, status: int) -> TrainerError | None:
    if isinstance(error, HFValidationError):
        return TrainerError(f"{name} is not a valid repository name.", "Example: OWNER/NAME.")
    if status in (401, 403):
        return TrainerError(
            f"Your token does not allow uploads to {name} ({status}).",
            "Set HF_TOKEN to a token with write access to this account.",
        )
    if isinstance(error, ValueError) and not status:
        return TrainerError(
            f"The Hugging Face Hub sent an invalid reply for {name}.", "Try again later."
        )
    return None
