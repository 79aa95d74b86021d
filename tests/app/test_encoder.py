from __future__ import annotations

import json
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from sciread_app import encoder as encoder_module
from sciread_app.encoder import EncoderProcess, trainer_command, whole_words
from sciread_app.errors import Cancelled, EncoderFailed
from sciread_app.tasks import Task
from tests.support.models.tiny_model import tiny_package
from trainer.contract.errors import PackageRefused
from trainer.contract.package import Package, starter_package

ROOT = Path(__file__).resolve().parents[2]

# A fake model process: the vector of a text is its length and a one.
FAKE = f"""
import sys, os, time
sys.path.insert(0, {str(ROOT)!r})
import numpy as np
from trainer.contract import wire
requests, answers = sys.stdin.buffer, sys.stdout.buffer
with open(sys.argv[1], "a") as starts:
    starts.write("start\\n")
first = open(sys.argv[1]).read().count("start") == 1

def ready():
    wire.send(answers, {{"ready": True}})

def answer(request):
    texts = request.header["texts"]
    vectors = np.array([[len(title), len(texts)] for title, _ in texts], np.float32)
    header = {{"id": request.header["id"], "rows": len(texts), "dim": 2}}
    wire.send(answers, header, vectors.tobytes())

def answer_all():
    while request := wire.receive(requests):
        with open(sys.argv[1], "a") as starts:
            starts.write(f"asked {{len(request.header['texts'])}}\\n")
        answer(request)
"""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Package:
    return tiny_package(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def real(tiny: Package) -> Iterator[EncoderProcess]:
    encoder = EncoderProcess(tiny.folder)
    yield encoder
    encoder.close()


@pytest.fixture
def starts(tmp_path: Path) -> Path:
    """One line for each start of the fake process and each answer of `answer_all`."""
    return tmp_path / "starts"


@pytest.fixture
def fake(tmp_path: Path, starts: Path) -> Iterator:
    """Return a function that makes an encoder whose process runs this script after FAKE."""
    made: list[EncoderProcess] = []
    package = tiny_package(tmp_path / "two", dim=2)

    def make(script: str) -> EncoderProcess:
        file = tmp_path / "child.py"
        file.write_text(FAKE + textwrap.dedent(script))
        made.append(EncoderProcess(package, [sys.executable, str(file), str(starts)]))
        return made[-1]

    yield make
    for encoder in made:
        encoder.close()


def children() -> set[psutil.Process]:
    """Child processes of earlier tests may end at any time."""
    return set(psutil.Process().children(recursive=True))


def test_package_is_described_without_starting_a_process(tiny: Package) -> None:
    before = children()
    encoder = EncoderProcess(tiny.folder)
    assert (encoder.space, encoder.dim, encoder.title) == (tiny.space, 32, "Tiny")
    assert children() <= before


def test_knows_any_checks_whole_words_of_vocabulary(tiny: Package) -> None:
    encoder = EncoderProcess(tiny)
    assert encoder.knows_any(["zzzzqqqq", "Deep"])
    assert not encoder.knows_any(["zzzzqqqq", "s", "##s", "deepgraph"])


@pytest.mark.parametrize("mark", ["▁", "Ġ"])
@pytest.mark.parametrize("scored", [False, True])
def test_continuation_pieces_are_not_whole_words(tmp_path: Path, mark: str, scored: bool) -> None:
    tokens = [f"{mark}deep", f"{mark}", "graph"]
    vocabulary = [[token, -1.0] for token in tokens] if scored else {token: 1 for token in tokens}
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps({"model": {"vocab": vocabulary}}), "utf-8")
    assert whole_words(file) == {"deep"}


def test_model_with_unreadable_vocabulary_knows_all_words(tmp_path: Path) -> None:
    package = tiny_package(tmp_path / "tiny")
    (package.folder / "tokenizer.json").write_text("{}", "utf-8")
    assert EncoderProcess(package).knows_any(["zzzzqqqq"])


def test_folder_without_model_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(PackageRefused):
        EncoderProcess(tmp_path)


def test_encode_gives_unit_vectors_in_order(real: EncoderProcess) -> None:
    texts = [("deep graph " * (n % 7), "we study " * (n % 5)) for n in range(300)]
    vectors = real.encode(texts)
    assert vectors.shape == (300, 32)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    some = [271, 3, 150]
    again = real.encode([texts[row] for row in some])
    assert (again * vectors[some]).sum(1).min() > 0.9999
    assert real.encode([]).shape == (0, 32)


def test_starter_model_finds_the_paper_by_meaning() -> None:
    encoder = EncoderProcess(starter_package())
    papers = [
        ("Attention is all you need", "A network of attention alone translates better."),
        ("Sediment transport in rivers", "How sand and gravel are carried downstream."),
        ("Broken surrogate \udcff", ""),
    ]
    vectors = encoder.encode(papers)
    query = encoder.encode([("transformer architecture for machine translation", "")])
    encoder.close()
    assert np.argmax(vectors @ query[0]) == 0


