# SPDX-License-Identifier: MIT
# The only build file. A flavour is a tree of its own under build/: release, debug, asan, tsan, fuzz.
# `make help` is the table of contents.
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash

BUILD ?= build
MODEL ?= webarchiv
CCACHE ?= $(shell command -v ccache 2>/dev/null)
# A clean checkout beside this one finds what was compiled here.
export CCACHE_NOHASHDIR := 1
export CCACHE_SLOPPINESS := pch_defines,time_macros
WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wno-sign-conversion
CPPFLAGS_ALL := -DSPDLOG_SHARED_LIB -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL -Ilib -I. -isystem /usr/include/postgresql -isystem /usr/include/libxml2 -MMD -MP
CXXSTD := -std=c++20 -pthread -fno-omit-frame-pointer
HARDEN := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE

# By g++, or by clang: make CXX=clang++
ifeq ($(origin CXX),default)
CXX := g++
endif
CXX_release := $(CXX)
CXX_debug := $(CXX)
CXX_asan := $(CXX)
CXX_tsan := $(CXX)
CXX_fuzz := clang++
FLAGS_release := -O2 -g1 -ffunction-sections -fdata-sections $(HARDEN)
FLAGS_debug := -O0 -g
FLAGS_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_tsan := -O1 -g -fsanitize=thread
FLAGS_fuzz := -O2 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
LINK_release := -pie -Wl,-z,relro,-z,now,--gc-sections
LINK_asan := -fsanitize=address,undefined
LINK_tsan := -fsanitize=thread
LINK_fuzz := -fsanitize=address,undefined
LIBS := -lfcgi -lpq -lxslt -lexslt -lxml2 -lsodium -lisal -lspdlog -lfmt -lz -lidn2 -linih -lprometheus-cpp-core -pthread

# What the administrator's tool has and the server has not: an HTTP client, and what archived documents are encoded and
# hashed by.
LIBS_TOOL := $(LIBS) -lcurl -lbrotlidec -lzstd -lminizip -larchive -lcrypto -licui18n -licuuc
# Catch2 2 is a header alone, 3 a library.
LIBS_UNIT = $(LIBS_TOOL) $(shell pkg-config --libs catch2)

# libxslt takes and frees some hundred small blocks for each record: a fifth of its time with glibc.
ALLOCATOR_release := -ltcmalloc_minimal

