#!/bin/sh
# Fuzzes the readers of PTX, recordings, fat binaries and Accel-Sim's traces with libFuzzer, address and undefined-behavior checks on.
# Usage: tools/fuzz.sh [SECONDS [READER...]]   (20 seconds each by default; an hour: tools/fuzz.sh 3600)
# Starts from tests/fuzz/corpus; what it finds interesting stays in build-fuzz/corpus, what crashes in build-fuzz/found.
cd "$(dirname "$0")/.." || exit 2
seconds=${1:-20}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- ptx trace fatbin accelsim
if [ ! -f build-fuzz/build.ninja ]; then
    CC=clang-19 meson setup build-fuzz -Dfuzz=true -Db_sanitize=address,undefined -Db_lundef=false >/dev/null || exit 2
fi
ninja -C build-fuzz fuzzers >build-fuzz/build.log 2>&1 || { tail -n 30 build-fuzz/build.log; exit 2; }
status=0
for reader in "$@"; do
    mkdir -p "build-fuzz/corpus/$reader" build-fuzz/found
    dictionary=tests/fuzz/$reader.dict
    [ -f "$dictionary" ] && dictionary=-dict=$dictionary || dictionary=
    echo "$reader, $seconds s:"
    build-fuzz/tests/fuzz/"$reader"_libfuzzer -max_total_time="$seconds" -rss_limit_mb=2000 -timeout=30 $dictionary \
        -artifact_prefix=build-fuzz/found/"$reader"- "build-fuzz/corpus/$reader" "tests/fuzz/corpus/$reader" \
        >build-fuzz/"$reader".log 2>&1 || { status=1; tail -n 40 build-fuzz/"$reader".log; }
    grep -E "DONE|^Done" build-fuzz/"$reader".log
done
exit $status
