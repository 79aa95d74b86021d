"""A hatchling hook that provides the README as the description on PyPI.

Relative links do not work there. They are made absolute if program.toml has the address of the
sources; otherwise they become plain text, and the picture is left out.
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
        readme = {"content-type": "text/markdown", "text": absolute_links(text, about["url"])}
        metadata["readme"] = readme
        if url := about["url"]:
            metadata["urls"] = {"Homepage": url, "Issues": f"{url}/issues"}


def absolute_links(text: str, url: str) -> str:
    """Replace relative links by links to the sources at `url`; remove them if it is empty."""

    def replace(link: re.Match[str]) -> str:
        picture, name, target, gap = link[1], link[2], link[3], link[4] or ""
        if url:
            return f"{picture}[{name}]({url}/{'raw' if picture else 'blob'}/main/{target}){gap}"
        return "" if picture else f"{name}{gap}"

    return _LINK.sub(replace, text)
