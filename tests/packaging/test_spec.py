"""What the spec asks PyInstaller for, on each system: it is run, with nothing behind it."""

from __future__ import annotations

import plistlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import httpx
import pytest
from about import ABOUT, version
from needed import is_needed, needed, strangers
from notices import NotAllowed, parts_of
from version_info import version_info

from .conftest import PACKAGING

SPEC = PACKAGING / "sciread.spec"


@pytest.fixture
def evaluate(tmp_path, monkeypatch):
    """The spec as a system would have it read: what it calls by name, with which arguments."""
    hooks = ModuleType("PyInstaller.utils.hooks")
    for name in ("collect_data_files", "collect_submodules", "copy_metadata"):
        setattr(hooks, name, lambda *_, **__: [])
    for name in ("PyInstaller", "PyInstaller.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, hooks.__name__, hooks)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(system: str, datas: tuple[tuple[str, str, str], ...] = ()) -> dict[str, Any]:
        monkeypatch.setattr(sys, "platform", system)
        asked: dict[str, Any] = {}

        def part(name: str):
            def called(*_: Any, **arguments: Any) -> SimpleNamespace:
                asked[name] = arguments
                return SimpleNamespace(scripts=[], pure=[], binaries=[], datas=list(datas))

            return called

        names = {name: part(name) for name in ("Analysis", "PYZ", "EXE", "COLLECT", "BUNDLE")}
        given = {"SPECPATH": str(PACKAGING), "workpath": str(tmp_path), **names}
        exec(compile(SPEC.read_text("utf-8"), str(SPEC), "exec"), given)
        return asked | {"datas": given["analysis"].datas}  # type: ignore[attr-defined]

    return run


def test_macos_gets_a_bundle_with_icon_identifier_and_kinds_of_files(evaluate):
    bundle = evaluate("darwin")["BUNDLE"]
    assert Path(bundle["icon"]).read_bytes()[:4] == b"icns"
    said = plistlib.loads(plistlib.dumps(bundle["info_plist"]))
    assert bundle["bundle_identifier"] == said["CFBundleIdentifier"] == ABOUT["identifier"]
    assert said["CFBundleShortVersionString"] == bundle["version"] == version()
    kinds = {kind for one in said["CFBundleDocumentTypes"] for kind in one["LSItemContentTypes"]}
    assert {"org.tug.tex.bibtex", "com.adobe.pdf"} < kinds


def test_windows_gets_an_icon_and_what_properties_show(evaluate):
    program = evaluate("win32")["EXE"]
    assert Path(program["icon"]).read_bytes()[:4] == b"\0\0\1\0"
    assert program["console"] and program["hide_console"] == "hide-early"
    said = _as_windows_reads_it(Path(program["version"]).read_text("utf-8"))
    assert said["ProductName"] == ABOUT["name"] and said["FileVersion"] == version()
    assert said["filevers"] == (*map(int, version().split(".")), 0)


def test_a_version_that_is_not_yet_out_has_four_numbers_on_windows(monkeypatch):
    monkeypatch.setattr(f"{version_info.__module__}.version", lambda: "1.2rc3")
    said = _as_windows_reads_it(version_info())
    assert said["filevers"] == (1, 2, 0, 0) and said["FileVersion"] == "1.2rc3"


def _as_windows_reads_it(text: str) -> dict[str, Any]:
    """PyInstaller evaluates it with classes of these names."""
    said: dict[str, Any] = {}
    plain = {name: lambda *_, **__: None for name in ("StringTable", "StringFileInfo", "VarStruct",
             "VarFileInfo", "VSVersionInfo")}  # fmt: skip
    eval(text, plain | {"StringStruct": said.__setitem__, "FixedFileInfo": said.update})
    return said


def test_linux_gets_neither(evaluate):
    asked = evaluate("linux")
    assert "BUNDLE" not in asked and not {"icon", "version"} & set(asked["EXE"])


def test_what_only_developers_have_stays_out(evaluate):
    tools = f"pytest-{pytest.__version__}.dist-info/METADATA"
    ours = f"httpx-{httpx.__version__}.dist-info/METADATA"
    entries = tuple((name, name, "DATA") for name in (tools, ours))
    asked = evaluate("linux", entries)
    assert [name for name, *_ in asked["datas"]] == [ours]
    excluded = set(asked["Analysis"]["excludes"])
    assert {"pytest", "_pytest", "py", "pluggy", "hypothesis", "xdist"} <= excluded
    assert not excluded & {"httpx", "torch", "PySide6", "sqlalchemy", "certifi", "sciread_app"}


def test_what_is_needed_is_what_a_fresh_environment_would_hold():
    assert {"sciread", "pyside6-essentials", "torch", "mako", "markupsafe", "h11"} <= needed()
    assert is_needed("PySide6_Essentials") and is_needed("ruamel.yaml") is False
    assert not set(strangers()) & {"numpy", "openTSNE", "lxml", "quickjs", "keyring"}


def test_there_is_no_program_with_a_developers_tool_inside():
    with pytest.raises(NotAllowed, match=r"pytest .*SciRead does not need it"):
        parts_of([pytest.__file__])
