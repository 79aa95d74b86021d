"""Reading speed of XML, tables, MEDLINE text and JSON lines on one core, without storing.

Run it with `python benchmarks/bench_formats_xml.py`. It needs the real papers and files in
`shared` beside the checkout.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from sciread_app import formats

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
REPEATS = 3
# Papers a second that reading alone must reach, so that storing has time enough.
GOALS = {
    "jsonl": 12_000,
    "arXiv snapshot": 12_000,
    "PubMed XML": 3_000,
    "MEDLINE text": 3_000,
    "EndNote XML": 1_000,
    "Zotero CSV": 2_000,
}


def rate(path: Path) -> float:
    """Papers per second of CPU time, the best of several runs."""
    best = 0.0
    for _ in range(REPEATS):
        begun = time.process_time()
        count = sum(1 for _ in formats.read_file(path))
        best = max(best, count / (time.process_time() - begun))
    return best


def snapshot_lines(source: Path, count: int) -> Iterator[str]:
    """Real papers in the format of arXiv's snapshot."""
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for line in islice(lines, count):
            yield json.dumps(_snapshot(json.loads(line))) + "\n"


def _snapshot(paper: dict[str, Any]) -> dict[str, Any]:
    names = [name.rpartition(" ") for name in paper["authors"].split(", ")]
    return {
        "id": paper["id"].removeprefix("arxiv:"),
        "submitter": paper["authors"].partition(",")[0],
        "authors": paper["authors"],
        "title": paper["title"],
        "comments": paper.get("comments"),
        "journal-ref": f"{paper['journal']} 76 (2007) 13" if "journal" in paper else None,
        "doi": paper.get("doi"),
        "report-no": None,
        "categories": " ".join(paper["categories"]),
        "license": "http://arxiv.org/licenses/nonexclusive-distrib/1.0/",
        "abstract": f"  {paper['abstract']}\n",
        "versions": [{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"}],
        "update_date": paper["created"],
        "authors_parsed": [[family, given, ""] for given, _, family in names],
    }


def repeated(source: Path, times: int, target: Path) -> Path:
    """A file that repeats the articles of `source`."""
    head, start, rest = source.read_text(encoding="utf-8").partition("<PubmedArticle>")
    body, end, tail = rest.rpartition("</PubmedArticle>")
    target.write_text(head + (start + body + end) * times + tail, encoding="utf-8")
    return target


def main() -> int:
    if not SHARED.is_dir():
        print(f"There are no real papers to read: {SHARED} is missing.")
        return 0
    arxiv = SHARED / "data" / "arxiv" / "papers.jsonl.gz"
    exports = SHARED / "fixtures"
    with tempfile.TemporaryDirectory() as folder:
        snapshot = Path(folder) / "arxiv-metadata-oai-snapshot.json"
        with snapshot.open("w", encoding="utf-8") as out:
            out.writelines(snapshot_lines(arxiv, 50_000))
        pubmed = exports / "xml" / "pubmed_exports__pubmed_exports_pubmed_result.xml"
        files = {
            "jsonl": arxiv,
            "arXiv snapshot": snapshot,
            "PubMed XML": repeated(pubmed, 10, Path(folder) / "pubmed.xml"),
            "MEDLINE text": exports / "nbib" / "pubmed_exports__pubmed_exports_citations.nbib",
            "EndNote XML": exports / "xml" / "endnote_xml__endnote_xml_tafenoquine.xml",
            "Zotero CSV": next((exports / "csv").glob("ris_asreview*.csv")),
        }
        rates = {name: rate(path) for name, path in files.items()}
    for name, found in rates.items():
        print(f"{name:16}{found:10,.0f} papers/s   (goal {GOALS[name]:,})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
