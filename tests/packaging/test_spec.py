"""The spec's requests to PyInstaller on each system, run against stand-ins for its classes."""

from __future__ import annotations

import plistlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import httpx
import pytest
from about import ABOUT, version
from needed import is_needed, needed, unneeded_modules
from notices import NotAllowed, parts_of
from version_info import version_info

from .conftest import PACKAGING

SPEC = PACKAGING / "sciread.spec"


@pytest.fixture
def evaluate(tmp_path, monkeypatch):
    """Return a function that runs the spec for a platform and returns the arguments by class."""
    hooks = ModuleType("PyInstaller.utils.hooks")
    for name in ("collect_data_files", "collect_submodules", "copy_metadata"):
        setattr(hooks, name, lambda *_, **__: [])
    for name in ("PyInstaller", "PyInstaller.utils"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, hooks.__name__, hooks)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def run(system: str, datas: tuple[tuple[str, str, str], ...] = ()) -> dict[str, Any]:
        monkeypatch.setattr(sys, "platform", system)
        calls: dict[str, Any] = {}

        def recorder(name: str):
            def record(*_: Any, **arguments: Any) -> SimpleNamespace:
                calls[name] = arguments
                return SimpleNamespace(scripts=[], pure=[], binaries=[], datas=list(datas))

            return record

        names = {name: recorder(name) for name in ("Analysis", "PYZ", "EXE", "COLLECT", "BUNDLE")}
        variables = {"SPECPATH": str(PACKAGING), "workpath": str(tmp_path), **names}
        exec(compile(SPEC.read_text("utf-8"), str(SPEC), "exec"), variables)
        return calls | {"datas": variables["analysis"].datas}  # type: ignore[attr-defined]

    return run


def test_macos_bundle_has_icon_identifier_and_file_types(evaluate):
    bundle = evaluate("darwin")["BUNDLE"]
    assert Path(bundle["icon"]).read_bytes()[:4] == b"icns"
    plist = plistlib.loads(plistlib.dumps(bundle["info_plist"]))
    assert bundle["bundle_identifier"] == plist["CFBundleIdentifier"] == ABOUT["identifier"]
    assert plist["CFBundleShortVersionString"] == bundle["version"] == version()
    types = {uti for one in plist["CFBundleDocumentTypes"] for uti in one["LSItemContentTypes"]}
    assert {"org.tug.tex.bibtex", "com.adobe.pdf"} < types


def test_windows_program_has_icon_and_properties(evaluate):
    program = evaluate("win32")["EXE"]
    assert Path(program["icon"]).read_bytes()[:4] == b"\0\0\1\0"
    assert program["console"] and program["hide_console"] == "hide-early"
    fields = _evaluate_version_info(Path(program["version"]).read_text("utf-8"))
    assert fields["ProductName"] == ABOUT["name"] and fields["FileVersion"] == version()
    assert fields["filevers"] == (*map(int, version().split(".")), 0)


def test_prerelease_has_four_version_numbers_on_windows(monkeypatch):
    monkeypatch.setattr(f"{version_info.__module__}.version", lambda: "1.2rc3")
    fields = _evaluate_version_info(version_info())
    assert fields["filevers"] == (1, 2, 0, 0) and fields["FileVersion"] == "1.2rc3"


def _evaluate_version_info(text: str) -> dict[str, Any]:
    """Evaluate the text as PyInstaller does, which has classes of these names."""
    fields: dict[str, Any] = {}
    ignored = {name: lambda *_, **__: None for name in ("StringTable", "StringFileInfo",
               "VarStruct", "VarFileInfo", "VSVersionInfo")}  # fmt: skip
    eval(text, ignored | {"StringStruct": fields.__setitem__, "FixedFileInfo": fields.update})
    return fields


def test_linux_has_no_bundle_and_no_icon(evaluate):
    calls = evaluate("linux")
    assert "BUNDLE" not in calls and not {"icon", "version"} & set(calls["EXE"])


def test_development_packages_are_excluded(evaluate):
    tools = f"pytest-{pytest.__version__}.dist-info/METADATA"
    ours = f"httpx-{httpx.__version__}.dist-info/METADATA"
    entries = tuple((name, name, "DATA") for name in (tools, ours))
    calls = evaluate("linux", entries)
    assert [name for name, *_ in calls["datas"]] == [ours]
    excluded = set(calls["Analysis"]["excludes"])
    assert {"pytest", "_pytest", "py", "pluggy", "hypothesis", "xdist"} <= excluded
    assert not excluded & {"httpx", "torch", "PySide6", "sqlalchemy", "certifi", "sciread_app"}


def test_needed_packages_include_indirect_dependencies():
    assert {"sciread", "pyside6-essentials", "torch", "mako", "markupsafe", "h11"} <= needed()
    assert is_needed("PySide6_Essentials") and is_needed("ruamel.yaml") is False
    assert not set(unneeded_modules()) & {"numpy", "openTSNE", "lxml", "quickjs", "keyring"}


def test_program_with_a_development_package_is_refused():
    with pytest.raises(NotAllowed, match=r"pytest .*SciRead does not need it"):
        parts_of([pytest.__file__])
