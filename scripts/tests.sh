#!/bin/sh
# Runs the tests within ten minutes, set-up not counted: scripts/tests.sh [--coverage] [pytest's arguments]
# RAILBIRD_TEST_LIMIT_S is another limit, for a slow machine.
# Pytest's own closing line is the last; tests/conftest.py puts the tests of the gates first.
set -eu
cd "$(dirname "$0")/.."

limit_s=${RAILBIRD_TEST_LIMIT_S:-570}
python=${VENV:-.venv}/bin/python
if [ "${1:-}" = --coverage ]; then
    shift
    set -- -m coverage run -m pytest "$@"
else
    set -- -m pytest --numprocesses auto --dist loadfile "$@"
fi
# One worker a core, each with whole files of tests; PYTEST_XDIST_AUTO_NUM_WORKERS is another number.
# SIGINT lets pytest close its fixtures and say what it had found.
if command -v timeout >/dev/null; then
    exec timeout --foreground --signal=INT --kill-after=20 "$limit_s" "$python" "$@"
fi
exec "$python" "$@"
