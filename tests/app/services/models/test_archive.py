"""Model archives are untrusted: no folder or zip makes a file outside its target."""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sciread_app.errors import Cancelled, LibraryError, SciReadError
from sciread_app.services.models import archive as archives
from sciread_app.services.models import archive_safety
from sciread_app.services.models.archive import bring, pack
from sciread_app.tasks import Task
from trainer.contract.errors import PackageRefused

FILES = {"package.json": b"{}", "model.safetensors": b"weights" * 99, "1_Pooling/config.json": b""}


@pytest.fixture
def target(tmp_path):
    return tmp_path / "arriving" / "model"


@pytest.fixture
def archive(tmp_path):
    """Return a function that makes a zip of names and contents; a name may be a crafted ZipInfo."""

    def make(files, name="model.zip", **how) -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", **how) as made:
            for entry, content in files:
                made.writestr(entry, content)
        return path

    return make


def read_files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def assert_refused(source, target, expected):
    """Assert that it is refused with this message and that no file was left behind."""
    around = sorted(target.parents[1].rglob("*"))
    with pytest.raises(PackageRefused) as raised:
        bring(source, target, Task())
    assert expected in str(raised.value) and source.name in str(raised.value)
    assert raised.value.hint
    assert sorted(target.parents[1].rglob("*")) == around


@pytest.mark.parametrize("top", ["", "specter/", "my runs/one/package/", "a b/ü (1)/"])
def test_zip_is_unpacked_from_any_level(archive, target, top):
    extra = [(f"{top}.DS_Store", b"x"), ("__MACOSX/._x", b"x")]
    packed = archive([*((top + name, body) for name, body in FILES.items()), *extra])
    bring(packed, target, Task())
    assert read_files(target) == FILES


def test_zip_of_run_gives_model_and_training_report(archive, target):
    run = {"recipe.toml": b"", "report.json": b"{}", "checkpoint/weights.pt": b"pickle"}
    inside = {f"package/{name}": body for name, body in FILES.items()}
    inside["grid/margin=1/package/package.json"] = b"{}"
    bring(archive([(f"run7/{n}", b) for n, b in (run | inside).items()]), target, Task())
    assert read_files(target) == FILES | {"training.json": b"{}"}


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "specter/../../evil",
        "/etc/evil",
        "//server/share/evil",
        "C:/evil",
        "C:evil",
        "..\\evil",
        "specter\\..\\evil",
        "model.safetensors:stream",
        "specter/./x",
        "specter//x",
        "con",
        "aux.json",
        "dots...",
        "space ",
        "line\nbreak",
    ],
)
def test_path_outside_target_or_invalid_path_is_refused(archive, target, name):
    info = zipfile.ZipInfo("x")
    info.filename = info.orig_filename = name
    assert_refused(archive([*FILES.items(), (info, b"evil")]), target, "outside the model")


def test_null_byte_in_name_is_refused(archive, target):
    path = archive([*FILES.items(), ("harmless.jsonX.exe", b"")])
    path.write_bytes(path.read_bytes().replace(b"harmless.jsonX", b"harmless.json\0"))
    assert_refused(path, target, "outside the model")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_devices_in_zip_are_refused(archive, target, kind):
    info = zipfile.ZipInfo("tokenizer.json")
    info.external_attr = (kind | 0o777) << 16
    result = "contains a link" if kind == stat.S_IFLNK else "contains a special file"
    assert_refused(archive([*FILES.items(), (info, "/etc/passwd")]), target, result)


def test_zip_bomb_is_refused_before_unpacking(archive, target):
    bomb = [*FILES.items(), ("tokenizer.json", bytes(archive_safety.LARGEST_OTHER))]
    bomb.append(("vocab.txt", bytes(1 << 20)))
    assert_refused(archive(bomb, compression=zipfile.ZIP_DEFLATED), target, "zip bomb")


