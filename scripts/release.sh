#!/bin/sh
# Builds what is released, from a commit that everything passed on: scripts/release.sh
#
# Refuses what is not committed, on anything red, and on anything that was skipped. Then, in dist/: the wheel, the source archive, and
# container/, the context of a container image (podman build dist/container, or docker build). The wheel was tried where nothing else is.
set -eu
cd "$(dirname "$0")/.."

python=${VENV:-.venv}/bin/python
fail() { echo "railbird: no release: $*" >&2; exit 1; }

[ -z "$(git status --porcelain)" ] || fail "there is something that is not committed"
commit=$(git rev-parse HEAD)

"$python" -m ruff format --check . || fail "the format"
"$python" -m ruff check . || fail "the lint rules"
"$python" -m mypy || fail "the types"
report=$(mktemp)
trap 'rm -f "$report"' EXIT
RAILBIRD_TEST_LIMIT_S=${RAILBIRD_TEST_LIMIT_S:-1800} scripts/tests.sh -q --junitxml="$report" || fail "the tests"
"$python" -m tests.leaks.nothing_skipped "$report" || fail "a test was skipped: a release needs ../shared, Postgres and a browser"
"$python" -m tests.leaks || fail "the leak suite"
"$python" -m tests.leaks.policy_mutants || fail "the gates' mutants"
[ "$(git rev-parse HEAD)" = "$commit" ] && [ -z "$(git status --porcelain)" ] || fail "the checkout changed meanwhile"

scripts/build.sh
scripts/try-wheel.sh || { rm -rf dist; fail "the wheel"; }
