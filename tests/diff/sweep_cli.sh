#!/bin/sh
# weir sweep and weir reproduce from the outside: two programs at size tiny. The number of workers and a restart change
# nothing, nothing is simulated twice, published values get a verdict, pictures are drawn, bad plans are refused.
# Usage: sweep_cli.sh WEIR CUDA-PROGRAM
weir=$(realpath "$1") app=$(realpath "$2")
. "$(dirname "$0")/cli.sh"

cat >"$dir/plan.ini" <<'INI'
[figure]
number    = 7
title     = schedulers
programs  = kmeans mm_mars
normalize = lrr
means     = all
published = published.ini
[variant lrr]
with = lrr
[variant gto]
label = greedy
with = gto
[variant best]
best = sm.scheduler: lrr gto two_level
best = l1.size: 16KiB 32KiB
INI
cat >"$dir/published.ini" <<'INI'
[explain]
L1 misses % = l1.misses / l1.accesses
[claim any]
figure    = 7
kind      = at_least
of        = best
over      = lrr
published = 0%
quote      = the best is never worse
[claim much]
figure    = 7
kind      = gain
of        = gto
over      = lrr
published = 5000%
quote      = fifty times as fast
INI

# A machine that programs of size tiny can fill; on fifteen SMs most are left without a CTA, which is reported and not judged.
cp "$dir/plan.ini" "$dir/idle.ini"
printf 'base = gtx480\n[machine]\nsms = 1\n' >"$dir/small-machine.ini"
sed -i "s|^programs .*|&\nmachine   = $dir/small-machine.ini|" "$dir/plan.ini"
expect 0 "$weir" sweep "$dir/idle.ini" --size tiny -j 2 --results "$dir/idle.sqlite" -o "$dir/idle"
says err "at size tiny most SMs have no CTA: mm_mars; marked"
says out 'mm_mars* '
says out "excluded from means and verdicts"
grep -q '>mm_mars\*<' "$dir/idle/fig7.svg" || fail "no mark in the picture"
grep -q '^  \* most SMs had no CTA' "$dir/idle/fig7.txt" || fail "fig7.txt does not say what its mark means"
awk '$1 == "kmeans" { k = $2 $3 $4 } $1 == "mean" { exit $3 $4 $5 != k }' "$dir/out" || fail "an idle program is in the mean"
sed 's/kmeans mm_mars/mm_mars/' "$dir/idle.ini" >"$dir/alone.ini"
expect 0 "$weir" sweep "$dir/alone.ini" --size tiny --results "$dir/idle.sqlite" -o "$dir/idle"
grep -q '| 7 | the best is never worse | ≥ 0% | - |' "$dir/idle/report.md" || fail "an idle program is judged"

# Two workers, then one with an empty store: the same report, byte for byte.
expect 0 "$weir" sweep "$dir/plan.ini" --size tiny -j 2 -o "$dir/two"
says err "8 simulations"
says out "greedy"
says out "the best is never worse"
says out "L1 misses"
cp "$dir/out" "$dir/out2"
expect 0 "$weir" sweep "$dir/plan.ini" --size tiny -j 1 --results "$dir/other.sqlite" -o "$dir/one"
cmp "$dir/out" "$dir/out2" || fail "one worker and two give different tables"
cmp "$dir/one/report.md" "$dir/two/report.md" || fail "one worker and two give different reports"
for f in report.md fig7.txt fig7.csv fig7.gp fig7.svg; do
    [ -s "$dir/two/$f" ] || fail "there is no $f"
done
head -n 1 "$dir/two/fig7.csv" | grep -q '^figure,row,class,mean,variant,over,machine,"sm.scheduler",' || fail "no tidy data"
# With --profiles the page leads to a profile of each simulation, stored or not.
expect 0 "$weir" sweep "$dir/plan.ini" --size tiny --profiles -o "$dir/profiles"
page=$(grep -o 'href="profiles/[^"]*"' "$dir/profiles/report.html" | head -n 1 | cut -d'"' -f2)
[ -n "$page" ] && grep -q '</html>' "$dir/profiles/$page" || fail "the report does not lead to a profile: '$page'"
grep -q 'weir profile --gpu .*small-machine.ini .*--size tiny' "$dir/profiles/report.html" || fail "no command behind the values"
grep -q '</svg>' "$dir/two/fig7.svg" || fail "the picture is not whole"
# Without any value there is nothing that gnuplot could draw, which the message says.
expect 0 "$weir" report "$dir/plan.ini" --size tiny --results "$dir/none.sqlite" -o "$dir/none"
says out "No figure: no values"
says out "Missing: kmeans, lrr: not simulated yet"
[ ! -e "$dir/none/fig7.svg" ] && [ -s "$dir/none/report.html" ] || fail "a picture of nothing, or no page"
grep -q 'fig7.svg' "$dir/none/report.md" && fail "a report refers to a picture that is not there"
grep -q '| 7 | the best is never worse | ≥ 0% | .* | holds |' "$dir/two/report.md" || fail "no verdict in the report"
grep -q '| 7 | fifty times as fast | +5000% | .* |' "$dir/two/report.md" || fail "no published value in the report"

