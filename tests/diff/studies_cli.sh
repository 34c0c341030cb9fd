#!/bin/sh
# Folders of plans and sweeps of one's own, over a small recording: which folders are taken, what reports and errors say.
# Usage: studies_cli.sh WEIR RECORDING CUDA-PROGRAM
weir=$(realpath "$1") wt=$(realpath "$2") app=$(realpath "$3")
plans=$(realpath "$(dirname "$0")/../../plans")
. "$(dirname "$0")/cli.sh"

# A folder is one whether it is named with a slash or not; its name is the report's.
mkdir "$dir/study" "$dir/study/empty"
cp "$wt" "$dir/study/mine.wt"
cat >"$dir/study/fig1.ini" <<'INI'
[figure]
number    = 1
title     = shares of a whole, and above it
programs  = mine
machine   = small.ini
metric    = l1.misses / l1.accesses
axis      = miss rate
draw      = area
published = published.ini
[program mine]
run = mine.wt
[variant lrr]
with = lrr
[variant gto]
with = gto
INI
printf 'base = gtx480\n[machine]\nsms = 1\n' >"$dir/study/small.ini"
cat >"$dir/study/published.ini" <<'INI'
[claim least]
figure    = 1
kind      = at_least
of        = gto
over      = lrr
published = -99%
quote      = no less
[claim mean]
figure    = 1
kind      = mean
of        = gto
published = 30%
quote      = so much
INI
cd "$dir/study" || exit 1
for name in . ./ ../study ../study/ "$dir/study"; do
    expect 0 "$weir" reproduce "$name" -o "$dir/report"
    says out "Figure 1: shares"
    [ "$(head -n 1 "$dir/report/report.md")" = "# study" ] || fail "$name: the title is $(head -n 1 "$dir/report/report.md")"
    [ -s "$dir/report/fig1.svg" ] || fail "$name: no picture"
done
# Columns of the verdicts' lines stand below each other, whatever the characters before them.
python3 - "$dir/out" <<'PY' || fail "verdicts out of line: $(cat "$dir/out")"
import sys
lines = [l for l in open(sys.argv[1], encoding="utf-8") if " published " in l]
assert len(lines) == 2 and len({l.index(" weir ") for l in lines}) == 1 and "≥ -99%" in lines[0], lines
PY
# Verdicts as data, a row per claim; another run's beside them.
field() { awk -F '\t' -v claim="$2" -v k="$3" '$3 == claim { print $k }' "$1"; }
head -n 1 "$dir/report/claims.tsv" | grep -q '^# Simulated by weir .* model ' || fail "claims.tsv does not name the model"
[ "$(field "$dir/report/claims.tsv" least 6)" = "≥ -99%" ] || fail "claims.tsv: $(cat "$dir/report/claims.tsv")"
awk -F '\t' -v OFS='\t' 'NR > 2 { $10 = "not judged (0 of 9 programs)" } 1' "$dir/report/claims.tsv" >"$dir/earlier.tsv"
expect 0 "$weir" report . -o "$dir/report" --before "$dir/earlier.tsv"
says out "before: $(field "$dir/earlier.tsv" mean 9), not judged (0 of 9 programs)"
[ "$(field "$dir/report/claims.tsv" mean 8)" = "not judged (0 of 9 programs)" ] || fail "claims.tsv: $(cat "$dir/report/claims.tsv")"
grep -q '| before | its verdict |' "$dir/report/report.md" || fail "report.md does not have the earlier run"
echo "study 1 mean" >>"$dir/earlier.tsv"
expect 2 "$weir" report . -o "$dir/report" --before "$dir/earlier.tsv"
says err "earlier.tsv:5: not a row of claims.tsv"
cd .. || exit 1
expect 0 "$weir" reproduce study
[ -s weir-study/report.html ] || fail "the report of a folder is not called as it"
expect 0 "$weir" report study/ -o "$dir/report"
expect 2 "$weir" reproduce study/empty -o "$dir/none"
says err "study/empty: there is no plan in this folder; plans in a folder must be named fig*.ini"
expect 2 "$weir" reproduce .
says err "there is no plan in this folder"
expect 2 "$weir" reproduce studdy
says err "papers: apcm"