def test_vectors_are_correct_for_concurrent_requests(real: EncoderProcess) -> None:
    texts = [("deep graph", f"we study {'the network ' * n}") for n in range(20)]
    found: dict[int, np.ndarray] = {}
    threads = [
        threading.Thread(target=lambda n=n: found.update({n: real.encode(texts[n:] + texts[:n])}))
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n, vectors in found.items():
        assert (np.roll(vectors, n, axis=0) * found[0]).sum(1).min() > 0.9999


def test_encode_reports_progress_and_can_be_cancelled(fake) -> None:
    encoder = fake("ready(); answer_all()")
    texts = [("x", "")] * (encoder_module.CHUNK * 3)
    seen: list[tuple[int, int]] = []
    encoder.encode(texts, Task(lambda done, total, note: seen.append((done, total))))
    size = encoder_module.CHUNK
    assert seen == [(n * size, 3 * size) for n in range(4)]

    task = Task(lambda done, total, note: task.cancel() if done else None)
    with pytest.raises(Cancelled):
        encoder.encode(texts, task)
    assert encoder.encode([("four", "")])[0, 0] == 4


def test_encode_times_long_lists_only(fake) -> None:
    encoder = fake("ready(); answer_all()")
    messages: list[tuple[int, float]] = []
    encoder.on_timed = lambda texts, seconds: messages.append((texts, seconds))
    encoder.encode([("what somebody types", "")])
    assert not messages
    encoder.encode([("x", "")] * 300)
    [(texts, seconds)] = messages
    assert texts == 300 and seconds > 0


def test_query_is_encoded_before_the_rest_of_a_long_list(
    fake, starts: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "go"
    encoder = fake(f"""
        ready()
        answer(wire.receive(requests))
        while not os.path.exists({str(gate)!r}): time.sleep(0.01)
        answer_all()
    """)
    encoder.encode([("start", "")])
    size = encoder_module.CHUNK
    long = threading.Thread(target=lambda: encoder.encode([("x", "")] * size * 4))
    long.start()
    while not encoder._lock._busy:
        time.sleep(0.01)
    query = threading.Thread(target=lambda: encoder.encode([("q", "")]))
    query.start()
    while not encoder._lock._urgent:
        time.sleep(0.01)
    gate.touch()
    long.join()
    query.join()
    asked = [line for line in starts.read_text().splitlines() if line.startswith("asked")]
    assert asked == [f"asked {texts}" for texts in (size, 1, size, size, size)]


def test_crashed_process_is_restarted_and_request_repeated(fake, starts: Path) -> None:
    encoder = fake("""
        ready()
        if first:
            answer(wire.receive(requests))
            wire.receive(requests)
            os._exit(3)
        answer_all()
    """)
    assert encoder.encode([("abc", "")])[0, 0] == 3
    assert encoder.encode([("abcd", "")])[0, 0] == 4
    assert starts.read_text().count("start") == 2


def test_process_killed_between_requests_is_restarted(tiny: Package) -> None:
    others = children()
    encoder = EncoderProcess(tiny)
    before = encoder.encode([("deep", "")])
    (child,) = children() - others
    child.kill()
    child.wait(60)
    np.testing.assert_allclose(encoder.encode([("deep", "")]), before, atol=1e-6)
    encoder.close()


def test_background_encoding_has_low_priority(fake) -> None:
    others = children()
    encoder = fake("ready(); answer_all()")
    pids, haste = [], []
    for encoder.background in (True, True, False):
        encoder.encode([("a", "")])
        (child,) = children() - others
        pids.append(child.pid)
        haste.append(child.nice())
    assert pids[0] == pids[1] != pids[2]
    assert haste[0] == haste[1] > haste[2] == psutil.Process().nice()


def test_process_that_crashes_again_fails_with_its_stderr(fake, starts: Path) -> None:
    encoder = fake("ready(); wire.receive(requests); sys.exit('the disk is on fire')")
    with pytest.raises(EncoderFailed, match="stopped") as failed:
        encoder.encode([("abc", "")])
    assert "the disk is on fire" in failed.value.hint
    assert starts.read_text().count("start") == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell who was killed")
def test_process_killed_repeatedly_is_given_more_time(fake, starts: Path) -> None:
    """Killed once while it starts, once before it answers, once in the middle of an answer."""
    encoder = fake(
        """
        import signal
        number = open(sys.argv[1]).read().count("start")
        def die():
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 1:
            die()
        ready()
        request = wire.receive(requests)
        if number == 2:
            die()
        if number == 3:
            answers.write(b"half of an answer")
            answers.flush()
            die()
        answer(request)
        """
    )
    encoder.encode([("a", "")])
    assert starts.read_text().count("start") == 4


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell who was killed")
def test_process_that_is_always_killed_fails(fake, starts: Path) -> None:
    encoder = fake("import signal\nos.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(EncoderFailed, match="Could not start"):
        encoder.encode([("a", "")])
    assert 2 < starts.read_text().count("start") < 10


def test_process_that_cannot_start_gives_reason(fake, starts: Path) -> None:
    encoder = fake("raise ImportError('no such library: libtorch')")
    with pytest.raises(EncoderFailed, match="Could not start") as failed:
        encoder.start()
    assert "libtorch" in failed.value.hint
    assert starts.read_text().count("start") == 1


def test_missing_executable_raises_encoder_failed(tiny: Package) -> None:
    with pytest.raises(EncoderFailed, match="Could not start"):
        EncoderProcess(tiny, ["/nowhere/python"]).start()


def test_refusal_of_the_model_is_passed_on(fake) -> None:
    encoder = fake("wire.send(answers, {'error': 'The weights are torn.', 'hint': 'Copy them.'})")
    with pytest.raises(EncoderFailed, match="torn") as failed:
        encoder.start()
    assert failed.value.hint == "Copy them."


def test_answer_with_too_few_numbers_is_rejected(fake) -> None:
    encoder = fake("""
        ready()
        while request := wire.receive(requests):
            wire.send(answers, {"id": request.header["id"]}, bytes(4))
    """)
    with pytest.raises(EncoderFailed) as failed:
        encoder.encode([("A title", "")])
    assert "4 bytes" in failed.value.hint


def test_refused_request_leaves_the_process_running(fake, starts: Path) -> None:
    encoder = fake("""
        ready()
        request = wire.receive(requests)
        wire.send(answers, {'id': request.header['id'], 'error': 'Too much.'})
        answer_all()
    """)
    with pytest.raises(EncoderFailed, match="Too much"):
        encoder.encode([("abc", "")])
    assert encoder.encode([("abc", "")])[0, 0] == 3
    assert starts.read_text().count("start") == 1


@pytest.mark.parametrize(
    "garbage",
    [
        "answers.write(b'Loading weights: 100%\\n' * 9); answers.flush(); time.sleep(60)",
        "wire.send(answers, {'id': 99}, b'12345678'); time.sleep(60)",
        "wire.send(answers, {'id': 1}, b'1234'); time.sleep(60)",
    ],
)
def test_invalid_answer_never_becomes_a_vector(fake, garbage: str) -> None:
    encoder = fake(f"ready(); wire.receive(requests); {garbage}")
    with pytest.raises(EncoderFailed, match="stopped"):
        encoder.encode([("abc", "")])


def test_hanging_process_times_out(fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_module, "START_SECONDS", 1.5)
    encoder = fake("time.sleep(600)")
    with pytest.raises(EncoderFailed) as failed:
        encoder.start()
    assert "No response" in failed.value.hint


def test_close_ends_running_request_and_process(fake) -> None:
    before = children()
    encoder = fake("ready(); wire.receive(requests); time.sleep(600)")
    encoder.start()
    failed: list[EncoderFailed] = []

    def ask() -> None:
        try:
            encoder.encode([("abc", "")])
        except EncoderFailed as error:
            failed.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while not encoder._lock._busy:
        time.sleep(0.01)
    encoder.close()
    thread.join(60)
    assert "closed" in str(failed[0])
    assert children() <= before
    with pytest.raises(EncoderFailed, match="closed"):
        encoder.encode([("abc", "")])
    encoder.close()


@pytest.mark.parametrize("ending", ["", "os.kill(os.getpid(), 9)"])
def test_process_ends_with_the_program_that_started_it(tiny: Package, ending: str) -> None:
    program = f"""
import os
from pathlib import Path
from sciread_app.encoder import EncoderProcess
encoder = EncoderProcess(Path({str(tiny.folder)!r}))
encoder.start()
print(encoder._child.pid, flush=True)
{ending}
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=100
    )
    if psutil.pid_exists(pid := int(done.stdout)):
        psutil.Process(pid).wait(60)
    assert done.returncode == (-9 if ending else 0), done.stderr


def test_frozen_build_runs_its_own_trainer(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trainer_command("serve", "x") == [sys.executable, "-m", "trainer", "serve", "x"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert trainer_command("serve", "x") == [sys.executable, "trainer", "serve", "x"]


def test_folder_named_trainer_in_working_directory_is_not_run(
    tiny: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "trainer").mkdir()
    (tmp_path / "trainer" / "__main__.py").write_text("raise SystemExit('the wrong trainer')")
    monkeypatch.chdir(tmp_path)
    encoder = EncoderProcess(tiny)
    assert encoder.encode([("deep", "")]).shape == (1, 32)
    encoder.close()