# Again: nothing is simulated. One result taken away: only that one is.
expect 0 "$weir" sweep "$dir/plan.ini" --size tiny -o "$dir/two"
says err "0 simulations"
cmp "$dir/out" "$dir/out2" || fail "results from the store differ"
python3 - "$dir/cache/weir/results.sqlite" <<'PY' || fail "the store is not as store.h says"
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
rows = db.execute("SELECT key, program, document FROM result ORDER BY key").fetchall()
assert len(rows) == 8 and {r[1] for r in rows} == {"kmeans", "mm_mars"}, rows
for key, program, document in rows:
    d = json.loads(document)
    assert d["total"]["cycles"] > 0 and d["loads"]
db.execute("DELETE FROM result WHERE key = ?", (rows[3][0],))
db.commit()
PY
expect 0 "$weir" report "$dir/plan.ini" --size tiny -o "$dir/two"
says err "0 simulations"
expect 0 "$weir" sweep "$dir/plan.ini" --size tiny -o "$dir/two"
says err "1 simulations"
cmp "$dir/out" "$dir/out2" || fail "a repeated point differs"

# A program that lacks a value is in the mean of no column: means that stand side by side are over the same programs.
cp "$dir/cache/weir/results.sqlite" "$dir/partial.sqlite"
python3 - "$dir/partial.sqlite" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("DELETE FROM result WHERE program = 'kmeans' AND policies LIKE '%gto%'")
db.commit()
PY
sed '/^normalize/d' "$dir/plan.ini" >"$dir/partial.ini"
expect 0 "$weir" report "$dir/partial.ini" --size tiny --results "$dir/partial.sqlite" -o "$dir/partial"
says out "kmeans† "
awk '$1 == "mm_mars" { k = $2 } $1 == "mean" { exit $3 != k }' "$dir/out" || fail "means over different programs: $(cat "$dir/out")"
cp "$dir/out" "$dir/partial/screen"
for f in screen fig7.txt report.md report.html; do
    grep -q '† a value is missing: excluded' "$dir/partial/$f" || fail "$f does not say which programs the means leave out"
done

# Other flags make other programs, kept apart: k-means without unrolled loops executes more instructions.
insts() { "$weir" trace info "$1" | sed -n 's/.* \([0-9]*\) warp instructions.*/\1/p'; }
first=$(ls "$dir"/cache/weir/recordings/kmeans-*.wt)
expect 0 "$weir" sweep "$dir/plan.ini" --size tiny --cflags=-fno-unroll-loops -o "$dir/flags"
plain=$(insts "$first")
rolled=$(insts "$(ls "$dir"/cache/weir/recordings/kmeans-*.wt | grep -vF "$first")")
[ "$plain" -gt 0 ] && [ "$rolled" -gt "$plain" ] || fail "$plain warp instructions with unrolled loops, $rolled without"
# A paper's own flags, unless others are given: k-means' loop over the features is of unknown length.
sed 's/^\[figure\]/[paper]\nname = apcm\ncflags = -funroll-known-loops\n[figure]/; s/^programs .*/programs = KMN/' "$dir/plan.ini" >"$dir/paper.ini"
n=$(ls "$dir"/cache/weir/recordings/kmeans-*.wt | wc -l)
expect 0 "$weir" sweep --trust "$dir/paper.ini" --size tiny --cflags= -o "$dir/none"
[ "$(ls "$dir"/cache/weir/recordings/kmeans-*.wt | wc -l)" = "$n" ] || fail "--cflags= does not undo the plan's flags"
expect 0 "$weir" sweep --trust "$dir/paper.ini" --size tiny -o "$dir/known"
known=$(insts "$(ls -t "$dir"/cache/weir/recordings/kmeans-*.wt | head -1)")
[ "$known" -gt "$plain" ] || fail "$known warp instructions with loops of known length unrolled, $plain with all"

