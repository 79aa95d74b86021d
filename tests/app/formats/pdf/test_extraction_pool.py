import os
import signal
import subprocess
import sys
import textwrap
import time
from hashlib import sha256
from pathlib import Path

import psutil
import pytest

from sciread_app.domain.paper import Paper, Skipped
from sciread_app.errors import SciReadError
from sciread_app.formats import pdf
from sciread_app.formats.pdf import ExtractionPool, extraction_pool, process
from tests.support.generate.pdf import At, body, make_pdf

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def papers(tmp_path):
    """Five files: Paper number 0 ... Paper number 4."""
    paths = [tmp_path / f"paper_{number}.pdf" for number in range(5)]
    for number, path in enumerate(paths):
        path.write_bytes(make_pdf([At(f"Paper number {number}", 20, 100, 700), *body()]))
    return paths


@pytest.fixture
def fake_worker(tmp_path, monkeypatch):
    """Return a function that makes a worker of these lines; `path` is the requested file, `send`
    answers."""

    def use(code: str) -> None:
        script = tmp_path / "worker.py"
        script.write_text(
            textwrap.dedent(
                """
                import os, signal, struct, sys, time
                from pathlib import Path
                from sciread_app.formats.pdf.content import unreadable_content, to_wire
                from trainer.contract import wire
                def send(fields):
                    wire.send(sys.stdout.buffer, fields)
                def answer(path):
                    send({"sha256": "ab", "size": 7})
                    send(to_wire(unreadable_content(Path(path), "")))
                """
            )
            + textwrap.dedent(code)
        )
        monkeypatch.setattr(process, "module_command", lambda *_: [sys.executable, str(script)])
        monkeypatch.setenv("PYTHONPATH", str(ROOT))

    return use


SERVE = """
send({"ready": True})
while request := wire.receive(sys.stdin.buffer):
    path = request.header["path"]
    %s
    answer(path)
"""


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def by_name(contents):
    return {content.path.name: content for content in contents}


def test_pool_returns_every_file_once_with_hash_and_text(papers):
    with ExtractionPool(2) as pool:
        contents = list(pool.read(iter(papers)))
    assert sorted(content.path for content in contents) == papers
    content = by_name(contents)["paper_3.pdf"]
    assert content.paper.title == "Paper number 3"
    assert content.paper.files == (str(papers[3]),)
    assert content.sha256 == sha256(papers[3].read_bytes()).hexdigest()
    assert content.size == papers[3].stat().st_size
    assert "Paper number 3" in content.text
    assert content.problem == ""


def test_pool_takes_next_path_only_when_a_worker_is_free(papers):
    asked = []

    def paths():
        for path in papers:
            asked.append(path)
            yield path

    with ExtractionPool(1) as pool:
        next(pool.read(paths()))
        assert len(asked) == 1


def test_pool_leaves_no_process_after_an_exception(papers):
    before = children()
    with pytest.raises(KeyError), ExtractionPool(2) as pool:
        for _ in pool.read(papers):
            raise KeyError
    assert children() <= before


def test_unused_answer_does_not_appear_later(papers):
    with ExtractionPool(2) as pool:
        next(iter(pool.read(papers[:3])))
        assert [content.path for content in pool.read(papers[4:])] == papers[4:]


def test_bad_files_do_not_stop_good_ones(papers, tmp_path):
    bad = [
        tmp_path / "gone.pdf",
        tmp_path / "folder.pdf",
        tmp_path / "empty.pdf",
        tmp_path / "pipe.pdf",
    ]
    bad[1].mkdir()
    bad[2].touch()
    if hasattr(os, "mkfifo"):
        os.mkfifo(bad[3])
    with ExtractionPool(2, seconds=20) as pool:
        contents = by_name(pool.read([*bad, *papers]))
    assert len(contents) == 9
    assert "no such file" in contents["gone.pdf"].problem
    assert "not a file" in contents["pipe.pdf"].problem or not hasattr(os, "mkfifo")
    assert contents["folder.pdf"].problem
    assert "empty" in contents["empty.pdf"].problem
    assert all(not contents[path.name].problem for path in papers)


