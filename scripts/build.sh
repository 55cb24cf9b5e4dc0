#!/bin/sh
# The wheel, and the context of a container image, in dist/. It checks nothing: `make release` does, and calls this.
set -eu
cd "$(dirname "$0")/.."

python=${VENV:-.venv}/bin/python
rm -rf dist
"$python" -m hatchling build -t wheel -d dist
mkdir dist/container
cp dist/*.whl requirements.lock scripts/Containerfile dist/container/
(cd dist && find . -type f ! -name SHA256SUMS | sort | xargs sha256sum >SHA256SUMS)
echo "railbird: $(ls dist/*.whl) and dist/container"
