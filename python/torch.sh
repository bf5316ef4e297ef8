#!/usr/bin/env bash
# Runs the tests of torch on the wheel in out/wheels, with Debian's build of torch: it has no GPU's libraries, and is 150 MB
# with what it needs, where the registry's is 5 GB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rm -rf out/torch
/usr/bin/python3 -m venv out/torch
out/torch/bin/pip install --quiet --disable-pip-version-check -r python/requirements-torch.txt
out/torch/bin/pip install --quiet --disable-pip-version-check --no-index --no-deps --find-links out/wheels deeppsl
# Behind the environment's own packages, so that its numpy is taken.
echo /usr/lib/python3/dist-packages >"$(echo out/torch/lib/python3*/site-packages)/debian.pth"
out/torch/bin/python -c 'import torch; print("torch", torch.__version__)'

cd python
env -u DEEPPSL_BINARY ../out/torch/bin/python -B -m pytest -q -p no:cacheprovider "$@" \
	tests/test_torch_network.py tests/test_gradient.py
