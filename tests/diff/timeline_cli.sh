#!/bin/sh
# A timeline from the outside: what ui.perfetto.dev reads, with every launch and CTA of the run; the same bytes ticked,
# skipped, live and replayed; no statistic differs; of a large grid only so much that the file can be opened, which it
# says; and nothing of it without the option.
# Usage: timeline_cli.sh WEIR CHECK RECORDING PROGRAM
weir=$1 check=$2 trace=$3 program=$4
. "$(dirname "$0")/cli.sh"
most=40000000

expect 0 "$weir" replay -q --json "$dir/plain.json" "$trace"
expect 0 "$weir" replay -q --timeline "$dir/skip.json" --json "$dir/with.json" "$trace"
[ ! -s "$dir/out" ] || fail "-q printed something"
expect 0 "$weir" replay -q --engine tick --timeline "$dir/tick.json" "$trace"
cmp "$dir/skip.json" "$dir/tick.json" || fail "tick and skip differ"
expect 0 "$check" "$dir/skip.json" $most
cp "$dir/out" "$dir/counted"
python3 - "$dir" <<'PY' || fail "the timeline is not that of the run: $(cat "$dir/counted")"
import json, sys
plain, run, line = (json.load(open("%s/%s.json" % (sys.argv[1], n))) for n in ("plain", "with", "skip"))
assert {k: v for k, v in run["total"].items() if not k.startswith("energy.")} == plain["total"]
total, events = plain["total"], line["traceEvents"]
slices = [e for e in events if e["ph"] == "X"]
kernels = [e for e in slices if e["pid"] == 1]
assert [k["args"]["cycles"] for k in kernels] == [k["cycles"] for k in plain["kernels"]]
clock = line["otherData"]["core_clock_hz"]
assert abs(sum(k["dur"] for k in kernels) - 1e6 * total["cycles"] / clock) < 1e-3
assert "shows" not in line["otherData"] and line["otherData"]["cycles"] == total["cycles"]
ctas = [e for e in slices if e["name"].startswith("CTA ")]
grid = sum(k["grid"][0] * k["grid"][1] * k["grid"][2] for k in plain["kernels"])
assert len(ctas) == grid == len({(c["args"]["launch"], c["name"]) for c in ctas})
assert all(c["args"]["cycles"] > 0 and c["args"]["start_cycle"] + c["args"]["cycles"] <= total["cycles"] for c in ctas)
# A counter holds until its next value: reads of DRAM times the time of each interval are all bytes.
dram = [(e["ts"], e["args"]) for e in events if e["ph"] == "C" and e["name"] == "DRAM (GB/s)"]
moved = sum(a["read"] * 1e3 * (later[0] - ts) for (ts, a), later in zip(dram, dram[1:]))
assert len(dram) > 16 and dram[-1][1]["read"] == 0, dram[-1]
assert abs(moved / total["dram.read_bytes"] - 1) < 1e-4, (moved, total["dram.read_bytes"])
slots = [e["args"] for e in events if e["name"] == "issue slots (%)"]
assert all(abs(sum(s.values()) - 100) < 0.01 for s in slots[:-1])
assert all("whole GPU" in e["args"] for e in events if e["name"] == "power (W)")
assert any(e["name"] == "power (W)" for e in events)
assert any(e["pid"] >= 10 and e["tid"] == 1 for e in slices)
PY

expect 0 "$weir" record -q --gpu gtx480 -o "$dir/app.wt" "$program"
expect 0 "$weir" run -q --gpu gtx480 --timeline "$dir/live.json" "$program"
expect 0 "$weir" replay -q --gpu gtx480 --timeline "$dir/replay.json" "$dir/app.wt"
cmp "$dir/live.json" "$dir/replay.json" || fail "live and replay differ"
# Another machine, with phases of a policy.
expect 0 "$weir" replay -q --gpu h200 --timeline "$dir/h200.json" "$trace"
expect 0 "$check" "$dir/h200.json" $most
expect 0 "$weir" replay -q --gpu bfly36 --with dyneb --timeline "$dir/phases.json" "$trace"
expect 0 "$check" "$dir/phases.json" $most
grep -q '"name":"dyneb: ' "$dir/phases.json" || fail "no phases of dyneb"
# Samples that the user asked for are joined where they are too many.
expect 0 "$weir" replay -q --sample 4 --timeline "$dir/dense.json" "$trace"
expect 0 "$check" "$dir/dense.json" $most
grep -q '"shows":"samples joined by ' "$dir/dense.json" || fail "does not say that samples were joined"

expect 2 "$weir" replay -q --timeline "$dir/none/x.json" "$trace"
says err "none"
expect 2 "$weir" run --functional --timeline "$dir/x.json" "$program"
says err "--timeline"
exit 0
