#!/bin/sh
# Streams in simulated time: which kernels overlap, and for how long; live, recorded, replayed and ticked give the same
# document, byte for byte.
# Usage: streams.sh WEIR STREAMS.cu
weir=$1 source=$2
. "$(dirname "$0")/cli.sh"
export SOURCE_DATE_EPOCH=86400
small="--gpu gtx480 --set machine.sms=4"
expect 0 "$weir" cc "$source" -o "$dir/app"
modes="default two same event host legacy nonblocking priority thread copies pageable chain branches mix"
for mode in $modes; do
    "$weir" run -q $small --json "$dir/$mode.json" "$dir/app" $mode >"$dir/$mode.ms" || fail "$mode does not run"
    expect 0 "$weir" record -q $small -o "$dir/app.wt" "$dir/app" $mode
    expect 0 "$weir" replay -q $small --json "$dir/replay.json" "$dir/app.wt"
    cmp "$dir/$mode.json" "$dir/replay.json" || fail "$mode: live and replay differ"
    expect 0 "$weir" replay -q $small --engine tick --json "$dir/tick.json" "$dir/app.wt"
    cmp "$dir/$mode.json" "$dir/tick.json" || fail "$mode: ticking and skipping differ"
done
python3 - "$dir" $modes <<'PY' || fail "kernels do not run when they should"
import json, sys
doc = {m: json.load(open("%s/%s.json" % (sys.argv[1], m))) for m in sys.argv[2:]}
ms = {m: float(open("%s/%s.ms" % (sys.argv[1], m)).read()) for m in sys.argv[2:]}
spans = {m: [(k["start_cycle"], k["start_cycle"] + k["cycles"]) for k in d["kernels"]] for m, d in doc.items()}
cycles = {m: d["total"]["cycles"] for m, d in doc.items()}
for m in doc:
    print(m, cycles[m], ms[m], spans[m])
one = spans["default"][0][1]
near = lambda x, y: abs(x - y) < 0.03 * y
after = lambda m, x, y: spans[m][y][0] == spans[m][x][1]
begins = lambda m, x: spans[m][x][0] == 0
# Two that fill half the machine each take the time of one, in one stream that of two.
assert begins("two", 0) and begins("two", 1) and near(cycles["two"], one)
assert "overlapped_cycles" not in doc["same"]["kernels"][0] and doc["two"]["kernels"][0]["overlapped_cycles"] > 0.9 * one
for m in "same", "default", "event", "host", "pageable":
    assert after(m, 0, 1) and near(cycles[m], 2 * one), m
assert doc["same"]["total"] == doc["default"]["total"] and doc["same"]["total"] == doc["event"]["total"]
assert after("legacy", 0, 1) and after("legacy", 1, 2)
assert begins("nonblocking", 0) and begins("nonblocking", 1) and near(cycles["nonblocking"], 2 * one)
assert near(spans["priority"][1][1], one) and near(spans["priority"][0][1], 2 * one)
assert begins("thread", 1) and near(cycles["thread"], one)
assert near(spans["copies"][1][0], 1.1e-6 * 700e6) and spans["copies"][1][0] < spans["copies"][0][1]
assert all(after("chain", i, i + 1) for i in range(3))
assert after("branches", 0, 1) and after("branches", 0, 2) and near(cycles["branches"], 3 * one)
# Time between the events: cycles, and the copy that nothing hides.
for m in doc:
    if m == "mix":
        continue
    hidden = 1 + 64 / 25000 if m == "pageable" else 0
    span = 0 if m == "thread" else cycles[m] / 700e3 # its events are in other streams
    assert abs(ms[m] - span - hidden / 1e3) < 3e-6, (m, ms[m], span)
# What kernels did is theirs; cycles are everyone's.
for m, d in doc.items():
    for name in "warp_insts", "thread_insts", "sm.ctas", "sm.insts.fp_mad", "sm.replies", "launches":
        assert sum(k[name] for k in d["kernels"]) == d["total"][name], (m, name)
PY
# One at a time, and why.
expect 0 "$weir" run $small --set machine.concurrent_kernels=1 --json "$dir/turns.json" "$dir/app" two
says err "one kernel at a time: machine.concurrent_kernels is 1"
expect 0 "$weir" run $small --with apcm "$dir/app" two
says err "one kernel at a time"
expect 0 "$weir" run $small "$dir/app" two
grep -q "one kernel at a time" "$dir/err" && fail "says that kernels take turns"
expect 0 "$weir" record -q $small -o "$dir/app.wt" "$dir/app" two
expect 0 "$weir" replay $small --sampled "$dir/app.wt"
says out "one kernel at a time"
exit 0
