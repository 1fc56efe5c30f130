# SPDX-License-Identifier: MIT
# The only build file. A flavour is a tree of its own under build/: release, debug, asan, tsan, fuzz.
# `make help` is the table of contents.
.DEFAULT_GOAL := all
.PHONY: all all-in-steps install deb dist release image image-test packages test-packages run test-programs test test-long platforms bench-missed lint check tidy
.PHONY: compile_commands.json coverage fuzz tsan leaks bench-programs bench bench-pages bench-harvest bench-load bench-size bench-peer format help clean
.DELETE_ON_ERROR .SECONDARY:
MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash

BUILD ?= build
MODEL ?= webarchiv
CCACHE ?= $(shell command -v ccache 2>/dev/null)
# A clean checkout beside this one finds what was compiled here; a precompiled header counts as what it is made of.
export CCACHE_NOHASHDIR := 1
export CCACHE_PCH_EXTSUM := 1
export CCACHE_SLOPPINESS := pch_defines,time_macros
WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wno-sign-conversion
CPPFLAGS_ALL := -DSPDLOG_SHARED_LIB -DSPDLOG_COMPILED_LIB -DSPDLOG_FMT_EXTERNAL -Ilib -I. -isystem /usr/include/postgresql -isystem /usr/include/libxml2 -MMD -MP
CXXSTD := -std=c++20 -pthread -fno-omit-frame-pointer
HARDEN := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE

# By g++, or by clang: make CXX=clang++
ifeq ($(origin CXX),default)
CXX := g++
endif
FLAVOURS := release debug asan tsan fuzz
$(foreach f,$(FLAVOURS),$(eval CXX_$(f) := $(CXX)))
CXX_fuzz := clang++
FLAGS_release := -O2 -g1 -ffunction-sections -fdata-sections $(HARDEN)
FLAGS_debug := -O0 -g
FLAGS_asan := -Og -g1 -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_tsan := -O1 -g -fsanitize=thread
FLAGS_fuzz := -O2 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
# Test programs are compiled more often than they run: without optimising, and of the sanitizers by that of addresses alone.
FLAGS_UNIT := -U_FORTIFY_SOURCE -O0 -g1 -fno-sanitize=undefined -idirafter t/lib
LINK_release := -pie -Wl,-z,relro,-z,now,--gc-sections
LIBS := -lfcgi -lpq -lxslt -lexslt -lxml2 -lsodium -lisal -lspdlog -lfmt -lz -lidn2 -licuuc -lre2 -linih -lprometheus-cpp-core -pthread
# What the administrator's tool has and the server has not: an HTTP client, and what archived documents are encoded and hashed by.
LIBS_TOOL := $(LIBS) -lcurl -lbrotlidec -lzstd -lcrypto -licui18n -lyaz
# Catch2 2 is a header alone, 3 a library.
LIBS_UNIT = $(LIBS_TOOL) $(shell pkg-config --libs catch2)
# libxslt takes and frees some hundred small blocks for each record: a fifth of its time with glibc.
ALLOCATOR_release := -ltcmalloc_minimal
# Two archives: what the server is made of, and what only the administrator's tool needs.
SERVER_SRC := $(filter-out lib/tools/% lib/command/%,$(wildcard lib/*/*.cpp))
TOOL_SRC := $(filter-out lib/command/main.cpp,$(wildcard lib/command/*.cpp lib/tools/*/*.cpp))
FCGI_SRC := $(filter-out fcgi/main.cpp,$(wildcard fcgi/*.cpp))
UNIT_SRC := $(wildcard t/unit/*/*.cpp t/unit/*/*/*.cpp)
# Those that want a database are a program of their own, so that all others run without one.
DATABASE_HEADERS := t/lib/testdb.h t/lib/publish.h $(shell grep -rlE '"t/lib/(testdb|publish)\.h"' t/unit --include='*.h')
UNIT_DATABASE_SRC := $(shell grep -lF $(patsubst %,-e '"%"',$(DATABASE_HEADERS)) $(UNIT_SRC))
FUZZ_SRC := $(filter-out t/fuzz/replay.cpp,$(wildcard t/fuzz/*.cpp))
objects = $(patsubst %.cpp,$(BUILD)/$(1)/%.o,$(2))
ARCHIVES = $(BUILD)/$(1)/libtool.a $(BUILD)/$(1)/libserver.a

# Headers that most files include are compiled once for each flavour (the format is g++'s own), and the compiler collects its
# garbage late. Each file includes what it needs nevertheless.
$(foreach f,$(filter-out fuzz,$(FLAVOURS)),$(if $(filter %clang++,$(CXX)),,$(eval PRECOMPILED_$(f) := $(BUILD)/$(f)/precompiled.h.gch)))
use_precompiled = $(if $(1),--param ggc-min-heapsize=524288 -fpch-preprocess -include $(1:%.gch=%))
# Where STEPS says how many there are, each says which it is.
STEP = $(if $(STEPS),[$$(echo >>$(BUILD)/steps; wc -l <$(BUILD)/steps) of $(STEPS)] )
MAKE_ALL := $(MAKE) --no-print-directory -j$(shell nproc)
MAKE_IN_STEPS = steps=$$($(MAKE) --no-print-directory -n $(1) | grep -cE '^echo "  (c\+\+|link) '); rm -f $(BUILD)/steps; $(MAKE_ALL) STEPS=$$steps $(1) || { $(SAY_IF_FULL); exit 1; }
SAY_IF_FULL = [ "$$(df -Pm $(BUILD) | awk 'NR == 2 { print $$4 }')" -ge 100 ] || \
    echo "make: the disk of $(BUILD) is full: free some space (make test needs 3 GB), or set BUILD to a directory on another disk" >&2
# $(call compile,FLAVOUR,FLAGS) and $(call link,FLAVOUR,LIBRARIES) are recipes.
define compile
@mkdir -p $(@D)
@echo "  $(STEP)c++ $(1) $<"
@$(CCACHE) $(CXX_$(1)) $(CXXSTD) $(WARN) $(FLAGS_$(1)) $(2) $(CPPFLAGS_ALL) $(CPPFLAGS) $(CXXFLAGS) -c $< -o $@
endef
define precompile
$(call compile,$(1),$(2) -x c++-header)
@$(CXX_$(1)) $(CXXSTD) $(FLAGS_$(1)) $(2) $(CPPFLAGS_ALL) -MF /dev/null $(CPPFLAGS) $(CXXFLAGS) -E -P $< | sha256sum > $@.sum
endef
define link
@mkdir -p $(@D)
@echo "  $(STEP)link $@"
@$(CXX_$(1)) $(FLAGS_$(1)) $(LINK_$(1)) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(2)
endef

define flavour
$(BUILD)/$(1)/%.o: %.cpp $$(PRECOMPILED_$(1))
	$$(call compile,$(1),$$(call use_precompiled,$$(PRECOMPILED_$(1))))
$(BUILD)/$(1)/t/unit/%.o: t/unit/%.cpp $$(PRECOMPILED_$(1):precompiled.h.gch=unit_headers.h.gch)
	$$(call compile,$(1),$$(FLAGS_UNIT) $$(call use_precompiled,$$(PRECOMPILED_$(1):precompiled.h.gch=unit_headers.h.gch)))
$(BUILD)/$(1)/precompiled.h.gch: lib/base/precompiled.h
	$$(call precompile,$(1))
$(BUILD)/$(1)/unit_headers.h.gch: t/lib/unit_headers.h
	$$(call precompile,$(1),$$(FLAGS_UNIT))
# Catch2's own main, and what is generated, without our warnings; the first is slow to compile by the sanitizers.
$(BUILD)/$(1)/t/unit/main.o: t/unit/main.cpp
	$$(call compile,$(1),$$(FLAGS_UNIT) -fno-sanitize=all -w)
$(BUILD)/$(1)/gen/%.o: $(BUILD)/gen/%.cpp
	$$(call compile,$(1),-w)
$(BUILD)/$(1)/libserver.a: $$(call objects,$(1),$$(SERVER_SRC)) $(BUILD)/$(1)/gen/version.o
$(BUILD)/$(1)/libtool.a: $$(call objects,$(1),$$(TOOL_SRC)) $(addprefix $(BUILD)/$(1)/gen/,schema_files.o grammar_files.o symptoms.o load_tables.o)
$(BUILD)/$(1)/%.a:
	@rm -f $$@; ar rcs $$@ $$^
$(BUILD)/$(1)/oai.fcgi: $(BUILD)/$(1)/fcgi/main.o $$(call objects,$(1),$$(FCGI_SRC)) $(BUILD)/$(1)/libserver.a
	$$(call link,$(1),$$(LIBS) $$(ALLOCATOR_$(1)))
$(BUILD)/$(1)/oai: $(BUILD)/$(1)/lib/command/main.o $(ARCHIVES)
	$$(call link,$(1),$$(LIBS_TOOL) $$(ALLOCATOR_$(1)))
# Unit tests in two programs, and each file alone: make build/release/unit/protocol/resumption_token
$(BUILD)/$(1)/unit-tests: $$(call objects,$(1),$$(filter-out $$(UNIT_DATABASE_SRC),$$(UNIT_SRC)))
$(BUILD)/$(1)/unit-tests-database: $$(call objects,$(1),$$(UNIT_DATABASE_SRC))
$(BUILD)/$(1)/unit-tests $(BUILD)/$(1)/unit-tests-database: $(BUILD)/$(1)/t/unit/main.o $$(call objects,$(1),fcgi/request_reader.cpp) $(ARCHIVES)
	$$(call link,$(1),$$(LIBS_UNIT))
$(BUILD)/$(1)/unit/%: $(BUILD)/$(1)/t/unit/%.o $(BUILD)/$(1)/t/unit/main.o $$(call objects,$(1),fcgi/request_reader.cpp) $(ARCHIVES)
	$$(call link,$(1),$$(LIBS_UNIT))
# Programs of the tests: of servers, of faults, those that measure, and a fuzz target over its corpus.
$(BUILD)/$(1)/server/%: $(BUILD)/$(1)/t/server/%.o $$(call objects,$(1),$$(FCGI_SRC)) $(BUILD)/$(1)/libserver.a
	$$(call link,$(1),$$(LIBS))
$(BUILD)/$(1)/fault/%: $(BUILD)/$(1)/t/fault/%.o $(ARCHIVES)
	$$(call link,$(1),$$(LIBS_TOOL) $$(ALLOCATOR_$(1)))
$(BUILD)/$(1)/bench/%: $(BUILD)/$(1)/t/bench/%.o $(ARCHIVES)
	$$(call link,$(1),$$(LIBS_TOOL) $$(ALLOCATOR_$(1)))
$(BUILD)/$(1)/replay/%: $(BUILD)/$(1)/t/fuzz/%.o $(BUILD)/$(1)/t/fuzz/replay.o $(ARCHIVES)
	$$(call link,$(1),$$(LIBS_TOOL))
$(BUILD)/$(1)/fault/%.so: t/fault/%.cpp
	@mkdir -p $$(@D)
	@$$(CXX_$(1)) $$(CXXSTD) $$(WARN) -O2 -fPIC -shared -isystem /usr/include/postgresql -o $$@ $$<
endef
$(foreach f,$(FLAVOURS),$(eval $(call flavour,$(f))))

# A source with a bug in it (t/fault/injected.t), in the place of the one in the library: what is defined first is taken.
$(BUILD)/injected/%.o: $(BUILD)/injected/%.cpp $(PRECOMPILED_debug)
	@$(CCACHE) $(CXX_debug) $(CXXSTD) -O0 -g $(call use_precompiled,$(PRECOMPILED_debug)) $(CPPFLAGS_ALL) -c $< -o $@
$(BUILD)/injected/%: $(BUILD)/injected/%.o $(BUILD)/release/t/fault/emission.o $(BUILD)/release/libtool.a $(BUILD)/release/libserver.a
	@$(CXX_debug) -Wl,-z,muldefs -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS_TOOL)
# The program carries its version, written anew for each commit as this file is read, its schema, grammars of the protocol, and symptoms.
$(shell mkdir -p $(BUILD)/gen; deploy/version code | cmp -s - $(BUILD)/gen/version.cpp || deploy/version code >$(BUILD)/gen/version.cpp)
SCHEMA := schema/embed schema/comments schema/order $(wildcard schema/*/*.sql)
$(BUILD)/gen/schema_files.cpp: $(SCHEMA) deploy/version
	@schema/embed install schema $$(deploy/version release) > $@
$(BUILD)/gen/grammar_files.cpp: lib/tools/validate/embed $(wildcard lib/tools/validate/*.txt lib/tools/validate/grammar/*.rng)
	@lib/tools/validate/embed lib/tools/validate/{demands,checks}.txt $(wildcard lib/tools/validate/grammar/*.rng) > $@
$(BUILD)/gen/symptoms.cpp: deploy/embed-symptoms deploy/manual/symptoms.md
	@$^ > $@
$(BUILD)/gen/load_tables.cpp: lib/tools/load/tables.txt
	@{ printf '#include "tools/load/words.h"\nconst std::string_view oai::load::kTableText = R"embedded('; cat $<; echo ')embedded";'; } >$@
# The server as it is, but with LeakSanitizer in the place of its allocator.
$(BUILD)/lsan/oai.fcgi: $(BUILD)/release/fcgi/main.o $(call objects,release,$(FCGI_SRC)) $(BUILD)/release/libserver.a
	$(call link,release,-fsanitize=leak $(LIBS))
# The program of a next version: this one, and upgrades and definitions more (t/fault/migration.t).
$(BUILD)/gen/next_schema_files.cpp: $(SCHEMA) t/lib/next-schema $(wildcard t/data/schema/*)
	@t/lib/next-schema $(BUILD)/gen/next
	@schema/embed install $(BUILD)/gen/next 999.1 > $@
$(BUILD)/release/fault/oai-next: $(BUILD)/release/lib/command/main.o $(BUILD)/release/gen/next_schema_files.o $(BUILD)/release/libtool.a $(BUILD)/release/libserver.a
	$(call link,release,$(LIBS_TOOL))
$(BUILD)/fuzz/target/%: $(BUILD)/fuzz/t/fuzz/%.o $(BUILD)/fuzz/libtool.a $(BUILD)/fuzz/libserver.a
	$(call link,fuzz,-fsanitize=fuzzer $(LIBS_TOOL))

all: $(BUILD)/release/oai $(BUILD)/release/oai.fcgi ## build the server and the administrator's tool
all-in-steps: ; @$(call MAKE_IN_STEPS,all)
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
# Where both programs are, if they were built elsewhere.
PROGRAMS ?= $(BUILD)/release
install: $(if $(filter $(BUILD)/release,$(PROGRAMS)),all) ## install below prefix (/usr/local); DESTDIR, sysconfdir (/etc) and others as usual
	@deploy/install-files $(PROGRAMS)
deb: ## install what is missing, build Debian packages of the last commit in build/deb
	@deploy/install-packages build deb
	@deploy/make-deb $(BUILD)/deb $(if $(filter $(BUILD)/release,$(PROGRAMS)),,$(PROGRAMS))
dist: ## source tarball, packages, SBOM and checksums in build/dist, made twice and compared; KEY=ID signs them
	@deploy/install-packages build deb
	@deploy/make-dist $(BUILD)/dist $(if $(filter $(BUILD)/release,$(PROGRAMS)),,$(PROGRAMS))
release: ## make test-long, make platforms, tag the commit, make dist: a day, as root, from a clean checkout
	@deploy/make-release $(BUILD)/dist
image: ## build the container image oai-fcgi from the package by buildah, on BASE (debian:RELEASE-slim, or by debootstrap)
	@deploy/install-packages image
	@$(MAKE) --no-print-directory deb
	@deploy/container/make-image "$$(ls -t $(BUILD)/deb/oai-fcgi_*.deb | head -n 1)" $(BUILD)/image
image-test: test-packages ## build the image, run it as deploy/container/README.md says, harvest from it: a minute, as root
	@deploy/install-packages image
	@$(MAKE_ALL) all
	@OAI_IMAGE_TEST=1 BUILD=$(BUILD) t/run server/image

FUZZERS := $(patsubst t/fuzz/%.cpp,$(BUILD)/fuzz/target/%,$(FUZZ_SRC))
REPLAYS := $(patsubst t/fuzz/%.cpp,$(BUILD)/asan/replay/%,$(FUZZ_SRC))
# As root, install what is missing from Debian; as an ordinary user, say what is missing.
packages: ; @deploy/install-packages build run
test-packages: ; @deploy/install-packages build run check test
run: packages ## install what is missing, build, serve a repository on http://127.0.0.1:8080/oai (MODEL=library)
	@$(call MAKE_IN_STEPS,all)
	@OAI_MODEL=$${OAI_MODEL:-$(MODEL)} exec deploy/run

BENCH := $(addprefix $(BUILD)/release/bench/,generate pages overload)
TSAN := $(addprefix $(BUILD)/tsan/,oai.fcgi unit/tools/aggregate/sink)
test-programs: all $(BENCH) $(REPLAYS) $(addprefix $(BUILD)/asan/,oai oai.fcgi unit-tests unit-tests-database server/echo) \
    $(addprefix $(BUILD)/release/,replay/xml replay/harvest replay/validate replay/items replay/arguments server/echo fault/missed fault/emission fault/clock.so fault/libpq.so fault/oai-next)
test: test-packages ## install what is missing, build, run every test: what each behaviour needs, a quarter of an hour
	@$(call MAKE_IN_STEPS,test-programs)
	@BUILD=$(BUILD) t/run
test-long: test-packages ## all of the same, in full (deploy/CONTRIBUTING.md has the table), and sanitizers and fuzzers: hours
	@deploy/install-packages fuzz
	@$(call MAKE_IN_STEPS,test-programs $(TSAN) $(FUZZERS))
	@BUILD=$(BUILD) t/run --long
platforms: ## follow README and the manual on bare roots of Debian 12 and 13 (OAI_PLATFORMS, OAI_PLATFORM_PARTS): an hour each
	@BUILD=$(BUILD) t/platforms/run
bench-missed: test-packages ## harvest under fire for OAI_MISSED_SECONDS (300): transactions of a minute, 1 M in one
	@$(MAKE_ALL) all $(BUILD)/release/fault/missed $(BUILD)/release/fault/clock.so
	@OAI_MISSED_SECONDS=$${OAI_MISSED_SECONDS:-300} BUILD=$(BUILD) t/run fault/missed
lint: ## the checks of the sources alone
	@BUILD=$(BUILD) t/run lint
check: ## install what is missing, lint, the unit tests that need no database: less than a minute once it is built
	@deploy/install-packages build check
	@$(MAKE_ALL) all $(BUILD)/release/unit-tests
	@BUILD=$(BUILD) t/run '^(t/lint/|unit \(release\)$$)'
TIDY_SRC = $(filter %.cpp,$(shell git diff --name-only --diff-filter=d $(or $(BASE),HEAD) -- fcgi lib t))
tidy: compile_commands.json ## clang-tidy over what is not committed, what BASE=origin/main has not, or TIDY_SRC="FILE..."
	@deploy/install-packages build tidy
	@test -z "$(TIDY_SRC)" || clang-tidy -p . --quiet --warnings-as-errors='*' $(TIDY_SRC)
compile_commands.json: ## how each file is compiled, for editors and clang-tidy
	@t/lib/compile-commands '$(CXX_release) $(CXXSTD) $(WARN) $(FLAGS_release) $(CPPFLAGS_ALL)' > $@
fuzz: ## fuzz every parser, INPUTS (10000000) each or TIME seconds (no limit)
	@deploy/install-packages build run fuzz
	@$(MAKE_ALL) $(FUZZERS)
	@t/fuzz/run $(FUZZERS)
tsan: test-packages ## the server under load and reload, OAI_LOAD_REQUESTS (20000), and harvests into the database, under ThreadSanitizer
	@$(MAKE_ALL) all $(TSAN)
	@BUILD=$(BUILD) t/run --long tsan
coverage: test-packages ## lines and branches that tests reach, by gcov: hours; ROOM=protocol for one room by its unit tests
	@deploy/coverage $(BUILD) $(ROOM)
leaks: test-packages ## the same, OAI_LOAD_REQUESTS (100000), under LeakSanitizer
	@$(MAKE_ALL) all $(BUILD)/lsan/oai.fcgi
	@BUILD=$(BUILD) t/run --long lsan
bench-programs:
	@deploy/install-packages build run bench
	@$(MAKE_ALL) all $(BENCH) $(BUILD)/release/bench/harvester $(BUILD)/release/bench/instructions
bench: bench-pages bench-load bench-harvest ## the three below, with N (200000) records below OAI_STATE, into build/bench/NAME.tsv; fails if a limit is not kept
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
format: ## clang-format over all C++
	clang-format -i $$(git ls-files '*.cpp' '*.h')
help: ## this table
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n",$$1,$$2}' $(MAKEFILE_LIST)
clean: ## remove everything that was built
	rm -rf $(BUILD)
# Not of the packages that make deb builds below: the tree of a package has directories of such names.
-include $(shell find /dev/null $(wildcard $(addprefix $(BUILD)/,$(FLAVOURS) injected)) -name "*.d" -type f)
