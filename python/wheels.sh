#!/usr/bin/env bash
# Builds the wheels of all platforms, or of those that are named as GOOS/GOARCH, in out/wheels, and checks their form.
# That of this machine is what python/test.sh builds, and installs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ -x out/venv/bin/pip ]] || { echo "run make python first: it makes out/venv" >&2; exit 1; }

if [[ $# -eq 0 ]]; then
	set -- linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
fi
for target; do
	DEEPPSL_TARGET=$target out/venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
		-w out/wheels ./python
done
cd python
PYTHONPATH=src ../out/venv/bin/python -B -m pytest -q -p no:cacheprovider tests/test_wheels.py
ls -l ../out/wheels
