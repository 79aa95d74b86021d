"""API keys, stored only in the environment or in the keyring of the operating system."""

from __future__ import annotations

import logging
import os
import re

import keyring
from keyring.errors import KeyringError, PasswordDeleteError

from sciread_app.errors import SourceError
from sciread_app.language import tr

log = logging.getLogger(__name__)

_TITLES = {
    "ncbi": "PubMed (NCBI)",
    "openalex": "OpenAlex",
    "semantic_scholar": "Semantic Scholar",
}
_OURS = "sciread"  # the service name of all keys in the keyring


def key(name: str) -> str:
    """The key called `name`, such as "ncbi"; empty if there is none.

    SCIREAD_NCBI_API_KEY takes precedence over NCBI_API_KEY, and both over the keyring.
    """
    for variable in _variables(name):
        if value := os.environ.get(variable, "").strip():
            return _sound(value, tr("The API key in {variable} is not valid.", variable=variable))
    try:
        value = keyring.get_password(_OURS, name) or ""
    except (KeyringError, OSError) as error:
        log.info("the keyring is not available: %s", type(error).__name__)
        return ""
    return _sound(value, _not_valid(name)) if value else ""


def location(name: str) -> str:
    """The location of the key called `name`: "environment", "keyring", or empty."""
    if any(os.environ.get(variable, "").strip() for variable in _variables(name)):
        return "environment"
    try:
        return "keyring" if key(name) else ""
    except SourceError:
        return "keyring"  # an invalid key that can be replaced


def set_key(name: str, value: str) -> None:
    """Store a key in the keyring. Raises SourceError if it is invalid, or there is no keyring."""
    value = _sound(value.strip(), _not_valid(name))
    try:
        keyring.set_password(_OURS, name, value)
    except (KeyringError, OSError) as error:
        raise _no_keyring(name) from error


def drop_key(name: str) -> None:
    """Delete a key, if it exists. Raises SourceError if there is no keyring."""
    try:
        keyring.delete_password(_OURS, name)
    except PasswordDeleteError:
        pass  # it did not exist
    except (KeyringError, OSError) as error:
        raise _no_keyring(name) from error


def _variables(name: str) -> tuple[str, str]:
    return f"SCIREAD_{name.upper()}_API_KEY", f"{name.upper()}_API_KEY"


def _not_valid(name: str) -> str:
    return tr("The API key for {source} is not valid.", source=_TITLES.get(name, name))


def _sound(value: str, else_said: str) -> str:
    """The key, if it is valid: invalid ones would appear in the errors of failed requests."""
    if not re.fullmatch(r"[!-~]{4,200}", value):
        raise SourceError(
            else_said,
            tr("An API key has 4 to 200 letters, digits or punctuation marks, and no spaces."),
        )
    return value


def _no_keyring(name: str) -> SourceError:
    return SourceError(
        tr("The keyring of this system is not available."),
        tr("Set the environment variable {variable} instead.", variable=_variables(name)[1]),
    )