def test_overlapping_zip_entries_are_refused(archive, target, monkeypatch):
    """Many names for the same packed bytes: each is plausible, all together are not."""
    monkeypatch.setattr(archive_safety, "_NO_BOMB", 1 << 20)
    body = os.urandom(1 << 12) * 40
    path = archive([*FILES.items(), ("a", body)], compression=zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(path, "a") as opened:
        [info] = [info for info in opened.infolist() if info.filename == "a"]
        for number in range(150):
            twin = zipfile.ZipInfo(f"a{number}")
            for name in ("compress_type", "compress_size", "file_size", "CRC", "header_offset"):
                setattr(twin, name, getattr(info, name))
            opened.filelist.append(twin)
            opened.NameToInfo[twin.filename] = twin
        opened._didModify = True
    assert_refused(path, target, "zip bomb")


def test_file_size_differing_from_directory_is_refused(archive, target, tmp_path):
    path = archive(FILES.items())
    data = bytearray(path.read_bytes())
    place = data.rindex(b"PK\x01\x02", 0, data.rindex(b"model.safetensors"))
    data[place + 24 : place + 28] = struct.pack("<I", 1_000)  # the size in the central directory
    path.write_bytes(data)
    with pytest.raises(PackageRefused, match=r"model\.zip"):
        bring(path, target, Task())


def test_no_more_is_written_than_announced(tmp_path, target):
    (tmp_path / "endless").mkdir()
    for name in FILES:
        (tmp_path / "endless" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "endless" / name).write_bytes(b"12345678")
    real = archives._opened

    def grown(path):
        if path.name == "model.safetensors":
            with path.open("ab") as file:
                file.write(b"more and more")
        return real(path)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(archives, "_opened", grown)
        with pytest.raises(PackageRefused, match="stated size"):
            bring(tmp_path / "endless", target, Task())
    assert (target / "model.safetensors").stat().st_size <= 8


@pytest.mark.parametrize(
    ("name", "limit"),
    [("tokenizer.json", "LARGEST_OTHER"), ("model.safetensors", "LARGEST_WEIGHTS")],
)
def test_too_large_file_is_refused_by_name(archive, target, monkeypatch, tmp_path, name, limit):
    monkeypatch.setattr(archive_safety, limit, 1_000)
    files = {"package.json": b"{}", name: bytes(1_001)}
    assert_refused(archive(files.items()), target, name)
    (tmp_path / "folder").mkdir()
    for file, body in files.items():
        (tmp_path / "folder" / file).write_bytes(body)
    assert_refused(tmp_path / "folder", target, name)


def test_oversized_zip_directory_is_not_read(archive, target, monkeypatch):
    path = archive([*FILES.items(), *((f"{n:0200}", b"") for n in range(5_000))])
    opened = []
    monkeypatch.setattr(zipfile, "ZipFile", lambda *_: opened.append(1))
    assert_refused(path, target, "too many files")
    assert not opened


@pytest.mark.parametrize("count", [archive_safety.MOST_FILES, 5 * archive_safety.MOST_FILES])
def test_too_many_files_are_refused(archive, target, tmp_path, count):
    files = [*FILES.items(), *((f"{n}", b"") for n in range(count))]
    assert_refused(archive(files), target, "too many files")
    (tmp_path / "folder").mkdir()
    for name, _ in [("package.json", b""), *files[3:]]:
        (tmp_path / "folder" / name).touch()
    assert_refused(tmp_path / "folder", target, "too many files")


def test_deeply_nested_folders_are_refused(archive, target, tmp_path):
    deep = "/".join("a" * 20)
    assert_refused(
        archive([*FILES.items(), (f"{deep}/x", b"")]), target, "too many files and folders"
    )
    (tmp_path / "folder" / deep).mkdir(parents=True)
    (tmp_path / "folder" / "package.json").touch()
    assert_refused(tmp_path / "folder", target, "too many files and folders")


@pytest.mark.parametrize(
    "twice", [("a.json", "A.JSON"), ("a", "a/b.json"), ("a.json", "a.json")], ids=str
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_file_names_are_refused(archive, target, twice):
    assert_refused(
        archive([*FILES.items(), *((name, b"") for name in twice)]), target, "a file twice"
    )


def test_encrypted_or_rarely_compressed_zip_is_refused_with_hint(archive, target):
    path = archive(FILES.items())
    data = bytearray(path.read_bytes())
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(sign) + place] |= 1
    path.write_bytes(data)
    assert_refused(path, target, "password")
    assert_refused(
        archive(FILES.items(), compression=zipfile.ZIP_LZMA), target, "unsupported compression"
    )


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x05\x06", b"PK\x05\x06" + bytes(18)])
def test_file_that_is_not_a_zip_is_refused(tmp_path, target, content):
    (tmp_path / "model.zip").write_bytes(content)
    assert_refused(tmp_path / "model.zip", target, "model.zip")


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 10**6), st.binary(min_size=1, max_size=9)), max_size=4))
def test_randomly_damaged_zip_is_unpacked_or_refused(archive, tmp_path, blows):
    path = archive(FILES.items(), compression=zipfile.ZIP_DEFLATED)
    data = bytearray(path.read_bytes())
    for place, blow in blows:
        place %= len(data)
        data[place : place + len(blow)] = blow
    path.write_bytes(data)
    with TemporaryDirectory(dir=tmp_path) as room:
        target = Path(room) / "in" / "model"
        try:
            bring(path, target, Task())
        except (PackageRefused, LibraryError) as error:
            assert str(error)
        assert {p.name for p in Path(room).iterdir()} <= {"in"}
        assert {p.name for p in (Path(room) / "in").glob("*")} <= {"model"}
    assert [p.name for p in tmp_path.iterdir()] == ["model.zip"]


