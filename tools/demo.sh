#!/bin/sh
# The first look at weir: CUDA programs, compiled without a CUDA toolkit and run without a GPU. It ends with a page: five
# published systems, what each gains and what it costs. Two minutes on two idle cores.
# Usage: demo.sh [FOLDER] (default: weir-demo)
cd "$(dirname "$0")/.." || exit 2
weir=${WEIR:-build/weir}
exec 2>&1 # one stream, so that what is said comes in order
pages=${1:-weir-demo}
mkdir -p "$pages" || exit 2
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

say "2. Where the time of a program goes on a simulated GTX 480, and what shared-memory tiles do to it"
show "$weir" cc -O2 tools/demo/matmul.cu -o "$out/matmul" || stop "matmul.cu did not compile"
show "$weir" profile --gpu gtx480 --html "$pages/plain.html" "$out/matmul" plain || stop "matmul did not run"
echo
show "$weir" profile --gpu gtx480 --html "$pages/tiled.html" "$out/matmul" tiled || stop "matmul did not run"

say "3. A bug that a GPU would let pass, found at its line"
show "$weir" cc tools/demo/bug.cu -o "$out/bug" || stop "bug.cu did not compile"
show "$weir" run --functional "$out/bug" && stop "the bug was not found"

say "4. Five published systems: four change the machine, the software L1 changes the program"
mkdir -p "$pages/programs" || stop "$pages/programs cannot be made"
for app in wordcount simscore saxpy; do
    show "$weir" cc -DSWCACHE_TUNE=0 -Iswcache swcache/apps/$app/*.cu -o "$pages/programs/$app" || stop "$app did not compile"
done
PATH=$(cd "$pages/programs" && pwd):$PATH
show "$weir" reproduce tools/demo --trust --profiles -o "$pages" || stop "the programs did not run"

say "The page to look at: $pages/report.html"
echo "It leads to a profile of each simulation; beside it are plain.html and tiled.html, and every figure as SVG"
echo "Next: 'weir --help', 'weir list gpus', 'weir suite list', 'weir profile bfs', 'weir reproduce apcm', docs/tour.md"
