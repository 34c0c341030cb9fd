#!/bin/sh
# Usage: deps.sh ROOT: 'make' asks for no package that only tests need, and says what to type when one is missing.
deps=$1/tools/deps.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAIL: $*" >&2; exit 1; }
for p in libcmocka-dev valgrind clang-format-14; do
    case " $("$deps" --list build run) " in *" $p "*) fail "$p is only for tests" ;; esac
    case " $("$deps" --list test) " in *" $p "*) ;; *) fail "tests need $p" ;; esac
done
# Which clang weir cc gets, and its OpenMP, are of one version.
version=$("$deps" --list run | tr ' ' '\n' | sed -n 's/^clang-\([0-9]*\)$/\1/p')
case " $("$deps" --list run) " in *" libomp-$version-dev "*) ;; *) fail "no OpenMP of clang $version" ;; esac
"$deps" --list nothing 2>"$dir/err" && fail "'nothing' is no group"
grep -q "choose build, run or test" "$dir/err" || fail "no word of the groups"
"$deps" --check || fail "this tree was built, so nothing can be missing"
# A machine with a shell and a compiler only.
mkdir "$dir/bin"
for tool in sh cc env echo paste; do
    ln -s "$(command -v $tool)" "$dir/bin/$tool" || fail "no $tool"
done
PATH=$dir/bin "$deps" --check 2>"$dir/err" && fail "nothing is missing without meson"
for word in meson ninja-build pkg-config libzstd-dev "make deps"; do
    grep -qF "$word" "$dir/err" || fail "no '$word' in: $(cat "$dir/err")"
done
