#!/bin/sh
# Runs the tests: scripts/tests.sh [--coverage] [pytest's arguments]
# They take some seven minutes on two cores. What hangs is ended after fourteen; RAILBIRD_TEST_LIMIT_S is another limit.
# Pytest's own closing line is the last; tests/conftest.py puts the tests of the gates first.
set -eu
cd "$(dirname "$0")/.."

limit_s=${RAILBIRD_TEST_LIMIT_S:-840}
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
