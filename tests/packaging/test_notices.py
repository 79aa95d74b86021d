"""What is inside the frozen program is named with its licence, or there is no program."""

from __future__ import annotations

import httpx
import pytest
from notices import NotAllowed, Part, _allowed, notices, parts_of, sbom


def test_each_part_is_named_with_its_licence_and_text():
    parts = parts_of([httpx.__file__])
    by_name = {part.name: part for part in parts}
    assert "BSD" in by_name["httpx"].licence
    text = notices(parts)
    assert f"httpx {httpx.__version__}" in text
    assert by_name["httpx"].texts[0].strip() in text
    assert {one["purl"] for one in sbom(parts)["components"]} >= {by_name["httpx"].url}


def test_a_file_of_nobody_is_refused_by_name(tmp_path):
    stray = tmp_path / "libnobody.so"
    stray.write_bytes(b"")
    with pytest.raises(NotAllowed, match="libnobody"):
        parts_of([str(stray)])


def test_the_gpl_is_refused_unless_there_is_another_choice():
    assert not _allowed("GPL-3.0-only")
    assert not _allowed("AGPL-3.0-or-later")
    assert not _allowed("GNU General Public License v2 (GPLv2)")
    assert not _allowed("MIT AND GPL-2.0-only")
    assert _allowed("LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only")
    assert _allowed("Apache-2.0 WITH LLVM-exception")


def test_a_text_that_many_share_stands_there_once():
    parts = [Part("pypi", name, "1", "MIT", ("the same words",)) for name in "ab"]
    assert notices(parts).count("the same words") == 1
