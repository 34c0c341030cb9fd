# For people. The build itself is Meson and Ninja; 'make demo' and 'make test' each work alone on a fresh Debian 12.
#   make          build/weir and what it loads; names the packages that are missing, and installs none
#   make deps     install what the build and weir itself need (Debian packages, with sudo where not root)
#   make demo     the first result: CUDA programs on simulated GPUs, and a page to look at (installs what is missing)
#   make test     everything that CI checks; ends with "N passed, N failed" (installs what is missing)
#   make bench    speed, as ratios and host instructions per simulated instruction
#   make install  into PREFIX (default /usr/local)
PREFIX ?= /usr/local

all: build/build.ninja
	@ninja -C build user

build/build.ninja:
	@tools/deps.sh --check
	@meson setup build --prefix=$(PREFIX) >/dev/null || { meson setup build --prefix=$(PREFIX); exit 1; }

deps:
	@tools/deps.sh build run

demo: deps
	@$(MAKE) --no-print-directory all
	@tools/demo.sh

test:
	@tools/deps.sh build run test
	@tools/test.sh

bench: all
	@bench/run.sh

install: all
	@meson install -C build --no-rebuild

format:
	@clang-format-14 -i $$(git ls-files '*.c' '*.h' | grep -v '^tests/e2e\|^include/')

clean:
	@rm -rf build build-*

.PHONY: all deps demo test bench install format clean
