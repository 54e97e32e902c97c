# GNU make 3.81 or later, which is what macOS has. ARGS is handed on: make test ARGS="-k seats"
PYTHON := .venv/bin/python
INSTALLED := .venv/installed
GENERATED := adapters/grpc/generated
COMPILE_LOCK := .venv/bin/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes \
	--group dev --custom-compile-command "make lock" pyproject.toml
BASELINE := proto/baseline.binpb
ARGS :=

.DEFAULT_GOAL := help
.PHONY: help run test test-versions soak coverage mutate check bench proto baseline settings picture golden corpus dump lock

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

run: $(INSTALLED) ## Start Montane with a database of its own; Ctrl-C stops both
	@exec .venv/bin/montane serve $(ARGS)

test: $(INSTALLED) ## Run all tests
	@$(PYTHON) -m pytest -n auto --dist worksteal $(ARGS)

test-versions: $(INSTALLED) ## Run what depends on versions on PostgreSQL 15 to 17 and on Python 3.12
	@$(PYTHON) -m tests.versions $(ARGS)

soak: $(INSTALLED) ## Play 100,000 random matches of every game, or ARGS="montana --matches 5000", on all cores
	@$(PYTHON) -m tests.soak $(ARGS)

coverage: $(INSTALLED) ## Measure the branches of rules and use cases that unit tests carry out
	@rm -rf build/coverage && mkdir -p build/coverage
	@$(PYTHON) -m coverage run -m pytest -q -n auto -m "not postgres" tests/unit $(ARGS)
	@$(PYTHON) -m coverage combine --quiet
	@$(PYTHON) -m coverage report

mutate: $(INSTALLED) ## Seed faults and list those that no test notices, ARGS="services/lobby --faults 50"
	@$(PYTHON) -m tests.mutate $(ARGS)

check: $(INSTALLED) ## Look at format, lint, types, imports, proto files and lock
	.venv/bin/ruff format --check
	.venv/bin/ruff check
	.venv/bin/mypy
	.venv/bin/lint-imports
	.venv/bin/buf lint proto
	.venv/bin/buf format --diff --exit-code proto
	.venv/bin/buf breaking proto --against $(BASELINE)
	@rm -rf build/check && mkdir -p build/check
	@cp -R $(GENERATED) build/check/generated
	$(PYTHON) proto/generate.py
	@diff -r -x __pycache__ build/check/generated $(GENERATED) \
		|| { echo "the code in $(GENERATED) was not up to date with proto/; it is now"; exit 1; }
	@cp requirements.lock build/check/requirements.lock
	$(COMPILE_LOCK) -o build/check/requirements.lock
	@diff requirements.lock build/check/requirements.lock \
		|| { echo "requirements.lock is not up to date with pyproject.toml: make lock"; exit 1; }

bench: $(INSTALLED) ## Measure how fast everything is, beside bounds of the same run
	@$(PYTHON) -m bench $(ARGS)

proto: $(INSTALLED) ## Generate the gRPC code from the proto files
	@$(PYTHON) proto/generate.py

baseline: $(INSTALLED) ## Promise the protos as they are; part of a release (proto/README.md)
	@.venv/bin/buf build proto --exclude-source-info -o $(BASELINE)

settings: $(INSTALLED) ## Write the table of settings in docs/operating.md from their descriptions
	@$(PYTHON) -m adapters.settings_table

picture: $(INSTALLED) ## Draw docs/architecture.md from the imports
	@$(PYTHON) -m tests.picture

golden: $(INSTALLED) ## Rebuild the golden files; read the difference, it is a change of rules
	@$(PYTHON) -m pytest tests/golden --rebuild-golden $(ARGS)

corpus: $(INSTALLED) ## Play the matches that rules are held against, of rulesets that have none yet
	@$(PYTHON) -m tests.corpus $(ARGS)

dump: $(INSTALLED) ## Store a database as this version writes it, once for each migration
	@$(PYTHON) -m tests.support.stores.dumps $(ARGS)

lock: $(INSTALLED) ## Pin the requirements of pyproject.toml, keeping the pins that still fit
	@$(COMPILE_LOCK) -o requirements.lock

$(INSTALLED): requirements.lock pyproject.toml .ci/venv .ci/pip_install.py
	@.ci/venv
	@touch $@
