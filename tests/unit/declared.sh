#!/bin/sh
# Every function that the runtime implements is declared in the headers that weir cc compiles against. The variants of the
# per-thread default stream (_ptsz, _ptds) and of older versions (_v2) are reached through macros and symbol names.
# usage: declared.sh API.DEF INCLUDE-FOLDER
missing=0
for name in $(sed -n 's/^ *OURS(\([A-Za-z0-9_]*\)).*/\1/p' "$1" | grep '^cuda' | grep -v '_pt[sd][zs]$\|_v[0-9]*$'); do
    grep -rqw -- "$name" "$2" || { echo "$name is implemented and not declared"; missing=1; }
done
exit $missing
