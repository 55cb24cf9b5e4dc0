#!/bin/sh
# Makes sure that there is a Chromium for the browser tests. It installs Debian's where it may (root on Debian, and
# RAILBIRD_NO_APT unset) and says so; else it fails with the line to type. tests/live/chromium.py looks in the same places.
set -eu

# Debian's program is found by name; RAILBIRD_CHROMIUM names any other.
if [ -n "${RAILBIRD_CHROMIUM:-}" ]; then
    [ -x "$RAILBIRD_CHROMIUM" ] && exit 0
    echo "railbird: RAILBIRD_CHROMIUM=$RAILBIRD_CHROMIUM is not a program." >&2
    exit 1
fi
for name in chromium chromium-browser google-chrome; do
    ! command -v "$name" >/dev/null || exit 0
done

install="apt-get install --yes chromium fonts-liberation"
if [ "$(id -u)" -eq 0 ] && [ -f /etc/debian_version ] && [ -z "${RAILBIRD_NO_APT:-}" ] && command -v apt-get >/dev/null; then
    echo "railbird: no Chromium found; installing Debian's (RAILBIRD_NO_APT=1 forbids it): $install"
    log=$(mktemp)
    if { apt-get update && DEBIAN_FRONTEND=noninteractive $install --no-install-recommends; } >"$log" 2>&1; then
        rm -f "$log"
        exit 0
    fi
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "railbird: apt-get could not install Chromium; what it said is above." >&2
    exit 1
fi
sudo=
[ "$(id -u)" -eq 0 ] || sudo="sudo "
{
    echo "railbird: no Chromium found (looked for chromium, chromium-browser and google-chrome on PATH). Type:"
    echo "    ${sudo}apt-get update && ${sudo}$install"
    echo "or name one: RAILBIRD_CHROMIUM=/path/to/chromium"
} >&2
exit 1
