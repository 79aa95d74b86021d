"""Upload of a package, with its model card, to the Hugging Face Hub."""

from __future__ import annotations

import json

from huggingface_hub import CommitOperationAdd, HfApi, get_token

from trainer.contract.errors import TrainerError
from trainer.contract.package import Package
from trainer.packages.export import base_name
from trainer.packages.hub_errors import HUB_ERRORS, explained

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
    except (*HUB_ERRORS, ValueError, RuntimeError) as error:
        raise explained(error, hub_id, "upload") from error
    return f"{api.endpoint}/{hub_id}/commit/{made.oid}"


def _without_paths(package: Package) -> bytes:
    """Return package.json with the name of the base model instead of a path on this computer."""
    described = json.loads((package.folder / _PACKAGE).read_text(encoding="utf-8"))
    if package.base:
        described["base"] = base_name(package.base)
    return (json.dumps(described, indent=2) + "\n").encode()
