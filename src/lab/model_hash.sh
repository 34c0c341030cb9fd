#!/bin/sh
# A header with the hash of the machine model's source: results of another model are not mistaken for this one's.
# Usage: model_hash.sh SRC-FOLDER OUTPUT
hash=$(cd "$1" && cat base/*.[ch] trace/*.[ch] engine/*.[ch] cache/*.[ch] locality/*.[ch] sm/*.[ch] sm/*.def l1/*.[ch] \
    l1/*.def noc/*.[ch] l2/*.[ch] l2/*.def dram/*.[ch] gpu/*.[ch] lab/analyze.c | sha256sum | cut -c1-12)
text="#define WEIR_MODEL \"$hash\""
[ "$(cat "$2" 2>/dev/null)" = "$text" ] || echo "$text" >"$2"
