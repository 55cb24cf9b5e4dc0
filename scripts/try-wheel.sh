#!/bin/sh
# Installs dist's wheel as the container's file does, in a new environment and away from the checkout, and plays three hands:
# scripts/try-wheel.sh [folder]. Without a folder it is a temporary one, and is gone afterwards. PYTHON is another interpreter.
set -eu
cd "$(dirname "$0")/.."

fail() { echo "railbird: the wheel is no good: $*" >&2; exit 1; }

python=${PYTHON:-${VENV:-.venv}/bin/python}
context=$(pwd)/dist/container
[ -d "$context" ] || fail "there is no dist/container; scripts/build.sh makes it"
if [ $# -gt 0 ]; then
    mkdir -p "$1"
    where=$(cd "$1" && pwd)
else
    where=$(mktemp -d)
    trap 'rm -rf "$where"' EXIT
fi

"$python" -m venv "$where/venv"
cd "$where"
pip() { env -u PYTHONPATH venv/bin/python -m pip --disable-pip-version-check --no-input install --quiet "$@"; }
pip --require-hashes --requirement "$context/requirements.lock" || fail "its requirements cannot be installed"
pip --no-deps "$context"/*.whl || fail "it cannot be installed"
venv/bin/python -m pip --disable-pip-version-check check || fail "the lock is not what it asks for"

said=$(RAILBIRD_HOME="$where/home" MIN_TURN_MS=0 RAILBIRD_HAND_GAP_MS=0 env -u PYTHONPATH venv/bin/railbird demo --port 0 --hands 3) ||
    fail "the demo ended with $?: $said"
echo "$said" | grep -q '^Every chip is accounted for\.$' || fail "the demo said: $said"
echo "railbird: $(ls "$context"/*.whl | xargs -n 1 basename) was installed in a new environment, and three hands were played"
