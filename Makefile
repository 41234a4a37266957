# make report   the whole way from a bare checkout to output/$(SCENARIO).{pdf,html,json}
# make test     style, types and tests, as continuous integration runs them
# make help     the rest

SCENARIO ?= llama-3-70b-on-4x-h100
export PYTHON ?= python3

.PHONY: report test check bench golden fix lock clean help
.DEFAULT_GOAL := help

report:  ## install what is missing, then write the report of SCENARIO
	@tools/setup.sh report
	@.venv/bin/derive report $(SCENARIO) -o output

test: check  ## style, types, then all tests (PYTEST="-k name" passes options)
	.venv/bin/python -m pytest -n 2 $(PYTEST)

check:  ## style and types only
	@tools/setup.sh test
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy

bench:  ## time and memory, against WeasyPrint alone
	@tools/setup.sh test
	.venv/bin/python tools/bench.py

golden:  ## write the expected outputs anew; read the diff before you commit it
	@tools/setup.sh test
	.venv/bin/python -m pytest -n 2 --update-golden $(PYTEST)

fix:  ## let ruff mend and lay out the code
	@tools/setup.sh test
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

lock:  ## pin pyproject.toml's dependencies anew (UPGRADE=--upgrade for the newest)
	@tools/setup.sh test
	tools/lock.sh $(UPGRADE)

clean:  ## remove everything that can be made again
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find output -mindepth 1 ! -name README.md -delete

help:
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1\t\2/p' Makefile | expand -t 15
