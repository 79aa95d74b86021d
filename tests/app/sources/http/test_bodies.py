"""Any packed body is unpacked to the original, up to the size limit."""

from __future__ import annotations

import gzip
import time
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sciread_app.sources.http.bodies import PIECE, BadCoding, TooLong, message, whole

BODIES = st.binary(max_size=2000) | st.integers(0, 3 * PIECE).map(bytes)


def cut(body, size):
    return [body[start : start + size] for start in range(0, len(body), size)]


@given(BODIES, st.integers(1, 5000), st.sampled_from(["", "gzip", "deflate"]))
def test_body_is_unpacked_to_the_original(body, size, coding):
    pack = {"": bytes, "gzip": gzip.compress, "deflate": zlib.compress}[coding]
    assert whole(cut(pack(body), max(size, len(body) // 100)), coding, len(body)) == body


@given(st.binary(min_size=1, max_size=2000), st.sampled_from(["", "gzip"]), st.data())
def test_body_over_size_limit_is_refused(body, coding, data):
    packed = gzip.compress(body) if coding else body
    with pytest.raises(TooLong):
        whole([packed], coding, data.draw(st.integers(0, len(body) - 1)))


@given(BODIES, st.data())
def test_truncated_packed_body_raises_bad_coding(body, data):
    packed = gzip.compress(body)
    with pytest.raises(BadCoding):
        whole([packed[: data.draw(st.integers(0, len(packed) - 1))]], "gzip", 10**9)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<html><head><title>x</title></head><body><h1>Bad query.</h1> Try.</body>", "Bad query"),
        ("<html><head><title>x</title><body class=a>Bad query", "Bad query"),
        ("<style>b {}</style><!-- <b> -->Bad <b>query</b><script>if (a < b)", "Bad query"),
        ('{"error": "Bad <i>query</i>"}', "Bad query"),
        ("Bad query: a < b. Try.", "Bad query: a < b"),
    ],
)
def test_message_is_the_text_without_markup(body, text):
    assert message(body.encode()) == text


@pytest.mark.parametrize("opening", ["<", "<a ", "<head ", "<script ", "<!--", "<head><body>"])
def test_message_of_markup_that_is_never_closed_takes_little_time(opening):
    begun = time.process_time()
    message(opening.encode() * (PIECE // len(opening)))
    assert time.process_time() - begun < 3


@pytest.mark.parametrize("body", ["[" * 60_000, '{"error": ' * 60_000])
def test_message_of_deeply_nested_json_is_its_text(body):
    assert message(body.encode()).startswith(body[:10])


@given(st.binary(max_size=500) | st.text(max_size=500).map(str.encode))
def test_message_is_short_and_printable(body):
    messages = message(body)
    assert messages.isprintable() and len(messages) <= 200
