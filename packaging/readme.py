"""What the package's page says: the README. Hatchling asks for it at every build.

Away from the sources, links to files of theirs lead nowhere. Where program.toml says where the
sources are, links lead there; where it does not, they become plain text
and the picture is left out.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)(\n\n)?")


class CustomMetadataHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        root = Path(self.root)
        about = tomllib.loads((root / "packaging" / "program.toml").read_text("utf-8"))
        text = (root / "README.md").read_text("utf-8")
        readme = {"content-type": "text/markdown", "text": elsewhere(text, about["url"])}
        metadata["readme"] = readme
        if url := about["url"]:
            metadata["urls"] = {"Homepage": url, "Issues": f"{url}/issues"}


def elsewhere(text: str, url: str) -> str:
    """The README as it is read away from the sources, which are at `url`, if anywhere."""

    def lead(link: re.Match[str]) -> str:
        picture, name, target, gap = link[1], link[2], link[3], link[4] or ""
        if url:
            return f"{picture}[{name}]({url}/{'raw' if picture else 'blob'}/main/{target}){gap}"
        return "" if picture else f"{name}{gap}"

    return _LINK.sub(lead, text)
