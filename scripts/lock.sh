#!/bin/sh
# Makes the locks anew, from pyproject.toml and from what `make real-model` wants, with uv (`pip install uv`). Users do not need it.
# Present versions are kept where the pins allow; arguments go to uv: scripts/lock.sh --upgrade
# --no-header and --no-emit-*: no line of a lock may come from the settings of one machine.
set -eu
cd "$(dirname "$0")/.."

uv=${UV:-uv}
command -v "$uv" >/dev/null || { echo "uv is missing: pip install uv, or say where it is: make lock UV=..." >&2; exit 1; }
unset UV_INDEX UV_INDEX_URL UV_EXTRA_INDEX_URL UV_DEFAULT_INDEX UV_FIND_LINKS 2>/dev/null || :

compile() {
    "$uv" pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-header --no-emit-index-url \
        --no-emit-find-links --extra postgres --group checkout pyproject.toml "$@" >/dev/null
}
compile --output-file requirements.lock "$@"
compile --group dev --constraint requirements.lock --output-file requirements-dev.lock "$@"
# Without what these two say they depend on: see the file.
"$uv" pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-deps --no-header --no-annotate \
    --no-emit-index-url --no-emit-find-links scripts/real_model/requirements.in --output-file requirements-real-model.lock "$@" >/dev/null

if grep -nE '://|find-links|index-url' requirements.lock requirements-dev.lock requirements-real-model.lock; then
    echo "a lock holds a URL" >&2
    exit 1
fi
