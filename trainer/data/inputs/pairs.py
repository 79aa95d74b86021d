"""Pairs of texts, with or without negatives: PhysBERT's files (categories, citations, questions),
and the training files of sentence-transformers, Tevatron and FlagEmbedding.

PhysBERT's files are undocumented except for their names, their sizes and the keys of
`ir_dataset.json`, so any plausible structure is accepted: an entry is a text, a pair of texts or an
object with two texts.

Each text becomes a paper. A question belongs to the paper that answers it, and becomes a paper
itself only as the query of a triplet, which has a negative besides.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from trainer.contract.files import LONGEST_LINE, numbered_lines
from trainer.data.corpus.records import CitedIds, InputRecord, RecordProblem, Triple, id_of
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

# Names of the lists of a query's passages: in Tevatron's files, and in FlagEmbedding's.
_PASSAGES = (("positive_passages", "negative_passages"), ("pos", "neg"))
# A column of negatives in a table of sentence-transformers: negative, negative_1, negative_2.
_NEGATIVE = re.compile(r"negatives?(?:_\d+)?")

Found = InputRecord | CitedIds | Triple | RecordProblem


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


def is_line(value: Any) -> bool:
    """Whether this is a line of a training file: a list of texts, or an object that names them."""
    if isinstance(value, dict):
        return bool(_passage_lists(value) or two_texts(value) or _similar(value))
    return _are_texts(value)


def read_lines(source: Source) -> Iterator[Found]:
    """Iterate over the lines of a training file: texts that belong together, as a list or as an
    object, possibly with negatives.

    A list of two texts is a pair; in a longer one the third and later texts are negatives, as in
    sentence-transformers.
    """
    with source.open() as stream:
        for number, line in numbered_lines(stream):
            if line.strip():
                yield from _line(line, source.path, f"line {number}")


def _line(line: bytes, path: Path, entry: str) -> Iterator[Found]:
    if len(line) >= LONGEST_LINE:
        yield RecordProblem(entry, f"The line is longer than {LONGEST_LINE >> 20} MB.")
        return
    try:
        value = json.loads(line.decode("utf-8", "replace").removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        yield RecordProblem(entry, f"The line is not valid JSON: {error}.")
        return
    yield from _texts(value, path, entry)


def _texts(value: Any, path: Path, entry: str) -> Iterator[Found]:
    """Return the records of a value that is_line."""
    row = value if isinstance(value, dict) else {}
    if lists := _passage_lists(row):
        positives, negatives = (_passages(row.get(name)) for name in lists)
        yield from _question(text(row.get("query")), positives, negatives, entry)
    elif names := two_texts(value):
        yield from pair(*names, row, path, entry)
    elif similar := _similar(row):
        for left, right in pairwise(similar):
            yield from pair(left, right, {}, path, entry)
    elif _are_texts(value):
        left, right, *negatives = value
        yield from pair(left, right, {"negatives": negatives}, path, entry)
    else:
        yield RecordProblem(entry, "This line contains neither a pair nor a triplet of texts.")


def pair(left: str, right: str, row: Mapping[str, Any], path: Path, entry: str) -> Iterator[Found]:
    """Return the records for two texts: question and answer, citing and cited, or just papers.

    `row` has the names of the columns, and possibly negatives.
    """
    others = [t for name in row if _NEGATIVE.fullmatch(name) for t in texts(row[name])]
    if not left.strip() or not right.strip():
        yield RecordProblem(entry, "One of the two texts is empty.")
    elif any(set(names) <= row.keys() for names in _QUESTIONS):
        answers = [InputRecord(id="", abstract=answer) for answer in (right, *others)]
        yield from _question(left, answers[:1], answers[1:], entry)
    elif category := of_category(path):
        yield InputRecord(id="", abstract=left, fields=(category,))
        yield InputRecord(id="", abstract=right, fields=(category,))
    else:
        query, positive, *negatives = papers = [
            InputRecord(id="", title=title) for title in (left, right, *others)
        ]
        yield from papers
        if _citing(row, path):
            yield CitedIds(id_of(query), (id_of(positive),))
        yield from _triples(query, [positive], negatives)


def _question(
    question: str, positives: list[InputRecord], negatives: list[InputRecord], entry: str
) -> Iterator[Found]:
    """Return the records for a question, the passages that answer it, and others that do not."""
    if not question.strip() or not positives:
        yield RecordProblem(entry, "The query or its positive passage is empty.")
        return
    for passage in positives:
        yield passage._replace(questions=(question,))
    if negatives:
        query = InputRecord(id="", title=question)
        yield from (query, *negatives)
        yield from _triples(query, positives, negatives)


def _triples(
    query: InputRecord, positives: list[InputRecord], negatives: list[InputRecord]
) -> Iterator[Triple]:
    for positive in positives:
        for negative in negatives:
            yield Triple(id_of(query), id_of(positive), id_of(negative))


def _passage_lists(row: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the names of the lists of positives and negatives, if this is a query with them."""
    if "query" not in row:
        return None
    return next((names for names in _PASSAGES if isinstance(row.get(names[0]), list)), None)


def _passages(values: Any) -> list[InputRecord]:
    """Return the passages of a list of texts, or of objects with docid, title and text."""
    found = []
    for value in values if isinstance(values, list) else ():
        row = value if isinstance(value, dict) else {"text": value}
        name, title, body = (text(row.get(key)) for key in ("docid", "title", "text"))
        if title.strip() or body.strip():
            found.append(InputRecord(f"passage:{name}" if name else "", title, body))
    return found


def _similar(row: Mapping[str, Any]) -> list[str] | None:
    """Return the texts of {"set": [...]} or {"texts": [...]}, which are all similar."""
    found = row.get("set", row.get("texts"))
    return found if len(row) == 1 and _are_texts(found) else None


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
    """Return the records of an array entry: a text, a pair, a triplet, or a paper."""
    if is_line(value):
        yield from _texts(value, path, entry)
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


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) > 1 and all(map(_is_text, value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
