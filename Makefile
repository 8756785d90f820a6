# Everything that developers and CI run. `make help` lists it.
#
# dev and test need Go and either PostgreSQL's binaries or the internet: no Node, no browser, no C compiler.

.DEFAULT_GOAL := help
.PHONY: FORCE help build dev release release-test cluster cluster-test test test-with-race test-without-race \
	test-clients test-infrastructure quick pictures chaos fuzz conformance peers check check-format \
	check-modules check-lint check-workflows check-sql check-generated check-compose check-manifests \
	check-page fmt generate bench bench-digests bench-large bench-report measure-transcripts clean

GO      ?= go
BIN     := bin/research
# Product, tools and tests are built in one way, so that what they share is compiled once. Releases have no
# cgo either; only the race detector requires it. Without debug information, which only a debugger reads, a
# package compiles in three quarters of the time.
export CGO_ENABLED := 0
NO_DEBUG := -gcflags=all=-dwarf=false -ldflags=-w
export GOFLAGS := $(filter-out $(NO_DEBUG),$(GOFLAGS)) $(NO_DEBUG)
# A compiler that collects no garbage up to a limit takes a sixth less time.
FAST    := GOGC=off GOMEMLIMIT=1GiB
TOOL    := $(GO) tool -modfile=tools/go.mod
# The linter's cache keeps the paths of the tree it ran in, so each tree has its own.
LINTER  := GOLANGCI_LINT_CACHE=$(CURDIR)/bin/lint-cache $(GO) tool -modfile=tools/lint/go.mod golangci-lint
# What is tested: make test PKG=./db/... RUN=TestMigrate
PKG     ?= ./...
# Tests of the whole service mostly wait, so more of them run at the same time than there are cores. The
# linter vets the code.
TESTING := -shuffle=on -vet=off -timeout 30m -parallel 4 $(if $(RUN),-run '$(RUN)') $(TESTFLAGS)
# The packages whose tests take longest are tested first, and the others while those wait.
ALL     := ./e2e ./activities ./db ./transcript ./...
# With RACE=1, these are tested without the race detector: race_test.go says why.
WITHOUT_RACE := ./activities/extract ./activities/extract/grouping ./activities/extract/quote \
	./api/projects/guide ./api/projects/unforeseen \
	./api/rest/catalog ./api/rest/plan ./api/rest/query ./api/rest/sqlgen \
	./internal/fairqueue ./internal/lexicon ./internal/mailbox ./internal/redact ./internal/unsubscribe \
	./internal/words ./outcome ./transcript ./transcript/craft ./transcript/internal/service ./transcript/pdf
WITH_RACE = $(filter-out $(WITHOUT_RACE:./%=research/%),research/e2e research/activities research/db \
	$(shell $(GO) list ./...))
# What tests build themselves is built as everything else.
RACING := -race -exec 'env CGO_ENABLED=0'
# The packages with tests that need Node or a browser.
CLIENTS = $(sort $(dir $(shell grep -rl --include='*_test.go' '^//go:build clients' .)))
# $(call tests,PACKAGES,FLAGS,NAME) runs tests. With RETRIES=n, up to six tests that fail run again, up to n
# times. They are listed in bin/retried-NAME.txt.
ifdef RETRIES
RETRY := bin/gotestsum
tests  = $(RETRY) --format standard-quiet --rerun-fails=$(RETRIES) --rerun-fails-max-failures=6 \
	--rerun-fails-abort-on-data-race --rerun-fails-report=bin/retried-$3.txt --packages '$1' -- $2
else
tests  = $(GO) test $2 $1
endif
# The seed of random choices; a run prints its own, to be repeated with SEED=…
SEED    ?= $(shell date +%s)

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-19s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the binary, bin/research
	@test -e $(BIN) || echo "Building $(BIN). On two cores the first build takes about a minute and a half."
	@$(FAST) $(GO) build -o $(BIN) .

# exec makes the binary the process of the recipe, so that its exit code and its signals are make's.
dev: build ## run everything on this machine: PostgreSQL, Temporal with its UI, demo data, API and worker
	@exec $(BIN) dev --with-parent

# Programs from the pinned tools: those of a cluster, and the one that runs failed tests again.
TEMPORAL := bin/temporal-server bin/temporal-sql-tool bin/temporal-ui
bin/temporal-server: MAIN := go.temporal.io/server/cmd/server
bin/temporal-sql-tool: MAIN := go.temporal.io/server/cmd/tools/sql
bin/temporal-ui: MAIN := github.com/temporalio/ui-server/v2/cmd/server
bin/gotestsum: MAIN := gotest.tools/gotestsum
$(TEMPORAL) bin/gotestsum: tools/go.mod
	@echo "Building $@. The first build of Temporal's programs takes some minutes."
	@$(FAST) $(GO) build -modfile=tools/go.mod -buildvcs=false -ldflags="-s -w" -o $@ $(MAIN)

