#!/bin/sh
# Reports of sweeps as pages: every form of picture is drawn, published values stand in it, values that are shares are in
# per cent, and no word of a plan or of published values becomes markup or a command of gnuplot.
# Usage: report.sh WEIR TREE
weir=$(realpath "$1")
tree=$2
. "$tree/tests/diff/cli.sh"
cd "$dir" || exit 1
command -v gnuplot >/dev/null || { echo "there is no gnuplot"; exit 77; }

evil="\"'><img src=x onerror=\"window.evil=1\"><script>window.evil=2</script></style></title><!-- \`touch gnuplot-ran\`"
plan() { # plan NAME LINES...: a plan of two programs under two schedulers
    name=$1
    shift
    {
        printf '[figure]\ntitle = %s\nmachine = gtx480\nprograms = reduction transpose\n' "$name $evil"
        printf '%s\n' "$@"
        printf '[variant lrr]\nlabel = LRR\nwith = lrr\n[variant gto]\nlabel = GTO %s\nwith = gto\n' "$evil"
    } >"$name.ini"
}
plan bars 'number = 7' 'metric = ipc' 'normalize = lrr' 'means = all' "note = $evil" 'published = published.ini'
plan shares 'metric = l1.miss_rate' 'draw = heat'
plan ratios 'metric = ipc' 'normalize = lrr' 'draw = heat'
plan curve 'metric = ipc' 'normalize = lrr' 'draw = sorted' 'means = all'
plan lines 'metric = ipc' 'draw = lines'
printf '[claim a]\nfigure = 7\nkind = gain\nof = gto\nover = lrr\nprograms = all\npublished = 20%%\nquote = gains %s\n' "$evil" >published.ini
{
    printf '[figure]\ntitle = sizes %s\nmachine = gtx480\nmetric = ipc\nprograms = reduction transpose\ndraw = curves\n' "$evil"
    printf '[sweep]\nset = l1.size: 16KiB 32KiB 64KiB\nwith = lrr\nwith = gto\n'
} >sizes.ini
for name in bars shares ratios curve lines sizes; do
    expect 0 "$weir" sweep "$name.ini" --size tiny -j 2 -o "$name"
    [ -s "$name/report.html" ] || fail "$name has no page"
    mv "$name/report.html" "$name.html"
    grep -q '<img src=x\|<script>window\|</style></title>' "$name.html" && fail "$name: a word of the plan became markup"
done
# Curves: a row for each size, a line for each scheduler, the mean of both programs.
python3 - sizes <<'PY' || fail "the curves are not those of the sweep: $(cat sizes/*.gp)"
import csv, glob, re, sys
script = open(glob.glob(sys.argv[1] + "/*.gp")[0]).read()
rows = [line.split() for line in re.search(r"\$data << EOD\n(.*?)EOD", script, re.S).group(1).splitlines()]
assert "set logscale x 2" in script and "l1.size, KiB; arithmetic mean of 2 programs" in script
assert [r[0] for r in rows[1:]] == ["16", "32", "64"] and "lrr" in rows[0][1] and "gto" in rows[0][2], rows
values = [r for r in csv.DictReader(open(glob.glob(sys.argv[1] + "/*.csv")[0])) if not r["mean"]]
for size, lrr, gto in rows[1:]:
    for name, shown in ("lrr", lrr), ("gto", gto):
        mine = [float(r["value"]) for r in values if size + "KiB" in r["variant"] and name in r["variant"]]
        assert len(mine) == 2 and abs(float(shown) - sum(mine) / 2) < 1e-4 * float(shown), (size, name, mine, shown)
PY
sed 's/l1.size: 16KiB 32KiB 64KiB/sm.coalesce: lines segments/' sizes.ini >words.ini
expect 2 "$weir" sweep words.ini --size tiny
says err "draw = curves needs a parameter"
[ ! -e gnuplot-ran ] || fail "gnuplot ran a command of the plan"

# Published: 1.2 times LRR, whose mean is 1; drawn over the bar of GTO's mean.
python3 - bars/fig7.gp <<'PY' || fail "the published value is not where it should be"
import re, sys
text = open(sys.argv[1]).read()
x, y = map(float, re.search(r"\$marks << EOD\n(.*)\n", text).group(1).split())
assert abs(y - 1.2) < 1e-4, y
# Rows: two programs, a gap, the mean; two bars and a gap of one bar to a row.
assert abs(x - (3 + 0.5 / 3)) < 1e-4, x
assert "set ylabel 'IPC / LRR'" in text
PY
grep -q "set format y '%g%%'" shares/*.gp || fail "a miss rate is not in per cent"
says bars.html "claims hold"
grep -q "20%" bars.html || fail "no published value"
# The same script draws other formats.
for kind in pdf png eps; do
    gnuplot -c bars/fig7.gp $kind >"fig7.$kind" 2>/dev/null || fail "no $kind"
    [ -s "fig7.$kind" ] || fail "$kind is empty"
done
plan wrong 'metric = ipc' 'draw = pie'
expect 2 "$weir" sweep wrong.ini --size tiny
says err "wrong.ini:6"
python3 "$tree/tests/page/browser.py" ${SHOTS:+--shots "$SHOTS"} bars.html shares.html ratios.html curve.html lines.html sizes.html
