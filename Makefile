# Builds the engine where it is wanted: make EXE=<path> [EVALFILE=<network>].
# This is what distributed testing frameworks call; for daily work cargo is enough.

EXE ?= brisance
CARGO ?= cargo
TARGET_DIR := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
SUFFIX := $(if $(filter Windows_NT,$(OS)),.exe,)
# On Windows a program must be called .exe to run.
OUTPUT := $(if $(SUFFIX),$(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX),$(EXE))

# The build script puts the network that EVALFILE names into the binary, or nets/brisance.nnue;
# the check run of the binary refuses one that is none.
export EVALFILE := $(abspath $(EVALFILE))

.PHONY: all
all:
	+$(CARGO) build --release --locked --bin brisance --target-dir "$(TARGET_DIR)"
	"$(TARGET_DIR)/release/brisance$(SUFFIX)" eval > /dev/null
	mkdir -p "$$(dirname "$(OUTPUT)")"
	cp -f "$(TARGET_DIR)/release/brisance$(SUFFIX)" "$(OUTPUT)"
