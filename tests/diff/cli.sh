# What tests of the command line share; sourced. Sets $dir, a folder that is gone afterward, and keeps caches in it.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME="$dir/cache"
export SOURCE_DATE_EPOCH=86400 # documents of two runs are compared byte by byte
fail() {
    echo "FAIL: $*" >&2
    exit 1
}
expect() { # expect STATUS COMMAND...: the command's output is left in $dir/out and $dir/err
    want=$1
    shift
    "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    [ "$got" = "$want" ] || fail "exit status $got, not $want: $* ($(head -n 3 "$dir/err"))"
}
says() { # says FILE TEXT
    grep -qF -- "$2" "$dir/$1" || fail "no '$2' in: $(head -n 20 "$dir/$1")"
}
