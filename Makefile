# SPDX-License-Identifier: Apache-2.0
# One makefile for everything, not recursive. `make help` lists the targets.
#   V=1 shows commands, O=dir builds elsewhere, SAN=address,undefined adds sanitizers, CC=clang changes the compiler.

VERSION := 0.1.0
O       ?= build
CC      ?= cc
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := all

# ---- what the program is made of ----------------------------------------------------------------------------------------------------
CORE_SRC    := $(sort $(wildcard core/*/*.c core/*/*/*.c))
KERNELS_SRC := $(sort $(wildcard kernels/*.c kernels/*/*.c))
TUI_SRC     := $(sort $(filter-out tui/main.c,$(wildcard tui/*.c tui/*/*.c)))
LIB_SRC     := $(CORE_SRC) $(KERNELS_SRC) $(TUI_SRC)
TEST_SRC    := $(sort $(wildcard tests/test_*.c tests/*/test_*.c))
TEST_HELP   := $(sort $(wildcard tests/help/*.c))
FUZZ_SRC    := $(sort $(wildcard tests/fuzz/fuzz_*.c))
SAMPLE_SRC  := $(sort $(filter-out samples/bench_trace.c,$(wildcard samples/*.c)))
BENCH_SRC   := samples/bench_trace.c $(wildcard samples/rng.c samples/emit.c)

# ---- how ----------------------------------------------------------------------------------------------------------------------------
PKGS     := libcjson libpcre2-8 sqlite3 libarchive zlib
TESTPKGS := cmocka

# Asked at the first compilation, after need-pkgs may have installed them, and once only.
PKG_CF  = $(eval PKG_CF := $(shell pkg-config --cflags $(PKGS)))$(PKG_CF)
PKG_LF  = $(eval PKG_LF := $(shell pkg-config --libs $(PKGS)))$(PKG_LF)
TEST_LF = $(eval TEST_LF := $(shell pkg-config --libs $(TESTPKGS)))$(TEST_LF)

WARN  := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Werror
OPT   ?= $(if $(SAN),-O1,-O2) -g
# The scanners and the event builder are what speed is about: -O3 gives a tenth there, and nothing elsewhere.
HOT   := $(wildcard core/load/trace/*.c core/load/table/*.c core/model/build*.c core/base/names.c)
SANF   = $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
ALL_CF = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DASCOPE_VERSION='"$(VERSION)"' -I. $(WARN) $(OPT) -pthread \
         $(PKG_CF) $(SANF) $(CFLAGS) $(CPPFLAGS)
ALL_LF = -pthread $(SANF) $(LDFLAGS)
LIBS   = $(PKG_LF) -lm

Q   := $(if $(filter 1,$(V)),,@)
say  = @$(if $(filter 1,$(V)),:,printf '  %-7s %s\n' '$(1)' '$(patsubst $(O)/%,%,$@)')

# A file that changes only when the text does: what is built with other flags or from other files is built again.
quote = '$(subst ','\'',$(1))'
note  = @mkdir -p $(@D) && printf '%s\n' $(call quote,$(1)) >$@.new && { cmp -s $@.new $@ || cp $@.new $@; }; rm -f $@.new

obj = $(patsubst %.c,$(O)/obj/%.o,$(1))
TEST_BIN := $(patsubst tests/%.c,$(O)/tests/%,$(TEST_SRC))
FUZZ_BIN := $(patsubst tests/fuzz/%.c,$(O)/fuzz/%,$(FUZZ_SRC))
LIB      := $(O)/libascope.a

# ---- targets ------------------------------------------------------------------------------------------------------------------------
.PHONY: all help deps run test check lint fuzz bench samples clean tests-only analyze-code need-pkgs force

all: $(O)/ascope ## build the program
	@:

help: ## this list
	@printf 'ascope %s: make targets\n' $(VERSION)
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 16
	@printf '  knobs: V=1 (show commands)  O=dir  SAN=address,undefined  CC=clang  FUZZ_SECONDS=30  BENCH_QUICK=1\n'

deps: ## install what building and testing need (apt or dnf)
	$(Q)CC='$(CC)' sh tests/tools/deps.sh test

# Silent and quick when nothing is missing.
need-pkgs:
	$(Q)CC='$(CC)' sh tests/tools/deps.sh $(if $(filter test check tests-only,$(MAKECMDGOALS)),test,build)

run: all samples ## build, make the samples, show one with the program
	$(Q)$(O)/ascope info $(O)/samples/prefill-compute-bound

$(O)/ascope: $(O)/obj/tui/main.o $(LIB)
	$(call say,LD)
	$(Q)$(CC) $(ALL_LF) -o $@ $^ $(LIBS)

$(LIB): $(call obj,$(LIB_SRC)) $(O)/.sources
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(O)/.sources: force
	$(call note,$(LIB_SRC))

$(O)/.flags: force | need-pkgs
	$(call note,$(CC) $(ALL_CF) $(ALL_LF))

$(O)/obj/%.o: %.c $(O)/.flags
	$(call say,CC)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CF) -MMD -MP -c -o $@ $<

ifeq ($(SAN)$(filter command line environment,$(origin OPT)),)
$(patsubst %.c,$(O)/obj/%.o,$(HOT)): OPT := -O3 -g
endif

# ---- samples ------------------------------------------------------------------------------------------------------------------------
samples: $(O)/samples/.made ## write the sample captures to build/samples
	@:

$(O)/samples/.made: $(O)/make-samples
	$(call say,SAMPLES)
	$(Q)rm -rf $(O)/samples && mkdir -p $(O)/samples && $(O)/make-samples $(O)/samples && touch $@

$(O)/make-samples: $(call obj,$(SAMPLE_SRC))
	$(call say,LD)
	$(Q)$(CC) $(ALL_LF) -o $@ $^ $(LIBS)

$(O)/bench-trace: $(call obj,$(BENCH_SRC))
	$(call say,LD)
	$(Q)$(CC) $(ALL_LF) -o $@ $^ $(LIBS)

# ---- tests --------------------------------------------------------------------------------------------------------------------------
$(O)/tests/%: $(O)/obj/tests/%.o $(call obj,$(TEST_HELP)) $(LIB)
	$(call say,LD)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LF) -o $@ $^ $(LIBS) $(TEST_LF)

$(O)/fuzz/%: $(O)/obj/tests/fuzz/%.o $(O)/obj/tests/fuzz/replay.o $(LIB)
	$(call say,LD)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LF) -o $@ $^ $(LIBS)

tests-only: $(TEST_BIN) $(FUZZ_BIN)

test: all samples tests-only ## the whole suite: unit tests, fuzz corpora, command tests
	$(Q)O='$(O)' sh tests/tools/run-tests.sh $(TEST_BIN)

check: lint test ## lint and test

lint: ## layers, headers, sizes, words and scripts
	$(Q)CC='$(CC)' sh tests/tools/lint.sh

analyze-code: need-pkgs ## static analysis: gcc -fanalyzer, and cppcheck when it is there
	$(Q)O='$(O)' sh tests/tools/analyze-code.sh

FUZZ_SECONDS ?= 30
fuzz: need-pkgs ## run each libFuzzer target for FUZZ_SECONDS (needs clang)
	$(Q)O='$(O)' FUZZ_SECONDS='$(FUZZ_SECONDS)' sh tests/tools/fuzz.sh

bench: all $(O)/bench-trace $(O)/bench ## measure speed and memory as ratios within this run
	$(Q)O='$(O)' sh tests/tools/bench.sh

$(O)/bench: $(O)/obj/tests/bench/bench.o $(LIB)
	$(call say,LD)
	$(Q)$(CC) $(ALL_LF) -o $@ $^ $(LIBS)

clean: ## remove what was built
	$(Q)rm -rf '$(O)'

.SECONDARY:
-include $(shell find $(O)/obj -name '*.d' 2>/dev/null)