# --claims: programs, columns and figures that no claim is about are left out, and the claims are judged as before.
mkdir study/more
cp "$wt" study/more/mine.wt
cp "$wt" study/more/other.wt
cp study/small.ini study/more/
sed -e 's/^programs .*/programs = mine other/' -e 's/^metric .*/metric = ipc\nmeans = all mine+other/' -e '/^draw\|^axis/d' study/fig1.ini >study/more/fig1.ini
printf '[program other]\nrun = other.wt\n[variant unnamed]\nset = l1.size=48KiB l1.assoc=12\n' >>study/more/fig1.ini
sed 's/^number .*/number = 2/' study/more/fig1.ini >study/more/fig2.ini
printf '[claim ahead]\nfigure = 1\nkind = above\nof = lrr\nover = gto\nprograms = mine\nquote = first\n' >study/more/published.ini
expect 0 "$weir" reproduce study/more -o "$dir/whole" --results "$dir/whole.sqlite"
says out "Figure 2"
expect 0 "$weir" reproduce study/more --claims -o "$dir/part" --results "$dir/part.sqlite"
says err "weir: 2 simulations"
grep -q 'Figure 2\|unnamed\|other' "$dir/out" && fail "--claims keeps what no claim is about: $(cat "$dir/out")"
tail -n +2 "$dir/whole/claims.tsv" >"$dir/whole.tsv"
tail -n +2 "$dir/part/claims.tsv" | cmp -s - "$dir/whole.tsv" || fail "--claims judges otherwise: $(cat "$dir/part/claims.tsv" "$dir/whole.tsv")"
sed -i 's/^published .*//' study/more/fig1.ini study/more/fig2.ini
expect 0 "$weir" reproduce study/more --claims -o "$dir/none"
says err "weir: no published value is about more: nothing to do"

# Parameters of a policy are varied where it is chosen; what has not chosen it comes once, without them.
expect 0 "$weir" sweep --with baseline --with swl --set swl.limit=2,4 --normalize=baseline -o "$dir/report" "$wt"
says err "3 simulations"
grep -Eq '^ +baseline +swl limit=2 +swl limit=4$' "$dir/out" || fail "the combinations are $(cat "$dir/out")"
grep -Eq 'gather-4096.wt\*? +1.000 +[0-9.]+ +[0-9.]+$' "$dir/out" || fail "not divided by the baseline: $(cat "$dir/out")"
cat >"$dir/sweep.ini" <<INI
[figure]
title    = chosen by a setting, on a machine beside the plan
programs = $wt
[sweep]
machine = study/small.ini
set     = sm.scheduler: lrr swl
set     = swl.limit: 2 4
set     = l1.size: 16KiB 32KiB
INI
expect 0 "$weir" sweep "$dir/sweep.ini" --results "$dir/sweep.sqlite" -o "$dir/report"
says err "6 simulations"
says out "scheduler=swl limit=4 size=32KiB"
grep -q 'scheduler=lrr limit' "$dir/out" && fail "a parameter of a policy that is not chosen: $(cat "$dir/out")"
# A parameter that no combination has is refused.
expect 2 "$weir" sweep --with baseline --with gto --set swl.limit=2,4 -o "$dir/report" "$wt"
says err "swl.limit=2: parameter of the scheduler policy swl, which is not selected"
expect 2 "$weir" sweep --with baseline --with swl --set swl.limt=2,4 -o "$dir/report" "$wt"
says err "did you mean 'swl.limit'?"

