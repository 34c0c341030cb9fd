# For people. The build itself is Meson and Ninja; each target here works alone on a fresh Debian 12.
#   make          build/weir
#   make demo     the first result: a CUDA program on a simulated GPU
#   make test     everything that CI checks; ends with "N passed, N failed"
#   make bench    speed, as ratios and host instructions per simulated instruction
#   make install  into PREFIX (default /usr/local)
PREFIX ?= /usr/local

all: build/build.ninja
	@ninja -C build

build/build.ninja: | deps
	@meson setup build --prefix=$(PREFIX) >/dev/null || { meson setup build --prefix=$(PREFIX); exit 1; }

deps:
	@tools/deps.sh

demo: all
	@tools/demo.sh

test: deps
	@tools/test.sh

bench: all
	@bench/run.sh

install: all
	@meson install -C build

format:
	@clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	@rm -rf build build-*

.PHONY: all deps demo test bench install format clean
