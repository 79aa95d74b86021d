"""arXiv's archives and categories, and the sets of its OAI-PMH interface."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

_PHYSICS = (
    "astro-ph cond-mat gr-qc hep-ex hep-lat hep-ph hep-th math-ph nlin nucl-ex nucl-th physics "
    "quant-ph"
)
# Archives to groups; the group is the first part of a set's name.
GROUP_OF = {archive: "physics" for archive in _PHYSICS.split()} | {
    group: group for group in ("cs", "econ", "eess", "math", "q-bio", "q-fin", "stat")
}
# Papers of the nineties still have these names.
_OLD_ARCHIVES = (
    "acc-phys adap-org alg-geom ao-sci atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas dg-ga "
    "funct-an mtrl-th patt-sol plasm-ph q-alg solv-int supr-con"
)
ARCHIVES = frozenset([*GROUP_OF, *_OLD_ARCHIVES.split()])
# No paper was ever filed under these names alone.
ONLY_WITH_SUBJECT = frozenset(["cs", "econ", "eess", "math", "nlin", "physics", "q-fin", "stat"])

_LOWER_SUBJECTS = frozenset(["cond-mat", "physics"])  # cond-mat.mes-hall, but cs.CL


def set_named(name: str) -> str:
    """The set meant by "cs", "cs.CL", "cs:CL", "cs:cs:CL", "hep-th" or "cs.*".

    Empty if arXiv has no such set. "physics" is all of physics, "physics:physics" the archive.
    """
    parts = [part for part in re.split(r"[.:]", name.strip().lower()) if part not in ("", "*")]
    if parts in (["physics"], ["physics", "physics"]):
        return ":".join(parts)
    if len(parts) > 1 and GROUP_OF.get(parts[1]) == parts[0]:
        del parts[0]
    archive, *subject = parts or [""]
    if archive not in GROUP_OF or len(subject) > 1:
        return ""
    return _set_of(archive, subject[0] if subject else "")


def sets_of(pattern: str) -> list[str]:
    """The sets that together contain every paper in a category such as "cs.CL", "cs.*" or "q-*"."""
    pattern = pattern.lower()
    archive, dot, subject = pattern.partition(".")
    if not re.search(r"[*?]", pattern):
        return [_set_of(archive, subject)] if archive in GROUP_OF else []
    if dot and archive in GROUP_OF:
        return [_set_of(archive)]
    # "math*" also matches all that begins with "math.".
    return [_set_of(known) for known in GROUP_OF if fnmatchcase(f"{known}.", f"{archive}*")]


def holds(name: str, categories: Iterable[str]) -> bool:
    """Whether the set of this name contains a paper of these categories."""
    group, _, rest = name.partition(":")
    wanted = rest.replace(":", ".").lower()
    for category in categories:
        archive = category.partition(".")[0]
        if not wanted and GROUP_OF.get(archive) == group:
            return True
        if wanted in (archive, category.lower()):
            return True
    return False


def _set_of(archive: str, subject: str = "") -> str:
    group = GROUP_OF[archive]
    if subject and archive not in _LOWER_SUBJECTS:
        subject = subject.upper()
    if archive == group != "physics" and not subject:
        return group
    return ":".join(filter(None, (group, archive, subject)))
