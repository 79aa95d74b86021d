"""Pairs of texts, and PhysBERT's files of them: categories, citations, questions.

The files are undocumented except for their names, their sizes and the keys of `ir_dataset.json`, so
any plausible structure is accepted: an entry is a text, a pair of texts or an object with two
texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trainer.data.corpus.records import CitedIds, InputRecord, RecordProblem, content_id, one_line
from trainer.data.inputs import json_lines
from trainer.data.inputs.json_stream import BadJson, entries
from trainer.data.inputs.source import Source
from trainer.data.inputs.values import text, texts

# Names of the two columns of a table of pairs. The first four are questions and their answers.
_QUESTIONS = (
    ("question", "context"),
    ("question", "passage"),
    ("query", "document"),
    ("query", "positive"),
)
COLUMNS = (
    *_QUESTIONS,
    ("anchor", "positive"),
    ("title1", "title2"),
    ("title_1", "title_2"),
    ("text1", "text2"),
    ("text_1", "text_2"),
    ("sentence1", "sentence2"),
    ("abstract1", "abstract2"),
    ("abstract_1", "abstract_2"),
)
# P2P_astro-ph_CO.json has papers of the category astro-ph.CO.
_CATEGORY = re.compile(r"P2P_([A-Za-z-]+(?:_[A-Za-z-]+)?)")
RETRIEVAL = frozenset(("queries", "corpus", "relevant_docs"))

Found = InputRecord | CitedIds | RecordProblem


def of_category(path: Path) -> str:
    """Return the arXiv category of PhysBERT's file, or ""."""
    found = _CATEGORY.match(path.name)
    return found[1].replace("_", ".") if found else ""


def read(source: Source) -> Iterator[Found]:
    """Iterate over the entries of a JSON array of texts, pairs or papers."""
    number = "0"
    try:
        for number, value in entries(source.pieces()):
            yield from found_in(value, source.path, f"entry {number}")
    except BadJson as error:
        yield RecordProblem(f"entry {int(number) + 1}", str(error))


def read_retrieval(source: Source) -> Iterator[Found]:
    """Read ir_dataset.json: questions, passages, and which passages answer a question."""
    parts: dict[str, Any] = {}
    try:
        parts = {key: value for key, value in entries(source.pieces()) if key in RETRIEVAL}
    except BadJson as error:
        yield RecordProblem("", str(error))
    found = [parts.get(name) for name in ("queries", "corpus", "relevant_docs")]
    queries, passages, relevant = (part if isinstance(part, dict) else {} for part in found)
    questions: dict[str, list[str]] = {}
    for query, answers in relevant.items():
        for passage in texts(answers) if isinstance(answers, list) else ():
            questions.setdefault(passage, []).append(text(queries.get(query)))
    for name, passage in passages.items():
        asked = tuple(filter(None, questions.get(name, ())))
        if body := text(passage):
            yield InputRecord(id=f"passage:{name}", abstract=body, questions=asked)
        else:
            yield RecordProblem(name, "This passage has no text.")


def pair(left: str, right: str, row: Mapping[str, Any], path: Path, entry: str) -> Iterator[Found]:
    """Return the records for two texts: question and answer, citing and cited, or just papers."""
    if not left.strip() or not right.strip():
        yield RecordProblem(entry, "One of the two texts is empty.")
    elif any(set(names) <= row.keys() for names in _QUESTIONS):
        yield InputRecord(id="", abstract=right, questions=(left,))
    elif category := of_category(path):
        yield InputRecord(id="", abstract=left, fields=(category,))
        yield InputRecord(id="", abstract=right, fields=(category,))
    else:
        yield InputRecord(id="", title=left)
        yield InputRecord(id="", title=right)
        if _citing(row, path):
            ids = [content_id(one_line(title), "") for title in (left, right)]
            yield CitedIds(ids[0], (ids[1],))


def _citing(row: Mapping[str, Any], path: Path) -> bool:
    """Whether the pair is a citation: by its label, else by the name of the file."""
    for name in ("label", "score", "citing"):
        if name in row:
            return str(row[name]).strip().lower() in ("1", "1.0", "true", "yes")
    return not path.name.startswith("non_citing")


def two_texts(value: Any) -> tuple[str, str] | None:
    """Return the two texts of an entry, if it is a pair."""
    if isinstance(value, list) and len(value) == 2 and all(map(_is_text, value)):
        return value[0], value[1]
    if not isinstance(value, dict):
        return None
    if names := next((pair for pair in COLUMNS if set(pair) <= value.keys()), None):
        return text(value[names[0]]), text(value[names[1]])
    lists = [item for item in value.values() if isinstance(item, list) and len(item) == 2]
    if "title" not in value and len(lists) == 1 and all(map(_is_text, lists[0])):
        # {"texts": [left, right]} or {"set": [left, right]}, as in sentence-transformers.
        return lists[0][0], lists[0][1]
    return None


def found_in(value: Any, path: Path, entry: str) -> Iterator[Found]:
    """Return the records of an array entry: a text, a pair, or a paper."""
    if both := two_texts(value):
        yield from pair(*both, value if isinstance(value, dict) else {}, path, entry)
    elif isinstance(value, dict):
        yield _object(value, path, entry)
    elif isinstance(value, str) and value.strip():
        category = of_category(path)
        yield InputRecord(id="", abstract=value, fields=(category,) if category else ())
    else:
        yield RecordProblem(entry, "This entry is neither a text, a pair of texts nor a paper.")


def _object(value: dict[str, Any], path: Path, entry: str) -> InputRecord | RecordProblem:
    body = value.get("abstract") or value.get("text")
    found = json_lines.paper({**value, "abstract": body}, entry)
    category = of_category(path)
    if isinstance(found, InputRecord) and category and not found.fields:
        found = found._replace(fields=(category,))
    return found


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
