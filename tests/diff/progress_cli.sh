#!/bin/sh
# Every long command shows how far it is: a line now and then where standard error is no terminal, none that nobody asked
# for, and on a terminal one line that is written anew, within its width, and removed.
# Usage: progress_cli.sh WEIR ROOT
weir=$(realpath "$1") root=$(realpath "$2")
wt=$root/tests/golden/peer/matmul-128.wt
. "$(dirname "$0")/cli.sh"
cd "$dir" || exit 1

shows() { # shows PATTERN COMMAND...: as lines of a log
    pattern=$1
    shift
    expect 0 "$weir" "$@"
    grep -Eq "^weir: $pattern\$" err || fail "no progress: $* ($(head -n 5 err))"
    grep -q "$(printf '\033')" err && fail "a log with a terminal's codes: $*"
}
rate='[0-9.]+ M warp instructions/s'
left='[0-9]+%, [0-9]+:[0-9][0-9] left'
count='[0-9] of [2-9] done(, about [0-9]+:[0-9][0-9] left)?; [a-z ]+'

shows "cycle [0-9]+, $rate, $left" replay --progress 0.001 --gpu gtx480 "$wt"
expect 0 "$weir" cc "$root/bench/vecadd.cu" -o vecadd
shows "executing, $rate, [0-9]+:[0-9][0-9] so far" record --progress 0.001 -o vecadd.wt ./vecadd 4000000
shows "executing, $rate, [0-9]+:[0-9][0-9] so far" run --progress 0.001 --functional ./vecadd 4000000
shows "executing, $rate, [0-9]+:[0-9][0-9] so far" analyze --progress 0.001 ./vecadd 4000000
shows "$rate, $left" analyze --progress 0.001 "$wt"
shows "cycle [0-9]+, $rate, [0-9]+:[0-9][0-9] so far" suite run --progress 0.001 --set machine.sms=1 --size tiny kmeans
shows "cycle [0-9]+, $rate, $left" profile --progress 0.001 --size tiny scan
shows "analyzing: $count" analyze --all --progress 0.001 --size tiny -j 1 scan histogram
shows "compiling: $count" suite run --progress 0.001 --size tiny -j 1 transpose histogram
shows "running: $count" suite run --progress 0.001 --size tiny -j 1 scan histogram
shows "[0-9] of [0-9] simulations, $rate, $left" analyze --classes=apcm --progress 0.001 --size tiny -j 1 scan
shows "compiling and recording: 0 of 1 done" reproduce swcache --progress 0.001 --size tiny -j 1 --app saxpy --gpu gtx480 -o sw
grep -Eq "^weir: [0-9] of [0-9] simulations, $rate, $left\$" err || fail "no progress of simulations: $(cat err)"

# Nothing within the first seconds, and nothing with 0 or -q.
expect 0 "$weir" replay --gpu gtx480 "$wt"
[ -s err ] && fail "progress of a short run: $(cat err)"
expect 0 "$weir" analyze --all --progress 0 --size tiny -j 1 scan histogram
[ -s err ] && fail "progress that nobody asked for: $(cat err)"
expect 0 "$weir" replay -q --progress 0.001 --gpu gtx480 "$wt"
[ -s err ] && fail "progress in spite of -q: $(cat err)"
expect 2 "$weir" suite run --progress often scan
says err "--progress often: expected a number of seconds"

# On a terminal of 30 columns, and on one that cannot go back.
command -v script >/dev/null || exit 0
on_terminal() { # on_terminal TERM COMMAND: what the terminal sees, carriage returns as new lines
    TERM=$1 script -qec "stty cols 30; $2" /dev/null </dev/null | tr '\r' '\n' >seen
}
on_terminal xterm "'$weir' suite run --size tiny -j 1 pathfinder histogram"
grep -q 'compiling: [0-9] of 2 done' seen || fail "no line on a terminal: $(cat -v seen)"
sed "s/$(printf '\033')\[K//" seen | grep '^[a-z]*: .* of 2' | awk 'length > 29 { exit 1 }' || fail "a line that wraps: $(cat -v seen)"
on_terminal dumb "'$weir' suite run --progress 0.001 --size tiny -j 1 scan histogram"
grep -q "$(printf '\033')" seen && fail "codes on a dumb terminal: $(cat -v seen)"
grep -q '^weir: running: ' seen || fail "no progress on a dumb terminal: $(cat -v seen)"
exit 0
