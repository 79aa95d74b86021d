"""Every part of the frozen program is listed with its licence; others stop the build."""

from __future__ import annotations

import httpx
import pytest
from notices import NotAllowed, Part, _allowed, notices, parts_of, sbom


def test_notices_name_each_part_with_licence_and_text():
    parts = parts_of([httpx.__file__])
    by_name = {part.name: part for part in parts}
    assert "BSD" in by_name["httpx"].licence
    text = notices(parts)
    assert f"httpx {httpx.__version__}" in text
    assert by_name["httpx"].texts[0].strip() in text
    assert {one["purl"] for one in sbom(parts)["components"]} >= {by_name["httpx"].url}


def test_file_of_no_package_is_refused_by_name(tmp_path):
    stray = tmp_path / "libstray.so"
    stray.write_bytes(b"")
    with pytest.raises(NotAllowed, match="libstray"):
        parts_of([str(stray)])


def test_gpl_is_refused_without_an_alternative():
    assert not _allowed("GPL-3.0-only")
    assert not _allowed("AGPL-3.0-or-later")
    assert not _allowed("GNU General Public License v2 (GPLv2)")
    assert not _allowed("MIT AND GPL-2.0-only")
    assert _allowed("LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only")
    assert _allowed("Apache-2.0 WITH LLVM-exception")


def test_shared_licence_text_is_printed_once():
    parts = [Part("pypi", name, "1", "MIT", ("the same words",)) for name in "ab"]
    assert notices(parts).count("the same words") == 1
