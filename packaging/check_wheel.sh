#!/bin/sh
# Installs dist/*.whl without the window into a separate environment and home, finds papers, trains
# for ten steps and searches with the new model.
#
# packaging/check_wheel.sh [FOLDER]: the folder of the environment; by default a temporary one.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
wheel=$(ls -t "$root"/dist/sciread-*.whl | head -n 1)
place=${1:-$(mktemp -d)}
home=$(mktemp -d)
trap 'rm -rf "$home"; [ -n "${1:-}" ] || rm -rf "$place"' EXIT

[ -x "$place/bin/python" ] || "${PYTHON:-python3}" -m venv "$place"
# torch first: with the wheel, pip would take the CUDA build. hnswlib may have to be compiled.
"$place/bin/python" -m pip install --quiet "torch==2.13.0"
"$place/bin/python" -m pip install --quiet --force-reinstall --no-deps "$wheel"
"$place/bin/python" -m pip install --quiet -c constraints.txt "$wheel"
"$place/bin/python" -m pip check

run() {
    echo "\$ $*"
    env -i HOME="$home" PATH="$place/bin:/usr/bin:/bin" LANG=C.UTF-8 OMP_NUM_THREADS=2 \
        SCIREAD_HOME="$home/library" SCIREAD_CACHE="$home/cache" "$@"
}

cd "$home" # so that the sources are not imported
"$place/bin/python" -c 'import importlib.util as u; assert not u.find_spec("PySide6"), "Qt is here"'
run sciread --version
run sciread-trainer methods >/dev/null
run sciread add "$root/resources/sample_library.bib"
run sciread encode
run sciread find "teaching a computer to win at board games" | tee found
grep -qi "go" found
run sciread train start miread-small --set base=starter --set max_steps=10 --set min_papers=5 \
    --name check --follow
run sciread model add library/runs/check/package
model=$(run sciread model list --json | tail -1 |
    "$place/bin/python" -c 'import json, sys
print(next(one["name"] for one in json.load(sys.stdin) if one["name"] != "starter"))')
run sciread model activate "$model"
run sciread find "teaching a computer to win at board games" | tee found
grep -q . found
run sciread doctor
run sciread || true # no window: one sentence
echo "The wheel does what it should: $wheel"
