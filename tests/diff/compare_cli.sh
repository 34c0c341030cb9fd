#!/bin/sh
# weir compare and weir export: what they say of two runs whose statistics are known, and CSV that holds every number.
# Usage: compare_cli.sh WEIR RECORDING
weir=$1 wt=$2
. "$(dirname "$0")/cli.sh"
expect 0 "$weir" replay -q --gpu gtx480 --json "$dir/a.json" --sample 2k "$wt"
expect 0 "$weir" replay -q --gpu gtx480 --set l1.size=64KiB --set l1.set_hash=linear --json "$dir/b.json" "$wt"
# Address translation is part of the machine, not of a policy.
expect 0 "$weir" replay -q --gpu gtx480 --set vm.enabled=yes --set vm.page=4KiB --json "$dir/vm.json" "$wt"
expect 0 "$weir" compare "$dir/a.json" "$dir/vm.json"
says out "missed in the shared TLB            -       0.8%"
! grep -q "Statistics of policies" "$dir/out" || fail "translations are listed as a policy's"
expect 0 "$weir" compare "$dir/a.json" "$dir/b.json"
says out "l1.size: "
says out "gather"
python3 - "$dir" <<'PY' || fail "the comparison is not that of the documents"
import json, re, sys
a, b = (json.load(open(f"{sys.argv[1]}/{n}.json")) for n in "ab")
ta, tb = a["total"], b["total"]
text = open(sys.argv[1] + "/out").read()
# Cycles by reason: what is shown and "everything else" are together the difference in cycles.
rows = text.split("Cycle breakdown")[1].split("\n\n")[0].splitlines()[1:]
parts = sum(float(re.search(r"([+-][0-9.]+)%$", r).group(1)) for r in rows)
assert abs(parts - 100 * (tb["cycles"] / ta["cycles"] - 1)) < 0.06 * len(rows), (parts, rows)
for r in rows[:-1]:
    name, value = r.split()[0], float(re.search(r"([+-][0-9.]+)%$", r).group(1))
    key = "sm.issue_cycles" if name == "issue" else "sm.stall." + name
    share = [t[key] / t["sm.scheduler_cycles"] * t["cycles"] for t in (ta, tb)]
    assert abs(value - 100 * (share[1] - share[0]) / ta["cycles"]) < 0.06, (name, value, share)
miss = [100 * t["l1.misses"] / t["l1.accesses"] for t in (ta, tb)]
assert re.search(r"L1 miss rate +%.1f%% +%.1f%% " % tuple(miss), text), (miss, text)
# Loads: the largest change in cycles waited is first.
first = text.split("By load")[1].splitlines()[2]
loads = [(abs(y["lines"] * y["mean_latency"] - x["lines"] * x["mean_latency"]), x) for x, y in zip(a["loads"], b["loads"])]
x = max(loads, key=lambda l: l[0])[1]
assert "%s:%d" % (x["src_file"].rsplit("/", 1)[-1], x["src_line"]) in first and "%.1f%% ->" % (100 * x["l1_hit_rate"]) in first, first
PY
expect 0 "$weir" compare --threshold 1000 "$dir/a.json" "$dir/b.json"
says out "No statistic of the memory hierarchy changed"
expect 0 "$weir" compare "$dir/a.json" "$dir/a.json"
says out "the same."
says out "No load changed"
# A mean over nothing is none, on either side, and has no change.
python3 - "$dir" <<'PY'
import json, sys
d = json.load(open(sys.argv[1] + "/a.json"))
d["total"]["sm.latency.l1"] = 40.0
json.dump(d, open(sys.argv[1] + "/hits.json", "w"))
d["total"]["sm.latency.l1"] = 0.0
json.dump(d, open(sys.argv[1] + "/nohits.json", "w"))
PY
expect 0 "$weir" compare "$dir/hits.json" "$dir/nohits.json"
grep -Eq '^  latency of L1 hits +40 +- +-$' "$dir/out" || fail "no hits, but a latency of them: $(cat "$dir/out")"
expect 0 "$weir" compare "$dir/nohits.json" "$dir/hits.json"
grep -Eq '^  latency of L1 hits +- +40 +-$' "$dir/out" || fail "no hits, but a latency of them: $(cat "$dir/out")"
# Small effects show their largest parts; the headline says what the table says, also of schedulers without a warp.
python3 - "$dir" <<'PY'
import json, sys
d = json.load(open(sys.argv[1] + "/a.json"))
t, slots = d["total"], d["total"]["sm.scheduler_cycles"]
schedulers = slots // t["cycles"]
def write(name, **more):
    e = json.loads(json.dumps(d))
    for key, cycles in more.items():
        e["total"]["sm.stall." + key] += cycles * schedulers
        e["total"]["cycles"] += cycles
        e["total"]["sm.scheduler_cycles"] += cycles * schedulers
    e["total"].update({"mine.guesses": 12.0, "mine.right": 5})
    json.dump(e, open("%s/%s.json" % (sys.argv[1], name), "w"))