# The OpenID Connect provider of tests, which make it when they need it.
bin/openid-provider: tools/openid/go.mod
	@$(GO) build -modfile=$< -buildvcs=false -ldflags="-s -w" -o $@ github.com/zitadel/oidc/v3/example/server

bin/cluster: FORCE
	@$(GO) build -o $@ ./dev/cluster
FORCE:

cluster: build bin/cluster $(TEMPORAL) ## run a cluster on this machine, as in production (CLUSTER_PORT=18000)
	@exec bin/cluster -with-parent $(if $(CLUSTER_PORT),-port $(CLUSTER_PORT))

cluster-test: build bin/cluster $(TEMPORAL) ## run clients, load, upgrades and outages on such clusters (RUN=TestClusterLoad)
	$(GO) test -tags cluster ./dev/cluster -count=1 -v -timeout 60m -run '$(or $(RUN),TestCluster)'

test: build $(RETRY) ## run all tests, with a PostgreSQL and a Temporal of their own (RACE=1, PKG=./db/..., RUN=TestName)
ifneq ($(PKG),./...)
	@exec $(BIN) dev -- $(if $(RACE),env CGO_ENABLED=1) \
		$(call tests,$(PKG),$(TESTING) $(if $(RACE),$(RACING)),test)
else ifdef RACE
	@exec $(BIN) dev -- $(MAKE) --no-print-directory --keep-going -j2 test-with-race test-without-race
else
	@exec $(BIN) dev -- $(call tests,$(ALL),$(TESTING),test)
endif

test-with-race:
	@CGO_ENABLED=1 $(call tests,$(WITH_RACE),$(TESTING) $(RACING),$@)

test-without-race:
	@$(call tests,$(WITHOUT_RACE),$(TESTING),$@)

test-clients: build $(RETRY) ## run the tests with real clients; they need Node and Chromium (RUN=TestClientPage/review)
	@exec $(BIN) dev -- \
		$(call tests,$(CLIENTS),-tags clients -count=1 -vet=off -timeout 30m -run '$(or $(RUN),Client)',$@)

# Versions of PostgreSQL beside the installed one.
bin/postgres: tools/postgres/package-lock.json
	@rm -rf $@ && mkdir -p $@ && cp tools/postgres/package*.json $@
	npm ci --prefix $@ --no-audit --no-fund --loglevel=error --fetch-timeout=60000
	@touch $@

# The tests that a database, Temporal or a relay of somebody else could fail, those that are too slow for CI
# included.
VERSIONS ?= installed 14 16 17 18
test-infrastructure: build bin/postgres ## test with what other people run: PostgreSQL 14 to 18, poolers, locales (VERSIONS=18)
	@for version in $(VERSIONS); do \
		echo "PostgreSQL: $$version"; \
		bin="$(CURDIR)/bin/postgres/node_modules/postgres-$$version/native/bin"; \
		PATH="$$bin:$$PATH" TEST_POSTGRES="$$version" $(BIN) dev -- \
			$(GO) test -tags infrastructure -count=1 $(TESTING) ./db && \
		PATH="$$bin:$$PATH" TEST_POSTGRES="$$version" $(BIN) dev -- \
			$(GO) test -tags infrastructure -count=1 $(TESTING) ./e2e -run '$(INFRASTRUCTURE)' || exit 1; \
	done
	$(GO) test -tags infrastructure -count=1 -vet=off ./api/web -run Spreadsheet
INFRASTRUCTURE = Hosted|Pooler

quick: build ## run what a change needs before its commit, and print what that leaves out (SINCE=origin/main)
	@$(GO) run ./dev/quick $(if $(SINCE),-since $(SINCE))

check: check-format check-modules check-lint check-workflows check-sql check-compose check-manifests ## check format, lint, SQL and modules

fmt: ## format the Go code
	gofmt -w $$(git ls-files '*.go')

generate: ## generate db/*.sql.go from db/queries, and docs/settings.md from config
	$(TOOL) sqlc generate
	$(GO) test ./config -run TestReferenceIsCurrent -update

bench: build ## run the benchmarks of the whole service, each with its limit
	@exec $(BIN) dev -- $(GO) test -run '^$$' -bench . -benchmem -timeout 60m ./...