# Two archives: what the server is made of, and what only the administrator's tool needs.
TOOL_ROOMS := lib/tools/% lib/command/%
SERVER_SRC := $(filter-out $(TOOL_ROOMS),$(wildcard lib/*/*.cpp))
TOOL_SRC := $(filter-out lib/command/main.cpp,$(wildcard lib/command/*.cpp lib/tools/*/*.cpp))
UNIT_SRC := $(wildcard t/unit/*/*.cpp t/unit/*/*/*.cpp)
# Those that want a database are a program of their own, so that all others run without one.
DATABASE_HEADERS := t/lib/testdb.h t/lib/publish.h $(shell grep -rlE '"t/lib/(testdb|publish)\.h"' t/unit --include='*.h')
UNIT_DATABASE_SRC := $(shell grep -lF $(patsubst %,-e '"%"',$(DATABASE_HEADERS)) $(UNIT_SRC))
FUZZ_SRC := $(filter-out t/fuzz/replay.cpp,$(wildcard t/fuzz/*.cpp))
FLAVOURS := release debug asan tsan fuzz

# A room of lib, all files of a directory but main.cpp, is compiled as one source in these flavours: so each header is read
# once and each template made once in a room, and the whole takes a third of the time. In the others each file is compiled
# alone, which shows that it includes what it needs.
ROOMED := release asan tsan
rooms = $(patsubst %,$(BUILD)/$(1)/room/%.o,$(sort $(patsubst %/,%,$(dir $(2)))))
objects = $(if $(filter $(1),$(ROOMED)),$(call rooms,$(1),$(2)),$(patsubst %.cpp,$(BUILD)/$(1)/%.o,$(2)))
FCGI_SRC := $(filter-out fcgi/main.cpp,$(wildcard fcgi/*.cpp))

# The source of a room, written while this file is read, and anew only when a file comes or goes.
hash := \#
define newline


endef
room_source = $(BUILD)/gen/room/$(1).cpp
room_files = $(sort $(filter-out %/main.cpp,$(wildcard $(1)/*.cpp)))
written_files = $(subst $(hash)include,,$(subst ",,$(if $(wildcard $(room_source)),$(file <$(room_source)))))
differs = $(filter-out $(1),$(2))$(filter-out $(2),$(1))
write_room = $(file >$(room_source),$(foreach f,$(room_files),$(hash)include "$(f)"$(newline)))
ROOMS := fcgi $(sort $(patsubst %/,%,$(dir $(wildcard lib/*/*.cpp lib/tools/*/*.cpp))))
$(if $(wildcard $(BUILD)/gen/room/lib/tools),,$(shell mkdir -p $(BUILD)/gen/room/lib/tools))
$(foreach room,$(ROOMS),$(if $(call differs,$(call room_files,$(room)),$(call written_files,$(room))),$(call write_room,$(room))))

FLAGS_UNIT := -U_FORTIFY_SOURCE -O0 -g1 -idirafter t/lib
# The format is g++'s own.
$(foreach f,$(FLAVOURS),$(if $(filter %clang++,$(CXX_$(f))),,$(eval HEADERS_$(f) := $(BUILD)/$(f)/unit_headers.h.gch)))

# Where STEPS says how many there are, each says which it is.
STEP = $(if $(STEPS),[$$(echo >>$(BUILD)/steps; wc -l <$(BUILD)/steps) of $(STEPS)] )
MAKE_IN_STEPS = steps=$$($(MAKE) --no-print-directory -n $(1) | grep -cE '^echo "  (c\+\+|link) '); rm -f $(BUILD)/steps; \
    $(MAKE) --no-print-directory $(JOBS) STEPS=$$steps $(1)

define flavour
$(BUILD)/$(1)/%.o: %.cpp
	@mkdir -p $$(@D)
	@echo "  $$(STEP)c++ $(1) $$<"
	@$$(CCACHE) $$(CXX_$(1)) $$(CXXSTD) $$(WARN) $$(FLAGS_$(1)) $$(CPPFLAGS_ALL) $$(CPPFLAGS) $$(CXXFLAGS) -c $$< -o $$@
# Test programs are compiled more often than they run: without optimising, in a quarter of the time, and with Catch2 and what
# else most of them include compiled before.
$(BUILD)/$(1)/t/unit/%.o: t/unit/%.cpp $$(HEADERS_$(1))
	@mkdir -p $$(@D)
	@echo "  $$(STEP)c++ $(1) $$<"
	@$$(CCACHE) $$(CXX_$(1)) $$(CXXSTD) $$(WARN) $$(FLAGS_$(1)) $$(FLAGS_UNIT) $$(HEADERS_$(1):%.gch=-fpch-preprocess -include %) $$(CPPFLAGS_ALL) $$(CPPFLAGS) $$(CXXFLAGS) -c $$< -o $$@
$(BUILD)/$(1)/unit_headers.h.gch: t/lib/unit_headers.h
	@mkdir -p $$(@D)
	@echo "  $$(STEP)c++ $(1) $$<"
	@$$(CCACHE) $$(CXX_$(1)) $$(CXXSTD) $$(WARN) $$(FLAGS_$(1)) $$(FLAGS_UNIT) $$(CPPFLAGS_ALL) $$(CPPFLAGS) $$(CXXFLAGS) -x c++-header $$< -o $$@
# Catch2's own main: slow to compile, so once and alone, without our warnings.
$(BUILD)/$(1)/t/unit/main.o: t/unit/main.cpp
	@mkdir -p $$(@D)
	@echo "  $$(STEP)c++ $(1) $$<"
	@$$(CCACHE) $$(CXX_$(1)) $$(CXXSTD) $$(FLAGS_UNIT) $$(CPPFLAGS_ALL) -c $$< -o $$@
$(BUILD)/$(1)/room/%.o: $(BUILD)/gen/room/%.cpp
	@mkdir -p $$(@D)
	@echo "  $$(STEP)c++ $(1) $$*"
	@$$(CCACHE) $$(CXX_$(1)) $$(CXXSTD) $$(WARN) $$(FLAGS_$(1)) $$(CPPFLAGS_ALL) $$(CPPFLAGS) $$(CXXFLAGS) -c $$< -o $$@
$(BUILD)/$(1)/gen/%.o: $(BUILD)/gen/%.cpp
	@mkdir -p $$(@D)
	@$$(CXX_$(1)) $$(CXXSTD) $$(FLAGS_$(1)) $$(CPPFLAGS_ALL) -c $$< -o $$@
$(BUILD)/$(1)/libserver.a: $$(call objects,$(1),$$(SERVER_SRC))
	@rm -f $$@; ar rcs $$@ $$^
$(BUILD)/$(1)/libtool.a: $$(call objects,$(1),$$(TOOL_SRC)) $(BUILD)/$(1)/gen/schema_files.o $(BUILD)/$(1)/gen/map_files.o $(BUILD)/$(1)/gen/grammar_files.o
	@rm -f $$@; ar rcs $$@ $$^
$(BUILD)/$(1)/oai.fcgi: $(BUILD)/$(1)/fcgi/main.o $$(call objects,$(1),$$(FCGI_SRC)) $(BUILD)/$(1)/libserver.a
	@echo "  $$(STEP)link $$@"
	@$$(CXX_$(1)) $$(FLAGS_$(1)) $$(LINK_$(1)) $$(LDFLAGS) -o $$@ $$^ $$(LIBS) $$(ALLOCATOR_$(1))
$(BUILD)/$(1)/oai: $(BUILD)/$(1)/lib/command/main.o $(BUILD)/$(1)/libtool.a $(BUILD)/$(1)/libserver.a
	@echo "  $$(STEP)link $$@"
	@$$(CXX_$(1)) $$(FLAGS_$(1)) $$(LINK_$(1)) $$(LDFLAGS) -o $$@ $$^ $$(LIBS_TOOL) $$(ALLOCATOR_$(1))
# Unit tests in two programs, and each file alone: make build/release/unit/protocol/resumption_token
$(BUILD)/$(1)/unit-tests: $(BUILD)/$(1)/t/unit/main.o $$(patsubst %.cpp,$(BUILD)/$(1)/%.o,$$(filter-out $$(UNIT_DATABASE_SRC),$$(UNIT_SRC))) $(BUILD)/$(1)/libtool.a $(BUILD)/$(1)/libserver.a
$(BUILD)/$(1)/unit-tests-database: $(BUILD)/$(1)/t/unit/main.o $$(patsubst %.cpp,$(BUILD)/$(1)/%.o,$$(UNIT_DATABASE_SRC)) $(BUILD)/$(1)/libtool.a $(BUILD)/$(1)/libserver.a
$(BUILD)/$(1)/unit-tests $(BUILD)/$(1)/unit-tests-database:
	@echo "  $$(STEP)link $$@"
	@$$(CXX_$(1)) $$(FLAGS_$(1)) $$(LINK_$(1)) $$(LDFLAGS) -o $$@ $$^ $$(LIBS_UNIT)
$(BUILD)/$(1)/unit/%: $(BUILD)/$(1)/t/unit/main.o $(BUILD)/$(1)/t/unit/%.o $(BUILD)/$(1)/libtool.a $(BUILD)/$(1)/libserver.a
	@mkdir -p $$(@D)
	@$$(CXX_$(1)) $$(FLAGS_$(1)) $$(LINK_$(1)) $$(LDFLAGS) -o $$@ $$^ $$(LIBS_UNIT)
# Programs of the server tests.
$(BUILD)/$(1)/server/%: $(BUILD)/$(1)/t/server/%.o $$(call objects,$(1),$$(FCGI_SRC)) $(BUILD)/$(1)/libserver.a
	@mkdir -p $$(@D)
	@$$(CXX_$(1)) $$(FLAGS_$(1)) $$(LINK_$(1)) $$(LDFLAGS) -o $$@ $$^ $$(LIBS)
# Programs of the fault tests.
$(BUILD)/$(1)/fault/%: $(BUILD)/$(1)/t/fault/%.o $(BUILD)/$(1)/libtool.a $(BUILD)/$(1)/libserver.a
	@mkdir -p $$(@D)
	@$$(CXX_$(1)) $$(FLAGS_$(1)) $$(LINK_$(1)) $$(LDFLAGS) -o $$@ $$^ $$(LIBS_TOOL) $$(ALLOCATOR_$(1))
# Libraries for LD_PRELOAD.
$(BUILD)/$(1)/fault/%.so: t/fault/%.cpp
	@mkdir -p $$(@D)
	@$$(CXX_$(1)) $$(CXXSTD) $$(WARN) -O2 -fPIC -shared -isystem /usr/include/postgresql -o $$@ $$<
# Programs that measure, and the one that makes up what they measure.
$(BUILD)/$(1)/bench/%: $(BUILD)/$(1)/t/bench/%.o $(BUILD)/$(1)/libtool.a $(BUILD)/$(1)/libserver.a
	@mkdir -p $$(@D)
	@$$(CXX_$(1)) $$(FLAGS_$(1)) $$(LINK_$(1)) $$(LDFLAGS) -o $$@ $$^ $$(LIBS_TOOL) $$(ALLOCATOR_$(1))
# A fuzz target over its corpus, by any compiler.
$(BUILD)/$(1)/replay/%: $(BUILD)/$(1)/t/fuzz/replay.o $(BUILD)/$(1)/t/fuzz/%.o $(BUILD)/$(1)/libtool.a $(BUILD)/$(1)/libserver.a
	@mkdir -p $$(@D)
	@$$(CXX_$(1)) $$(FLAGS_$(1)) $$(LINK_$(1)) $$(LDFLAGS) -o $$@ $$^ $$(LIBS_TOOL)
endef
$(foreach f,$(FLAVOURS),$(eval $(call flavour,$(f))))

# A source with a bug in it (t/fault/injected.t), in the place of the one in the library: what is defined first is taken.
$(BUILD)/injected/%.o: $(BUILD)/injected/%.cpp
	@$(CCACHE) $(CXX_debug) $(CXXSTD) -O0 $(CPPFLAGS_ALL) -c $< -o $@
$(BUILD)/injected/%: $(BUILD)/injected/%.o $(BUILD)/release/t/fault/emission.o $(BUILD)/debug/libtransform.a $(BUILD)/release/libtool.a $(BUILD)/release/libserver.a
	@$(CXX_debug) -Wl,-z,muldefs -o $@ $^ $(LIBS_TOOL)
# The files of this room call each other, so each is an object of its own.
$(BUILD)/debug/libtransform.a: $(patsubst %.cpp,$(BUILD)/debug/%.o,$(wildcard lib/transform/*.cpp))
	@rm -f $@; ar rcs $@ $^

# The program carries its schema, and grammars of the protocol.
SCHEMA := schema/embed schema/order $(wildcard schema/*/*.sql)
$(BUILD)/gen/schema_files.cpp: $(SCHEMA) deploy/CHANGELOG
	@mkdir -p $(@D)
	@schema/embed install schema deploy/CHANGELOG > $@
