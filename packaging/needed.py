"""Which of the installed packages SciRead needs: a developer's environment holds many more."""

from __future__ import annotations

import importlib.metadata as installed
from functools import cache

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# Beside what pyproject.toml asks for: a little of what builds the program goes into it.
_BUILDERS = frozenset({"pyinstaller", "pyinstaller-hooks-contrib"})


@cache
def needed() -> frozenset[str]:
    """SciRead with its window, and all that this needs in turn, as far as it is installed."""
    found: dict[str, set[str]] = {}
    open_ends = [Requirement("sciread[gui]")]
    while open_ends:
        wanted = open_ends.pop()
        extras = found.setdefault(canonicalize_name(wanted.name), set())
        new = {"", *wanted.extras} - extras
        extras |= new
        for line in _requirements(wanted.name):
            asked = Requirement(line)
            if any(not asked.marker or asked.marker.evaluate({"extra": one}) for one in new):
                open_ends.append(asked)
    return frozenset(found) | _BUILDERS


def is_needed(name: str) -> bool:
    return canonicalize_name(name) in needed()


def strangers() -> list[str]:
    """Modules of packages that are installed and not needed, though somebody may look for them."""
    wanted = needed()
    return sorted(
        module
        for module, owners in installed.packages_distributions().items()
        if not any(canonicalize_name(owner) in wanted for owner in owners)
    )


def _requirements(name: str) -> list[str]:
    try:
        return installed.requires(name) or []
    except installed.PackageNotFoundError:  # an extra's, or of another system
        return []
