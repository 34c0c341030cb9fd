#!/bin/sh
# APCM from the outside: --explain-loads changes no statistic and tells the same live and replayed, the JSON has the
# decisions, costs follow the configuration, wrong parameters are refused with a sentence.
# Usage: apcm_cli.sh WEIR RECORDING PROGRAM
weir=$1
trace=$2
program=$3
. "$(dirname "$0")/cli.sh"

expect 0 "$weir" replay -q --with apcm --json "$dir/plain.json" "$trace"
[ ! -s "$dir/out" ] || fail "-q printed something"
expect 0 "$weir" replay -q --with apcm --json "$dir/told.json" --explain-loads "$trace"
says out "as decided by apcm"
says out "agreement with infinite caches"
expect 0 "$weir" replay -q --with apcm --json "$dir/tick.json" --explain-loads --engine tick "$trace"
cmp "$dir/told.json" "$dir/tick.json" || fail "tick and skip differ"
python3 - "$dir" <<'PY' || fail "the documents are not as docs/papers/apcm.md says"
import json, sys
plain, told = (json.load(open("%s/%s.json" % (sys.argv[1], n))) for n in ("plain", "told"))
assert plain["total"] == told["total"] and plain["kernels"] == told["kernels"]
assert plain["policies"]["l1-management"] == "apcm"
decided = [l for l in plain["loads"] if "apcm" in l]
assert decided and not any("infinite" in l for l in plain["loads"])
total = plain["total"]
assert sum(l["apcm"]["accesses"] for l in decided) == total["apcm.accesses"] - total["apcm.accesses.untracked"]
assert sum(l["apcm"]["bypassed"] for l in decided) == total["apcm.bypasses"]
assert sum(l["apcm"]["all_protected"] for l in decided) == total["apcm.all_protected"]
assert sum(l["apcm"]["protected_lines"] for l in decided) == total["apcm.protected.lines"]
assert sum(l["apcm"]["protected_hits"] for l in decided) == total["apcm.protected.hits"]
for l in decided:
    a = l["apcm"]
    assert a["decided"] == sum(v["instances"] for v in a["verdicts"]) <= a["instances"]
    if a["decided"]:
        assert a["type"] in ("streaming", "inter-warp", "intra-warp", "inter+intra")
        assert a["method"] in ("normal", "bypass", "protect") and a["own_count"] <= a["access_count"]
for l in told["loads"]:
    if "infinite" in l and l["infinite"]["type"]:
        i = l["infinite"]
        assert i[i["type"]] == max(i[t] for t in ("streaming", "inter-warp", "intra-warp", "inter+intra"))
assert any("infinite" in l for l in told["loads"])
held = total["apcm.psb.duration"]
assert len(held["counts"]) == len(held["bounds"]) + 1
assert sum(held["counts"]) == total["apcm.psb.by_load"] + total["apcm.psb.by_loop"] + total["apcm.psb.by_exit"]
PY

# Samples carry what policies count, histograms included: they add up to the total.
expect 0 "$weir" replay -q --with apcm --sample 3k --json "$dir/sampled.json" "$trace"
python3 - "$dir" <<'PY' || fail "samples do not add up to the total"
import json, sys
doc = json.load(open(sys.argv[1] + "/sampled.json"))
names = [n for n in doc["total"] if n.startswith(("apcm.", "dram.")) and isinstance(doc["total"][n], int)]
assert len(doc["samples"]) > 2 and len(names) > 30
for n in names:
    assert sum(s[n] for s in doc["samples"]) == doc["total"][n], n
for i, count in enumerate(doc["total"]["apcm.psb.duration"]["counts"]):
    assert sum(s["apcm.psb.duration"]["counts"][i] for s in doc["samples"]) == count
PY
expect 0 "$weir" explain apcm
says out "of each load apcm.bypassed"
says out "histogram apcm.psb.duration"
expect 0 "$weir" explain apcm.psb.duration
says out "a histogram"

# Live and replayed: the same, decisions and truth included.
expect 0 "$weir" run -q --gpu gtx480 --with apcm --explain-loads --json "$dir/live.json" "$program"
says err "as decided by apcm"
expect 0 "$weir" record -q --gpu gtx480 -o "$dir/app.wt" "$program"
expect 0 "$weir" replay -q --gpu gtx480 --with apcm --explain-loads --json "$dir/replay.json" "$dir/app.wt"
cmp "$dir/live.json" "$dir/replay.json" || fail "live and replay differ"

expect 2 "$weir" run --functional --explain-loads "$program"
says err "--explain-loads"
expect 0 "$weir" replay -q --explain-loads "$trace"
says out "no policy reports"

expect 0 "$weir" explain apcm --cost
says out "36 x 32 = 1152"
grep -qE '^ *total +3536 +3536' "$dir/out" || fail "Table 3 adds up to 3536 bits: $(cat "$dir/out")"
expect 0 "$weir" explain apcm --cost --gpu gtx780 --set apcm.load_entries=32
grep -qE '^ *PSB +7 +64 ' "$dir/out" || fail "64 warps, five-bit ids: $(cat "$dir/out")"
expect 2 "$weir" explain gto --cost
says err "does not report its cost"

expect 2 "$weir" replay --set apcm.load_entries=8 "$trace"
says err "--with apcm"
expect 2 "$weir" replay --with apcm --set apcm.mta_assoc=3 "$trace"
says err "fully associative"
expect 2 "$weir" replay --with apcm --set apcm.threshold=15 "$trace"
says err "never exceeded"
expect 2 "$weir" replay --with apcm --set apcm.mta_entries=0 "$trace"
expect 2 "$weir" replay --with apcm --set apcm.mode=none "$trace"
says err "protect"
