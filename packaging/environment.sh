#!/bin/sh
# Creates .venv if it is missing, with a pip that supports dependency groups, and makes sure that
# source packages can be built.
set -eu
cd "$(dirname "$0")/.."
. packaging/apt.sh
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

ensurepip() {
    "$env/bin/python" -m ensurepip >/dev/null 2>&1
}

# Debian has ensurepip in a separate package; another Python's pip can take its place.
give_pip() {
    ensurepip || "$1" -m pip --python "$env/bin/python" install --quiet pip 2>/dev/null ||
        { apt_install python3-venv && ensurepip; } ||
        {
            echo "There is no pip for $env. Install your Python's venv package" \
                "(Debian, Ubuntu: apt-get install python3-venv) and try again." >&2
            exit 1
        }
}

has_headers() {
    "$env/bin/python" -c 'import pathlib, sys, sysconfig
sys.exit(not pathlib.Path(sysconfig.get_path("include"), "Python.h").is_file())'
}

can_build() {
    command -v "${CXX:-c++}" >/dev/null && has_headers
}

# hnswlib is a source package.
give_compiler() {
    version=$("$env/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    { apt_install g++ && { has_headers || apt_install "python$version-dev"; } && can_build; } ||
        echo "There is no C++ compiler, or Python's headers are missing, and one of our" \
            "dependencies may have to be built (Debian, Ubuntu: apt-get install g++" \
            "python$version-dev)." >&2
}

if ! new_enough "$env/bin/python"; then
    python=$(find_python)
    "$python" -m venv --clear --without-pip "$env"
fi
"$env/bin/python" -m pip --version >/dev/null 2>&1 || give_pip "${python:-$(find_python)}"
can_build || give_compiler
"$env/bin/python" -m pip install --quiet --upgrade "pip>=25.1"