def test_file_with_undecodable_name_is_read(papers, tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff_name.pdf"))
    try:
        path.write_bytes(papers[0].read_bytes())
    except OSError:
        pytest.skip("this file system takes no such names")
    with ExtractionPool(1) as pool:
        (content,) = pool.read([path])
    assert content.paper.title == "Paper number 0"
    assert content.path == path


def test_stalled_worker_is_replaced_and_its_file_reported(papers, fake_worker):
    fake_worker(SERVE % "if '_2' in path: send({'sha256': 'cd', 'size': 9}); time.sleep(600)")
    with ExtractionPool(2, seconds=3) as pool:
        contents = by_name(pool.read(papers))
    stalled = contents["paper_2.pdf"]
    assert "longer than 3 seconds" in stalled.problem
    assert (stalled.paper.title, stalled.sha256, stalled.size) == ("paper 2", "cd", 9)
    assert sum(bool(content.problem) for content in contents.values()) == 1


def test_time_limit_applies_to_real_worker(tmp_path):
    path = tmp_path / "long.pdf"
    path.write_bytes(make_pdf(*[body()] * 2000))
    with ExtractionPool(1, seconds=0.01) as pool:
        (content,) = pool.read([path])
    # Either the worker noticed the time limit, or it was terminated.
    assert "longer than" in content.problem or "could not be read" in content.problem


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
def test_crashed_worker_is_replaced_and_its_file_reported(papers, fake_worker):
    fake_worker(SERVE % "if '_2' in path: os.kill(os.getpid(), signal.SIGSEGV)")
    with ExtractionPool(1) as pool:
        contents = by_name(pool.read(papers))
    assert "SIGSEGV" in contents["paper_2.pdf"].problem
    assert contents["paper_2.pdf"].paper.title == "paper 2"
    assert sum(bool(content.problem) for content in contents.values()) == 1


@pytest.mark.parametrize(
    "nonsense",
    [
        "os.write(1, b'Traceback (most recent call last)')",
        "send([1, 2])",
        "send({'paper': 3})",
        "send({'paper': {'title': 5}, 'text': '', 'pages': 1, 'problem': ''})",
        "os.write(1, struct.pack('<4sII', b'SRF1', 5, 0) + b'{nope')",
        "send({'ready': True})",
        "os.close(1)",
    ],
)
def test_worker_with_invalid_answer_is_replaced(papers, fake_worker, nonsense):
    fake_worker(SERVE % f"if '_2' in path: {nonsense}; time.sleep(60)")
    with ExtractionPool(2, seconds=20) as pool:
        contents = by_name(pool.read(papers))
    assert "no usable result" in contents["paper_2.pdf"].problem
    assert sum(bool(content.problem) for content in contents.values()) == 1


def test_worker_that_died_idle_costs_no_file(papers):
    before = children()
    with ExtractionPool(1) as pool:
        list(pool.read(papers[:1]))
        (worker,) = children() - before
        psutil.Process(worker).kill()
        while psutil.Process(worker).status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)
        assert [content.problem for content in pool.read(papers[1:])] == [""] * 4


def test_worker_is_replaced_after_some_files(papers, monkeypatch):
    monkeypatch.setattr(extraction_pool, "_FILES_EACH", 2)
    before, seen = children(), set()
    with ExtractionPool(1) as pool:
        for content in pool.read(papers):
            assert not content.problem
            seen |= children() - before
    assert len(seen) == 3


def test_worker_that_never_starts_raises_an_error(papers, fake_worker):
    fake_worker("raise ImportError")
    with ExtractionPool(2) as pool, pytest.raises(SciReadError, match="Could not start"):
        list(pool.read(papers))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="limits memory on Linux only")
def test_file_that_needs_too_much_memory_is_reported(papers, tmp_path):
    hog = tmp_path / "hog.pdf"
    hog.write_bytes(b"%PDF-1.4\n")
    os.truncate(hog, 300 << 20)
    with ExtractionPool(1, memory=100 << 20) as pool:
        contents = by_name(pool.read([hog, papers[0]]))
    assert "memory" in contents["hog.pdf"].problem
    assert not contents["paper_0.pdf"].problem


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
def test_workers_end_with_a_killed_parent(papers, tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        "import sys, time\nfrom pathlib import Path\n"
        "from sciread_app.formats.pdf import ExtractionPool\n"
        "pool = ExtractionPool(1)\nlist(pool.read([Path(sys.argv[1])]))\n"
        "print(pool._workers[0].pid, flush=True)\ntime.sleep(60)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        [sys.executable, script, papers[0]], stdout=subprocess.PIPE, env=environment, text=True
    )
    assert parent.stdout
    worker = psutil.Process(int(parent.stdout.readline()))
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    psutil.wait_procs([worker], timeout=60)
    assert not worker.is_running() or worker.status() == psutil.STATUS_ZOMBIE


@pytest.mark.skipif(sys.platform == "win32", reason="uses a POSIX shell")
def test_pool_works_without_standard_streams(papers, tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(
        "import sys\nfrom pathlib import Path\nfrom sciread_app.formats.pdf import ExtractionPool\n"
        "with ExtractionPool(1) as pool:\n"
        "    (content,) = pool.read([Path(sys.argv[1])])\n"
        "Path(sys.argv[2]).write_text(content.paper.title)\n"
    )
    out = tmp_path / "title.txt"
    command = '"$0" "$@" <&- >&- 2>&-'
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    arguments = [sys.executable, str(script), str(papers[0]), str(out)]
    subprocess.run(["sh", "-c", command, *arguments], env=environment, timeout=60, check=True)
    assert out.read_text() == "Paper number 0"


def test_pdf_has_the_same_reader_interface_as_other_formats(papers, tmp_path):
    (paper,) = pdf.read(papers[1])
    assert isinstance(paper, Paper)
    assert (paper.title, paper.source, paper.source_id) == ("Paper number 1", "pdf", "")
    (skipped,) = pdf.read(tmp_path / "gone.pdf")
    assert isinstance(skipped, Skipped)
    assert skipped.file == str(tmp_path / "gone.pdf")
    (tmp_path / "not.pdf").write_text("hello")
    (paper,) = pdf.read(tmp_path / "not.pdf")
    assert isinstance(paper, Paper)
    assert paper.extra["pdf_problem"]


def test_importing_pdf_format_does_not_load_pdfium():
    code = "import sciread_app.formats.pdf, sys; sys.exit('pypdfium2' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