one = t["cycles"] // 1000
write("small", memory=one, alu=2 * one)
write("idle", no_warp=200 * one, memory=50 * one)
PY
expect 0 "$weir" compare "$dir/a.json" "$dir/small.json"
says out "The largest part is alu, +0.2% of a's cycles"
grep -Eq '^  alu .*[+]0[.]2%$' "$dir/out" && grep -Eq '^  memory .*[+]0[.]1%$' "$dir/out" || fail "small parts are hidden: $(cat "$dir/out")"
grep -Eq '^  mine[.]guesses +- +12 +-$' "$dir/out" || fail "no statistic of a plug-in: $(cat "$dir/out")"
expect 0 "$weir" compare "$dir/a.json" "$dir/idle.json"
grep -Eq '^The largest part is no_warp, [+](19|20)[.][0-9]% .* it is memory, [+][45][.][0-9]%' "$dir/out" || fail "headline: $(cat "$dir/out")"
headline=$(sed -n 's/^The largest part is no_warp, \([^ ]*\) .*/\1/p' "$dir/out")
grep -Eq "^  no_warp .* [+]${headline#+}$" "$dir/out" || fail "headline and table differ: $(cat "$dir/out")"
# As a page.
expect 0 "$weir" replay -q --gpu gtx480 --profile --json "$dir/pa.json" "$wt"
expect 0 "$weir" replay -q --gpu gtx480 --with gto --profile --json "$dir/pb.json" "$wt"
expect 0 "$weir" compare --html "$dir/both.html" "$dir/pa.json" "$dir/pb.json"
python3 - "$dir" <<'PY' || fail "the page is not of the two runs"
import json, re, sys
a, b = (json.load(open(f"{sys.argv[1]}/{n}.json"))["total"] for n in ("pa", "pb"))
page = open(sys.argv[1] + "/both.html").read()
chart = re.findall(r"<text [^>]*>([^<]*)</text>", page.split('class="chart two"')[1].split("</svg>")[0])
hits = ["%.1f%%" % (100 * t["l2.hits"] / t["l2.accesses"]) for t in (a, b)]
assert hits[0] != hits[1] and any(t == "%s → %s" % tuple(hits) for t in chart), (hits, chart)
for id in "reasons", "kernels", "lines":
    assert 'id="%s"' % id in page, id
PY
# Sets: the suite's document, one program of it, values of figures in folders, stores, single stored results.
python3 - "$dir" <<'PY'
import json, sys
a, b = (json.load(open(f"{sys.argv[1]}/{n}.json")) for n in ("a", "b"))
def suite(name, **programs):
    json.dump({"schema": "weir-suite-1", "size": "tiny", "functional": False,
               "programs": [{"name": n, "ok": True, "total": d["total"]} for n, d in programs.items()]},
              open("%s/%s.json" % (sys.argv[1], name), "w"))
suite("sa", bfs=a, mvt=b, old=a)
suite("sb", bfs=b, mvt=b)
PY
expect 0 "$weir" compare "$dir/sa.json" "$dir/sb.json"
says out "2 in both; 1 only in a, 0 only in b"
python3 - "$dir" <<'PY' || fail "the sets are not compared: $(cat "$dir/out")"
import json, re, sys
a, b = (json.load(open(f"{sys.argv[1]}/{n}.json"))["total"] for n in ("a", "b"))
text = open(sys.argv[1] + "/out").read()
assert "mean): %.3f" % (a["cycles"] / b["cycles"]) ** 0.5 in text, text
assert re.search(r"^  bfs .* %+.1f%%  " % (100 * (b["cycles"] / a["cycles"] - 1)), text, re.M), text
assert not re.search("^  mvt", text, re.M), text
PY
expect 0 "$weir" compare --program bfs "$dir/sa.json" "$dir/sb.json"
says out "The largest part is"
expect 2 "$weir" compare "$dir/sa.json" "$dir/a.json"
says err "is a set of results"
expect 2 "$weir" compare "$dir/a.json" "$dir/none.json"
says err "none.json"
echo '{"schema": "weir-suite-1"}' >"$dir/other.json"
expect 2 "$weir" compare "$dir/a.json" "$dir/other.json"
says err "no program of the suite has statistics"
echo '{"schema": "weir-counts-1"}' >"$dir/other.json"
expect 2 "$weir" compare "$dir/a.json" "$dir/other.json"
says err "its schema is weir-counts-1"
echo '{' >"$dir/broken.json"
expect 2 "$weir" compare "$dir/broken.json" "$dir/a.json"
says err "broken.json:"
expect 2 "$weir" compare "$dir/a.json"