# The peers are binaries of others: docs/benchmarks.md says how to get them.
bench-report: build ## run the benchmarks of docs/benchmarks.md and write it; takes half an hour (SHORT=1, SMOOTHDB=…, GOTRUE=…, MACHINE=…)
	@exec $(BIN) dev -- $(GO) run ./bench/report $(if $(SHORT),-short) $(if $(FROM),-from '$(FROM)') $(if $(MISSED),-missed) \
		$(if $(MACHINE),-machine '$(MACHINE)') $(if $(SMOOTHDB),-smoothdb '$(SMOOTHDB)') \
		$(if $(GOTRUE),-gotrue '$(GOTRUE)')

bench-large: build ## measure the page in a database of 10,000,000 utterances; needs 10 GB of disk
	@exec $(BIN) dev -- $(GO) test ./bench -run '^$$' -bench LargeData -benchtime 1x -v -timeout 3h \
		-large-utterances 10000000 -large-evidence 1000000 -large-workspaces 10000

bench-digests: build ## send 100,000 digests while workers are killed, and plan for a million members; takes a quarter of an hour
	@exec $(BIN) dev -- $(GO) test ./bench -run '^$$' -bench Digests -benchtime 1x -v -timeout 5h \
		-digest-members 100000 -digest-sink 50ms -digest-connections 8 -digest-kills 4 -digest-wait 4h \
		-planning-members 1000000

chaos: build ## kill processes at random while imports are parsed and digests are sent; takes some minutes (SEED=…)
	TEST_RESEARCH=$(CURDIR)/$(BIN) $(GO) test ./e2e -count=1 -v -timeout 60m -run TestChaos -chaos-seed $(SEED) \
		-chaos-imports 200 -chaos-kills 50 -chaos-recipients 1000 -chaos-mail-kills 6
	$(BIN) dev -- $(GO) test ./e2e -count=1 -v -timeout 60m \
		-run 'TestOutages|TestModelOutage|TestWebhooksOutliveTheirWorker' \
		-outage 15m -model-outage 5m -webhook-kills 20

# Go fuzzes one target at a time. Inputs that fail are kept below testdata/fuzz, for every later run of tests.
fuzz: build ## run each fuzz target for FUZZTIME (30s), and bad requests against the data API (RUN=FuzzName, SEED=…)
	@exec env TEST_TEMPORAL_ADDRESS=none $(BIN) dev -- sh -c ' \
	for t in $$(grep -rEo "^func Fuzz[A-Za-z0-9]*" --include="*_test.go" . | sed "s|/[^/]*:func |:|" | \
			grep -E ":($(or $(RUN),.*))$$"); do \
		$(GO) test "$${t%:*}" -run "^$$" -fuzz "^$${t#*:}$$" -fuzztime $(or $(FUZZTIME),30s) || exit 1; \
	done; \
	$(GO) test ./api/rest -count=1 -v -timeout 60m -run "TestNothingCrosses|TestFloodOfBadTokens" \
		-bad-tokens 300000 -property-rounds 20 -property-seed $(SEED) && \
	$(GO) test ./transcript -count=1 -timeout 60m -run TestHostileFilesAreBounded -hostile-bytes 2621440'

# The cases are a file, and their fixtures are in a checkout of PostgREST. It needs psql and PostGIS (Debian:
# postgresql-client, postgresql-15-postgis-3).
conformance: build ## run PostgREST's own test cases (CASES=cases.jsonl POSTGREST=a checkout of PostgREST)
	@test -n "$(CASES)" -a -n "$(POSTGREST)" || \
		{ echo "make conformance CASES=<cases.jsonl> POSTGREST=<a checkout of PostgREST/postgrest>"; exit 2; }
	@TEST_TEMPORAL_ADDRESS=none exec $(BIN) dev -- \
		$(GO) run -C tools/conformance . -cases "$(abspath $(CASES))" -postgrest "$(abspath $(POSTGREST))" \
			-known "$(CURDIR)/docs/compat.md"

# It needs Node, psql and PostGIS, as conformance does.
peers: build bin/peers/node_modules ## run auth-js's and postgrest-js's own tests (SUPABASE_JS=a checkout)
	@test -n "$(SUPABASE_JS)" || { echo "make peers SUPABASE_JS=<a checkout of supabase/supabase-js>"; exit 2; }
	@exec $(BIN) dev -- $(GO) run -C tools ./peers -checkout "$(abspath $(SUPABASE_JS))" \
		-folder "$(CURDIR)/bin/peers" -exceptions "$(CURDIR)/tools/peers/exceptions.txt"

