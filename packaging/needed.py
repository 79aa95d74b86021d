"""The installed packages that SciRead needs: a development environment holds many more."""

from __future__ import annotations

import importlib.metadata as installed
from functools import cache

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# Not in pyproject.toml, but parts of these go into the program that they build.
_BUILDERS = frozenset({"pyinstaller", "pyinstaller-hooks-contrib"})


@cache
def needed() -> frozenset[str]:
    """Return the names of sciread[gui] and its direct and indirect dependencies."""
    found: dict[str, set[str]] = {}
    pending = [Requirement("sciread[gui]")]
    while pending:
        package = pending.pop()
        extras = found.setdefault(canonicalize_name(package.name), set())
        new = {"", *package.extras} - extras
        extras |= new
        for line in _requirements(package.name):
            required = Requirement(line)
            if any(not required.marker or required.marker.evaluate({"extra": one}) for one in new):
                pending.append(required)
    return frozenset(found) | _BUILDERS


def is_needed(name: str) -> bool:
    return canonicalize_name(name) in needed()


def unneeded_modules() -> list[str]:
    """Return the top-level modules of installed packages that SciRead does not need.

    Libraries may import them where they are installed, which would take them into the program.
    """
    return sorted(
        module
        for module, owners in installed.packages_distributions().items()
        if not any(is_needed(owner) for owner in owners)
    )


def _requirements(name: str) -> list[str]:
    try:
        return installed.requires(name) or []
    except installed.PackageNotFoundError:  # of an extra, or for another system
        return []