$(BUILD)/gen/map_files.cpp: $(SCHEMA)
	@mkdir -p $(@D)
	@schema/embed map schema > $@
$(BUILD)/gen/grammar_files.cpp: lib/tools/validate/embed lib/tools/validate/demands.txt $(wildcard lib/tools/validate/grammar/*.rng)
	@mkdir -p $(@D)
	@lib/tools/validate/embed lib/tools/validate/demands.txt $(wildcard lib/tools/validate/grammar/*.rng) > $@

# The server as it is, but with LeakSanitizer in the place of its allocator.
$(BUILD)/lsan/oai.fcgi: $(BUILD)/release/fcgi/main.o $(call objects,release,$(FCGI_SRC)) $(BUILD)/release/libserver.a
	@mkdir -p $(@D)
	@$(CXX_release) $(FLAGS_release) -fsanitize=leak $(LINK_release) -o $@ $^ $(LIBS)

# The program of a next version: this one, and upgrades and definitions more (t/fault/migration.t).
$(BUILD)/gen/next_schema_files.cpp: $(SCHEMA) t/lib/next-schema $(wildcard t/data/schema/*)
	@t/lib/next-schema $(BUILD)/gen/next
	@schema/embed install $(BUILD)/gen/next $(BUILD)/gen/next/CHANGELOG > $@
$(BUILD)/release/fault/oai-next: $(BUILD)/release/lib/command/main.o $(BUILD)/release/gen/next_schema_files.o $(BUILD)/release/libtool.a $(BUILD)/release/libserver.a
	@mkdir -p $(@D)
	@$(CXX_release) $(FLAGS_release) $(LINK_release) -o $@ $^ $(LIBS_TOOL)

$(BUILD)/fuzz/target/%: $(BUILD)/fuzz/t/fuzz/%.o $(BUILD)/fuzz/libtool.a $(BUILD)/fuzz/libserver.a
	@mkdir -p $(@D)
	@$(CXX_fuzz) $(FLAGS_fuzz) -fsanitize=fuzzer $(LINK_fuzz) -o $@ $^ $(LIBS_TOOL)

.PHONY: all
all: $(BUILD)/release/oai $(BUILD)/release/oai.fcgi ## build the server and the administrator's tool

# Where things go; DESTDIR stands before all of it. Not taken from the environment: a make within a make would keep them.
prefix = /usr/local
sysconfdir = /etc
bindir = $(prefix)/bin
sbindir = $(prefix)/sbin
datadir = $(prefix)/share/oai-fcgi
docdir = $(prefix)/share/doc/oai-fcgi
mandir = $(prefix)/share/man
unitdir = $(prefix)/lib/systemd/system
sysusersdir = $(prefix)/lib/sysusers.d
tmpfilesdir = $(prefix)/lib/tmpfiles.d
export DESTDIR sysconfdir bindir sbindir datadir docdir mandir unitdir sysusersdir tmpfilesdir

# Both programs: those of this tree, unless they were built elsewhere.
OURS := $(BUILD)/release
PROGRAMS ?= $(OURS)

.PHONY: install
install: $(if $(filter $(OURS),$(PROGRAMS)),all) ## install below prefix (/usr/local); DESTDIR, sysconfdir (/etc) and others as usual
	@deploy/install-files $(PROGRAMS)

.PHONY: deb
deb: ## install what is missing, build Debian packages of the last commit in build/deb
	@deploy/install-packages build deb
	@deploy/make-deb $(BUILD)/deb $(if $(filter $(OURS),$(PROGRAMS)),,$(PROGRAMS))

# From the package, by buildah: BASE=IMAGE is what it is built on, PROGRAMS=DIRECTORY has programs that are not compiled again.
.PHONY: image
image: ## build the container image oai-fcgi by buildah, say its size (BASE: debian:RELEASE-slim, or by debootstrap)
	@deploy/install-packages image
	@$(MAKE) --no-print-directory deb
	@deploy/container/make-image "$$(ls -t $(BUILD)/deb/oai-fcgi_*.deb | head -n 1)" $(BUILD)/image

.PHONY: image-test
image-test: test-packages ## build the image, run it as deploy/container/README.md says, harvest from it: a minute, as root
	@deploy/install-packages image
	@$(MAKE) --no-print-directory $(JOBS) all
	@OAI_IMAGE_TEST=1 BUILD=$(BUILD) t/run server/image

FUZZERS := $(patsubst t/fuzz/%.cpp,$(BUILD)/fuzz/target/%,$(FUZZ_SRC))
REPLAYS := $(patsubst t/fuzz/%.cpp,$(BUILD)/asan/replay/%,$(FUZZ_SRC))
JOBS := -j$(shell nproc)

# As root, install what is missing from Debian; as an ordinary user, say what is missing.
.PHONY: packages
packages:
	@deploy/install-packages build run

.PHONY: test-packages
test-packages:
	@deploy/install-packages build run check test

.PHONY: run
run: packages ## install what is missing, build, serve a repository on http://127.0.0.1:8080/oai (MODEL=library)
	@$(call MAKE_IN_STEPS,all)
	@OAI_MODEL=$${OAI_MODEL:-$(MODEL)} exec deploy/run

BENCH := $(BUILD)/release/bench/generate $(BUILD)/release/bench/pages $(BUILD)/release/bench/instructions $(BUILD)/release/bench/overload
UNIT_TESTS := unit-tests unit-tests-database
.PHONY: test-programs
test-programs: all $(BENCH) $(addprefix $(BUILD)/release/,$(UNIT_TESTS)) $(BUILD)/release/server/echo $(BUILD)/asan/server/echo $(BUILD)/release/fault/missed $(BUILD)/release/fault/emission $(BUILD)/release/fault/clock.so $(BUILD)/release/fault/libpq.so $(BUILD)/release/fault/oai-next $(addprefix $(BUILD)/asan/,$(UNIT_TESTS)) $(BUILD)/asan/oai.fcgi $(BUILD)/asan/oai $(REPLAYS)

.PHONY: test
test: test-packages ## install what is missing, build, run every test
	@$(call MAKE_IN_STEPS,test-programs)
	@BUILD=$(BUILD) t/run

.PHONY: platforms
platforms: ## follow README and the manual on bare roots of Debian 12 and 13 (OAI_PLATFORMS, OAI_PLATFORM_PARTS): an hour each
	@BUILD=$(BUILD) t/platforms/run

.PHONY: bench-missed
bench-missed: test-packages ## harvest under fire for OAI_MISSED_SECONDS (300): transactions of a minute, 1 M in one
	@$(MAKE) --no-print-directory $(JOBS) all $(BUILD)/release/fault/missed $(BUILD)/release/fault/clock.so
	@OAI_MISSED_SECONDS=$${OAI_MISSED_SECONDS:-300} BUILD=$(BUILD) t/run fault/missed

.PHONY: lint
lint: ## the checks of the sources alone
	@BUILD=$(BUILD) t/run lint

.PHONY: check
check: ## install what is missing, lint, the unit tests that need no database: less than a minute once it is built
	@deploy/install-packages build check
	@$(MAKE) --no-print-directory $(JOBS) all $(BUILD)/release/unit-tests
	@BUILD=$(BUILD) t/run '^(t/lint/|unit \(release\)$$)'

# Changed since the last commit, or by the commits that BASE has not (make tidy BASE=origin/main).
TIDY_SRC = $(filter %.cpp,$(shell git diff --name-only --diff-filter=d $(or $(BASE),HEAD) -- fcgi lib t))
.PHONY: tidy
tidy: compile_commands.json ## clang-tidy over the changed files, or TIDY_SRC="FILE..."
	@deploy/install-packages build tidy
	@test -z "$(TIDY_SRC)" || clang-tidy -p . --quiet --warnings-as-errors='*' $(TIDY_SRC)

# For editors and clang-tidy.
.PHONY: compile_commands.json
compile_commands.json: ## how each file is compiled, for editors and clang-tidy
	@t/lib/compile-commands '$(CXX_release) $(CXXSTD) $(WARN) $(FLAGS_release) $(CPPFLAGS_ALL)' > $@

.PHONY: fuzz
fuzz: ## fuzz every parser, INPUTS (10000000) each or TIME seconds (no limit)
	@deploy/install-packages build run fuzz
	@$(MAKE) --no-print-directory $(JOBS) $(FUZZERS)
	@t/fuzz/run $(FUZZERS)

.PHONY: tsan
tsan: test-packages ## the server under load and reload, OAI_LOAD_REQUESTS (20000), and harvests into the database, under ThreadSanitizer
	@$(MAKE) --no-print-directory $(JOBS) all $(BUILD)/tsan/oai.fcgi $(BUILD)/tsan/unit/tools/aggregate/sink
	@TSAN_OPTIONS="suppressions=$(CURDIR)/t/fault/tsan.supp history_size=4 exitcode=66" \
	    OAI_FLAVOUR=tsan OAI_LOAD_REQUESTS=$${OAI_LOAD_REQUESTS:-20000} BUILD=$(BUILD) t/run 'fault/load|unit .tsan'

.PHONY: leaks
leaks: test-packages ## the same, OAI_LOAD_REQUESTS (100000), under LeakSanitizer
	@$(MAKE) --no-print-directory $(JOBS) all $(BUILD)/lsan/oai.fcgi
	@OAI_FLAVOUR=lsan OAI_LOAD_REQUESTS=$${OAI_LOAD_REQUESTS:-100000} BUILD=$(BUILD) t/run fault/load

.PHONY: bench-programs
bench-programs:
	@deploy/install-packages build run bench
	@$(MAKE) --no-print-directory $(JOBS) all $(BENCH) $(BUILD)/release/bench/harvester

# Each below OAI_STATE, into build/bench/NAME.tsv; fails if a limit is not kept. N is the number of records.
.PHONY: bench
bench: bench-pages bench-load bench-harvest ## the three below: pages, loading, harvests and requests, with 200,000 records

.PHONY: bench-pages bench-harvest bench-load bench-size bench-peer
bench-pages: bench-programs ## time and buffers of pages and searches, at the start, middle and end of lists of every kind
	@BUILD=$(BUILD) t/bench/pages $(N)
bench-harvest: bench-programs ## harvests and requests of each model beside reading the rows; each format; instructions
	@BUILD=$(BUILD) t/bench/harvest $(N)
bench-load: bench-programs ## first fills and loads of each model, beside the publisher and \copy
	@BUILD=$(BUILD) t/bench/load $(N)
bench-size: bench-programs ## the whole life of a web archive of N documents (1000000; 100000000 takes hours), in phases
	@BUILD=$(BUILD) t/bench/size $(N)
bench-peer: bench-programs ## harvest the same records from us and from two peers
	@BUILD=$(BUILD) t/bench/peer/peer $(N)

.PHONY: format
format: ## clang-format over all C++
	clang-format -i $$(git ls-files '*.cpp' '*.h')

.PHONY: help
help: ## this table
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n",$$1,$$2}' $(MAKEFILE_LIST)

.PHONY: clean
clean: ## remove everything that was built
	rm -rf $(BUILD)

# Not of the packages that make deb builds below: the tree of a package has directories of such names.
-include $(shell find /dev/null $(wildcard $(addprefix $(BUILD)/,$(FLAVOURS) injected)) -name "*.d" -type f)