# A simulation that fails is reported; the others keep their results.
sed 's/^with = gto/with = gto\nset = dram.latency=1000 clock.core=2800MHz machine.deadlock_cycles=1000/' "$dir/plan.ini" >"$dir/stuck.ini"
expect 1 "$weir" sweep "$dir/stuck.ini" --size tiny -o "$dir/stuck"
says out "Missing: kmeans, greedy: deadlock"
says out "mean, n = "

# Ctrl-C, whenever it comes, leaves a store that can be gone on with.
rm -f "$dir/third.sqlite"
"$weir" sweep "$dir/plan.ini" --size tiny -j 1 --results "$dir/third.sqlite" -o "$dir/third" >"$dir/out" 2>"$dir/err" &
pid=$!
sleep 0.3
kill -INT $pid
wait $pid
expect 0 "$weir" sweep "$dir/plan.ini" --size tiny -j 2 --results "$dir/third.sqlite" -o "$dir/third"
cmp "$dir/out" "$dir/out2" || fail "an interrupted sweep ends differently"

# A search that goes on between the listed values: the best of all it has tried, neighbors included.
cat >"$dir/fine.ini" <<INI
[figure]
title    = limits
programs = mm_mars
machine  = small-machine.ini
[variant swl]
with   = swl
best   = swl.limit: 1 6 24
refine = yes
INI
expect 0 "$weir" sweep "$dir/fine.ini" --size tiny --results "$dir/fine.sqlite" -o "$dir/fine"
found=$(sed -n 's/.*Best found, swl: mm_mars swl.limit=\([0-9]*\).*/\1/p' "$dir/out")
python3 - "$dir/fine.sqlite" "$found" <<'PY' || fail "swl.limit=$found is not the best of those tried"
import json, sqlite3, sys
tried = {int(s.split("=")[1]): json.loads(d)["total"]["ipc"]
         for s, d in sqlite3.connect(sys.argv[1]).execute("SELECT settings, document FROM result")}
best = int(sys.argv[2])
assert tried[best] == max(tried.values()) and {1, 6, 24} < set(tried), tried
assert all(x in tried for x in (best - 1, best + 1) if 1 <= x <= 24), (best, tried)
PY

