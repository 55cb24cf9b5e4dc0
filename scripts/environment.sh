#!/bin/sh
# Makes or updates the virtual environment: scripts/environment.sh run|dev
#
# run: what the product needs (requirements.lock). dev: that and what the tests need (requirements-dev.lock, a superset).
# Needs Python 3.11, 3.12 or 3.13 with venv, and nothing else. PYTHON names another interpreter, VENV another folder.
# A stamp per kind holds what was installed and where, so that a second run does nothing and needs no network.
set -eu
cd "$(dirname "$0")/.."

kind=${1:-run}
venv=${VENV:-.venv}
case $kind in
run) lock=requirements.lock ;;
dev) lock=requirements-dev.lock ;;
*) echo "usage: scripts/environment.sh run|dev" >&2; exit 64 ;;
esac

say() { echo "railbird: $*"; }
fail() { echo "railbird: $*" >&2; exit 1; }

is_usable() { "$1" -c 'import sys; sys.exit(not sys.version_info >= (3, 11))' 2>/dev/null; }
is_usual() { "$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; }
has_venv() { "$1" -c 'import venv, ensurepip' 2>/dev/null; }
version() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null || echo "none that starts"; }

# Sets $python. A version is asked for and not read from the name: a name on PATH may be a shim for nothing.
choose_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_usable "$PYTHON" || fail "PYTHON=$PYTHON is Python $(version "$PYTHON"); Railbird needs 3.11, 3.12 or 3.13."
        has_venv "$PYTHON" || no_venv "$PYTHON"
        python=$PYTHON
        return
    fi
    without_venv=
    for candidate in python3 python3.13 python3.12 python3.11; do
        is_usual "$candidate" || continue
        if has_venv "$candidate"; then
            python=$candidate
            return
        fi
        without_venv=${without_venv:-$candidate}
    done
    [ -z "$without_venv" ] || no_venv "$without_venv"
    fail "Railbird needs Python 3.11, 3.12 or 3.13; python3 here is $(version python3)." \
        "Install one (Debian: apt-get install python3 python3-venv), or say where it is: make PYTHON=/path/to/python3.12 ..."
}

no_venv() { fail "$1 (Python $(version "$1")) has no venv. On Debian: apt-get install python$(version "$1")-venv"; }

stamp_of() { # what an up-to-date environment of this lock says
    { pwd; "$venv/bin/python" --version; cat "$1" pyproject.toml; } | cksum
}

is_current() { [ -f "$venv/.railbird-$1" ] && [ "$(cat "$venv/.railbird-$1")" = "$(stamp_of "$2" 2>/dev/null)" ]; }

# A moved checkout or a Python that went away leaves an environment that only a new one mends.
is_broken() {
    ! is_usable "$venv/bin/python" || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1 ||
        { [ -f "$venv/.railbird-place" ] && [ "$(cat "$venv/.railbird-place")" != "$(pwd)" ]; }
}

pip_install() { # PIP_USER and the like point out of the environment
    env -u PIP_USER -u PIP_TARGET -u PIP_PREFIX -u PIP_REQUIRE_VIRTUALENV \
        "$venv/bin/python" -m pip --disable-pip-version-check --no-input install --quiet "$@"
}

is_current "$kind" "$lock" && exit 0

if [ -e "$venv" ] && is_broken; then
    say "$venv was made elsewhere or its Python is gone; making it anew."
    rm -rf "$venv"
fi
if [ ! -e "$venv" ]; then
    choose_python
    say "making $venv with $python (Python $(version "$python"))."
    "$python" -m venv "$venv" || { rm -rf "$venv"; fail "$python could not make a virtual environment."; }
fi
pwd >"$venv/.railbird-place"
rm -f "$venv/.railbird-run" "$venv/.railbird-dev"
say "installing the pinned packages of $lock; the first time takes about a minute."
pip_install --no-deps --require-hashes --requirement "$lock" || fail "pip could not install $lock; what it said is above."
pip_install --no-deps --no-build-isolation --editable . || fail "pip could not install the checkout; what it said is above."
[ "$kind" = run ] || stamp_of requirements.lock >"$venv/.railbird-run"
stamp_of "$lock" >"$venv/.railbird-$kind"