bin/peers/node_modules: tools/peers/package-lock.json
	@mkdir -p bin/peers && cp tools/peers/package*.json bin/peers
	npm ci --prefix bin/peers --no-audit --no-fund --loglevel=error --fetch-timeout=60000
	@touch $@

measure-transcripts: ## read the files below DIR whose turns are known, and print how many are read right
	@test -n "$(DIR)" || { echo "make measure-transcripts DIR=<a folder of files with NAME.expected.json>"; exit 2; }
	@$(GO) run ./dev/measure -files "$(abspath $(DIR))"

pictures: build ## take a picture of each view of the page, in bin/pictures; needs Node and Chromium
	@PICTURES=$(CURDIR)/bin/pictures exec $(BIN) dev -- \
		$(GO) test -tags clients -count=1 -timeout 30m -run TestClientPage ./e2e

# BUILDER is the URI of who builds, for the provenance: that of a CI, for example.
release: ## build the archives of a release in dist/, with checksums, bills of materials and provenance (VERSION=1.0.0)
	$(GO) run ./dev/release -version "$(VERSION)" $(if $(PLATFORMS),-platforms $(PLATFORMS)) \
		$(if $(BUILDER),-builder "$(BUILDER)")

release-test: build ## install, upgrade and go back from a release, while it works (FROM=an archive; none: this commit)
	@exec $(BIN) dev -- $(GO) test -tags release ./e2e -count=1 -vet=off -v -timeout 60m -run 'TestRelease$$' \
		$(if $(FROM),-release-from '$(abspath $(FROM))')

clean: ## remove what make built; the state folders .dev/ and .cluster/ stay
	rm -rf bin dist

# The parts of make check.

check-format:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go' 2>/dev/null || find . -name '*.go')); \
	test -z "$$unformatted" || { echo "run make fmt: $$unformatted"; exit 1; }

check-modules:
	$(GO) mod tidy -diff
	$(GO) mod verify
	cd tools && $(GO) mod tidy -diff
	cd tools/conformance && $(GO) mod tidy -diff
	cd tools/lint && $(GO) mod tidy -diff
	cd tools/manifests && $(GO) mod tidy -diff
	cd tools/openid && $(GO) mod tidy -diff
	cd tools/temporal && $(GO) mod tidy -diff

# The linter vets the code, too.
check-lint:
	$(LINTER) run --allow-parallel-runners $(PKG)
ifeq ($(PKG),./...)
	cd tools/conformance && $(subst tools/lint,../lint,$(LINTER)) run \
		--allow-parallel-runners ./...
endif

# Workflows are deterministic, and recorded runs can be replayed.
check-workflows:
	$(TOOL) workflowcheck ./workflows/...
	$(GO) test -run '^Test(Replay|RecordedHistories)' ./workflows

# diff: the generated code is what the SQL says. vet: a database with all migrations can prepare every query.
check-sql: build check-generated
	TEST_TEMPORAL_ADDRESS=none $(BIN) dev -- \
		sh -c 'DATABASE_URL="$$TEST_DATABASE_URL" $(BIN) migrate && $(TOOL) sqlc vet'

check-generated:
	$(TOOL) sqlc diff

# The tests read the file as Compose does, refuse unknown fields, and compare it with make cluster.
check-compose:
	$(GO) test ./dev/cluster -count=1 -run TestCompose
	@if command -v docker-compose >/dev/null 2>&1; then \
		echo docker-compose config; docker-compose config --quiet; \
	elif docker compose version >/dev/null 2>&1; then \
		echo docker compose config; docker compose config --quiet; \
	else \
		echo "docker-compose is not installed: it has not read docker-compose.yml itself"; \
	fi

# Kubernetes' own types refuse unknown fields and wrong types.
check-manifests:
	cd tools/manifests && $(GO) vet ./...
	$(GO) run -C tools/manifests . $(CURDIR)/docs/kubernetes/*.yaml

# The page's format and types. `make test-clients` runs it; it needs Node.
check-page: bin/page
	cd api/web && ../../bin/page/node_modules/.bin/prettier --check .
	bin/page/node_modules/.bin/tsc --noEmit -p api/web

bin/page: api/web/clienttest/package-lock.json
	@rm -rf $@ && mkdir -p $@ && cp api/web/clienttest/package*.json $@
	npm ci --prefix $@ --no-audit --no-fund --loglevel=error --fetch-timeout=60000
	@touch $@
