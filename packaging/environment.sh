#!/bin/sh
# Makes .venv where there is none, and sees to it that it has a pip which knows dependency groups.
set -eu
cd "$(dirname "$0")/.."
env=.venv

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        if new_enough "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    echo "SciRead needs Python 3.11 or later, and there is none on the PATH." \
        "Install it, or name it: make PYTHON=/path/to/python3.12 ..." >&2
    exit 1
}

has_pip() {
    "$env/bin/python" -m pip --version >/dev/null 2>&1
}

# Debian keeps what venv needs for pip in a package of its own; a python with pip can help out.
give_pip() {
    "$env/bin/python" -m ensurepip >/dev/null 2>&1 ||
        "$1" -m pip --python "$env/bin/python" install pip ||
        {
            echo "There is no pip for $env. Install your Python's venv package" \
                "(Debian, Ubuntu: apt-get install python3-venv) and try again." >&2
            exit 1
        }
}

if ! new_enough "$env/bin/python"; then
    python=$(find_python)
    "$python" -m venv --clear --without-pip "$env"
fi
has_pip || give_pip "${python:-$(find_python)}"
"$env/bin/python" -m pip install --quiet --upgrade "pip>=25.1"
