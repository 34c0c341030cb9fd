#!/bin/sh
# A profile from the outside: counting by instruction changes no statistic, adds up to what the SMs count, is the same
# with both engines, live and replayed, and its samples cover the run in bounded number.
# Usage: profile_cli.sh WEIR RECORDING PROGRAM
weir=$1
trace=$2
program=$3
. "$(dirname "$0")/cli.sh"

expect 0 "$weir" replay -q --json "$dir/plain.json" "$trace"
expect 0 "$weir" replay -q --profile --json "$dir/skip.json" "$trace"
[ ! -s "$dir/out" ] || fail "-q printed something"
expect 0 "$weir" replay -q --profile --engine tick --json "$dir/tick.json" "$trace"
cmp "$dir/skip.json" "$dir/tick.json" || fail "tick and skip differ"
expect 0 "$weir" replay -q --profile --gpu h200 --with gto --json "$dir/h200.json" "$trace"
python3 - "$dir" <<'PY' || fail "the counts by instruction do not add up"
import json, sys
plain, skip, h200 = (json.load(open("%s/%s.json" % (sys.argv[1], n))) for n in ("plain", "skip", "h200"))
without = lambda o: {k: v for k, v in o.items() if not k.startswith("energy.")}  # which a profile has where it can
assert plain["total"] == without(skip["total"]) and plain["kernels"] == [without(k) for k in skip["kernels"]]
assert skip["samples"][0]["energy.power_w"] > 0
assert "instructions" not in plain and "samples" not in plain
for d in skip, h200:
    insts, total = d["instructions"], d["total"]
    assert sum(i["issues"] for i in insts) == total["warp_insts"]
    assert sum(i["lanes"] for i in insts) == total["thread_insts"]
    reasons = [n[9:] for n in total if n.startswith("sm.stall.") and n != "sm.stall.no_warp"]
    assert len(reasons) > 5
    for r in reasons:
        for side in "waited", "caused":
            assert sum(i[side].get(r, 0) for i in insts) == total["sm.stall." + r], (r, side)
    # Who is to blame: only a load makes warps wait for loaded data, only accesses fill the load/store unit or are in flight
    # at the end, and who waits for data is not the load itself.
    access = {"load", "store", "atom", "red", "tex", "surf", "fence"}
    for i in insts:
        assert "memory" not in i["caused"] or i["class"] in ("load", "atom", "tex"), i
        for r in "lsu_full", "drain", "fence":
            assert r not in i["caused"] or i["class"] in access, i
        assert "barrier" not in i["waited"] or i["class"] == "barrier", i
    assert any(i["class"] != "load" and i["waited"].get("memory") for i in insts)
    for l in d["loads"]:
        assert sum(l["served"].values()) == (0 if l["space"] == "shared" else l["lines"]), l
        assert l["lines"] <= l["sectors"] <= 4 * l["lines"] or l["space"] == "shared", l
    samples = d["samples"]
    assert 16 <= len(samples) <= 256, len(samples)
    cycles = [s["cycle"] for s in samples]
    assert cycles == sorted(set(cycles)) and cycles[-1] == total["cycles"]
    for name in "warp_insts", "l1.accesses", "dram.reads", "sm.stall.memory":
        assert sum(s[name] for s in samples) == total[name], name
    # Parts over time: as many rows as the machine has parts, and their means are the whole's.
    maps = {m["name"]: m for m in d["parts"]["maps"]}
    sms, channels = int(d["config"]["machine.sms"]), int(d["config"]["memory.channels"])
    rows = {n: len(m["thousandths"]) for n, m in maps.items()}
    assert rows["sm_issue"] == sms and rows["dram_channel"] == channels, rows
    assert rows["l2_slice"] == channels * int(d["config"]["memory.slices_per_channel"]), rows
    banks = channels * int(d["config"]["dram.pseudo_channels"]) * int(d["config"]["dram.banks"])
    assert rows["dram_bank"] == -(-banks // maps["dram_bank"]["joined"]) <= 256, rows
    mean = lambda m: sum(sum(r) for r in m["thousandths"]) / len(m["thousandths"]) / 64 / 1000
    assert abs(mean(maps["sm_issue"]) - total["sm.issue_cycles"] / total["sm.scheduler_cycles"]) < 0.001
    wait = (total["sm.stall.memory"] + total["sm.stall.lsu_full"]) / total["sm.scheduler_cycles"]
    assert abs(mean(maps["sm_memory"]) - wait) < 0.001
    assert abs(mean(maps["dram_channel"]) - total["dram.utilization"]) < 0.001
    accesses = mean(maps["l2_slice"]) * rows["l2_slice"] * total["cycles"]
    assert abs(accesses - total["l2.accesses"]) <= 0.05 * total["l2.accesses"], accesses
    bursts = total["dram.read_bursts"] + total["dram.write_bursts"]
    assert abs(mean(maps["dram_bank"]) * rows["dram_bank"] * total["cycles"] - bursts) <= 0.05 * bursts
PY

expect 0 "$weir" run -q --gpu gtx480 --profile --json "$dir/live.json" "$program"
expect 0 "$weir" record -q --gpu gtx480 -o "$dir/app.wt" "$program"
expect 0 "$weir" replay -q --gpu gtx480 --profile --json "$dir/replay.json" "$dir/app.wt"
python3 - "$dir" <<'PY' || fail "live and replay differ"
import json, sys
live, replay = (json.load(open("%s/%s.json" % (sys.argv[1], n))) for n in ("live", "replay"))
for member in "total", "kernels", "loads", "instructions", "samples":
    assert live[member] == replay[member], member
PY
expect 0 "$weir" profile "$dir/live.json"
says out "scheduler lrr, L1 management lru, L1 organization private"
expect 2 "$weir" run --functional --profile "$program"
says err "--profile"

# Launches that repeat are shown as rounds, the longest repetition first, and instances of a template by their arguments.
# Neither a kernel that is launched several times on end nor rounds with other grids are such.
cat >"$dir/rounds.py" <<'PY'
import json, sys
def launch(kernel, cycles, grid=1):
    return {"kernel": kernel, "grid": [grid, 1, 1], "block": [32, 1, 1], "cycles": cycles, "thread_insts": 64 * cycles}
names = {"a": "_Z5beginv", "b": "_Z4stepILi1EEvv", "c": "_Z4stepILi2EEvv", "d": "_Z3endv"}
doc = {"schema": "weir-stats-1", "config": {"clock.core": 1000}, "kernels": []}
for i, word in enumerate(sys.argv[1:]):
    doc["kernels"].append(launch(names[word[0]], 100 * (i + 1), int(word[1:] or 1)))
doc["total"] = {"cycles": sum(k["cycles"] for k in doc["kernels"])}
json.dump(doc, sys.stdout)
PY
rounds() {
    python3 "$dir/rounds.py" "$@" >"$dir/rounds.json"
    expect 0 "$weir" profile --html "$dir/rounds.html" "$dir/rounds.json"
}
rounds a b c b b c b b c b d d d d a d a d
says out "Launches 2 to 10: 3 rounds of 3, 31.6% of the time"
says out "   1 step<1>                         500   8.8%    64.0"
says out "   2 step<2>                         600  10.5%    64.0"
says out "Launches 14 to 17: 2 rounds of 2"
grep -q 'Launches 2 to 10: 3 rounds of 3' "$dir/rounds.html" || fail "the page has no rounds"
rounds a a a a a a b c b1 c2 b1 c3 d
grep -q "rounds of" "$dir/out" && fail "there are no rounds: $(cat "$dir/out")"
true
