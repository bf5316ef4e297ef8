#!/usr/bin/env bash
# Compares benchmarks of the working tree with those of another revision: bench/compare.sh BASE BENCH COUNT PACKAGES.
# Both run in turns, so that a machine that grows slower does so for both; benchstat says what is more than noise.
set -euo pipefail
base=$1 bench=$2 count=$3 packages=$4
GO=${GO:-go}
BENCHSTAT=${BENCHSTAT:-benchstat}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p out
out=$PWD/out
tree=$(mktemp -d)
trap 'git worktree remove --force "$tree"' EXIT
git worktree add --quiet --detach "$tree" "$base"

: >"$out/base.txt"
: >"$out/head.txt"
for ((k = 0; k < count; k++)); do
	(cd "$tree" && env $GO test -run '^$' -bench "$bench" -benchmem $packages) >>"$out/base.txt"
	env $GO test -run '^$' -bench "$bench" -benchmem $packages >>"$out/head.txt"
done
env $BENCHSTAT "$out/base.txt" "$out/head.txt"
