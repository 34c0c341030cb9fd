#!/bin/sh
# A header with two hashes: of weir cc's source and of the front end's. What another compiler driver built, or another
# emulator recorded, is not mistaken for what these would make.
# Usage: version.sh SRC-FOLDER OUTPUT
hash() { # hash FIND-ARGUMENTS...
    find "$@" -type f ! -name meson.build | LC_ALL=C sort | xargs cat | sha256sum | cut -c1-12
}
out=$(realpath "$2")
cd "$1" || exit 1
text="#define WEIR_CC \"$(hash cc)\"
#define WEIR_FRONT_END \"$(hash base trace frontend/ptx frontend/code frontend/emu frontend/cudart)\""
[ "$(cat "$out" 2>/dev/null)" = "$text" ] || echo "$text" >"$out"
