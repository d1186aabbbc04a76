# Builds the engine where it is wanted: make EXE=<path> [EVALFILE=<network>].
# This is what distributed testing frameworks call; for daily work cargo is enough.

EXE ?= brisance
CARGO ?= cargo
TARGET_DIR := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
SUFFIX := $(if $(filter Windows_NT,$(OS)),.exe,)
# On Windows a program must be called .exe to run.
OUTPUT := $(if $(SUFFIX),$(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX),$(EXE))

ifneq ($(strip $(EVALFILE)),)
$(error EVALFILE=$(EVALFILE) was given, but this version has no network to embed; leave it out)
endif

.PHONY: all
all:
	+$(CARGO) build --release --locked --bin brisance --target-dir "$(TARGET_DIR)"
	mkdir -p "$$(dirname "$(OUTPUT)")"
	cp -f "$(TARGET_DIR)/release/brisance$(SUFFIX)" "$(OUTPUT)"
