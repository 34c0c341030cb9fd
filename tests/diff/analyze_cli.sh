#!/bin/sh
# weir analyze from the outside: a program with known answers, live and from its recording; tables, JSON, figures, errors.
# Usage: analyze_cli.sh WEIR PROGRAM.cu
weir=$1
source=$2
. "$(dirname "$0")/cli.sh"

"$weir" cc -O2 "$source" -o "$dir/known" || fail "it does not compile"
expect 0 "$weir" analyze --json "$dir/live.json" "$dir/known"
says out "similarity"
says err "done"
expect 0 "$weir" record -q -o "$dir/known.wt" "$dir/known"
expect 0 "$weir" analyze --json "$dir/file.json" "$dir/known.wt"
says out "inter+intra"
expect 0 "$weir" analyze --gpu mesh28 --set machine.sms=4 --json - "$dir/known.wt"
cp "$dir/out" "$dir/four.json"

python3 - "$dir" <<'PY' || fail "the answers are not those of the program"
import json, sys
live, file, four = (json.load(open(f"{sys.argv[1]}/{n}.json")) for n in ("live", "file", "four"))
for d in (live, file):
    d.pop("program")
assert live == file
assert file["schema"] == "weir-locality-1" and file["sms"] == 15 and file["launches"] == 4 and file["ctas"] == 32
load = {l["kernel"]: l for l in file["loads"]}
assert len(load) == len(file["loads"]) == 4
def of(name):
    return next(l for k, l in load.items() if name in k)
def lines(l, **want):
    names = {"streaming": "streaming", "inter": "inter-warp", "intra": "intra-warp", "both": "inter+intra"}
    got = {k: l["lines"][v] for k, v in names.items()}
    assert got == {k: want.get(k, 0) for k in names}, (l["kernel"], got)
lines(of("streaming"), streaming=32)
assert of("streaming")["type"] == "streaming" and of("streaming")["access_count"][0] == 32
l = of("intra")
lines(l, intra=32 * 16)
assert l["executions"] == 32 * 16 and l["accesses"] == 32 * 16 * 16 and l["iterations"] == 16 and l["loop"]
assert l["access_count"] == [0, 0, 0, 0, 512, 0, 0, 0] and l["line_accesses"]["intra-warp"] == 16 * 512
# 4 warps of an SM in turn, 16 lines each: a line comes again after the 64 accesses of one round
assert l["reuse_distance_log2"]["intra-warp"][6] == 15 * 512
assert sum(l["reuse_distance_log2"]["intra-warp"]) == 15 * 512
l = of("inter")
lines(l, inter=8)
assert l["access_count"][2] == 8 and l["reuse_distance_log2"]["inter-warp"][0] == 24 and l["replicated"] == 0
l = of("both")
lines(l, both=16) # 8 SMs have a CTA each
assert l["replicated"] == 14 and l["finite_replicated"] == 14 and l["finite_misses"] == 16
assert l["accesses"] == 32 * 6 and l["repeats"] == 32 * 5
assert file["similarity"] == 1.0 and file["repeated_loads"] == 2 and file["loop_loads"] == 2 and file["static_loads"] == 4
assert abs(file["iterations"] - (16 + 6 + 1 + 1) / 4) < 1e-9
# fewer SMs: two CTAs on each
b = next(l for l in four["loads"] if "both" in l["kernel"])
lines(b, both=8)
assert four["sms"] == 4 and b["replicated"] == 6
PY

if command -v gnuplot >/dev/null; then
    expect 0 "$weir" analyze --figures "$dir/pictures" "$dir/known.wt"
    for f in types counts distances iterations; do
        [ -s "$dir/pictures/$f.svg" ] || fail "no $f.svg"
    done
fi

# programs of the suite, by name and side by side
expect 0 "$weir" analyze transpose --size tiny
says out "transpose (tiny)"
expect 0 "$weir" analyze --all --size tiny -j 2 --json "$dir/all.json" transpose reduction
says out "reduction"
[ "$(sed -n 3p "$dir/out" | cut -d' ' -f1)" = transpose ] || fail "programs are not in the order asked for"
expect 0 "$weir" analyze --classes=cart --size tiny -j 2 --results "$dir/db" --json "$dir/classes.json" transpose reduction
says out "CART: "
python3 - "$dir" <<'PY' || fail "the documents are not as docs/analyze.md says"
import json, sys
a = json.load(open(sys.argv[1] + "/all.json"))
assert [p["program"] for p in a["programs"]] == ["transpose", "reduction"] and a["size"] == "tiny"
assert abs(sum(a["programs"][0]["line_share"].values()) - 1) < 1e-9
c = json.load(open(sys.argv[1] + "/classes.json"))
assert c["schema"] == "weir-classes-1" and len(c["programs"]) == 2
t = c["programs"][0]
assert t["classes"]["cart"]["paper"] == "memory" and list(t["classes"]) == ["cart"] and t["l1_speedup"] is None
assert t["classes"]["cart"]["computed"] == ("memory" if t["insts_per_l2_miss"] < 1500 else "compute")
PY

expect 2 "$weir" analyze
says err "no program given"
expect 2 "$weir" analyze no_such_program
says err "the suite has no program 'no_such_program'"
expect 2 "$weir" analyze "$dir/missing.wt"
says err "missing.wt"
expect 2 "$weir" analyze "$dir/missing"
expect 2 "$weir" analyze --size huge bfs
says err "tiny, small or paper"
expect 2 "$weir" analyze --gpu gtx48 "$dir/known.wt"
says err "did you mean 'gtx480'?"
expect 2 "$weir" analyze --with gto "$dir/known.wt"
says err "no timing"
expect 2 "$weir" analyze --all --classes
expect 2 "$weir" analyze --classes=caps bfs
says err "choose from: apcm cart sharedl1"
expect 2 "$weir" analyze --classes --gpu gtx480 bfs
expect 2 "$weir" analyze --all nobody
expect 2 "$weir" analyze -j 0 --all
expect 2 "$weir" analyze --json "$dir/no/folder.json" "$dir/known.wt"
says err "cannot create"
head -c $(($(wc -c <"$dir/known.wt") / 2)) "$dir/known.wt" >"$dir/cut.wt"
expect 2 "$weir" analyze "$dir/cut.wt"
exit 0
