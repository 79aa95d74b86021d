#!/bin/sh
# Puts into build/portable the hnswlib that goes into programs for other computers.
#
# Where it is installed, hnswlib is compiled for that very processor, and ends with "illegal
# instruction" on an older one. Compiled for any, a search takes 1.0 ms in it where it took 0.65.
set -eu
cd "$(dirname "$0")/.."
rm -rf build/portable
HNSWLIB_NO_NATIVE=1 "${PYTHON:-.venv/bin/python}" -m pip install --quiet --no-deps --no-cache-dir \
    --no-binary hnswlib -c constraints.txt --target build/portable hnswlib