# A search that starts from what another found: its own best first, then rungs from there, and no listed value.
[ "$(cat "$dir/fine/found.ini")" = "[fine/swl]
best = swl.limit=$found for mm_mars" ] || fail "found.ini: $(cat "$dir/fine/found.ini")"
printf '[fine/swl]\nbest = swl.limit=12 for mm_mars\n' >"$dir/from.ini"
expect 0 "$weir" sweep "$dir/fine.ini" --size tiny --results "$dir/near.sqlite" -o "$dir/near" \
    --search-from "$dir/from.ini"
says out "Searches started from $dir/from.ini"
python3 - "$dir/near.sqlite" "$dir/near/found.ini" <<'PY' || fail "not a climb from 12"
import re, sqlite3, sys
tried = {int(s.split("=")[1]) for s, in sqlite3.connect(sys.argv[1]).execute("SELECT settings FROM result")}
best = int(re.search(r"limit=(\d+) for mm_mars", open(sys.argv[2]).read()).group(1))
assert {11, 12, 13} <= tried and best in tried, (best, tried)
assert all(x in tried for x in (best - 1, best + 1) if 1 <= x <= 15), (best, tried)
assert 6 not in tried or best <= 7, (best, tried)
PY
start() { # start LINE TEXT CONTENT: a file to start from that is refused
    printf "$3" >"$dir/from.ini"
    expect 2 "$weir" sweep "$dir/fine.ini" --size tiny -o "$dir/near" --search-from "$dir/from.ini"
    says err "from.ini$1"
    says err "$2"
}
start :2: "from 1 to 24" '[fine/swl]\nbest = swl.limit=25 for mm_mars\n'
start :2: "from 1 to 24" '[fine/swl]\nbest = swl.limit=2x for mm_mars\n'
start :2: "swl searches swl.limit here" '[fine/swl]\nbest = pd.distance=2 for mm_mars\n'
start :2: "2 values, where swl searches 1" '[fine/swl]\nbest = swl.limit=2 swl.limit=3 for mm_mars\n'
start :2: "for PROGRAM" '[fine/swl]\nbest = swl.limit=2\n'
start :2: "fig15/pcal" '[swl]\nbest = swl.limit=2 for mm_mars\n'
start : "it has no search results for" '[fine/gto]\nbest = swl.limit=2 for mm_mars\n'
start : "it has no search results for" ''
expect 2 "$weir" sweep "$dir/fine.ini" --size tiny -o "$dir/near" --search-from "$dir/nothing.ini"
says err "nothing.ini: cannot read"

# Faults: with their place.
refuse() { # refuse LINE TEXT SED-SCRIPT: the plan changed so is refused at that line
    sed "$3" "$dir/idle.ini" >"$dir/bad.ini"
    expect 2 "$weir" sweep --trust "$dir/bad.ini" --size tiny -o "$dir/bad"
    says err "bad.ini:$1:"
    says err "$2"
}
refuse 4 "did you mean 'kmeans'?" 's/kmeans/kmaens/'
refuse 5 "there is no variant 'lr'" 's/normalize = lrr/normalize = lr/'
refuse 9 "no section [variants lrr]" 's/^.variant lrr/[variants lrr/'
refuse 14 "did you mean 'sm.schedulers'?" 's/sm.scheduler:/sm.schedulerr:/'
refuse 12 "did you mean 'gto'?" 's/^with = gto/with = gtoo/'
expect 2 "$weir" sweep "$dir/nothing.ini"
sed -i 's/^of        = best/of = nobody/' "$dir/published.ini"
expect 2 "$weir" sweep "$dir/plan.ini" --size tiny -o "$dir/two"
says err "published.ini:4: claim any: figure 7 has no column 'nobody'"
refuse 4 "did you mean 'ipc'?" 's/^programs/metric = icp\nprograms/'
refuse 5 "did you mean 'l1.misses'?" 's/^normalize/metric = cycles \/ l1.misse\nnormalize/'
refuse 5 "there is no name at the end" 's/^normalize/metric = cycles \/\nnormalize/'
refuse 5 "did you mean 'cycles'?" 's/^normalize/maximize = cycle\nnormalize/'
# Whatever is wrong is said before a program is recorded.
XDG_CACHE_HOME="$dir/fresh" expect 2 "$weir" sweep --trust "$dir/bad.ini" --size tiny -o "$dir/bad"
[ -z "$(find "$dir/fresh" -name "*.wt" 2>/dev/null)" ] || fail "recorded before the names were checked"
expect 2 "$weir" reproduce nothing
says err "papers: apcm"
expect 2 "$weir" reproduce apmc
says err "did you mean 'apcm'?"
expect 2 "$weir" reproduce all --figure 3
says err "one paper"
printf '[figure]\nnumber = 23\ntitle = t\nnot_reproduced = the moon is not modeled\n' >"$dir/refused.ini"
expect 2 "$weir" reproduce "$dir/refused.ini" --figure 23
says err "figure 23 cannot be reproduced: the moon is not modeled"
expect 2 "$weir" reproduce apcm --figure 99
says err "there are: 1, 3,"
expect 2 "$weir" reproduce apcm --size huge

# From the command line: machines, policies and parameters, over a program of one's own with arguments, a recording and
# a program of the suite; every combination, and each value as replay gives it.
"$weir" record -q -o "$dir/app.wt" "$app" >/dev/null || fail "no recording"
sweep="--results $dir/own.sqlite --gpu gtx480,gtx780 --with baseline --with gto --set l1.size=16KiB..32KiB*2 --metric ipc --metric l1.misses"
expect 0 "$weir" sweep --size tiny -o "$dir/own" $sweep "$app" exit 0 -- "$dir/app.wt" mm_mars
says err "16 simulations in" # the recording is of what the program does with these arguments, too
says out "gtx480 baseline size=16KiB"
says out "gtx780 gto size=32KiB"
[ -s "$dir/own/sweep-ipc.svg" ] && [ -s "$dir/own/sweep-l1_misses.svg" ] || fail "a figure for each metric"
"$weir" replay -q --gpu gtx780 --with gto --set l1.size=32KiB --json "$dir/one.json" "$dir/app.wt"
python3 - "$dir" "$app" <<'PY' || fail "the sweep's values are not those of replay, or of the wrong program"
import json, re, sys
want = json.load(open(sys.argv[1] + "/one.json"))["total"]
table = open(sys.argv[1] + "/own/report.md").read().split("## ")
for section, value in (("ipc", want["ipc"]), ("l1.misses", want["l1.misses"])):
    lines = [l for t in table if t.startswith(section + "\n") for l in t.splitlines() if l.startswith("|")]
    columns = [c.strip() for c in lines[0].split("|")]
    rows = {c[1].strip(" *"): c for c in (l.split("|") for l in lines[2:])}
    name = sys.argv[2].rsplit("/", 1)[1] + " exit 0"
    assert {r for r in rows if " mean" not in r} == {name, sys.argv[1] + "/app.wt", "mm_mars"}, rows.keys()
    got = rows[sys.argv[1] + "/app.wt"][columns.index("gtx780 gto size=32KiB")]
    assert abs(float(got) - value) <= 0.0006 * max(1, value), (section, got, value)
PY
# A program of one's own is recorded each time; one that does the same again is not simulated again, wherever weir is.
(cd / && expect 0 "$weir" sweep --size tiny -o "$dir/own" $sweep "$app" exit 0 -- "$dir/app.wt" mm_mars && says err "0 simulations") || exit 1
# So it is if it was recorded for another machine and did the same there.
expect 0 "$weir" sweep -o "$dir/own" --results "$dir/own2.sqlite" --gpu gtx780 "$app" exit 0
grep -q '^Simulated by weir .*(commit .*, model .*) on the machine' "$dir/own/report.md" || fail "a size without programs of the suite: $(head -n 3 "$dir/own/report.md")"
expect 0 "$weir" sweep -o "$dir/own" --results "$dir/own2.sqlite" --gpu gtx480,gtx780 "$app" exit 0
says err "1 simulations in"
says err "1 reused"
# Too few CTAs: a size is no advice for a program of one's own.
expect 0 "$weir" sweep -o "$dir/own" --results "$dir/own2.sqlite" --set machine.sms=120 --metric energy.total_j "$app" exit 0
says err "exit 0; marked with *, excluded from means and verdicts: use a larger input or a machine with fewer SMs"
grep -q -e "--size" "$dir/err" && fail "a size is advised for a program of one's own"
# Joules are small numbers, and are shown with their digits.
grep -Eq 'exit 0\* +0\.0+[1-9][0-9]{3}$' "$dir/out" || fail "an energy without digits: $(cat "$dir/out")"
# Values are divided by a combination as the table calls it.
expect 0 "$weir" sweep -o "$dir/own" --results "$dir/own2.sqlite" --normalize=machine "$app" exit 0
says out "1.000"
expect 0 "$weir" sweep -o "$dir/own" --results "$dir/own2.sqlite" --set l1.size=16KiB,32KiB --normalize=size=32KiB "$app" exit 0
grep -Eq 'exit 0 .* 1\.000$' "$dir/out" || fail "not divided by the second: $(cat "$dir/out")"
expect 2 "$weir" sweep -o "$dir/own" --normalize=size=64KiB --set l1.size=16KiB,32KiB "$app" exit 0
says err "l1.size=32KiB"
# The same as a plan, with files beside it; a copy of the program is the same program.
cp "$app" "$dir/mine"
cat >"$dir/own.ini" <<'INI'
[figure]
title     = own
programs  = short ./app.wt mm_mars
normalize = first
[program short]
run   = ./mine exit '0'
[sweep]
machine = gtx480, gtx780
with = baseline
with = gto
set = l1.size: 16KiB..32KiB*2
INI
expect 0 "$weir" sweep --trust "$dir/own.ini" --size tiny --results "$dir/own.sqlite" -o "$dir/own"
says err "0 simulations"
says err "16 reused"
says out "short"
refuse_own() { # refuse_own LINE TEXT SED-SCRIPT
    sed "$3" "$dir/own.ini" >"$dir/bad.ini"
    expect 2 "$weir" sweep --trust "$dir/bad.ini" --size tiny -o "$dir/bad"
    says err "bad.ini:$1:"
    says err "$2"
}
refuse_own 3 "app2.wt: No such file" 's/app.wt/app2.wt/'
refuse_own 6 "unterminated quote" "s/'0'/'0/"
refuse_own 6 "neither an executable nor a recording" 's/.\/mine.*/.\/own.ini/'
refuse_own 6 "which takes no arguments" 's/.\/mine/app.wt/'
refuse_own 6 "the suite has a program of this name" 's/program short/program bfs/'
refuse_own 6 "needs a run key" 's/^run.*/label = x/'
refuse_own 11 "its bounds have different units" 's/16KiB../16.../'
refuse_own 11 "it is not finite" 's/16KiB../64KiB../'
refuse_own 11 "write it as 8..64*2" 's/KiB\*2/KiB/'
refuse_own 11 "there is no key 'l1.sise'; did you mean 'l1.size'" 's/l1.size/l1.sise/'
refuse_own 10 "did you mean 'gto'?" 's/= gto/= gtoo/'
refuse_own 8 "did you mean 'gtx780'?" 's/, gtx780/, gtx78/'
refuse_own 8 "there is no key 'machines' in [sweep]; did you mean 'machine'" 's/^machine/machines/'
refuse_own 8 "variants or a [sweep], not both" '$a [variant x]\nwith = lrr'
expect 2 "$weir" sweep --gpu gtx480 "$dir/own.ini"
says err "--gpu cannot be used with a plan"
expect 2 "$weir" sweep --set l1.size bfs
says err "KEY=VALUE"
expect 2 "$weir" sweep "$dir/nothing" bfs
says err "No such file"
expect 2 "$weir" sweep --metric icp bfs
says err "did you mean 'ipc'?"
expect 2 "$weir" sweep --metric 'l1.misses l1.accesses' bfs
says err "two names without an operator"
expect 2 "$weir" sweep --metric '' bfs
says err "--metric '': it is empty"
expect 2 "$weir" sweep --with apcm --metric apcm.psb.duration bfs
says err "'apcm.psb.duration' is a histogram, not a number; name one of its buckets, such as apcm.psb.duration.le_"
expect 2 "$weir" sweep bsf
says err "did you mean 'bfs'?"
# Where the output is no terminal, a line now and then.
expect 0 "$weir" sweep --progress 0.001 --size tiny -j 1 -o "$dir/own" --set l1.size=16KiB,32KiB --set l1.mshrs=8,16 kmeans
grep -Eq '^weir: [0-9]+ of 4 simulations, [0-9.]+ M warp instructions/s, [0-9]+%, [0-9]+:[0-9][0-9] left$' "$dir/err" ||
    fail "no progress: $(cat "$dir/err")"
expect 0 "$weir" sweep --progress 0 --size tiny -j 1 -o "$dir/own" --set l1.size=16KiB --set l1.mshrs=4 kmeans
[ "$(grep -vc warning "$dir/err")" = 1 ] || fail "progress that nobody asked for: $(cat "$dir/err")"

# Every combination of mechanisms, from a plan.
cat >"$dir/all.ini" <<'INI'
[figure]
title     = together
kind      = interactions
programs  = kmeans mm_mars
normalize = none
parts     = apcm two
published = why.ini
[variant none]
set = machine.sms=2
[variant apcm]
with = apcm
set = machine.sms=2
[variant two]
with = two_level
set = machine.sms=2
INI
printf '[explain]\nL1 misses %% = l1.misses / l1.accesses\n' >"$dir/why.ini"
expect 0 "$weir" sweep "$dir/all.ini" --size tiny -o "$dir/all"
says err "8 simulations"
says out "apcm+two"
says out "apcm + two"
says out "apcm + two "
says out "The best combination over all 2 programs is"
grep -q '<p>The best combination over all 2 programs is' "$dir/all/report.html" || fail "a sentence as a line of a table, which leaves the page"
sed 's/machine.sms=2/machine.sms=60/' "$dir/all.ini" >"$dir/idle.ini"
expect 0 "$weir" sweep "$dir/idle.ini" --size tiny -o "$dir/all"
says out "combinations are not reported"
sed 's/^with = two_level/with = pcal/' "$dir/all.ini" >"$dir/bad.ini"
expect 2 "$weir" sweep --trust "$dir/bad.ini" --size tiny -o "$dir/bad"
says err "are both of kind l1-management"

# Names with blanks and commas: of a recording, of a machine, and of a machine in a plan, in quotes.
mkdir "$dir/a b"
cp "$dir/app.wt" "$dir/a b/c, d.wt"
printf 'base = gtx480\n' >"$dir/a b/e, f.ini"
expect 0 "$weir" sweep -o "$dir/blanks" --gpu "$dir/a b/e, f.ini" --gpu mesh28 "$dir/a b/c, d.wt"
says err "2 simulations"
printf '[figure]\ntitle = blanks\nprograms = "a b/c, d.wt"\n[sweep]\nmachine = "a b/e, f.ini" mesh28\n' >"$dir/blanks.ini"
expect 0 "$weir" sweep -o "$dir/blanks" "$dir/blanks.ini"
says err "2 reused"
# A report of another size says which sizes there are.
expect 2 "$weir" report "$dir/plan.ini" --size small -o "$dir/none"
says err "programs have results at size tiny: --size tiny"
exit 0
