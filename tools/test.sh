#!/bin/sh
# Everything that must hold before a change lands. Ends with "N passed, N failed".
cd "$(dirname "$0")/.." || exit 2
passed=0
failed=0
step() { # step NAME COMMAND...: one check that is not a Meson test
    name=$1
    shift
    if out=$("$@" 2>&1); then
        passed=$((passed + 1))
        echo "ok    $name"
    else
        failed=$((failed + 1))
        echo "FAIL  $name"
        echo "$out" | tail -n 40
    fi
}
build() { # build DIR MESON-OPTIONS...: configure and compile
    dir=$1
    shift
    again= # a folder that 'make' has set up may lack what the tests need
    [ ! -f "$dir/build.ninja" ] || again=--reconfigure
    meson setup "$dir" $again -Dtests=enabled "$@" >/dev/null || return 1
    ninja -C "$dir" all >"$dir/build.log" 2>&1 || {
        tail -n 40 "$dir/build.log"
        return 1
    }
}
suite() { # suite DIR ARGUMENTS...: run Meson's tests and add up their counts
    dir=$1
    shift
    meson test -C "$dir" --print-errorlogs "$@" >"$dir/test.log" 2>&1
    status=$?
    grep -E '^(Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout):' "$dir/test.log" | tr -s ' ' | paste -sd' ' -
    ok=$(sed -n 's/^Ok: *//p' "$dir/test.log" | tail -n 1)
    bad=$(awk '/^(Fail|Timeout|Unexpected Pass):/ {n += $NF} END {print n + 0}' "$dir/test.log")
    passed=$((passed + ${ok:-0}))
    failed=$((failed + bad))
    if [ "$status" != 0 ]; then
        [ "$bad" != 0 ] || failed=$((failed + 1))
        cat "$dir/test.log"
    fi
}

echo "== build (gcc, release)"
step "build with -Werror" build build --werror
[ "$failed" = 0 ] || { echo "$passed passed, $failed failed"; exit 1; }
step "include rule" tools/check_includes.sh
step "clang-format" sh -c 'clang-format-14 --dry-run -Werror $(git ls-files "*.c" "*.h" | grep -v "^tests/e2e\|^include/")'
echo "== tests"
suite build
echo "== host instructions per warp instruction (valgrind)"
step "no more than 5% over bench/recorded.json" bench/run.sh --check
step "hooks that no policy uses cost no more than 1%" bench/run.sh --hooks
echo "== sanitizers (clang, address and undefined)"
export CC=clang-19 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
step "sanitizer build" build build-asan -Dbuildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false -Dcheck_hooks=true --werror
suite build-asan --suite unit --suite behave --suite timing --suite silicon --suite same
echo "== fuzzing, one minute"
for reader in ptx trace fatbin accelsim; do
    step "fuzz $reader" tools/fuzz.sh 20 $reader
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
