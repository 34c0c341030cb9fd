#!/bin/sh
# A header with the hash of weir cc's source: what another compiler driver built is not mistaken for this one's.
# Usage: cc_hash.sh SRC-FOLDER OUTPUT
hash=$(cd "$1" && cat cli/cc*.[ch] | sha256sum | cut -c1-12)
text="#define WEIR_CC \"$hash\""
[ "$(cat "$2" 2>/dev/null)" = "$text" ] || echo "$text" >"$2"