# CSV: every table of a document, and the store.
for table in total kernels loads samples; do
    expect 0 "$weir" export --table $table "$dir/a.json" -o "$dir/$table.csv"
done
printf '[figure]\ntitle = t\nprograms = %s\n[sweep]\nset = l1.size: 16KiB\nwith = lrr\nwith = gto\n' "$(realpath "$wt")" >"$dir/plan.ini"
expect 0 "$weir" sweep "$dir/plan.ini" -o "$dir/report"
expect 0 "$weir" export
cp "$dir/out" "$dir/store.csv"
python3 - "$dir" <<'PY' || fail "the CSV is not what the document has"
import csv, json, sys
a = json.load(open(sys.argv[1] + "/a.json"))
read = lambda n: list(csv.DictReader(open(f"{sys.argv[1]}/{n}.csv", newline="")))
def same(row, value):
    for k, v in value.items():
        if isinstance(v, (int, float)) and not isinstance(v, bool):
            assert abs(float(row[k]) - v) <= 1e-9 * max(1, abs(v)), (k, row[k], v)
        elif isinstance(v, str):
            assert row[k] == v, (k, row[k], v)
total, = read("total")
same(total, a["total"])
for table in ("kernels", "loads", "samples"):
    rows = read(table)
    assert len(rows) == len(a[table])
    for row, value in zip(rows, a[table]):
        same(row, value)
assert [int(read("kernels")[0][f"grid.{i}"]) for i in range(3)] == a["kernels"][0]["grid"]
store = read("store")
assert len(store) == 2 and {r["policies"].split(",")[0] for r in store} == {"lrr", "gto"}
lrr, = (r for r in store if r["policies"].startswith("lrr"))
assert int(lrr["cycles"]) == a["total"]["cycles"] and lrr["settings"] == "l1.size=16KiB"
PY
# Stored results by their keys, and as a set; reports as folders.
expect 0 "$weir" export -c key,policies
set -- $(sed -n 's/^\([0-9a-f]*\)-.*/\1/p' "$dir/out")
expect 0 "$weir" compare "$1" "$2"
says out "l1.size=16KiB on gtx480"
expect 0 "$weir" compare --results "$dir/cache/weir/results.sqlite" "$1" "$2"
expect 2 "$weir" compare "$1" 0000000000
says err "no result with the key 0000000000"
expect 0 "$weir" compare "$dir/cache/weir/results.sqlite" "$dir/cache/weir/results.sqlite"
says out "2 in both; 0 only in a, 0 only in b"
cp -r "$dir/report" "$dir/later"
sed -i 's/,\([0-9.]*\),,1,no$/,1\1,,1,no/' "$dir/later/plan.csv"
expect 0 "$weir" compare "$dir/report" "$dir/later"
says out "2 values rose, 0 fell"
expect 2 "$weir" compare "$dir/report" "$dir/cache/weir/results.sqlite"
says err "no result of the same name"
# What a machine's or a plugin's file held when a result was made is in its key: rows that are else called the same differ.
for size in 16 32; do
    printf 'base = gtx480\n[l1]\nsize = %sKiB\n' $size >"$dir/changing.ini"
    expect 0 "$weir" sweep -o "$dir/report" --results "$dir/changed.sqlite" --gpu "$dir/changing.ini" "$(realpath "$wt")"
done
expect 0 "$weir" export -c program,size,machine,policies,settings "$dir/changed.sqlite"
[ "$(tail -n 2 "$dir/out" | sort -u | wc -l)" = 1 ] || fail "not called the same: $(cat "$dir/out")"
expect 0 "$weir" export -c key "$dir/changed.sqlite"
[ "$(tail -n 2 "$dir/out" | sort -u | wc -l)" = 2 ] || fail "results that keys do not tell apart: $(cat "$dir/out")"
expect 0 "$weir" export --csv -c program,ipc -c cycles "$dir/cache/weir/results.sqlite"
[ "$(head -n 1 "$dir/out")" = program,ipc,cycles ] && [ "$(wc -l <"$dir/out")" = 3 ] || fail "columns: $(cat "$dir/out")"
expect 2 "$weir" export -c icp "$dir/a.json"
says err "did you mean 'ipc'?"
expect 2 "$weir" export --table load "$dir/a.json"
says err "did you mean 'loads'?"
expect 2 "$weir" export --table phases "$dir/a.json"
says err "the document has none"
expect 2 "$weir" export "$dir/none.json"
XDG_CACHE_HOME="$dir/fresh" expect 2 "$weir" export
says err "weir sweep and weir reproduce store their results there"
exit 0
