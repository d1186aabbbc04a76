# Builds the engine where it is wanted: make EXE=<path> [EVALFILE=<network>].
# This is what distributed testing frameworks call; for daily work cargo is enough.
# "make profile-build" with the same variables takes twice as long and gives the faster program:
# the compiler is told by a run of bench which ways through the code are taken.

EXE ?= brisance
CARGO ?= cargo
RUSTC ?= rustc
TARGET_DIR := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
SUFFIX := $(if $(filter Windows_NT,$(OS)),.exe,)
# On Windows a program must be called .exe to run.
OUTPUT := $(if $(SUFFIX),$(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX),$(EXE))

# The build script puts the network that EVALFILE names into the binary, or nets/brisance.nnue;
# the check run of the binary refuses one that is none.
export EVALFILE := $(abspath $(EVALFILE))

.PHONY: all profile-build
all:
	+$(CARGO) build --release --locked --bin brisance --target-dir "$(TARGET_DIR)"
	"$(TARGET_DIR)/release/brisance$(SUFFIX)" eval > /dev/null
	mkdir -p "$$(dirname "$(OUTPUT)")"
	cp -f "$(TARGET_DIR)/release/brisance$(SUFFIX)" "$(OUTPUT)"

# Naming the host as the target keeps the compiler's own helpers (build scripts, macros) out of
# the profile; the flags join those of .cargo/config.toml.
profile-build: HOST := $(shell $(RUSTC) -vV | sed -n 's/^host: //p')
profile-build: PROFDATA := $(shell $(RUSTC) --print sysroot)/lib/rustlib/$(HOST)/bin/llvm-profdata$(SUFFIX)
profile-build: PROFILE := $(abspath $(TARGET_DIR)/profile)
profile-build: BUILD = $(CARGO) build --release --locked --bin brisance --target $(HOST)
profile-build:
	@test -x "$(PROFDATA)" || { echo "profile-build needs llvm-profdata: rustup component add llvm-tools" >&2; exit 1; }
	rm -rf "$(PROFILE)/runs"
	+$(BUILD) --target-dir "$(PROFILE)/seen" --config "target.$(HOST).rustflags=['-Cprofile-generate=$(PROFILE)/runs']"
	"$(PROFILE)/seen/$(HOST)/release/brisance$(SUFFIX)" bench
	"$(PROFDATA)" merge -o "$(PROFILE)/merged.profdata" "$(PROFILE)/runs"
	+$(BUILD) --target-dir "$(PROFILE)/used" --config "target.$(HOST).rustflags=['-Cprofile-use=$(PROFILE)/merged.profdata']"
	"$(PROFILE)/used/$(HOST)/release/brisance$(SUFFIX)" eval > /dev/null
	mkdir -p "$$(dirname "$(OUTPUT)")"
	cp -f "$(PROFILE)/used/$(HOST)/release/brisance$(SUFFIX)" "$(OUTPUT)"
