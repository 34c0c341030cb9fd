#!/bin/sh
# A header with the hash of the machine model's source: results of another model are not mistaken for this one's.
# Usage: model_hash.sh SRC-FOLDER OUTPUT
hash=$(cd "$1" && find base trace machine lab/profile/analyze.c -type f |
    grep -v "meson.build$" | LC_ALL=C sort | xargs cat | sha256sum | cut -c1-12)
text="#define WEIR_MODEL \"$hash\""
[ "$(cat "$2" 2>/dev/null)" = "$text" ] || echo "$text" >"$2"
