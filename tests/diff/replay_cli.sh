#!/bin/sh
# weir replay from the outside: engines agree byte for byte, options do what they say, exit codes are kept.
# Usage: replay_cli.sh WEIR RECORDING
weir=$1
trace=$2
. "$(dirname "$0")/cli.sh"

expect 0 "$weir" replay --gpu gtx480 --json "$dir/skip.json" "$trace"
says out "cycles"
says out "schedulers"
expect 0 "$weir" replay -q --gpu gtx480 --engine tick --json "$dir/tick.json" "$trace"
[ ! -s "$dir/out" ] || fail "-q printed something"
cmp "$dir/skip.json" "$dir/tick.json" || fail "tick and skip differ"
expect 0 "$weir" replay -q --gpu gtx480 --sample 10k --json "$dir/sample.json" "$trace"
python3 - "$dir" <<'PY' || fail "the documents are not as docs/statistics.md says"
import json, sys
d = json.load(open(sys.argv[1] + "/skip.json"))
assert d["schema"] == "weir-stats-1" and d["complete"] and d["machine"] == "gtx480"
assert d["policies"]["scheduler"] == "lrr" and d["config"]["l1.size"] == "16KiB"
t, k = d["total"], d["kernels"]
assert len(k) == 1 and all(isinstance(v, (int, float)) for v in t.values())
assert all(t[n] == k[0][n] for n in t)
assert abs(t["ipc"] - t["thread_insts"] / t["cycles"]) < 1e-6
assert t["l1.accesses"] == t["l1.hits"] + t["l1.misses"] + t["l1.merges"] + t["l1.bypasses"] + t["l1.atomics"] + t["l1.forwarded"]
stalls = sum(v for n, v in t.items() if n.startswith("sm.stall."))
assert stalls + t["sm.issue_cycles"] == t["cycles"] * 15 * 2
assert sum(l["executions"] for l in d["loads"]) > 0 and all(0 <= l["l1_hit_rate"] <= 1 for l in d["loads"])
s = json.load(open(sys.argv[1] + "/sample.json"))["samples"]
assert len(s) >= t["cycles"] // 10000
for n in ("warp_insts", "l1.accesses", "cycles"):
    assert sum(x[n] for x in s) == t[n], n
PY

expect 0 "$weir" replay -q --gpgpusim-stats --gpu gtx480 "$trace"
says out "gpu_sim_cycle = "
says out "L1D_total_cache_accesses = "
expect 0 "$weir" replay --gpu gtx480 --with gto --set l1.size=32KiB --set l1.assoc=8 "$trace"
says out "gto"

expect 2 "$weir" replay --gpu gtx48 "$trace"
says err "did you mean 'gtx480'?"
expect 2 "$weir" replay --set l1.sise=1KiB "$trace"
says err "did you mean 'l1.size'?"
expect 2 "$weir" replay --with gtoo "$trace"
says err "did you mean 'gto'?"
expect 2 "$weir" replay --with sheduler=gto "$trace"
says err "did you mean 'scheduler'?"
expect 2 "$weir" replay --with l1-order=lrr "$trace"
says err "there is no policy 'lrr' of kind l1-order"
expect 2 "$weir" replay --with gto,scheduler=lrr "$trace"
says err "'gto' and 'lrr' are both of kind scheduler"
expect 0 "$weir" config show --gpu gtx480 --with fifo,scheduler=gto
[ "$(grep -c ' fifo .*command line' "$dir/out")" = 2 ] || fail "--with fifo does not choose both: $(grep fifo "$dir/out")"
expect 2 "$weir" replay "$dir/none.wt"
head -c 3000 "$trace" >"$dir/cut.wt"
expect 2 "$weir" replay "$dir/cut.wt"
says err "cut.wt"

# A memory that answers later than the patience of the watchdog: reported, with who waits for whom.
expect 3 "$weir" replay --gpu gtx480 --set dram.latency=1000 --set clock.core=2800MHz \
    --set l2.max_merges=64 --set machine.deadlock_cycles=1000 --json "$dir/dead.json" "$trace"
says err "deadlock"
says err "dram.2: load of line 200000010200 waits for the fixed latency"
says err "the oldest request in it: load of line"
says out "PARTIAL"
grep -q '"complete": false' "$dir/dead.json" || fail "a deadlocked run is called complete"

# Ctrl-C: what there is so far, marked as partial. When it comes is not ours to say: a run may be over, or not yet have
# begun, so it is tried at several moments, and one of them must fall into the run.
interrupted=no
for delay in 1 0.5 0.25 0.12 0.06 0.03; do
    "$weir" replay --engine tick --gpu h200 --set machine.launch_cycles=300000 --json "$dir/int.json" "$trace" \
        >"$dir/out" 2>"$dir/err" &
    pid=$!
    sleep $delay
    kill -INT $pid 2>/dev/null
    wait $pid
    if grep -q PARTIAL "$dir/out"; then
        interrupted=yes
        break
    fi
done
[ $interrupted = yes ] || fail "an interrupted run does not print what it has"
grep -q '"complete": false' "$dir/int.json" || fail "an interrupted run is called complete"
echo ok
