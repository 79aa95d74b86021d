"""The program that opens the window: imports, one instance, language, missing display."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from babel.messages import Catalog
from babel.messages.mofile import write_mo
from PySide6.QtCore import QLockFile
from PySide6.QtGui import QImage

from sciread_app.language import DOMAIN

HEAVY = ("torch", "transformers", "sqlalchemy", "hnswlib", "numpy", "lxml")


def python(*arguments, **environment):
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=110,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", **environment},
    )


def test_application_module_imports_no_heavy_packages():
    code = (
        "import sys, sciread_app.ui.application; "
        "print([m for m in sys.argv[1:] if m in sys.modules])"
    )
    done = python("-c", code, *HEAVY)
    assert done.stdout.strip() == "[]", done.stderr


def test_second_window_on_one_home_exits_with_a_message(tmp_path):
    lock = QLockFile(str(tmp_path / "window.lock"))
    assert lock.tryLock(0)
    code = (
        "import sys; from pathlib import Path; from sciread_app.ui.application import run;"
        "sys.exit(run(Path(sys.argv[1]), Path(sys.argv[1]) / 'picture.png'))"
    )
    done = python("-c", code, str(tmp_path))
    lock.unlock()
    assert done.returncode == 1
    assert "already running" in done.stderr
    assert not (tmp_path / "picture.png").exists()


def test_window_fits_the_screen(tmp_path):
    code = (
        "import sys; from pathlib import Path; from PySide6.QtCore import QTimer;"
        "from PySide6.QtWidgets import QApplication; from sciread_app.ui.application import run;"
        "from sciread_app.ui.shell.main_window import MainWindow;"
        "app = QApplication([]);"
        "window = lambda: next(w for w in app.topLevelWidgets() if isinstance(w, MainWindow));"
        "screen = app.primaryScreen().availableSize();"
        "fits = lambda w: w.isVisible() and w.size().boundedTo(screen) == w.size();"
        "QTimer.singleShot(0, lambda: (print(fits(window())), app.exit(0)));"
        "run(Path(sys.argv[1]))"
    )
    done = python("-c", code, str(tmp_path), QT_SCALE_FACTOR="1")  # of 800 x 800 pixels
    assert done.stdout.strip() == "True", done.stderr


@pytest.mark.slow
def test_first_start_draws_the_window_without_importing_torch(tmp_path):
    code = (
        "import sys; from pathlib import Path; from sciread_app.ui.application import run;"
        "code = run(Path(sys.argv[1]), Path(sys.argv[2]));"
        "print('torch' in sys.modules); sys.exit(code)"
    )
    picture = tmp_path / "picture.png"
    done = python("-c", code, str(tmp_path / "home"), str(picture))
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "False"
    assert QImage(str(picture)).width() > 1000


PRINT_QT_TEXTS = """
import os, sys
from pathlib import Path
from sciread_app.language import set_language
set_language([sys.argv[1]], Path(sys.argv[2]))
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit
from sciread_app.ui.application import _application
app = _application()
box, line = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel), QLineEdit("some")
undo = line.createStandardContextMenu().actions()[0].text().split("\\t")[0]
print(box.buttons()[0].text(), undo, app.layoutDirection().name)
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de", "Abbrechen &Rückgängig LeftToRight"),
        ("ar", "ألغِ &تراجع RightToLeft"),
        ("fr", "Cancel &Undo LeftToRight"),  # there is no French translation of the program
    ],
)
def test_qt_uses_the_language_of_the_program(tmp_path, language, expected):
    for one in ("de", "ar"):
        file = tmp_path / one / "LC_MESSAGES" / f"{DOMAIN}.mo"
        file.parent.mkdir(parents=True)
        with file.open("wb") as stream:
            write_mo(stream, Catalog(locale=one))
    done = python("-c", PRINT_QT_TEXTS, language, str(tmp_path), LC_ALL="C.UTF-8")
    assert done.stdout.strip() == expected, done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="displays are found by variables on Linux only")
@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        ([], {}, "no display is available"),
        (["refs.bib"], {}, "no display is available"),
        ([], {"DISPLAY": ":9999"}, "cannot open a window"),
        ([], {"WAYLAND_DISPLAY": "none"}, "cannot open a window"),
        ([], {"QT_QPA_PLATFORM": "none"}, "cannot open a window"),
    ],
)
def test_missing_display_is_reported_with_exit_code_1(tmp_path, arguments, environment, expected):
    unset = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run(
        [sys.executable, "-m", "sciread_app", *arguments],
        capture_output=True,
        text=True,
        timeout=110,
        env={**kept, "SCIREAD_HOME": str(tmp_path), **environment},
    )
    assert done.returncode == 1
    assert expected in done.stderr and "sciread --help" in done.stderr
    assert "Traceback" not in done.stderr
