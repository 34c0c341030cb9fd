#!/bin/sh
# examples/statistics.py, on a run and a sweep of now: it ends well, draws its pictures, and its sums are the document's.
# Usage: notebook.sh WEIR TREE
weir=$(realpath "$1")
tree=$2
python=/usr/bin/python3 # Debian's, which Debian's pandas is for
$python -c 'import pandas, matplotlib' 2>/dev/null || { echo "there is no python3-pandas or python3-matplotlib"; exit 77; }
. "$tree/tests/diff/cli.sh"
cd "$dir" || exit 1
printf '[figure]\ntitle = x\nprograms = reduction transpose\n[variant lrr]\nwith = lrr\n[variant gto]\nwith = gto\n' >plan.ini
expect 0 "$weir" replay -q --profile --json run.json "$tree/tests/golden/peer/matmul-128.wt"
expect 0 "$weir" sweep plan.ini --size tiny -j 2 -o swept --results results.sqlite
export MPLCONFIGDIR="$dir/mpl"
expect 0 $python -W error::FutureWarning "$tree/examples/statistics.py" run.json results.sqlite pictures
for name in served time sweep; do
    $python -c 'import sys; sys.exit(open(sys.argv[1], "rb").read(8) != b"\x89PNG\r\n\x1a\n")' "pictures/$name.png" || fail "no $name.png"
done
for word in reduction transpose gto lrr; do says out "$word"; done
cycles=$($python -c 'import json; print(json.load(open("run.json"))["total"]["cycles"])')
says out "$cycles"
expect 1 $python "$tree/examples/statistics.py"
says err "usage"
