# Builds the engine at the given path: make EXE=<path> [EVALFILE=<network>].
# Distributed testing frameworks use this interface; for development, use cargo directly.
# "make profile-build" takes the same variables and does a profile-guided optimisation (PGO)
# build: it builds an instrumented binary, collects a profile from long and from many short
# searches (bench and datagen), and builds again with that profile. It takes twice as long and
# produces a faster engine.

EXE ?= brisance
CARGO ?= cargo
RUSTC ?= rustc
TARGET_DIR := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
SUFFIX := $(if $(filter Windows_NT,$(OS)),.exe,)
# Windows executables need the .exe suffix.
OUTPUT := $(if $(SUFFIX),$(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX),$(EXE))

# The build script embeds the network file named by EVALFILE, nets/brisance.nnue by default.
# Running the new binary once verifies that the network is valid.
export EVALFILE := $(abspath $(EVALFILE))

.PHONY: all profile-build
all:
	+$(CARGO) build --release --locked --bin brisance --target-dir "$(TARGET_DIR)"
	"$(TARGET_DIR)/release/brisance$(SUFFIX)" eval > /dev/null
	mkdir -p "$$(dirname "$(OUTPUT)")"
	cp -f "$(TARGET_DIR)/release/brisance$(SUFFIX)" "$(OUTPUT)"

# An explicit --target keeps build scripts and procedural macros out of the profile. The flags
# given here are added to those in .cargo/config.toml.
profile-build: HOST := $(shell $(RUSTC) -vV | sed -n 's/^host: //p')
profile-build: PROFDATA := $(shell $(RUSTC) --print sysroot)/lib/rustlib/$(HOST)/bin/llvm-profdata$(SUFFIX)
profile-build: PROFILE := $(abspath $(TARGET_DIR)/profile)
profile-build: BUILD = $(CARGO) build --release --locked --bin brisance --target $(HOST)
profile-build:
	@test -x "$(PROFDATA)" || { echo "profile-build needs llvm-profdata: rustup component add llvm-tools" >&2; exit 1; }
	rm -rf "$(PROFILE)/runs" "$(PROFILE)/training.games"
	+$(BUILD) --target-dir "$(PROFILE)/instrumented" --config "target.$(HOST).rustflags=['-Cprofile-generate=$(PROFILE)/runs']"
	"$(PROFILE)/instrumented/$(HOST)/release/brisance$(SUFFIX)" bench --depth 14
	"$(PROFILE)/instrumented/$(HOST)/release/brisance$(SUFFIX)" datagen "$(PROFILE)/training.games" --positions 8000 --nodes 400 --seed 1 --threads 1
	"$(PROFDATA)" merge -o "$(PROFILE)/merged.profdata" "$(PROFILE)/runs"
	+$(BUILD) --target-dir "$(PROFILE)/optimised" --config "target.$(HOST).rustflags=['-Cprofile-use=$(PROFILE)/merged.profdata']"
	"$(PROFILE)/optimised/$(HOST)/release/brisance$(SUFFIX)" eval > /dev/null
	mkdir -p "$$(dirname "$(OUTPUT)")"
	cp -f "$(PROFILE)/optimised/$(HOST)/release/brisance$(SUFFIX)" "$(OUTPUT)"
