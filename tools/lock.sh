#!/bin/sh
# Writes requirements.lock (to run) and requirements-dev.lock (to run, test and build) from
# pyproject.toml: every release pinned, with the hashes of all its files, for every platform.
#   tools/lock.sh              keeps the pins that still fit
#   tools/lock.sh --upgrade    moves to the newest releases
set -eu
cd "$(dirname "$0")/.."
.venv/bin/python -m uv --version >/dev/null 2>&1 || .venv/bin/pip install -q 'uv>=0.9'

compile() {
  out=$1; shift
  .venv/bin/python -m uv pip compile -q --universal --generate-hashes --no-header --no-annotate \
    --extra build "$@" pyproject.toml -o "$out"
}
compile requirements.lock "$@"
compile requirements-dev.lock --extra test -c requirements.lock "$@"
