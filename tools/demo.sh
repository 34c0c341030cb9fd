#!/bin/sh
# The first look at weir: CUDA programs, compiled without a CUDA toolkit and run without a GPU.
cd "$(dirname "$0")/.." || exit 2
weir=${WEIR:-build/weir}
exec 2>&1 # one stream, so that what is said comes in order
out=$(mktemp -d) || exit 2
trap 'rm -rf "$out"' EXIT
if [ -t 1 ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
show() { # show COMMAND...: print it the way a person would type it, then run it
    printf '$ %s\n' "$(echo "$*" | sed "s|$out/|./|g; s|$weir|weir|")"
    "$@"
}
stop() { echo "weir: the demo stopped: $*" >&2; exit 1; }

say "1. A CUDA program, compiled with clang and weir's own headers, run by the emulator"
show "$weir" cc tools/demo/picture.cu -o "$out/picture" || stop "picture.cu did not compile"
show "$weir" run --functional "$out/picture" || stop "picture did not run"

say "2. The same program twice on a simulated GTX 480: what shared-memory tiles do to the memory system"
show "$weir" cc -O2 tools/demo/matmul.cu -o "$out/matmul" || stop "matmul.cu did not compile"
show "$weir" run --gpu gtx480 "$out/matmul" plain || stop "matmul did not run"
echo
show "$weir" run --gpu gtx480 "$out/matmul" tiled || stop "matmul did not run"

say "3. A published policy on two workloads of the suite: the baseline, then APCM (bypassing and protection by load)"
show "$weir" suite run bfs invindex --gpu gtx480 --size small || stop "the suite did not run"
echo
show "$weir" suite run bfs invindex --gpu gtx480 --size small --with apcm || stop "the suite did not run"

say "4. A bug that a GPU would let pass, found at its line"
show "$weir" cc tools/demo/bug.cu -o "$out/bug" || stop "bug.cu did not compile"
show "$weir" run --functional "$out/bug" && stop "the bug was not found"

say "Next: 'weir --help', 'weir list gpus', 'weir suite list', 'weir analyze bfs', 'weir reproduce apcm', docs/tour.md"