def test_archive_with_two_models_is_refused_with_their_names(archive, target, tmp_path):
    assert_refused(archive([("a/package.json", b""), ("b/package.json", b"")]), target, "a, b")
    for name in "ab":
        (tmp_path / "two" / name).mkdir(parents=True)
        (tmp_path / "two" / name / "package.json").touch()
    assert_refused(tmp_path / "two", target, "a, b")


def test_archive_without_model_is_refused_with_explanation(archive, target, tmp_path):
    assert_refused(archive([("papers.bib", b"")]), target, "package.json is missing")
    assert_refused(tmp_path, target, "package.json is missing")


def test_folder_is_copied_without_system_files(tmp_path, target):
    outer = tmp_path / "downloads" / "specter"
    for name, body in (FILES | {".DS_Store": b"", "Thumbs.db": b""}).items():
        (outer / name).parent.mkdir(parents=True, exist_ok=True)
        (outer / name).write_bytes(body)
    bring(outer.parent, target, Task())
    assert read_files(target) == FILES


@pytest.mark.parametrize("leads", ["/etc/passwd", "package.json", "nowhere", "."])
def test_link_in_folder_is_refused(tmp_path, target, leads):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "package.json").touch()
    (tmp_path / "m" / "tokenizer.json").symlink_to(leads)
    assert_refused(tmp_path / "m", target, "contains a link")


def test_file_replaced_by_link_during_copy_is_not_followed(tmp_path, target):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "package.json").write_bytes(b"{}")
    (tmp_path / "secret").write_bytes(b"{}")
    real = archives._opened

    def exchanged(path):
        path.unlink()
        path.symlink_to(tmp_path / "secret")
        return real(path)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(archives, "_opened", exchanged)
        with pytest.raises(PackageRefused, match="link"):
            bring(tmp_path / "m", target, Task())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_pipe_in_folder_is_refused_without_blocking(tmp_path, target):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "package.json").touch()
    os.mkfifo(tmp_path / "m" / "tokenizer.json")
    assert_refused(tmp_path / "m", target, "contains a special file")
    os.mkfifo(tmp_path / "pipe.zip")
    assert_refused(tmp_path / "pipe.zip", target, "contains a special file")


@pytest.mark.parametrize("run", [{"recipe.toml": b""}, {"recipe.toml": b"", "package/x": b""}])
def test_run_without_model_is_refused(tmp_path, target, run):
    for name, body in run.items():
        (tmp_path / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "run" / name).write_bytes(body)
    assert_refused(tmp_path / "run", target, "")


def test_too_little_disk_space_is_reported_before_copying(archive, target, monkeypatch):
    monkeypatch.setattr(archive_safety, "_SPARE", 1 << 60)
    with pytest.raises(LibraryError, match=r"needs 1,152,921,504,\d{3} MB, and .* are free"):
        bring(archive(FILES.items()), target, Task())
    assert not target.parent.exists()


def test_missing_archive_raises_error(tmp_path, target):
    with pytest.raises(SciReadError, match="Could not copy"):
        bring(tmp_path / "nowhere.zip", target, Task())


def test_unpacking_can_be_cancelled(archive, target):
    task = Task()
    task.cancel()
    with pytest.raises(Cancelled):
        bring(archive(FILES.items()), target, task)


def test_zip_of_same_model_is_identical_and_can_be_unpacked(tmp_path, target):
    made = []
    for number, day in enumerate((10**9, 1.7 * 10**9)):
        folder = tmp_path / f"{number}"
        # Written in another order, on another day, with other permissions.
        for name, body in sorted(FILES.items(), reverse=bool(number)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(body)
            os.utime(folder / name, (day, day))
            (folder / name).chmod(0o600 + 0o44 * number)
        pack(folder, "specter", tmp_path / f"{number}.zip", Task())
        made.append((tmp_path / f"{number}.zip").read_bytes())
    assert made[0] == made[1]
    bring(tmp_path / "0.zip", target, Task())
    assert read_files(target) == FILES


def test_cancelled_zip_leaves_previous_file(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "package.json").write_bytes(b"{}")
    task = Task()
    task.cancel()
    (tmp_path / "m.zip").write_bytes(b"older")
    with pytest.raises(Cancelled):
        pack(tmp_path / "m", "m", tmp_path / "m.zip", task)
    assert (tmp_path / "m.zip").read_bytes() == b"older"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["m.zip"]
