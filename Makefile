# The commands of daily work; `make` alone lists them. GOEXPERIMENT=simd speeds up neural predicates by a factor.
GO       := GOTOOLCHAIN=local GOEXPERIMENT=simd go
TOOL     := GOTOOLCHAIN=local go tool -modfile=tools.mod
FUZZTIME ?= 20s
PROGRAMS ?= 100000
BENCH    ?= .
COUNT    ?= 6
BASE     ?= HEAD
PKG      ?= ./...

.PHONY: help build test bench race lint fuzz oracle cover python python-torch python-torch-cpu python-clusters cloud wheels fmt

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

build: ## build bin/deeppsl, static and fast
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-s -w" -o bin/deeppsl ./cmd/deeppsl

test: ## run every test, as a user would
	GOTOOLCHAIN=local go test ./...

bench: ## run the benchmarks that match BENCH, COUNT times, and summarise them
	@mkdir -p out
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) $(PKG) | tee out/bench.txt
	$(TOOL) benchstat out/bench.txt

# checkptr is off since GoMLX aligns its buffers by arithmetic on pointers, which that check takes for a mistake.
race: ## run the tests of PKG under the race detector, but the longest; needs a C compiler
	GOTOOLCHAIN=local CGO_ENABLED=1 go test -race -short -gcflags=all=-d=checkptr=0 $(PKG)

compare: ## compare the benchmarks of PKG that match BENCH with those of the revision BASE, in turns
	GO="$(GO)" BENCHSTAT="$(TOOL) benchstat" bench/compare.sh "$(BASE)" "$(BENCH)" "$(COUNT)" "$(PKG)"

lint: ## check the rules of the house: see internal/lint
	GOTOOLCHAIN=local go test ./internal/lint

fuzz: ## run each fuzz target for FUZZTIME
	@grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | while IFS=: read -r file target; do \
		GOTOOLCHAIN=local go test -run '^$$' -fuzz "^$${target#func }$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" \
			|| exit 1; \
	done

oracle: ## try PROGRAMS programs, drawn anew each time, end to end, against their definition
	GOTOOLCHAIN=local go test ./internal/oracle -timeout 0 -rapid.seed 0 -rapid.checks $(PROGRAMS)

cover: ## measure test coverage and write out/cover.html
	@mkdir -p out
	GOTOOLCHAIN=local go test -short -coverpkg=./... -coverprofile=out/cover.out ./...
	go tool cover -func=out/cover.out | tail -n 1
	go tool cover -html=out/cover.out -o out/cover.html

python: ## build the Python package into out/wheels, and test it in out/venv
	python/test.sh

python-torch: ## install torch (5 GB) in out/venv too, and run its tests of the Python package
	python/test.sh --collect-only >/dev/null
	out/venv/bin/pip install --quiet --disable-pip-version-check torch==2.15.0
	cd python && ../out/venv/bin/python -B -m pytest -q -p no:cacheprovider tests/test_torch_network.py tests/test_gradient.py

python-torch-cpu: python ## the same with Debian's torch (python3-torch, 150 MB), as CI does
	python/torch.sh

python-clusters: ## install Ray and Spark (1 GB) in out/venv too, and run the tests that start clusters
	python/test.sh --collect-only >/dev/null
	out/venv/bin/pip install --quiet --disable-pip-version-check -r python/requirements-clusters.txt
	cd python && env -u DEEPPSL_BINARY ../out/venv/bin/python -B -m pytest -q -p no:cacheprovider tests/test_ray.py tests/test_machines.py tests/test_spark.py

cloud: ## build bin/cloud/deeppsl, which reads and writes parts on S3 too, and test it
	@mkdir -p bin/cloud
	cd cloud && CGO_ENABLED=0 $(GO) build -trimpath -ldflags="-s -w" -o ../bin/cloud/deeppsl ./cmd/deeppsl
	cd cloud && GOTOOLCHAIN=local go vet ./... && GOTOOLCHAIN=local go test ./...

wheels: ## build the Python package's wheels for all platforms into out/wheels, and check their form
	python/wheels.sh

fmt: ## format all Go files
	$(TOOL) gofumpt -l -w .