# A machine that cannot be built is reported with its combination, and with the plan of a folder.
expect 2 "$weir" sweep --gpu gtx480,gtx480-gpgpusim --set l1.size=16KiB,4KiB -o "$dir/report" "$wt"
says err "gtx480-gpgpusim.ini:"
says err "combination 'gtx480-gpgpusim l1.size=4KiB'"
sed 's/^\[variant gto\]/&\nset = l1.size=4KiB\nmachine = gtx480-gpgpusim/' study/fig1.ini >study/fig2.ini
expect 2 "$weir" reproduce study -o "$dir/report"
says err "gtx480-gpgpusim.ini:"
says err "variant 'gto' of study/fig2.ini"
rm study/fig2.ini

# A copy of a program in another folder does the same, and is not simulated again.
cp "$app" study/app
expect 0 "$weir" sweep -o "$dir/report" "$app" exit 0
says err "1 simulations"
expect 0 "$weir" sweep -o "$dir/report" ./study/app exit 0
says err "0 simulations"

# Statistics of [explain] are looked up before anything runs.
printf '[explain]\nmisses = l1.mises\n' >>study/published.ini
expect 2 "$weir" reproduce study -o "$dir/report"
says err "study/published.ini:15: misses = l1.mises: there is no statistic 'l1.mises'; did you mean 'l1.misses'?"
# Those that ship with weir are all known.
for file in "$plans"/*/published.ini "$plans"/*/explain.ini; do
    sed "s|^published.*|published = $file|; s|^number.*||" study/fig1.ini >study/shipped.ini
    expect 0 "$weir" report study/shipped.ini -o "$dir/report"
done
exit 0

# Verdicts are kept by size; a study at another size says which differ.
mkdir "$dir/sizes"
cat >"$dir/sizes/fig1.ini" <<'INI'
[figure]
title     = one program of the suite
programs  = histogram
metric    = ipc
published = published.ini
number    = 1
[variant lrr]
with = lrr
[variant gto]
with = gto
INI
cat >"$dir/sizes/published.ini" <<'INI'
[claim least]
figure    = 1
kind      = at_least
of        = gto
over      = lrr
published = -99%
quote     = no less
INI
cd "$dir/sizes" || exit 1
expect 0 "$weir" reproduce . --size tiny -o "$dir/sizes/out"
! grep -q "verdicts differ" "$dir/err" || fail "verdicts differ from nothing: $(cat "$dir/err")"
kept=$(ls "$XDG_CACHE_HOME"/weir/verdicts/*-tiny.tsv) || fail "no verdicts are kept"
mine=$(cut -f 10 "$kept" | head -n 1)
sed "s/\t$mine\t/\tdoes not hold\t/" "$kept" >"${kept%-tiny.tsv}-small.tsv"
expect 0 "$weir" reproduce . --size tiny -o "$dir/sizes/out"
case $mine in
holds) says err "weir: 1 of 1 verdicts differ from those at size small: least: does not hold there, holds here" ;;
*) fail "the claim's verdict is '$mine', and the test wants one that holds" ;;
esac

# A text's values keep their blanks, on the command line and in a plan.
expect 0 "$weir" sweep --gpu h200 --metric cycles --set 'l1.carveouts=8 228,8 16 228' -o "$dir/texts" "$wt"
says out "carveouts=8 16 228"
says err "2 simulations"
printf '[figure]\ntitle = texts\nmachine = h200\nprograms = mine.wt\nmetric = cycles\n[sweep]\nset = l1.carveouts: 8 228, "8 16 228"\n' >"$dir/study/texts.ini"
expect 0 "$weir" sweep "$dir/study/texts.ini" --trust -o "$dir/texts"
says out "carveouts=8 16 228"
says err "2 reused"
printf '[figure]\ntitle = texts\nmachine = h200\nprograms = mine.wt\nmetric = cycles\n[variant a]\nset = l1.carveouts="8 16 228" l1.mshrs=64\n' >"$dir/study/quoted.ini"
expect 0 "$weir" sweep "$dir/study/quoted.ini" --trust -o "$dir/texts"
says err "1 simulations"
