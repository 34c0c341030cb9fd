#!/bin/sh
# Text from plans, stores and file names is data: nothing of it is executed or leaves the folder of outputs.
# Usage: inject_cli.sh WEIR RECORDING
weir=$(realpath "$1")
recording=$2
. "$(dirname "$0")/cli.sh"
cd "$dir" || exit 1
not_run() { [ ! -e "$dir/ran" ] || fail "$* ran a command"; }

# gnuplot expands backticks in commands, within double quotes too.
cat >plan.ini <<'INI'
[figure]
title     = it's `touch ran` "`touch ran`" 'a'
axis      = `touch ran`'; system('touch ran'); '
programs  = histogram
[variant lrr]
label     = `touch ran` "x" EOD
with      = lrr
[variant gto]
label     = EOD
with      = gto
INI
expect 0 "$weir" sweep plan.ini --size tiny -o "out'\`touch ran\`"
not_run "a plan"
[ -s "$(ls "out'"*/*.svg)" ] || fail "no picture: $(ls "out'"*)"
grep -q '`touch ran`' "out'"*/*.svg || fail "the title is not in the picture"
name='it'"'"'s `touch ran`;.wt'
cp "$recording" "$name"
expect 0 "$weir" analyze "$name" --figures "--dashes"
not_run "the name of a recording"
[ -s ./--dashes/types.svg ] || fail "no picture of an analysis"

# A figure's number is part of a file's name.
sed 's/^\[figure\]/[figure]\nnumber = ..\/..\/x/' plan.ini >number.ini
expect 2 "$weir" sweep number.ini --size tiny -o out2
says err "number.ini:2: number = ../../x: letters, digits and - _ . only"

# A store that somebody else wrote: no document, no JSON, another type. The point is simulated again.
store=$XDG_CACHE_HOME/weir/results.sqlite
expect 0 "$weir" sweep plan.ini --size tiny -o out3
says err "0 simulations"
for document in NULL "''" "'{'" "x'00ff'" 17; do
    python3 - "$store" "$document" <<'PY' || fail "no sqlite3 module"
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
rows = db.execute("SELECT key, program, size, machine, policies, settings FROM result").fetchall()
db.executescript("DROP TABLE result; CREATE TABLE result (key PRIMARY KEY, program, size, machine, policies, settings, document)")
for row in rows:
    db.execute("INSERT INTO result VALUES (?, ?, ?, ?, ?, ?, %s)" % sys.argv[2], row)
db.commit()
PY
    expect 0 "$weir" sweep plan.ini --size tiny -o out3
    says err "2 simulations"
done
exit 0
