#!/bin/sh
# Programmatic dependent launch in simulated time: which kernels overlap, and for how long; live, recorded, replayed and
# ticked give the same document, byte for byte.
# Usage: dependent.sh WEIR DEPENDENT.cu
weir=$1 source=$2
. "$(dirname "$0")/cli.sh"
machine="--gpu h200 --set machine.sms=4"
expect 0 "$weir" cc -arch=sm_90 "$source" -o "$dir/app"
expect 0 "$weir" cc -arch=sm_90 -DDRIVER "$source" -lcuda -o "$dir/driver"
modes="off zero untriggered on stream late slow waits careless chain overtaken full event host timed pairs captured edges last"
for mode in $modes; do
    "$weir" run -q $machine --json "$dir/$mode.json" "$dir/app" $mode >"$dir/$mode.ms" || fail "$mode does not run: $(cat "$dir/$mode.ms")"
    expect 0 "$weir" record -q $machine -o "$dir/$mode.wt" "$dir/app" $mode
    expect 0 "$weir" replay -q $machine --json "$dir/replay.json" "$dir/$mode.wt"
    cmp "$dir/$mode.json" "$dir/replay.json" || fail "$mode: live and replay differ"
    expect 0 "$weir" replay -q $machine --engine tick --json "$dir/tick.json" "$dir/$mode.wt"
    cmp "$dir/$mode.json" "$dir/tick.json" || fail "$mode: ticking and skipping differ"
done
for mode in chain overtaken pairs; do
    expect 0 "$weir" replay -q $machine --threads 2 --json "$dir/threads.json" "$dir/$mode.wt"
    cmp "$dir/$mode.json" "$dir/threads.json" || fail "$mode: one thread and two differ"
done
expect 0 "$weir" run -q $machine --set sm.code=ptx --json "$dir/ptx.json" "$dir/app" on
expect 0 "$weir" run -q $machine --json "$dir/driver.json" "$dir/driver" on
expect 0 "$weir" run -q $machine --set machine.concurrent_kernels=1 --json "$dir/turns.json" "$dir/app" on
python3 - "$dir" $modes ptx driver turns <<'PY' || fail "kernels do not run when they should"
import json, sys
doc = {m: json.load(open("%s/%s.json" % (sys.argv[1], m))) for m in sys.argv[2:]}
ms = {m: float(open("%s/%s.ms" % (sys.argv[1], m)).read()) for m in sys.argv[2:] if m not in ("ptx", "driver", "turns")}
spans = {m: [(k["start_cycle"], k["start_cycle"] + k["cycles"]) for k in d["kernels"]] for m, d in doc.items()}
cycles = {m: d["total"]["cycles"] for m, d in doc.items()}
for m in doc:
    print(m, cycles[m], spans[m])
begin = lambda m, i: spans[m][i][0]
end = lambda m, i: spans[m][i][1]
near = lambda x, y: abs(x - y) < 100
first, both = spans["off"][0][1], cycles["off"]
second = both - first
# Without the attribute, and where nothing lets the second begin: one behind the other, to the cycle.
for m in "off", "zero", "untriggered", "event", "host", "timed", "turns":
    assert begin(m, 1) == end(m, 0) and "overlapped_cycles" not in doc[m]["kernels"][0], m
for m in "zero", "event", "host", "timed":
    assert doc[m]["total"] == doc["off"]["total"], m
# It begins when the first instruction has been executed, so its launch is hidden, too, and its first part.
launch = begin("on", 1)
assert 0 < launch < first / 2 and max(first, second) < cycles["on"] < both - launch
assert near(cycles["on"], launch + second)
for m in "stream", "captured", "edges", "driver":
    assert spans[m] == spans["on"], m
assert 0 < begin("ptx", 1) < end("ptx", 0) < cycles["ptx"]
rest = second - launch # the first kernel also brings the data to its side of the L2
# The last CTA counts, here after half of the iterations.
assert launch + 0.4 * rest < begin("late", 1) < launch + 0.5 * rest and near(cycles["late"], begin("late", 1) + second)
assert near(begin("slow", 1), begin("late", 1)) and first < end("slow", 0) < cycles["slow"]
# The wait ends with the first kernel; without it, the second may end before.
assert begin("waits", 1) == launch and near(end("waits", 1), first + rest)
assert end("careless", 1) < end("careless", 0) == cycles["careless"]
# Each of a chain begins when the one before lets it.
assert begin("chain", 1) == launch and end("chain", 0) < begin("chain", 2) < end("chain", 1)
assert near(cycles["chain"], begin("chain", 2) + second)
# The second has ended when the first still runs; what depends on the second waits for both.
assert begin("overtaken", 2) < end("overtaken", 1) < end("overtaken", 0)
assert near(end("overtaken", 2), end("overtaken", 0) + rest) and begin("overtaken", 3) == end("overtaken", 2)
# All CTAs of the first have to have begun.
assert end("full", 0) / 2 < begin("full", 1) < end("full", 0)
for i in 0, 1:
    assert near(begin("pairs", i + 2), launch) and begin("pairs", i) == 0
# The events of the program measure it: of pairs, one stream of the two.
for m in ms:
    measured = end(m, 2) if m == "pairs" else cycles[m]
    assert m in ("captured", "edges") or abs(ms[m] - measured / 1980e3) < 4e-6, (m, ms[m])
# What kernels did is theirs, and no kernel does more for it.
for m, d in doc.items():
    for name in "warp_insts", "thread_insts", "sm.ctas", "sm.replies", "launches":
        assert sum(k[name] for k in d["kernels"]) == d["total"][name], (m, name)
for name in "warp_insts", "sm.replies":
    assert doc["on"]["total"][name] == doc["off"]["total"][name], name
PY
# A sample knows no overlap; the timeline shows it, in a row more.
expect 0 "$weir" replay $machine --sampled "$dir/on.wt"
says out "one kernel at a time: a sample is simulated launch by launch"
expect 0 "$weir" replay $machine --set machine.concurrent_kernels=1 "$dir/on.wt"
says out "one kernel at a time: machine.concurrent_kernels is 1"
expect 0 "$weir" replay -q $machine --timeline "$dir/timeline.json" "$dir/on.wt"
grep -q '"name":"default stream (2)"' "$dir/timeline.json" || fail "the timeline does not show the overlap: $(head -c 1500 "$dir/timeline.json")"
exit 0
