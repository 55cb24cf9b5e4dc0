#!/bin/sh
# The wheel, the source archive, and the context of a container image, in dist/. It checks nothing: `make release` does, and calls this.
set -eu
cd "$(dirname "$0")/.."

python=${VENV:-.venv}/bin/python
rm -rf dist
"$python" -m hatchling build -t wheel -t sdist -d dist
mkdir dist/container
cp dist/*.whl requirements.lock scripts/Containerfile dist/container/
(cd dist && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
echo "railbird: $(ls dist/*.whl dist/*.tar.gz | tr '\n' ' ')and dist/container"
