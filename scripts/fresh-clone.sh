#!/bin/sh
# Does a stranger's fresh clone work? Clones a repository into a folder whose name has a space and runs each command there with
# an empty environment: no variable of yours, a bare PATH, an empty HOME and an empty TMPDIR. Prints a time for each.
#
#   scripts/fresh-clone.sh REPOSITORY COMMAND...        scripts/fresh-clone.sh . "make demo" "make test"
#
# Exit: 0, or the code of the first command that failed. What is not committed is not in a clone: that is the point.
# FRESH_PATH replaces the bare PATH; FRESH_PASS names variables to pass on (a proxy's or a certificate's, say), with spaces between.
# A demo that does not end by itself is the caller's to bound: "timeout 60 make demo".
set -eu

[ $# -ge 2 ] || { sed -n '2,9p' "$0" >&2; exit 64; }
repository=$1
shift
bare_path=${FRESH_PATH:-/usr/local/bin:/usr/bin:/bin}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
mkdir "$work/empty home" "$work/empty tmp"
git clone --quiet --no-hardlinks "$repository" "$work/fresh clone"
cd "$work/fresh clone"
[ -z "$(git status --porcelain)" ] || { echo "a fresh clone is dirty:" >&2; git status --short >&2; exit 65; }
echo "cloned $(git rev-parse --short HEAD), $(git ls-files | wc -l | tr -d ' ') files"

for command in "$@"; do
    set -- "HOME=$work/empty home" "TMPDIR=$work/empty tmp" "PATH=$bare_path" "LC_ALL=C.UTF-8"
    for name in ${FRESH_PASS:-}; do
        eval "value=\${$name-}"
        [ -z "$value" ] || set -- "$@" "$name=$value"
    done
    began=$(date +%s)
    code=0
    env -i "$@" /bin/sh -c "$command" </dev/null || code=$?
    echo "$command: exit $code, $(($(date +%s) - began)) s"
    [ "$code" -eq 0 ] || exit "$code"
done

left=$(git status --porcelain)
[ -z "$left" ] || { echo "the commands left files that git does not ignore:" >&2; echo "$left" >&2; exit 66; }
