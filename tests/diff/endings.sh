#!/bin/sh
# However a program ends, what was simulated is written, or weir run says that it is lost and fails; and nothing that
# weir started outlives it.
# usage: endings.sh WEIR CUDA-PROGRAM PLAIN-PROGRAM
weir=$1 app=$2 plain=$3 failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; sed 's/^/    /' "$dir/out"; failed=1; }

# timed END: a run with timing; $status
timed() {
    rm -f "$dir/stats.json"
    "$weir" run -q --gpu gtx480 --json "$dir/stats.json" "$app" "$@" >"$dir/out" 2>&1 </dev/null
    status=$?
}
whole() { grep -q '"complete": true' "$dir/stats.json" 2>/dev/null; }

for end in return _exit _Exit quick_exit execl execlp execle clearenv early-clearenv closefrom thread vfork no-exec; do
    timed $end
    [ $status = 0 ] && whole || fail "$end: status $status, or the statistics are not there"
    grep -q "called no CUDA" "$dir/out" && fail "$end: weir did not hear of it"
    "$weir" record -q -o "$dir/app.wt" "$app" $end >"$dir/out" 2>&1 && "$weir" trace check "$dir/app.wt" >"$dir/out" 2>&1 ||
        fail "$end: its recording is not whole"
    rm -f "$dir/app.wt"
done
timed execl
grep -q "another program" "$dir/out" || fail "the second program did not run"

# What nobody can see coming is an error, and said.
for end in syscall abort; do
    timed $end
    [ $status = 1 ] && grep -q "statistics are lost" "$dir/out" || fail "$end: status $status, or the loss is not said"
    [ ! -e "$dir/stats.json" ] || fail "$end: there are statistics"
done

# The driver beside the runtime is the same library, and no second end.
timed driver
[ $status = 0 ] && whole && grep -q "driver 0" "$dir/out" ||
    fail "a program that opens libcuda.so.1 beside the shared runtime: status $status"

# The emulator finds the deadlock at once; the machine does not simulate the rest of that launch: 14 million warp
# instructions wait for it, of which it had time for a few.
timed stuck
[ $status = 1 ] && grep -q "can never complete" "$dir/out" || fail "stuck: status $status"
insts=$(sed -n 's/^  "warp_insts": \([0-9]*\),*$/\1/p' "$dir/stats.json")
[ "${insts:-99999999}" -lt 7000000 ] || fail "the machine simulated $insts warp instructions of a launch that cannot end"

# wait_until COMMAND...: at most ten seconds
wait_until() {
    for i in $(seq 100); do
        "$@" && return 0
        sleep 0.1
    done
    return 1
}
gone() { ! kill -0 "$1" 2>/dev/null; }

# A signal to weir ends the program, too: with its statistics, unless it is one that nothing survives.
for sig in TERM HUP INT KILL; do
    rm -f "$dir/stats.json"
    rm -f "$dir/out" # the last one waited, too
    cat >"$dir/wait.sh" <<END
#!/bin/sh
echo \$\$ >"$dir/pid"
exec "$app" wait
END
    chmod +x "$dir/wait.sh"
    # sh starts background jobs with SIGINT ignored, and nohup all with SIGHUP ignored; env sets them back
    env --default-signal "$weir" run -q --gpu gtx480 --json "$dir/stats.json" "$dir/wait.sh" >"$dir/out" 2>&1 &
    pid=$!
    wait_until grep -qs waiting "$dir/out" || fail "SIG$sig: the program did not start"
    kill -$sig $pid
    wait $pid 2>/dev/null
    status=$?
    wait_until gone "$(cat "$dir/pid")" || fail "SIG$sig: the program outlives weir"
    if [ $sig != KILL ]; then
        [ $status = 1 ] && grep -q "ended by signal" "$dir/out" || fail "SIG$sig: status $status"
        grep -q '"warp_insts": [1-9]' "$dir/stats.json" || fail "SIG$sig: no statistics"
    fi
done

# timeout and batch systems signal weir and its whole group, so that the program hears of it more than once: here, as long as it takes
# to end.
rm -f "$dir/stats.json" "$dir/out"
setsid env --default-signal "$weir" run -q --gpu gtx480 --json "$dir/stats.json" "$app" wait >"$dir/out" 2>&1 &
pid=$!
wait_until grep -qs waiting "$dir/out" || fail "a group: the program did not start"
for i in $(seq 200); do kill -s TERM -- -$pid 2>/dev/null || break; done
wait $pid 2>/dev/null
status=$?
[ $status = 1 ] && grep -q '"warp_insts": [1-9]' "$dir/stats.json" || fail "a signal to the whole group: status $status, or no statistics"

# A signal while the machine still simulates what a program at its end has launched: the run is not whole, and says so.
rm -f "$dir/stats.json" "$dir/out"
env --default-signal "$weir" run -q --gpu gtx480 --json "$dir/stats.json" "$app" early >"$dir/out" 2>&1 &
pid=$!
wait_until grep -qs waiting "$dir/out" || fail "early: the program did not come to its end"
kill -s INT $pid
wait $pid 2>/dev/null
status=$?
[ $status = 1 ] && grep -q '"complete": false' "$dir/stats.json" || fail "a signal at the program's end: status $status, or statistics that seem whole"
exit $failed
