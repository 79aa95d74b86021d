#!/bin/sh
# Speed of training and encoding on a GPU: benchmarks/gpu.sh [--minutes N] [--only PART] ...
# Needs torch with CUDA and the packages that the trainer imports; no network and no data.
set -e
cd "$(dirname "$0")/.."
export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=true
exec "${PYTHON:-python3}" -m benchmarks.gpu "$@"
