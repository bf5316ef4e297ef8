#!/usr/bin/env bash
# Builds a wheel for this machine in out/wheels, installs it in out/venv, and checks its types and runs its tests there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-python3}

# The environment is made anew only when what it holds is another.
wanted=$("$python" --version; cat python/requirements.txt)
if [[ ! -f out/venv/holds || $(cat out/venv/holds) != "$wanted" ]]; then
	rm -rf out/venv
	"$python" -m venv out/venv
	out/venv/bin/pip install --quiet --disable-pip-version-check -r python/requirements.txt
	echo "$wanted" >out/venv/holds
fi

rm -rf out/wheels
out/venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w out/wheels ./python
# From the folder of wheels and nowhere else, as a user without a network would.
out/venv/bin/pip install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall \
	--find-links out/wheels deeppsl
out/venv/bin/deeppsl version

cd python
../out/venv/bin/mypy --cache-dir ../out/mypy
env -u DEEPPSL_BINARY ../out/venv/bin/python -B -m pytest -q -p no:cacheprovider "$@"
