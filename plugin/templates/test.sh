#!/bin/sh
# The test of the plugin NAME: it builds, is listed, does something on a recording, and ticking every cycle gives the
# statistics that skipping idle time gives. Every run checks the machine's invariants by itself.
# Usage: NAME_test.sh [FILE.wt]; WEIR names the weir to use.
set -e
weir=${WEIR:-weir}
recording=${1:-RECORDING}
cd "$(dirname "$0")"
fail() {
    echo "NAME_test.sh: $*" >&2
    exit 1
}
"$weir" plugin build NAME.c
"$weir" list policies --plugin ./NAME.so | grep -q '^  NAME ' || fail "it is not listed"
export SOURCE_DATE_EPOCH=0 # the date in the documents, which are compared byte by byte
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$weir" replay -q --json "$out/base.json" "$recording"
"$weir" replay -q --plugin ./NAME.so --with KIND=NAME --json "$out/NAME.json" "$recording"
"$weir" replay -q --plugin ./NAME.so --with KIND=NAME --json "$out/tick.json" --engine tick "$recording"
cmp "$out/NAME.json" "$out/tick.json" || fail "ticking and skipping differ: a hook depends on how often it is called"
grep -q '"NAME.STATISTIC": [1-9]' "$out/NAME.json" || fail "NAME.STATISTIC is zero: its hooks did nothing"
for run in base NAME; do
    echo "$run: $(grep -m 1 '"cycles"' "$out/$run.json") $(grep -m 1 '"l1.miss_rate"' "$out/$run.json")"
done
echo "NAME: all well"
