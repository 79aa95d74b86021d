"""Commands that are forks behave like those of a new interpreter."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

pytestmark = [
    pytest.mark.usefixtures("forked_python"),
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux can adopt the forks"),
]

# Only the fork server has imported it.
IS_FORK = "import sys; print('torch' in sys.modules)"


def run(code: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, **options)  # type: ignore


def test_fork_reads_arguments_environment_folder_and_input(tmp_path: Path) -> None:
    code = "import os, sys; print(sys.argv, os.environ['ONE'], os.getcwd(), sys.stdin.read())"
    done = run(code, "a", cwd=tmp_path, env=os.environ | {"ONE": "ü"}, input="read")
    assert (done.stdout, done.stderr) == (f"['-c', 'a'] ü {tmp_path} read\n", "")


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("", 0, ""),
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('No.')", 1, "No.\n"),
        ("import os; os._exit(9)", 9, ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, ""),
    ],
)
def test_fork_ends_with_the_status_of_its_code(code: str, status: int, error: str) -> None:
    done = run(code)
    assert (done.returncode, done.stderr) == (status, error)


def test_exception_of_a_fork_is_printed() -> None:
    done = run("1 / 0")
    assert done.returncode == 1
    assert done.stderr.endswith("ZeroDivisionError: division by zero\n")


def test_fork_waits_for_threads_and_calls_what_is_registered() -> None:
    code = (
        "import atexit, threading, time\n"
        "atexit.register(print, 'last')\n"
        "threading.Thread(target=lambda: (time.sleep(0.1), print('first'))).start()"
    )
    assert run(code).stdout == "first\nlast\n"


def test_fork_is_a_child_with_one_thread_that_can_be_killed() -> None:
    command = [sys.executable, "-c", "print(flush=True); input()"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        assert process.stdout
        process.stdout.readline()
        found = psutil.Process(process.pid)
        assert found.ppid() == os.getpid()
        assert found.num_threads() == 1
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL


def test_fork_runs_a_module_as_main(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("import sys\nprint(__name__, sys.argv)\n")
    command = [sys.executable, "-m", "own", "a"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == f"__main__ {[str(tmp_path / 'own.py'), 'a']}\n"


def test_forks_have_different_random_numbers() -> None:
    code = "import random, numpy; print(random.random(), numpy.random.random())"
    first, second = (run(code).stdout.split() for _ in range(2))
    assert first[0] != second[0] and first[1] != second[1]


def test_fork_can_lead_a_session() -> None:
    code = "import os; print(os.getsid(0) == os.getpid())"
    assert run(code, start_new_session=True).stdout == "True\n"


def test_command_in_another_language_is_no_fork() -> None:
    assert run(IS_FORK).stdout == "True\n"
    assert run(IS_FORK, env=os.environ | {"SCIREAD_LANGUAGE": "xx"}).stdout == "False\n"


def test_fresh_python_is_no_fork(fresh_python: None) -> None:
    assert run(IS_FORK).stdout == "False\n"
