#!/bin/sh
# A header with the hash of the machine model's source, so that results of another model are not mistaken for this one's,
# and with the commit that was built. Usage: model_hash.sh SRC-FOLDER OUTPUT
hash=$(cd "$1" && find base trace machine lab/profile/analyze.c -type f |
    grep -v "meson.build$" | LC_ALL=C sort | xargs cat | sha256sum | cut -c1-12)
commit=$(git -C "$1" describe --always --dirty --exclude '*' 2>/dev/null) || commit=unknown
text="#define WEIR_MODEL \"$hash\"
#define WEIR_COMMIT \"$commit\""
[ "$(cat "$2" 2>/dev/null)" = "$text" ] || echo "$text" >"$2"
