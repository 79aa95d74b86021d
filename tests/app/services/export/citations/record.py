"""Record how pandoc cites the items of items.json and groups.json, as recorded.json.

    pip install pypandoc_binary      # in an environment of its own: pandoc is under the GPL
    python tests/app/services/export/citations/record.py

Each item is cited alone, each group of items in one citation, in every style of
resources/styles. Its HTML is stored with `<i>` and `<b>` for `<em>` and `<strong>`, and without the
elements that only lay out the page. Nothing else is changed; where pandoc is wrong,
test_pandoc.py says so.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STYLES = HERE.parents[3] / "resources" / "styles"
ENTRY = re.compile(
    r'<div id="ref-[^"]+" class="csl-entry"[^>]*>(.*?)(?=<div id="ref-|</div>\s*\Z)', re.S
)
CITATION = re.compile(r'<span class="citation"[^>]*>(.*?)</span></p>', re.S)
Item = dict[str, Any]


def record(pandoc: str) -> dict[str, Any]:
    items = json.loads((HERE / "items.json").read_text("utf-8"))
    groups = json.loads((HERE / "groups.json").read_text("utf-8"))
    together: dict[str, list[Item]] = {item["id"]: [item] for item in items} | groups
    styles = sorted(file.stem for file in STYLES.glob("*.csl"))
    wanted = [(style, name) for style in styles for name in together]
    with ThreadPoolExecutor(2) as threads:
        cited = list(threads.map(lambda one: cite(pandoc, one[0], together[one[1]]), wanted))
    recorded: dict[str, Any] = {style: {} for style in styles}
    for (style, name), answer in zip(wanted, cited, strict=True):
        recorded[style][name] = answer
    version = subprocess.run([pandoc, "--version"], capture_output=True, text=True, check=True)
    return {"by": version.stdout.splitlines()[0], "styles": recorded}


def cite(pandoc: str, style: str, items: list[Item]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        bibliography = Path(folder) / "items.json"
        bibliography.write_text(json.dumps(items), "utf-8")
        done = subprocess.run(
            [
                pandoc, "--from=markdown", "--to=html", "--wrap=none", "--citeproc",
                f"--csl={STYLES / style}.csl", f"--bibliography={bibliography}",
                "--metadata=link-bibliography:false", "--metadata=link-citations:false",
            ],
            input="[" + "; ".join(f"@{item['id']}" for item in items) + "]\n",
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    (citation,) = CITATION.findall(done.stdout)
    return {
        "citation": inline(citation),
        "references": [inline(entry) for entry in ENTRY.findall(done.stdout)],
    }


def inline(html: str) -> str:
    html = re.sub(r"</?(div|span)[^>]*>", "", html)
    for long, short in (("em", "i"), ("strong", "b")):
        html = html.replace(f"<{long}>", f"<{short}>").replace(f"</{long}>", f"</{short}>")
    return " ".join(html.split())


if __name__ == "__main__":
    import pypandoc

    answer = record(pypandoc.get_pandoc_path())
    text = json.dumps(answer, ensure_ascii=False, indent=1)
    (HERE / "recorded.json").write_text(text + "\n", "utf-8")
