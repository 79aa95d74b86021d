#!/bin/sh
# Builds hnswlib for any processor into build/portable, for programs that run on other computers.
#
# By default hnswlib is compiled for the processor of the build, and crashes with "illegal
# instruction" on an older one. The portable build needs 1.0 ms per search instead of 0.65 ms.
set -eu
cd "$(dirname "$0")/.."
rm -rf build/portable
HNSWLIB_NO_NATIVE=1 "${PYTHON:-.venv/bin/python}" -m pip install --quiet --no-deps --no-cache-dir \
    --no-binary hnswlib -c constraints.txt --target build/portable hnswlib
