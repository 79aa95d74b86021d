"""Upload of a package, with its model card, to the Hugging Face Hub."""

from __future__ import annotations

import json

from huggingface_hub import CommitOperationAdd, HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, OfflineModeIsEnabled
from huggingface_hub.utils import httpx  # type: ignore[attr-defined]

from trainer.contract.errors import TrainerError
from trainer.contract.package import Package
from trainer.packages.export import base_name

_PACKAGE = "package.json"


def push(package: Package, hub_id: str, *, public: bool = False, message: str = "") -> str:
    """Upload a package to the repository `hub_id` (OWNER/NAME) as one commit; return its address.

    The repository is created if it does not exist, private unless `public`; the visibility of an
    existing one is not changed. After an interruption, weights that were uploaded are not sent
    again. Raises TrainerError.
    """
    if not (package.folder / _PACKAGE).exists():
        raise TrainerError(
            f"{package.title} is already published.", "Push a model that you trained."
        )
    if not get_token():
        raise TrainerError(
            "Uploading to the Hugging Face Hub requires a token with write access.",
            "Create one at https://huggingface.co/settings/tokens, and set HF_TOKEN.",
        )
    operations = [
        CommitOperationAdd(name, str(package.folder / name))
        for name in sorted({*package.files, "README.md", "metrics.json", "config.json"})
        if (package.folder / name).exists()
    ]
    operations.append(CommitOperationAdd(_PACKAGE, _without_paths(package)))
    api = HfApi()
    try:
        hub_id = api.create_repo(hub_id, private=not public, exist_ok=True).repo_id
        made = api.create_commit(
            hub_id, operations, commit_message=message or f"Upload {package.title}"
        )
    except (HfHubHTTPError, httpx.HTTPError, OSError, ValueError, RuntimeError) as error:
        raise _explained(error, hub_id) from error
    return f"{api.endpoint}/{hub_id}/commit/{made.oid}"


def _without_paths(package: Package) -> bytes:
    """Return package.json with the name of the base model instead of a path on this computer."""
    described = json.loads((package.folder / _PACKAGE).read_text(encoding="utf-8"))
    if package.base:
        described["base"] = base_name(package.base)
    return (json.dumps(described, indent=2) + "\n").encode()


def _explained(error: Exception, hub_id: str) -> TrainerError:
    if isinstance(error, RuntimeError) and isinstance(error.__cause__, Exception):
        error = error.__cause__  # of the upload of one file
    status = getattr(getattr(error, "response", None), "status_code", 0)
    if isinstance(error, HFValidationError):
        return TrainerError(f"{hub_id} is not a valid repository name.", "Example: OWNER/NAME.")
    if isinstance(error, OfflineModeIsEnabled):
        return TrainerError(
            "HF_HUB_OFFLINE is set, which prevents uploads.", "Unset HF_HUB_OFFLINE."
        )
    if status in (401, 403):
        return TrainerError(
            f"Your token does not allow uploads to {hub_id} ({status}).",
            "Set HF_TOKEN to a token with write access to this account.",
        )
    if status:
        return TrainerError(
            f"The Hugging Face Hub returned the status {status} for {hub_id}.", "Try again later."
        )
    if isinstance(error, ValueError):
        return TrainerError(
            f"The Hugging Face Hub sent an invalid reply for {hub_id}.", "Try again later."
        )
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return TrainerError(
        f"Could not upload to {hub_id}: {why.rstrip('.')}.",
        "Check your internet connection, then push the model again.",
    )
