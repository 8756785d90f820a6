# Everything a developer or CI runs. `make help` lists it.
#
# dev and test need Go and either PostgreSQL's binaries or the internet: no Node, no browser, no C compiler.

.DEFAULT_GOAL := help
.PHONY: help build dev test test-clients pictures chaos fuzz check check-go check-lint check-workflows check-sql check-modules check-compose fmt generate bench bench-digests clean

GO      ?= go
BIN     := bin/research
TOOL    := CGO_ENABLED=0 $(GO) tool -modfile=tools/go.mod
LINTER  := CGO_ENABLED=0 $(GO) tool -modfile=tools/lint/go.mod golangci-lint
# What is tested: make test PKG=./db/... RUN=TestMigrate
PKG     ?= ./...
TESTING := -shuffle=on -timeout 30m $(if $(RACE),-race) $(if $(RUN),-run '$(RUN)') $(TESTFLAGS)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## the binary, bin/research
	@$(GO) build -o $(BIN) .

# The binary takes make's place in the recipe, so that its exit code and its signals are make's.
dev: build ## everything on this machine: PostgreSQL, Temporal with its UI, demo data, API and worker
	@exec $(BIN) dev --with-parent

test: build ## all tests, beside a PostgreSQL and a Temporal of their own (RACE=1, PKG=./db/..., RUN=TestName)
	@exec $(BIN) dev -- $(GO) test $(TESTING) $(PKG)

test-clients: build ## tests that drive the service by real clients; these need Node and Chromium
	@exec $(BIN) dev -- $(GO) test -tags clients -count=1 -timeout 30m -run Client $(if $(RACE),-race) ./...

pictures: build ## a picture of each view of the page, light and dark, wide and narrow, in bin/pictures; needs Node and Chromium
	@PICTURES=bin/pictures exec $(BIN) dev -- $(GO) test -tags clients -count=1 -timeout 30m -run TestClientPage .

# Again with the same choices: make chaos SEED=…
chaos: ## two hundred imports while processes are killed fifty times, and a thousand digests while they are six times; some minutes
	$(GO) test ./dev -count=1 -v -timeout 60m -run TestChaos -chaos-imports 200 -chaos-kills 50 -chaos-recipients 1000 -chaos-mail-kills 6 -chaos-seed $(or $(SEED),$(shell date +%s))

# Go fuzzes one target at a time. What is found stays under testdata/fuzz, for every later run of the tests. RUN chooses: make fuzz RUN=FuzzQuery
fuzz: build ## random input: each parser for FUZZTIME (30s), then 300,000 bad tokens, and 20,000 requests of one workspace against another (SEED=…)
	@exec env TEST_TEMPORAL_ADDRESS=none $(BIN) dev -- sh -c ' \
	for t in $$(grep -rEo "^func Fuzz[A-Za-z0-9]*" --include="*_test.go" . | sed "s|/[^/]*:func |:|" | grep -E ":($(or $(RUN),.*))$$"); do \
		$(GO) test "$${t%:*}" -run "^$$" -fuzz "^$${t#*:}$$" -fuzztime $(or $(FUZZTIME),30s) || exit 1; \
	done; \
	$(GO) test ./api/rest -count=1 -v -timeout 60m -run "TestNothingCrosses|TestFloodOfBadTokens" -bad-tokens 300000 -property-rounds 20 -property-seed $(or $(SEED),$(shell date +%s))'

# The cases are a file, and their fixtures are in a checkout of PostgREST. It needs psql and PostGIS (Debian:
# postgresql-client, postgresql-15-postgis-3).
conformance: build ## PostgREST's cases against the data API: CASES=cases.jsonl POSTGREST=checkout
	@test -n "$(CASES)" -a -n "$(POSTGREST)" || { echo "make conformance CASES=<cases.jsonl> POSTGREST=<a checkout of PostgREST/postgrest>"; exit 2; }
	@TEST_TEMPORAL_ADDRESS=none exec $(BIN) dev -- $(GO) run -C tools/conformance . -cases "$(abspath $(CASES))" \
		-postgrest "$(abspath $(POSTGREST))" -known "$(CURDIR)/docs/compat.md"

check: check-go check-modules check-lint check-workflows check-sql check-compose ## format, vet, lint, determinism, SQL, modules, compose file

check-go:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); test -z "$$unformatted" || { echo "run make fmt: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) vet -tags clients ./...
	cd tools/conformance && $(GO) vet ./...

check-modules:
	$(GO) mod tidy -diff
	$(GO) mod verify
	cd tools && $(GO) mod tidy -diff
	cd tools/conformance && $(GO) mod tidy -diff
	cd tools/lint && $(GO) mod tidy -diff

check-lint:
	$(LINTER) run --allow-parallel-runners ./...
	cd tools/conformance && CGO_ENABLED=0 $(GO) tool -modfile=../lint/go.mod golangci-lint run --allow-parallel-runners ./...

# The code is deterministic, and recorded runs go on with it.
check-workflows:
	$(TOOL) workflowcheck ./workflows/...
	$(GO) test -run '^TestReplay$$' ./workflows

# diff: the generated code is what the SQL says. vet: every query is prepared against a database with all migrations.
check-sql: build
	$(TOOL) sqlc diff
	TEST_TEMPORAL_ADDRESS=none $(BIN) dev -- sh -c 'DATABASE_URL="$$TEST_DATABASE_URL" $(BIN) migrate && $(TOOL) sqlc vet'

check-compose:
	@if command -v docker-compose >/dev/null 2>&1; then echo docker-compose config; docker-compose config --quiet; \
	elif docker compose version >/dev/null 2>&1; then echo docker compose config; docker compose config --quiet; \
	else echo "docker-compose is not installed: docker-compose.yml stays unchecked here"; fi

fmt: ## gofmt
	gofmt -w $$(git ls-files '*.go')

generate: ## what is generated: db/*.sql.go from db/queries
	$(TOOL) sqlc generate

bench: build ## benchmarks of the whole, each beside its limit
	@exec $(BIN) dev -- $(GO) test -run '^$$' -bench . -benchmem -timeout 60m ./...

bench-digests: build ## the digests of 100,000 members through a real worker; about an hour
	@exec $(BIN) dev -- $(GO) test ./bench -run '^$$' -bench Digests -benchtime 1x -v -timeout 5h -digest-members 100000 -digest-sink 0 -digest-connections 16 -digest-wait 4h

clean: ## what make built; the state folder .dev/ stays
	rm -rf bin
