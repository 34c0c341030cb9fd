#!/bin/sh
# --sampled from the outside: a run and a replay give one result, a sample of all is the whole, and samples are never
# taken for whole runs: not by the store, not by weir compare.
# Usage: sampled_cli.sh WEIR PROGRAM RECORDING
weir=$1
app=$2
recording=$3
. "$(dirname "$0")/cli.sh"

tells() { # tells PATTERN: on one of both outputs
    cat "$dir/out" "$dir/err" | grep -q -- "$1" || fail "no '$1' in: $(head -n 20 "$dir/out" "$dir/err")"
}

members() { # members A.json B.json NAME...: are they equal?
    python3 - "$@" <<'PY' || fail "$1 and $2 differ"
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:3])
sys.exit(any(a[name] != b[name] for name in sys.argv[3:]))
PY
}

# A program is recorded and replayed; its output and exit status are its own.
expect 0 "$weir" record -q -o "$dir/app.wt" "$app"
expect 0 "$weir" run --sampled=1% --json "$dir/run.json" "$app"
tells "sampled    [0-9]* of [0-9]* launches, .*% of warp instructions simulated, cycles ± "
expect 0 "$weir" replay --sampled=0.01 --json "$dir/replay.json" "$dir/app.wt"
tells "sampled    [0-9]* of [0-9]* launches"
members "$dir/run.json" "$dir/replay.json" total kernels sampled
expect 0 "$weir" replay -q --json "$dir/whole.json" "$dir/app.wt"
grep -q '"sampled"' "$dir/whole.json" && fail "a whole run calls itself sampled"

# One launch of few CTAs runs whole: the same statistics. Every one of them has an interval.
expect 0 "$weir" replay -q --json "$dir/a.json" "$recording"
expect 0 "$weir" replay -q --sampled --json "$dir/b.json" "$recording"
members "$dir/a.json" "$dir/b.json" total config loads
python3 - "$dir/b.json" <<'PY' || fail "intervals are missing"
import json, sys
doc = json.load(open(sys.argv[1]))
half, s = doc["sampled"]["half_width_95"], doc["sampled"]
sys.exit(s["error"] != 0.02 or s["warp_insts_share"] != 1 or half["cycles"] != 0 or "ipc" not in half)
PY

# A sample and a whole run are not compared.
expect 2 "$weir" compare "$dir/a.json" "$dir/b.json"
tells "is sampled and .* is not; compare two runs with --sampled, or two without"
expect 0 "$weir" compare "$dir/b.json" "$dir/b.json"
tells "sampled, 100.0% of the warp instructions simulated"

# The store keeps both, and each error for itself.
for error in "" --sampled --sampled --sampled=5%; do
    expect 0 "$weir" sweep $error --results "$dir/store.sqlite" -o "$dir/sweep" --metric ipc "$recording"
    tells "1 simulations in\|1 reused"
done
python3 - "$dir/sweep/sweep.csv" <<'PY' || fail "no interval in the data: $(cat "$dir/sweep/sweep.csv")"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert rows and 0 <= float(rows[0]["half_width_95"]) < float(rows[0]["value"]), rows
PY
expect 0 "$weir" sweep --sampled --results "$dir/store.sqlite" -o "$dir/sweep" "$recording" \
    --metric 'sampled.half_width_95.ipc / ipc'
tells "0 simulations"
grep -q 'Sampled: every simulation estimates .* to 2% of the cycles' "$dir/sweep/report.html" || fail "the report does not say so"
rows=$(python3 -c "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('select count(*) from result').fetchone()[0])" \
    "$dir/store.sqlite")
[ "$rows" = 3 ] || fail "$rows results in the store, not 3"

# Wrong values, and what a sample cannot have.
for bad in 0 -1 2 x 1%% 60% 0.0001 ''; do
    for command in "replay $recording" "sweep $recording" "run $app" "suite run nn" "reproduce cart"; do
        set -- $command
        name=$1
        shift
        expect 2 "$weir" "$name" "--sampled=$bad" "$@"
        tells "not an error between 0.1% and 50%; for example --sampled=2%"
    done
done
for other in --profile "--sample 1k" --explain-loads; do
    expect 2 "$weir" replay --sampled $other "$recording"
    tells "exclude each other"
done
expect 2 "$weir" sweep --sampled --profiles "$recording"
tells "exclude each other"
expect 2 "$weir" record --sampled -o "$dir/x.wt" "$app"
tells "has no timing model"
