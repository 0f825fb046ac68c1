# The two commands are `make run` and `make test`; both install what is missing first.
# Compiled modules are kept, whatever the environment says: tests start hundreds of commands.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: run test test-all check bench verdicts verdict-simulation ablation figures docs measure setup setup-test serve requirements

run: setup            ## measure every policy on cBench and print the standings
	.venv/bin/harness run --suite cbench

test: setup-test      ## the tests
	.venv/bin/python -m pytest -n 2 --dist loadgroup -m "not slow"

test-all: setup-test  ## every test, the slow and exhaustive ones too; cut off, it goes on where it was
	@scripts/setup sb3
	.venv/bin/python -m pytest -n 2 --dist loadgroup --resume

check: setup-test     ## style and types
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/lint-imports
	clang-format-22 --dry-run --Werror native/*/*.c native/*/*.h native/*/*.cpp
	for source in native/*/*.c native/*/*.cpp; do (cd "$$(dirname "$$source")" && clang-tidy-22 --quiet \
	  --extra-arg=-isystem$$(/usr/lib/llvm-22/bin/llvm-config --includedir) "$$(basename "$$source")") || exit 1; done

bench: setup-test     ## the harness's own speed
	.venv/bin/python -m pytest benchmarks -p no:xdist -p benchmark

verdicts: setup-test  ## what other tools conclude of the same executables in the same time: an hour and a half
	@scripts/setup verdicts
	.venv/bin/python -m benchmarks.verdicts

verdict-simulation: setup-test  ## what the standings' verdicts and intervals are worth, old and new: an hour and a half
	.venv/bin/python -m benchmarks.simulation --output build/verdict-simulation.jsonl

ablation: setup-test  ## what each part of the reference solver gives, in a tenth of the contest's time: forty minutes
	.venv/bin/python -m benchmarks.ablation

figures: setup-test   ## write what commands print into README and docs, from the committed results
	.venv/bin/python scripts/figures.py

docs: setup-test      ## the documents as a site, in build/site; fails where a link leads nowhere
	.venv/bin/mkdocs build --strict

measure: setup        ## measure again all that results/ holds, on a clean commit; resumes: hours (docs/schema.md)
	.venv/bin/python scripts/measure.py

serve: setup          ## the leaderboard in the browser
	.venv/bin/harness serve

setup:
	@scripts/setup run

setup-test:
	@scripts/setup test

requirements:         ## pin anew: needs uv
	cd requirements && for name in runtime dev verdicts; do \
	  if [ $$name = verdicts ]; then project=; else project="--all-extras ../pyproject.toml"; fi; \
	  uv pip compile --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header \
	    --python-version 3.11 $$project $$name.in -o $$name.txt || exit 1; done
