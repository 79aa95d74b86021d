from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainer.contract import wire

headers = st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.text(max_size=9))


@given(st.lists(st.tuples(headers, st.binary()), max_size=4))
def test_frames_round_trip_is_lossless(frames: list[tuple[dict[str, object], bytes]]) -> None:
    pipe = io.BytesIO()
    for header, body in frames:
        wire.send(pipe, header, body)
    pipe.seek(0)
    assert [wire.receive(pipe) for _ in frames] == frames
    assert wire.receive(pipe) is None


def test_frames_received_in_parts_return_where_the_reader_would_wait() -> None:
    class OneByte(io.BytesIO):
        def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
            return super().readinto(buffer[:1])

    pipe = OneByte()
    for body in (b"12", b""):
        wire.send(pipe, {}, body)
    length = pipe.tell()
    pipe.seek(0)
    found = list(wire.frames(pipe))
    assert [frame.body for frame in found if frame] == [b"12", b""]
    assert found.count(None) == length + 1  # the last one before the end


@given(st.data())
def test_truncated_frame_is_distinguished_from_end(data: st.DataObject) -> None:
    pipe = io.BytesIO()
    wire.send(pipe, {"id": 1, "texts": [["a", "b"]]}, b"12345678")
    whole = pipe.getvalue()
    cut = data.draw(st.integers(1, len(whole) - 1))
    with pytest.raises(wire.BrokenFrame):
        wire.receive(io.BytesIO(whole[:cut]))


@given(st.binary(min_size=1))
def test_invalid_frame_is_refused(garbage: bytes) -> None:
    with pytest.raises(wire.BrokenFrame):
        wire.receive(io.BytesIO(garbage))


@pytest.mark.parametrize("header", [b"[]", b"{", b"\xff", b"[" * 100_000])
def test_header_must_be_a_json_object(header: bytes) -> None:
    with pytest.raises(wire.BrokenFrame):
        wire.receive(io.BytesIO(struct.pack("<4sII", b"SRF1", len(header), 0) + header))


def test_oversized_frame_is_refused_without_reading() -> None:
    with pytest.raises(wire.BrokenFrame, match="longer"):
        wire.receive(io.BytesIO(struct.pack("<4sII", b"SRF1", 2, 0xFFFFFFFF) + b"{}"))
    pipe = io.BytesIO()
    wire.send(pipe, {}, bytes(9))
    pipe.seek(0)
    with pytest.raises(wire.BrokenFrame, match="longer"):
        list(wire.frames(pipe, longest=8))
